package main

import (
	"testing"
	"time"

	"crier"
	"crier/internal/sandbox"
	"crier/internal/store"
)

// A day later the answers to the repost of one post and to the quote of another are lost. Both are there once.
func TestALostAnswerToARepostOrAQuoteIsFoundAgain(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		clock := &clock{}
		e := startEngineOn(t, db, startBoxWith(t, sandbox.Options{Now: clock.Now}), withClock(clock))
		c := e.newCrew(t, 10_000, "x", "linkedin:organization", "threads")
		type pair struct{ plain, quoted crier.ID }
		pairs := make([]pair, len(c.accounts))
		for i, on := range c.accounts {
			pairs[i].plain = e.now(t, c, e.newPost(t, c, "once more"), on, object{"repostAfter": object{"offsetDays": 1}})
			pairs[i].quoted = e.now(t, c, e.newPost(t, c, "quote me"), on, object{"repostAfter": object{"offsetDays": 1, "text": "as I said"}})
		}
		for i, on := range c.accounts {
			e.await(t, c, pairs[i].plain, crier.Published)
			e.await(t, c, pairs[i].quoted, crier.Published)
			e.box.fault(t, on, "publish", "lost_response", object{"count": 2})
		}
		clock.advance(24*time.Hour + time.Second)
		for i, on := range c.accounts {
			e.awaitAction(t, c, pairs[i].plain, store.RepostPublication, crier.Published)
			e.awaitAction(t, c, pairs[i].quoted, store.RepostPublication, crier.Published)
			quotes := 0
			timeline := e.box.timeline(t, on)
			for _, p := range timeline {
				if p.Text == "as I said" {
					quotes++
				}
			}
			if len(timeline) != 4 || quotes != 1 {
				t.Errorf("timeline of %s: %+v\n%s%s", on.network, timeline, e.history(t, c, pairs[i].plain), e.history(t, c, pairs[i].quoted))
			}
		}
		e.balanced(t, c)
	})
}
