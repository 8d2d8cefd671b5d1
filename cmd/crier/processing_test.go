package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/sandbox"
)

// The network has the post, and the account's consent has ended: nobody can ask what became of it. It is asked less and less
// often, long after a post that is not out yet would have been given up, and then a person has to look.
func TestAPostThatANetworkWorksOnIsNeverAskedForInALoop(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		clock := &clock{}
		box := startBoxWith(t, sandbox.Options{ProcessingTime: 8 * time.Second}) // time to see it at work
		e := startEngineOn(t, db, box, withClock(clock))
		c := e.newCrew(t, 1000, "tiktok", "tiktok")
		ids := [2]crier.ID{}
		for i, on := range c.accounts {
			ids[i] = e.videoNow(t, c, on)
		}
		for i, on := range c.accounts {
			e.await(t, c, ids[i], crier.Processing)
			e.box.fault(t, on, "read", "auth_expired", object{"count": 1000})
		}
		for _, id := range ids {
			until(t, func() bool { return e.publication(t, c, id).ErrorCode == "auth_expired" }, func() string { return e.history(t, c, id) })
		}
		for range 3 { // beyond the hour in which it may be late
			e.looksAgainLater(t, c, ids[0], clock)
		}
		// The first is connected again; the second never is.
		e.box.heal(t)
		e.box.fault(t, c.accounts[1], "read", "auth_expired", object{"count": 1000})
		e.exec(t, `UPDATE social_accounts SET status = 'connected' WHERE id = $1`, c.accounts[0].id)
		until(t, func() bool {
			clock.advance(time.Minute)
			return e.publication(t, c, ids[0]).Status == crier.Published
		}, func() string { return e.history(t, c, ids[0]) })
		clock.advance(24 * time.Hour)
		if p := e.await(t, c, ids[1], crier.Unknown); p.ErrorCode != "outcome_unknown" {
			t.Errorf("unknown with the code %s", p.ErrorCode)
		}
		e.balanced(t, c)
	})
}

// videoNow publishes a video at once.
func (e *engine) videoNow(tb testing.TB, c crew, on account) crier.ID {
	tb.Helper()
	body, contentType := form(formPart{field: "file", fileName: "clip.mp4", data: mediatest.VerticalMP4()})
	asset := e.call(tb, c, "POST", "assets", body, "Content-Type", contentType).want(tb, http.StatusCreated).text(tb, "id")
	post := e.call(tb, c, "POST", "posts", object{"text": "a clip", "assetIds": []string{asset}}).want(tb, http.StatusCreated).text(tb, "id")
	return e.now(tb, c, post, on, object{"platformSettings": object{"tiktokPrivacyLevel": json.RawMessage(`"PUBLIC_TO_EVERYONE"`)}})
}

// looksAgainLater sets the clock forward and waits until a publication was looked at and has a next time that lies ahead. One look may
// have been under way when the clock was set.
func (e *engine) looksAgainLater(tb testing.TB, c crew, id crier.ID, clock *clock) {
	tb.Helper()
	before := len(e.attempts(tb, c, id))
	clock.advance(30 * time.Minute)
	since := e.app.now()
	var looks []crier.Attempt
	until(tb, func() bool {
		looks = e.attempts(tb, c, id)[before:]
		return len(looks) > 0 && looks[len(looks)-1].NextAt != nil && looks[len(looks)-1].NextAt.After(since)
	}, func() string { return "nobody asks\n" + e.history(tb, c, id) })
	last := looks[len(looks)-1]
	if len(looks) > 2 || last.NextAt.Sub(last.EndedAt.Time) < hurried.AccountPause/2 {
		tb.Errorf("it was looked at %d times, last at %v, and again at %v", len(looks), last.EndedAt, last.NextAt)
	}
}
