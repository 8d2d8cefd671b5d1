package main

import (
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// The clock of a server without time synchronization is minutes ahead of the networks' clocks: its posts are dated
// before the time at which it made the call. A lost response is found all the same.
func TestReconcileToleratesAClockAhead(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		clock := &servertest.Clock{}
		clock.Advance(5 * time.Minute)
		e := startEngine(t, db, servertest.WithClock(clock))
		c := e.NewCrew(t, 10_000, "x", "linkedin:organization", "facebook", "threads")
		ids := make([]crier.ID, len(c.Accounts))
		for i, on := range c.Accounts {
			operation := map[bool]string{true: "publish", false: "comment"}[on.Network == "x" ||
				on.Network == "threads"]
			e.box.Fault(t, on, "publish", "lost_response", nil)
			e.box.Fault(t, on, operation, "lost_response",
				object{"skip": map[bool]int{true: 1}[operation == "publish"]})
			ids[i] = e.PostOn(t, c, e.NewPost(t, c, "post"), on, object{"firstComment": object{"text": "comment"}})
		}
		for i, on := range c.Accounts {
			e.Await(t, c, ids[i], crier.Published)
			e.AwaitAction(t, c, ids[i], store.FirstComment, crier.Published)
			if got := servertest.Texts(e.box.Timeline(t, on)); !slices.Equal(got, []string{"post", "comment"}) {
				t.Errorf("timeline of %s: %q\n%s", on.Network, got, e.History(t, c, ids[i]))
			}
		}
		e.Balanced(t, c)
	})
}
