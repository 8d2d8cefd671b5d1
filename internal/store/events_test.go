package store_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// record writes an event of the fixture's organization in a transaction.
func record(tx *store.Tx, f *storetest.Fixture, name string) {
	tx.RecordEvents(store.NewEvent{ID: crier.NewID(), Type: "test." + crier.EventType(name),
		OrganizationID: f.Organization.ID, Data: []byte(`{}`), CreatedAt: crier.TimeOf(f.Now.Time)})
}

// TestLateCommittedEventIsNotSkipped holds a transaction that has drawn the number of its event, while others are
// sequenced in many passes, among them those that advance the position where a pass starts to search.
func TestLateCommittedEventIsNotSkipped(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		if f.Store.Dialect() == store.SQLite {
			f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "alone"); return nil })
			return // one writer: there is no second transaction
		}
		seen := newEvents(t, f.Store, 0)
		names := func() (list []string) {
			for _, e := range seen() {
				list = append(list, string(e.Type))
			}
			return list
		}
		for round := range 3 {
			commit := holdEvent(t, f, "late")
			var want []string
			for i := range 5 {
				name := fmt.Sprintf("round%d.%d", round, i)
				f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, name); return nil })
				want = []string{"test." + name}
				if got := names(); !slices.Equal(got, want) {
					t.Fatalf("while one is held: read %q, want %q", got, want)
				}
			}
			commit()
			if got := names(); !slices.Equal(got, []string{"test.late"}) {
				t.Fatalf("after the commit: read %q", got)
			}
			for range 3 { // nothing is held any more: the position advances
				f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "after"); return nil })
				if got := names(); !slices.Equal(got, []string{"test.after"}) {
					t.Fatalf("with nothing held: read %q", got)
				}
			}
		}
		// The position advances once older transactions of other tests in the same cluster have ended.
		for {
			floor, drawn := f.Store.SequencedUpTo(), f.Scan(`SELECT last_value FROM events_written_seq`)
			if drawn-floor <= 3 {
				break
			}
			f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "after"); return nil })
			seen()
		}
	})
}

// holdEvent starts a transaction that has drawn the number of its event; commit ends it.
func holdEvent(t *testing.T, f *storetest.Fixture, name string) (commit func()) {
	t.Helper()
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- f.Store.WithTx(context.Background(), func(tx *store.Tx) error {
			record(tx, f, name)
			if err := tx.SendEvents(context.Background()); err != nil {
				return err
			}
			close(held)
			<-release
			return nil
		})
	}()
	select {
	case <-held:
	case err := <-ended:
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		close(release)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// TestYoungestTransactionIsNotSkipped holds a transaction that has drawn the number of its event and is younger than
// all that have ended: in the snapshot of the next pass it is not among the running ones, but among the future ones.
func TestYoungestTransactionIsNotSkipped(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		if f.Store.Dialect() == store.SQLite {
			return // one writer: there is no second transaction
		}
		seen := newEvents(t, f.Store, 0)
		for range 5 { // transactions of other tests in the same cluster may run in between
			f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "before"); return nil })
			commit := holdEvent(t, f, "young")
			seen()
			for range 3 {
				f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "beside"); return nil })
				seen()
			}
			commit()
			if got := seen(); len(got) != 1 || got[0].Type != "test.young" {
				t.Fatalf("after the commit: read %+v", got)
			}
		}
	})
}

// TestEventPositionIsBoundToItsDatabase: a standby that takes over without the last transactions draws their numbers
// again.
func TestEventPositionIsBoundToItsDatabase(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		if f.Store.Dialect() == store.SQLite {
			return // the number is drawn in order
		}
		if n := f.Scan(`SELECT cache_size FROM pg_sequences WHERE sequencename = 'events_written_seq'
			AND schemaname = current_schema()`); n != 1 {
			t.Errorf("sessions draw %d numbers at once and may use them later, behind the place", n)
		}
		seen := newEvents(t, f.Store, 0)
		for range 3 {
			f.Store.TakeForSequenced("another", 1_000_000)
			f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "here"); return nil })
			if got := seen(); len(got) != 1 || got[0].Type != "test.here" {
				t.Fatalf("read %+v", got)
			}
		}
		if place := f.Store.SequencedUpTo(); place >= 1_000_000 {
			t.Errorf("the place is still that of the other database: %d", place)
		}
	})
}

