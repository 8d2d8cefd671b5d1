package queue

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// startingEngine is a job engine whose start ends when the test says so.
type startingEngine struct {
	engine
	started chan error
	aborted chan struct{}
}

func (e startingEngine) start(context.Context) error { return <-e.started }
func (e startingEngine) abort(context.Context) error { close(e.aborted); return nil }

func TestAStartOfTheJobEngineThatHangsIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := startingEngine{started: make(chan error), aborted: make(chan struct{})}
		q, begun := &Queue{engine: e}, time.Now()
		stopped, stop := context.WithCancel(t.Context())
		stop() // a node that is told to stop waits for its start, whose jobs may be running
		err := q.startEngine(stopped)
		if err == nil || !strings.Contains(err.Error(), "has not started within 2m0s") ||
			time.Since(begun) != startTimeout {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		e.started <- nil // it starts after all
		<-e.aborted
	})
}

func TestTheStartOfTheJobEngineIsAwaited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("no connection")
		for _, want := range []error{nil, failure} {
			e := startingEngine{started: make(chan error), aborted: make(chan struct{})}
			var starts sync.WaitGroup
			starts.Go(func() {
				if err := (&Queue{engine: e}).startEngine(t.Context()); !errors.Is(err, want) {
					t.Errorf("%v, want %v", err, want)
				}
			})
			<-time.After(startTimeout - time.Second)
			e.started <- want
			starts.Wait()
			<-time.After(startTimeout)
			select {
			case <-e.aborted:
				t.Errorf("an engine that has started in time, with %v, was aborted", want)
			default:
			}
		}
	})
}
