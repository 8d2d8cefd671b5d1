package main

import (
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
)

// gate is a place at which a worker waits until it is opened.
type gate struct {
	name          string
	reached, open chan struct{}
}

func newGate(t *testing.T, name string) *gate {
	t.Helper()
	g := &gate{name: name, reached: make(chan struct{}), open: make(chan struct{})}
	t.Cleanup(g.let) // or the server could not stop
	return g
}

// pass waits at the gate. One worker may do so.
func (g *gate) pass() {
	close(g.reached)
	<-g.open
}

// await waits until a worker stands at the gate.
func (g *gate) await(t *testing.T) {
	t.Helper()
	select {
	case <-g.reached:
	case <-time.After(patience):
		t.Fatalf("nobody comes to the gate %q", g.name)
	}
}

// let opens the gate.
func (g *gate) let() {
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

// A worker sleeps behind its call. Another one finds out that the first part of the thread is public and is paid for it; then
// the first wakes up, before the second has gone on, and has the same to tell.
func TestAPartThatTwoWorkersTellOfIsPaidForOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		called, found, told := newGate(t, "called"), newGate(t, "found"), newGate(t, "told")
		var mu sync.Mutex
		steps := map[service.Step]int{}
		count := func(step service.Step) int {
			mu.Lock()
			defer mu.Unlock()
			steps[step]++
			return steps[step]
		}
		e := startEngine(t, db, func(a *app) {
			a.checkpoint = func(_ crier.ID, step service.Step) {
				switch n := count(step); {
				case step == service.StepSent && n == 1:
					called.pass()
				case step == service.StepSettled && n == 1:
					found.pass()
				case step == service.StepSettled && n == 2:
					told.pass()
				case step == service.StepExtended: // who sleeps gives no sign of life
					<-called.open
				}
			}
		})
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