// TestEventsAreOrderedDuringAPurge deletes an event while it is being sequenced.
func TestEventsAreOrderedDuringAPurge(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		if f.Store.Dialect() == store.SQLite {
			return // one writer
		}
		seen := newEvents(t, f.Store, 0)
		f.Tx(func(_ context.Context, tx *store.Tx) error {
			record(tx, f, "purged")
			record(tx, f, "kept")
			return nil
		})
		order := make(chan error, 1)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			var purger int64
			if err := tx.QueryRow(ctx, `DELETE FROM events WHERE type = 'test.purged'
				RETURNING pg_backend_pid()`).Scan(&purger); err != nil {
				return err
			}
			go func() {
				_, err := f.Store.SequenceEvents(context.Background())
				order <- err
			}()
			for f.Scan(`SELECT count(*) FROM pg_stat_activity a
				WHERE CAST($1 AS integer) = ANY (pg_blocking_pids(a.pid))`, purger) == 0 {
				runtime.Gosched() // until the sequencer waits for the row
			}
			return nil
		})
		if err := <-order; err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 2 {
			f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "after"); return nil })
			for _, e := range seen() {
				got = append(got, string(e.Type))
			}
		}
		if want := []string{"test.kept", "test.after", "test.after"}; !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
	})
}

// TestSequencesAreNotGivenAgain deletes the end of the log: readers that have seen it must not miss what follows.
func TestSequencesAreNotGivenAgain(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		seen := newEvents(t, f.Store, 0)
		for round, deleted := range []string{`sequence > 2`, `sequence > 0`, `sequence = 6`, `sequence > 3`} {
			f.Tx(func(_ context.Context, tx *store.Tx) error {
				record(tx, f, "first")
				record(tx, f, "second")
				return nil
			})
			var got []int64
			for _, e := range seen() {
				got = append(got, e.Sequence)
			}
			last := int64(2*round + 2)
			if want := []int64{last - 1, last}; !slices.Equal(got, want) {
				t.Fatalf("round %d: the new events have sequences %d, want %d", round, got, want)
			}
			if _, err := f.Store.Writer().ExecContext(t.Context(), `DELETE FROM events WHERE `+deleted); err != nil {
				t.Fatal(err)
			}
			if log, err := f.EventLog(t.Context()); err != nil || log.Last != last {
				t.Errorf("round %d: the log ends at %d, %v; want %d", round, log.Last, err, last)
			}
		}
	})
}

func TestTeamEventsUntil(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := t.Context()
		for range 3 {
			f.Tx(func(_ context.Context, tx *store.Tx) error {
				record(tx, f, "organization")
				tx.RecordEvents(store.NewEvent{ID: crier.NewID(), Type: crier.PostCreated, TeamID: &f.Team.ID,
					Data: []byte(`{}`), CreatedAt: f.Now})
				return nil
			})
		}
		events := newEvents(t, f.Store, 0)()
		until := func(n int) (int64, bool) {
			sequence, ok, err := f.TeamEventsUntil(ctx, f.Team.ID, 0, n)
			if err != nil {
				t.Fatal(err)
			}
			return sequence, ok
		}
		if at, ok := until(2); at != events[3].Sequence || !ok {
			t.Errorf("the second event stands at %d, %v", at, ok)
		}
		if at, ok := until(4); at != events[5].Sequence || ok {
			t.Errorf("of fewer the last stands at %d, %v", at, ok)
		}
		if _, ok, err := f.TeamEventsUntil(ctx, crier.NewID(), 0, 1); err != nil || ok {
			t.Errorf("another team has events: %v", err)
		}
	})
}
