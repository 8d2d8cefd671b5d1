package main

import (
	"testing"
	"time"

	"crier"
	"crier/internal/sandbox"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// A day later the responses to the repost of one post and to the quote of another are lost. Both are published once.
func TestLostAnswerToARepostOrQuoteIsReconciled(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		clock := &servertest.Clock{}
		e := startEngineOn(t, db, servertest.StartBoxWith(t, sandbox.Options{Now: clock.Now}),
			servertest.WithClock(clock))
		c := e.NewCrew(t, 10_000, "x", "linkedin:organization", "threads")
		type pair struct{ plain, quoted crier.ID }
		pairs := make([]pair, len(c.Accounts))
		for i, on := range c.Accounts {
			pairs[i].plain = e.PostOn(t, c, e.NewPost(t, c, "once more"), on,
				object{"repostAfter": object{"offsetDays": 1}})
			again := object{"offsetDays": 1}
			if on.Network != "x" { // which allows self-serve apps to repost, but not to quote
				again["text"] = "as I said"
			}
			pairs[i].quoted = e.PostOn(t, c, e.NewPost(t, c, "quote me"), on, object{"repostAfter": again})
		}
		for i, on := range c.Accounts {
			e.Await(t, c, pairs[i].plain, crier.Published)
			e.Await(t, c, pairs[i].quoted, crier.Published)
			e.box.Fault(t, on, "publish", "lost_response", object{"count": 2})
		}
		clock.Advance(24*time.Hour + time.Second)
		for i, on := range c.Accounts {
			e.AwaitAction(t, c, pairs[i].plain, store.RepostPublication, crier.Published)
			e.AwaitAction(t, c, pairs[i].quoted, store.RepostPublication, crier.Published)
			quotes := 0
			timeline := e.box.Timeline(t, on)
			for _, p := range timeline {
				if p.Text == "as I said" || on.Network == "x" && p.Kind == "repost" &&
					p.ParentID == e.Publication(t, c, pairs[i].quoted).PlatformPostID {
					quotes++
				}
			}
			if len(timeline) != 4 || quotes != 1 {
				t.Errorf("timeline of %s: %+v\n%s%s", on.Network, timeline, e.History(t, c, pairs[i].plain),
					e.History(t, c, pairs[i].quoted))
			}
		}
		e.Balanced(t, c)
	})
}
