package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/store"
)

// withQuotas has networks allow little.
func withQuotas(videosPerDay, postsPerMinute int64) option {
	return func(a *app) {
		a.config.ownNetworks.YouTube.Limits.UploadsPerDay = videosPerDay
		a.config.ownNetworks.TikTok.Limits.PostsPerMinute = postsPerMinute
	}
}

// film makes a post with a video.
func (e *engine) film(tb testing.TB, c crew, text string) string {
	tb.Helper()
	asset := e.file(tb, c, "film.mp4", mediatest.VerticalMP4())
	return e.call(tb, c, "POST", "posts", object{"text": text, "assetIds": []string{asset}}).want(tb, http.StatusCreated).text(tb, "id")
}

// warnings are what a dry run warns of.
func (e *engine) warnings(tb testing.TB, c crew, post string, on account, at time.Time) string {
	tb.Helper()
	var result crier.ValidationResult
	body := object{"socialAccountIds": []crier.ID{on.id}, "platformSettings": everywhere, "scheduledAt": at.UTC().Format(time.RFC3339)}
	e.call(tb, c, "POST", "posts/"+post+"/validate", body).want(tb, http.StatusOK).into(tb, &result)
	var said []string
	for _, w := range result.Data[0].Warnings {
		said = append(said, w.Message)
	}
	return strings.Join(said, "; ")
}

func TestTheDailyQuotaOfANetworkIsSharedByAllTeamsAndNodes(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		quotas := withQuotas(2, 100)
		e := startEngine(t, db, quotas)
		if db.Dialect == store.Postgres {
			e.join(t, db, quotas)
		}
		var last crew
		for i := range 3 {
			last = e.newCrew(t, 0, "youtube")
			e.as(t, last.key, "PATCH", path("/v1/teams/%s", last.team), object{"publishLateMinutes": 0}).want(t, http.StatusOK)
			post := e.film(t, last, "A film")
			soon := e.app.now().Add(2 * time.Minute)
			if warned := strings.Contains(e.warnings(t, last, post, last.accounts[0], soon), "2 videos of the installation a day"); warned != (i == 2) {
				t.Errorf("film %d: warned %v", i, warned)
			}
			if warned := e.warnings(t, last, post, last.accounts[0], soon.Add(26*time.Hour)); warned != "" {
				t.Errorf("film %d, tomorrow: %s", i, warned)
			}
			id := e.now(t, last, post, last.accounts[0], object{"platformSettings": everywhere})
			if i < 2 {
				e.await(t, last, id, crier.Published)
				continue
			}
			if p := e.await(t, last, id, crier.Missed); p.ErrorCode != "quota_exhausted" || !strings.Contains(p.ErrorMessage, "videos of the installation a day") {
				t.Errorf("the third film: %s, %s", p.ErrorCode, p.ErrorMessage)
			}
		}
		if shown := e.box.timeline(t, last.accounts[0]); len(shown) != 0 {
			t.Errorf("the third film is on its timeline: %+v", shown)
		}
	})
}

func TestWhatANetworkAllowsPerMinuteIsWaitedFor(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		e := startEngine(t, db, withClock(c), withQuotas(100, 2))
		crew := e.newCrew(t, 0, "tiktok")
		on := crew.accounts[0]
		var ids []crier.ID
		for range 3 {
			ids = append(ids, e.now(t, crew, e.film(t, crew, "A film"), on, object{"platformSettings": everywhere}))
		}
		waiting := 0
		until(t, func() bool {
			waiting = 0
			for _, id := range ids {
				if e.publication(t, crew, id).ErrorCode == "rate_limited" {
					waiting++
				}
			}
			return waiting > 0 && len(e.box.timeline(t, on)) == 2
		}, func() string { return "two films should be public, and one should wait" })
		if waiting != 1 {
			t.Errorf("%d films wait", waiting)
		}
		account := e.call(t, crew, "GET", path("social-accounts/%s", on.id), nil).want(t, http.StatusOK)
		if account.text(t, "status") != "connected" || account.text(t, "accountHealthIssue") != "rate_limited" {
			t.Errorf("the account: %s", account.body)
		}
		c.advance(62 * time.Second)
		for _, id := range ids {
			e.await(t, crew, id, crier.Published)
		}
		if shown := e.box.timeline(t, on); len(shown) != 3 {
			t.Errorf("the timeline shows %d films", len(shown))
		}
		account = e.call(t, crew, "GET", path("social-accounts/%s", on.id), nil).want(t, http.StatusOK)
		if account.get(t, "accountHealthIssue") != nil {
			t.Errorf("the account is not well again: %s", account.body)
		}
	})
}
