package store_test

import (
	"context"
	"fmt"
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

// TestAnEventThatIsCommittedLateIsNotPassedBy holds a transaction that has drawn the number of its event, while others
// are put in order in many passes, among them those that move the place where a pass begins to look.
func TestAnEventThatIsCommittedLateIsNotPassedBy(t *testing.T) {
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
			held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				ended <- f.Store.WithTx(context.Background(), func(tx *store.Tx) error {
					record(tx, f, "late")
					if err := tx.SendEvents(context.Background()); err != nil {
						return err
					}
					close(held)
					<-release
					return nil
				})
			}()
			<-held
			var want []string
			for i := range 5 {
				name := fmt.Sprintf("round%d.%d", round, i)
				f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, name); return nil })
				want = []string{"test." + name}
				if got := names(); !slices.Equal(got, want) {
					t.Fatalf("while one is held: read %q, want %q", got, want)
				}
			}
			close(release)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if got := names(); !slices.Equal(got, []string{"test.late"}) {
				t.Fatalf("after the commit: read %q", got)
			}
			for range 3 { // nothing is held any more: the place moves
				f.Tx(func(_ context.Context, tx *store.Tx) error { record(tx, f, "after"); return nil })
				if got := names(); !slices.Equal(got, []string{"test.after"}) {
					t.Fatalf("with nothing held: read %q", got)
				}
			}
		}
		// The place moves when the transactions of other tests in the same cluster that are older are over.
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
