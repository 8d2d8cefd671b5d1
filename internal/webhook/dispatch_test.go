package webhook

import (
	"context"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/events"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// assigned returns how many deliveries a webhook has.
func (w *world) assigned(hook crier.ID) int64 {
	w.t.Helper()
	return w.Scan(`SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1`, hook)
}

// wantDispatched checks that events were dispatched up to the end of the log.
func (w *world) wantDispatched() {
	w.t.Helper()
	at, err := w.Dispatched(w.t.Context())
	w.must(err)
	present, err := w.EventLog(w.t.Context())
	w.must(err)
	if at != present.Last {
		w.t.Errorf("events were dispatched up to %d, and the log ends at %d", at, present.Last)
	}
}

// Dispatching ends where the log ends, even if the last sequences have no events.
func TestDispatchPassesSequencesWithoutEvents(t *testing.T) {
	t.Parallel()
	for name, gap := range map[string]string{
		"restored": `UPDATE event_log SET last = 1000000 + (SELECT max(n) FROM (SELECT l.last AS n FROM event_log l
			UNION ALL SELECT max(e.sequence) FROM events e) AS numbers)`,
		"purged": `DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
				w := newWorld(t, f)
				hook, _ := w.create("https://example.com/hook")
				w.happen(dispatchBatch + 2)
				w.exec(gap)
				want := w.Scan(`SELECT count(*) FROM events WHERE sequence > $1`, w.afterSequence(hook.ID))
				ctx, stop := context.WithTimeout(t.Context(), time.Minute) // it went on forever
				defer stop()
				w.must(w.Dispatch(ctx))
				w.wantDispatched()
				w.happen(1)
				w.must(w.Dispatch(ctx))
				w.wantDispatched()
				if got := w.assigned(hook.ID); got != want+1 {
					t.Errorf("%d events were dispatched, want %d", got, want+1)
				}
			})
		})
	}
}

// afterSequence returns the sequence after which a webhook receives events.
func (w *world) afterSequence(hook crier.ID) int64 {
	w.t.Helper()
	stored, err := w.WebhookByID(w.t.Context(), hook)
	w.must(err)
	return stored.AfterSequence
}

// No event is skipped, whichever of the events were visible when the end of the log was read.
func TestEventsWrittenAtOnceAreAllDispatched(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		const writers, each = 4, 50
		w := newWorld(t, f)
		hook, _ := w.create("https://example.com/hook")
		ctx := t.Context()
		write := func(tx *store.Tx) error {
			return events.Record(tx, crier.TimeOf(w.time), events.Fact{Type: crier.PostCreated, TeamID: &w.Team.ID,
				Object: crier.Post{ID: crier.NewID(), TeamID: w.Team.ID}})
		}
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for range each {
					if err := w.WithTx(ctx, write); err != nil {
						t.Error(err)
					}
					if _, err := w.SequenceEvents(ctx); err != nil {
						t.Error(err)
					}
				}
			})
		}
		written := make(chan struct{})
		go func() { defer close(written); all.Wait() }()
		for running := true; running; {
			select {
			case <-written:
				running = false
			default:
			}
			w.must(w.Dispatch(ctx))
		}
		w.sequence()
		w.must(w.Dispatch(ctx))
		if got := w.assigned(hook.ID); got != writers*each {
			t.Errorf("%d events were dispatched, want %d", got, writers*each)
		}
	})
}
