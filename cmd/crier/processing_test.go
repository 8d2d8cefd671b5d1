package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/sandbox"
	"crier/internal/server/servertest"
)

// The network has accepted the post, and the account's consent has expired: its status cannot be read. It is polled
// less and less often, long after an unpublished post would have been given up, and then needs attention.
func TestProcessingPostIsNotPolledInABusyLoop(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		clock := &servertest.Clock{}
		box := servertest.StartBoxWith(t, sandbox.Options{ProcessingTime: 8 * time.Second}) // long enough to observe it
		e := startEngineOn(t, db, box, servertest.WithClock(clock))
		c := e.NewCrew(t, 1000, "tiktok", "tiktok")
		ids := [2]crier.ID{}
		for i, on := range c.Accounts {
			ids[i] = e.videoNow(t, c, on)
		}
		for i, on := range c.Accounts {
			e.Await(t, c, ids[i], crier.Processing)
			e.box.Fault(t, on, "read", "auth_expired", object{"count": 1000})
		}
		for _, id := range ids {
			servertest.Until(t, func() bool { return e.Publication(t, c, id).ErrorCode == "auth_expired" },
				func() string { return e.History(t, c, id) })
		}
		for range 3 { // beyond the hour in which it may be late
			e.waitForNextPoll(t, c, ids[0], clock)
		}
		// The first is reconnected; the second never is.
		e.box.ClearFaults(t)
		e.box.Fault(t, c.Accounts[1], "read", "auth_expired", object{"count": 1000})
		e.Exec(t, `UPDATE social_accounts SET status = 'connected' WHERE id = $1`, c.Accounts[0].ID)
		servertest.Until(t, func() bool {
			clock.Advance(time.Minute)
			return e.Publication(t, c, ids[0]).Status == crier.Published
		}, func() string { return e.History(t, c, ids[0]) })
		clock.Advance(24 * time.Hour)
		if p := e.Await(t, c, ids[1], crier.Unknown); p.ErrorCode != "outcome_unknown" {
			t.Errorf("unknown with the code %s", p.ErrorCode)
		}
		e.Balanced(t, c)
	})
}

// videoNow publishes a video at once.
func (e *engine) videoNow(tb testing.TB, c crew, on servertest.Account) crier.ID {
	tb.Helper()
	body, contentType := servertest.Form(servertest.FormPart{Field: "file", FileName: "clip.mp4",
		Data: mediatest.VerticalMP4()})
	asset := e.Call(tb, c, "POST", "assets", body, "Content-Type", contentType).Want(tb, http.StatusCreated).Text(tb,
		"id")
	post := e.Call(tb, c, "POST", "posts", object{"text": "a clip", "assetIds": []string{asset}}).Want(tb,
		http.StatusCreated).Text(tb, "id")
	return e.PostOn(tb, c, post, on,
		object{"platformSettings": object{"tiktokPrivacyLevel": json.RawMessage(`"PUBLIC_TO_EVERYONE"`)}})
}

// waitForNextPoll advances the clock and waits until a publication was polled and its next poll is in the future. One
// poll may have been running when the clock was advanced.
func (e *engine) waitForNextPoll(tb testing.TB, c crew, id crier.ID, clock *servertest.Clock) {
	tb.Helper()
	before := len(e.Attempts(tb, c, id))
	clock.Advance(30 * time.Minute)
	since := e.Config.Now()
	var looks []crier.Attempt
	servertest.Until(tb, func() bool {
		looks = e.Attempts(tb, c, id)[before:]
		return len(looks) > 0 && looks[len(looks)-1].NextAt != nil && looks[len(looks)-1].NextAt.After(since)
	}, func() string { return "nobody asks\n" + e.History(tb, c, id) })
	last := looks[len(looks)-1]
	if len(looks) > 2 || last.NextAt.Sub(last.EndedAt.Time) < servertest.FastTimings.AccountPause/2 {
		tb.Errorf("it was looked at %d times, last at %v, and again at %v", len(looks), last.EndedAt, last.NextAt)
	}
}
