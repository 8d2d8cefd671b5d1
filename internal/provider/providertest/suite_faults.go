package providertest

import (
	"context"
	"slices"
	"testing"
	"time"

	"crier/internal/provider"
)

// testFaults makes the publishing call fail with each kind of fault, and checks the client's error and the end of the
// publication.
func testFaults(t *testing.T, n Network) {
	t.Helper()
	for kind, want := range n.Classes() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, n)
			s.fault("publish", kind)
			p := s.publish(s.simplest())
			end := p.run(context.Background())
			if s.pendingFaults() > 0 {
				t.Fatal("the fault did not strike")
			}
			wantClass(t, p.failed, want)
			wantEnd(t, s, want, end, p.failed)
			p.exactlyOnce(end)
		})
	}
}

func wantClass(t *testing.T, failed []*provider.Error, want Class) {
	t.Helper()
	switch {
	case want.Kind == "" && len(failed) > 0:
		t.Errorf("failed with %v; want it got over", failed)
	case want.Kind != "" && len(failed) == 0:
		t.Errorf("did not fail; want %s", want.Kind)
	case want.Kind != "" && (failed[0].Kind != want.Kind || failed[0].Code != want.Code):
		t.Errorf("failed with %s %s (%s); want %s %s", failed[0].Kind, failed[0].Code, failed[0].Message, want.Kind,
			want.Code)
	}
	for _, failure := range failed {
		if failure.Message == "" {
			t.Errorf("an error says nothing to people: %+v", failure)
		}
		if failure.Code == provider.CodeQuotaExhausted && failure.RetryAfter <= 0 {
			t.Errorf("a quota does not report when it resets: %+v", failure)
		}
	}
}

// wantEnd fails unless the publication ended as expected from its first error.
func wantEnd(t *testing.T, s *stage, want Class, end End, failed []*provider.Error) {
	t.Helper()
	if allowed := s.n.Ends(s.info, want); !slices.Contains(allowed, end) {
		t.Errorf("ended %s, after %v; want %v", end, failed, allowed)
	}
}

// testCancelling cancels the context before a step and during the publishing call.
func testCancelling(t *testing.T, n Network) {
	t.Helper()
	t.Run("before", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, n)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		p := s.publish(s.simplest())
		for p.steps < mostSteps && !p.state.Ready {
			if st, err := p.Prepare(ended, p.account, p.content, p.state); err == nil && !st.Ready {
				t.Fatalf("Prepare went on under a context that has ended: %+v", st)
			}
			if _, err := p.step(context.Background()); err != nil {
				t.Fatal(err)
			}
			p.clock.AdvanceTo(p.state.NextPollAfter)
		}
		if st, err := p.Commit(ended, p.account, p.content, p.state); err == nil && len(st.Published) > 0 {
			t.Errorf("Commit went on under a context that has ended: %+v", st)
		}
		if posts := s.timeline(); len(posts) != 0 {
			t.Errorf("the timeline shows %q", texts(posts))
		}
	})
	t.Run("during", func(t *testing.T) { t.Parallel(); testCancelDuring(t, n) })
}

// testCancelDuring cancels the call while the network handles it. The network continues and publishes: the client must
// not report that nothing was published.
func testCancelDuring(t *testing.T, n Network) {
	t.Helper()
	s := newStage(t, n)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := s.publish(s.simplest())
	for !p.state.Ready {
		if _, err := p.step(ctx); err != nil {
			t.Fatal(err)
		}
		p.clock.AdvanceTo(p.state.NextPollAfter)
	}
	given := make(chan struct{}) // closed when the caller has canceled
	s.slow = func() <-chan time.Time {
		cancel()
		<-given
		return time.After(0)
	}
	s.fault("publish", "slow")
	at := provider.Attempt{StartedAt: p.clock.Now()}
	st, err := p.Commit(ctx, p.account, p.content, Reload(t, p.state))
	close(given)
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Fatalf("a call that was given up: %v; want the outcome to be unknown", err)
	}
	s.busy.Wait() // the network has finished what the caller did not wait for
	p.state = st
	end, err := p.settle(at)
	if err != nil {
		t.Fatal(err)
	}
	if end == "" {
		end = p.run(context.Background())
	}
	if end != Published {
		t.Errorf("ended %s, after %v", end, p.failed)
	}
	p.exactlyOnce(end)
}
