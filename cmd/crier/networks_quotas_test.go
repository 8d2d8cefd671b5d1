package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// withQuotas sets low limits of the networks.
func withQuotas(videosPerDay, postsPerMinute int64) servertest.Option {
	return func(a *server.Config) {
		a.OwnNetworks.YouTube.Limits.UploadsPerDay = videosPerDay
		a.OwnNetworks.TikTok.Limits.PostsPerMinute = postsPerMinute
	}
}

func TestDailyQuotaOfANetworkIsSharedByAllTeamsAndNodes(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		quotas := withQuotas(2, 100)
		e := startEngine(t, db, quotas)
		if db.Dialect == store.Postgres {
			e.join(t, db, quotas)
		}
		var last crew
		for i := range 3 {
			last = e.NewCrew(t, 0, "youtube")
			e.As(t, last.Key, "PATCH", path("/v1/teams/%s", last.Team), object{"publishLateMinutes": 0}).Want(t,
				http.StatusOK)
			post := e.NewVideoPost(t, last, "A film")
			soon := e.Config.Now().Add(2 * time.Minute)
			if warned := strings.Contains(e.Warnings(t, last, post, last.Accounts[0], soon),
				"2 videos of the installation a day"); warned != (i == 2) {
				t.Errorf("film %d: warned %v", i, warned)
			}
			if warned := e.Warnings(t, last, post, last.Accounts[0], soon.Add(26*time.Hour)); warned != "" {
				t.Errorf("film %d, tomorrow: %s", i, warned)
			}
			id := e.PostOn(t, last, post, last.Accounts[0], object{"platformSettings": servertest.Everywhere})
			if i < 2 {
				e.Await(t, last, id, crier.Published)
				continue
			}
			if p := e.Await(t, last, id, crier.Missed); p.ErrorCode != "quota_exhausted" ||
				!strings.Contains(p.ErrorMessage, "videos of the installation a day") {
				t.Errorf("the third film: %s, %s", p.ErrorCode, p.ErrorMessage)
			}
		}
		if shown := e.box.Timeline(t, last.Accounts[0]); len(shown) != 0 {
			t.Errorf("the third film is on its timeline: %+v", shown)
		}
	})
}

func TestPerMinuteLimitIsRespected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		e := startEngine(t, db, servertest.WithClock(c), withQuotas(100, 2))
		crew := e.NewCrew(t, 0, "tiktok")
		on := crew.Accounts[0]
		var ids []crier.ID
		for range 3 {
			ids = append(ids, e.PostOn(t, crew, e.NewVideoPost(t, crew, "A film"), on,
				object{"platformSettings": servertest.Everywhere}))
		}
		waiting := 0
		servertest.Until(t, func() bool {
			waiting = 0
			for _, id := range ids {
				if e.Publication(t, crew, id).ErrorCode == "rate_limited" {
					waiting++
				}
			}
			return waiting > 0 && len(e.box.Timeline(t, on)) == 2
		}, func() string { return "two films should be public, and one should wait" })
		if waiting != 1 {
			t.Errorf("%d films wait", waiting)
		}
		account := e.Call(t, crew, "GET", path("social-accounts/%s", on.ID), nil).Want(t, http.StatusOK)
		if account.Text(t, "status") != "connected" || account.Text(t, "accountHealthIssue") != "rate_limited" {
			t.Errorf("the account: %s", account.Body)
		}
		c.Advance(62 * time.Second)
		for _, id := range ids {
			e.Await(t, crew, id, crier.Published)
		}
		if shown := e.box.Timeline(t, on); len(shown) != 3 {
			t.Errorf("the timeline shows %d films", len(shown))
		}
		account = e.Call(t, crew, "GET", path("social-accounts/%s", on.ID), nil).Want(t, http.StatusOK)
		if account.Get(t, "accountHealthIssue") != nil {
			t.Errorf("the account is not well again: %s", account.Body)
		}
	})
}
