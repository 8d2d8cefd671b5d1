package main

import (
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
)

// gate is where a worker waits until it is opened: behind the nth of all steps of a kind.
type gate struct {
	step          service.Step
	nth           int
	reached, open chan struct{}
}

func newGate(t *testing.T, step service.Step, nth int) *gate {
	t.Helper()
	g := &gate{step: step, nth: nth, reached: make(chan struct{}), open: make(chan struct{})}
	t.Cleanup(g.let) // or the server could not stop
	return g
}

// withGates has the workers of a server wait at gates. The first one is where a worker falls asleep: nobody gives a sign of
// life until it is opened.
func withGates(gates ...*gate) option {
	var mu sync.Mutex
	seen := map[service.Step]int{}
	count := func(step service.Step) int {
		mu.Lock()
		defer mu.Unlock()
		seen[step]++
		return seen[step]
	}
	return func(a *app) {
		a.checkpoint = func(_ crier.ID, step service.Step) {
			if step == service.StepExtended {
				<-gates[0].open
				return
			}
			n := count(step)
			for _, g := range gates {
				if g.step == step && g.nth == n {
					close(g.reached)
					<-g.open
				}
			}
		}
	}
}

// await waits until a worker stands at the gate.
func (g *gate) await(t *testing.T) {
	t.Helper()
	select {
	case <-g.reached:
	case <-time.After(patience):
		t.Fatalf("nobody comes to gate %d behind the step %q", g.nth, g.step)
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
