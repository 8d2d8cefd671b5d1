package store_test

import (
	"context"
	"encoding/json"
	"testing"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// TestLowCreditsAreReportedOnceUntilTheyRise changes the credits of an organization in one transaction after the other,
// and checks which of them record an event.
func TestLowCreditsAreReportedOnceUntilTheyRise(t *testing.T) {
	t.Parallel()
	const none = crier.EventType("")
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		cfg := db.Config()
		cfg.CreditsLow = 100
		st, err := store.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		f := storetest.NewFixture(t, st)
		id, other := f.Organization.ID, f.NewOrganization("Beta").ID
		seen := newEvents(t, st, 0)
		for i, c := range []struct {
			kind             string
			amount, reserved int64
			told             crier.EventType
			available        int64
		}{
			{"grant", 50, 0, none, 50}, // they did not fall
			{"grant", 60, 0, none, 110},
			{"reserve", 0, 10, none, 100},
			{"reserve", 0, 1, crier.CreditsLow, 99},
			{"reserve", 0, 50, none, 49},
			{"capture", -50, -50, none, 49},
			{"release", 0, -11, none, 60},
			{"grant", 40, 0, crier.CreditsRecharged, 100},
			{"reserve", 0, 100, crier.CreditsLow, 0},
			{"release", 0, -100, crier.CreditsRecharged, 100},
			{"capture", -1, 0, crier.CreditsLow, 99},
		} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				return tx.AddCredits(ctx, booking(f, other, "grant", 1, 0),
					booking(f, id, c.kind, c.amount, c.reserved))
			})
			list := seen()
			if c.told == none {
				if len(list) != 0 {
					t.Errorf("booking %d: told %+v", i, list)
				}
				continue
			}
			if len(list) != 1 || list[0].Type != c.told || list[0].OrganizationID != id || list[0].TeamID != nil {
				t.Fatalf("booking %d: told %+v, want %s", i, list, c.told)
			}
			var data struct {
				Object   crier.CreditsEvent `json:"object"`
				Previous crier.CreditsEvent `json:"previous"`
			}
			if err := json.Unmarshal(list[0].Data, &data); err != nil {
				t.Fatal(err)
			}
			if data.Object.AvailableCredits != c.available || data.Object.Threshold != 100 ||
				data.Object.CreditsBalance-data.Object.ReservedCredits != c.available ||
				data.Previous.AvailableCredits != c.available-c.amount+c.reserved {
				t.Errorf("booking %d: %s", i, list[0].Data)
			}
		}
	})
}

// newEvents returns a function that sequences events and reads the new ones.
func newEvents(t *testing.T, st *store.Store, at int64) func() []store.Event {
	t.Helper()
	return func() []store.Event {
		t.Helper()
		if _, err := st.SequenceEvents(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := st.EventsAfter(t.Context(), at, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			at = list[len(list)-1].Sequence
		}
		return list
	}
}

func TestHigherRechargeThresholdApplies(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		seen := newEvents(t, f.Store, 0)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.AddCredits(ctx, booking(f, f.Organization.ID, "grant", 500, 0))
		})
		threshold := func(n int64) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				o, err := tx.LockOrganization(ctx, f.Organization.ID)
				if err != nil {
					return err
				}
				o.AutoRechargeThreshold = &n
				return tx.UpdateOrganization(ctx, o)
			})
		}
		for _, step := range []struct {
			threshold int64
			told      crier.EventType
		}{{500, ""}, {501, crier.CreditsLow}, {1000, ""}, {400, crier.CreditsRecharged}} {
			threshold(step.threshold)
			list := seen()
			if told := len(list) == 1; told != (step.told != "") || told && list[0].Type != step.told {
				t.Errorf("a threshold of %d: told %+v, want %q", step.threshold, list, step.told)
			}
		}
		last, err := f.EventLog(t.Context())
		if err != nil || f.Scan(`SELECT max(sequence) FROM events`) != last.Last {
			t.Errorf("the log ends at %d, %v", last.Last, err)
		}
	})
}
