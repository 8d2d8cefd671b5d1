package servertest

import (
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/publish"
	"crier/internal/server"
)

// Gate is where a worker waits until it is opened: behind the nth of all steps of a kind.
type Gate struct {
	step            publish.Step
	nth             int
	reached, opened chan struct{}
}

// NewGate makes a gate behind the nth step of a kind.
func NewGate(t *testing.T, step publish.Step, nth int) *Gate {
	t.Helper()
	g := &Gate{step: step, nth: nth, reached: make(chan struct{}), opened: make(chan struct{})}
	t.Cleanup(g.Open) // or the server could not stop
	return g
}

// WithGates has the workers of a server wait at gates. The first one is where a worker falls asleep: nobody gives a
// sign of life until it is opened.
func WithGates(gates ...*Gate) Option {
	var mu sync.Mutex
	seen := map[publish.Step]int{}
	count := func(step publish.Step) int {
		mu.Lock()
		defer mu.Unlock()
		seen[step]++
		return seen[step]
	}
	return func(a *server.Config) {
		a.Checkpoint = func(_ crier.ID, step publish.Step) {
			if step == publish.StepExtended {
				<-gates[0].opened
				return
			}
			n := count(step)
			for _, g := range gates {
				if g.step == step && g.nth == n {
					close(g.reached)
					<-g.opened
				}
			}
		}
	}
}

// Await waits until a worker stands at the gate.
func (g *Gate) Await(t *testing.T) {
	t.Helper()
	select {
	case <-g.reached:
	case <-time.After(Patience):
		t.Fatalf("nobody comes to gate %d behind the step %q", g.nth, g.step)
	}
}

// Open opens the gate.
func (g *Gate) Open() {
	select {
	case <-g.opened:
	default:
		close(g.opened)
	}
}
