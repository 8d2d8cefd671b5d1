package main

import (
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// The clock of a server without time synchronisation is minutes ahead of the networks' clocks: what it has published lies
// before the time at which it believes to have called. A lost answer is found all the same.
func TestAClockThatIsAheadHidesNoLostPost(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		clock := &clock{}
		clock.advance(5 * time.Minute)
		e := startEngine(t, db, withClock(clock))
		c := e.newCrew(t, 10_000, "x", "linkedin:organization", "facebook", "threads")
		ids := make([]crier.ID, len(c.accounts))
		for i, on := range c.accounts {
			operation := map[bool]string{true: "publish", false: "comment"}[on.network == "x" || on.network == "threads"]
			e.box.fault(t, on, "publish", "lost_response", nil)
			e.box.fault(t, on, operation, "lost_response", object{"skip": map[bool]int{true: 1}[operation == "publish"]})
			ids[i] = e.now(t, c, e.newPost(t, c, "post"), on, object{"firstComment": object{"text": "comment"}})
		}
		for i, on := range c.accounts {
			e.await(t, c, ids[i], crier.Published)
			e.awaitAction(t, c, ids[i], store.FirstComment, crier.Published)
			if got := texts(e.box.timeline(t, on)); !slices.Equal(got, []string{"post", "comment"}) {
				t.Errorf("timeline of %s: %q\n%s", on.network, got, e.history(t, c, ids[i]))
			}
		}
		e.balanced(t, c)
	})
}
