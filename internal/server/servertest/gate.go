package servertest

import (
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/publish"
	"crier/internal/server"
)

// Gate blocks a worker after the nth of all steps of a kind, until the gate is opened.
type Gate struct {
	step            publish.Step
	nth             int
	reached, opened chan struct{}
}

// NewGate returns a gate after the nth step of a kind.
func NewGate(t *testing.T, step publish.Step, nth int) *Gate {
	t.Helper()
	g := &Gate{step: step, nth: nth, reached: make(chan struct{}), opened: make(chan struct{})}
	t.Cleanup(g.Open) // or the server could not stop
	return g
}

// WithGates makes the workers of a server stop at gates. The first one simulates a worker that is suspended: no
// heartbeat is sent until it is opened.
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

// Await waits until a worker has reached the gate.
func (g *Gate) Await(t *testing.T) {
	t.Helper()
	select {
	case <-g.reached:
	case <-time.After(WaitTimeout):
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
