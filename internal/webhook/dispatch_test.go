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

// A webhook that is created, and an event that follows, between two reads of a dispatch: the next one has both.
func TestWebhookCreatedDuringADispatchReceivesWhatFollows(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		if f.Store.Dialect() == store.SQLite {
			return // one writer
		}
		w := newWorld(t, f)
		w.create("https://example.com/hook")
		w.happen(1)
		fresh, _ := w.create("https://example.com/fresh")
		w.exec(`UPDATE webhooks SET status = 'disabled' WHERE id = $1`, fresh.ID)
		holder, err := w.Writer().BeginTx(t.Context(), nil)
		w.must(err)
		defer func() { _ = holder.Rollback() }()
		var pid int64
		w.must(holder.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid))
		_, err = holder.ExecContext(t.Context(), `LOCK TABLE events`)
		w.must(err)
		dispatched := make(chan error, 1)
		go func() { dispatched <- w.Dispatch(t.Context()) }()
		for w.Scan(`SELECT count(*) FROM pg_stat_activity a
			WHERE CAST($1 AS integer) = ANY (pg_blocking_pids(a.pid))`, pid) == 0 {
			select { // until the dispatch waits for the events
			case err := <-dispatched:
				t.Fatalf("the dispatch did not wait for the events: %v", err)
			default:
			}
		}
		for _, change := range []string{
			`UPDATE webhooks SET status = 'enabled'`,
			`UPDATE event_log SET last = last + 1`,
			`INSERT INTO events (id, sequence, organization_id, team_id, type, data, created_at)
				SELECT gen_random_uuid(), l.last, e.organization_id, e.team_id, e.type, e.data, e.created_at
				FROM event_log l CROSS JOIN (SELECT * FROM events LIMIT 1) e`,
		} {
			_, err := holder.ExecContext(t.Context(), change)
			w.must(err)
		}
		w.must(holder.Commit())
		w.must(<-dispatched)
		w.must(w.Dispatch(t.Context()))
		if got := w.assigned(fresh.ID); got != 1 {
			t.Errorf("the new webhook received %d events, want 1", got)
		}
	})
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
