package main

import (
	"slices"
	"testing"

	"crier"
	"crier/internal/service"
)

// A worker sleeps behind its call. Another one finds out that the first part of the thread is public, and it is paid for; then
// the first wakes up, before the second has gone on, and has the same to tell.
func TestAPartThatTwoWorkersTellOfIsPaidForOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		called, found, told := newGate(t, service.StepSent, 1), newGate(t, service.StepSettled, 1), newGate(t, service.StepSettled, 2)
		e := startEngine(t, db, withGates(called, found, told))
		x := e.accounts[0]
		id := e.now(t, e.crew, e.newThread(t, e.crew, "one", "two"), x, nil)
		called.await(t)
		found.await(t)
		called.let()
		told.await(t)
		told.let()
		found.let()
		e.await(t, e.crew, id, crier.Published)
		if got := texts(e.box.timeline(t, x)); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("timeline %q\n%s", got, e.history(t, e.crew, id))
		}
		paid := e.number(t, `SELECT -sum(amount) FROM credit_transactions WHERE scheduled_post_id = $1 AND kind = 'capture'`, id)
		if want := e.number(t, `SELECT captured_credits FROM scheduled_posts WHERE id = $1`, id); paid != want {
			t.Errorf("%d credits were paid for parts that cost %d", paid, want)
		}
		e.balanced(t, e.crew)
	})
}
