package store_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// planned inserts due publications without an owner, and returns their ids.
func planned(t *testing.T, s *store.Store, at crier.Time, count int) []crier.ID {
	t.Helper()
	fillPlanned(t, s, "x", at, count)
	var ids []crier.ID
	for _, row := range query(t, s, `SELECT id FROM publications ORDER BY id`) {
		ids = append(ids, crier.ID(row[0]))
	}
	return ids
}

// Two workers may lease the same publication at the same time, in one statement.
func TestPublicationIsLeasedOncePerStatement(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, s, now := context.Background(), f.Store, f.Now
		ids := []crier.ID{f.Schedule(f.NewPost("1")).ID, f.Schedule(f.NewPost("2")).ID}
		wish := func(id crier.ID, epoch int64) *store.LeaseRequest {
			return &store.LeaseRequest{ID: id, Epoch: epoch, Owner: crier.NewID(), Now: now,
				Until: crier.TimeOf(now.Add(time.Minute))}
		}
		first, second, other, older := wish(ids[0], 0), wish(ids[0], 0), wish(ids[1], 0), wish(ids[1], 7)
		if err := s.WithTx(ctx, func(tx *store.Tx) error {
			return tx.Lease(ctx, store.Impatient, older, first, second, other)
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.ReadLeased(ctx, first, second); err != nil {
			t.Fatal(err)
		}
		if first.Leased == second.Leased || !other.Leased || older.Leased {
			t.Fatalf("leased: %v, %v, %v, %v", first.Leased, second.Leased, other.Leased, older.Leased)
		}
		winner, loser := first, second
		if second.Leased {
			winner, loser = second, first
		}
		if p := winner.Publication; p.LeaseOwner == nil || *p.LeaseOwner != winner.Owner {
			t.Errorf("the lease is %v's, want %v's", p.LeaseOwner, winner.Owner)
		}
		begin := func(l *store.LeaseRequest) *store.AttemptStart {
			b := &store.AttemptStart{Publication: winner.Publication, Owner: l.Owner}
			b.Attempt = store.Attempt{Attempt: crier.Attempt{ID: crier.NewID(), Operation: "publish", StartedAt: now},
				ScheduledPostID: ids[0], SendBefore: &now, SettledAfter: &now}
			return b
		}
		begun, refused := begin(winner), begin(loser)
		if err := s.WithTx(ctx, func(tx *store.Tx) error {
			return tx.BeginAttempts(ctx, store.Impatient, refused, begun)
		}); err != nil {
			t.Fatal(err)
		}
		attempts, err := s.Attempts(ctx, ids[0], 10)
		if err != nil || !begun.Begun || refused.Begun || len(attempts) != 1 || attempts[0].ID != begun.Attempt.ID {
			t.Errorf("begun: %v and %v, attempts %+v, %v", begun.Begun, refused.Begun, attempts, err)
		}
		settled := []*store.Settlement{{Publication: winner.Publication, Owner: loser.Owner},
			{Publication: winner.Publication, Owner: winner.Owner}}
		settle(t, s, now, settled...)
		if settled[0].Written || !settled[1].Written {
			t.Errorf("written: %v and %v", settled[0].Written, settled[1].Written)
		}
	})
}

func settle(tb testing.TB, s *store.Store, now crier.Time, list ...*store.Settlement) {
	tb.Helper()
	ctx := context.Background()
	if err := s.WithTx(ctx, func(tx *store.Tx) error {
		return tx.WriteSettlements(ctx, now, store.Impatient,
			list...)
	}); err != nil {
		tb.Fatal(err)
	}
}

// Values that are written to the database as JSON must not change.
func TestSettlementRoundTrip(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		now := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 123456789, time.UTC))
		whole := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
		words := "it's \"quoted\" \\ <b>&</b> 日本\n\u2028 \U0001F4EF"
		for i, id := range planned(t, s, now, 2) {
			lease := &store.LeaseRequest{ID: id, Owner: crier.NewID(), Now: now, Until: now}
			if err := s.WithTx(t.Context(), func(tx *store.Tx) error {
				return tx.Lease(t.Context(), store.Patient, lease)
			}); err != nil || !lease.Leased {
				t.Fatal(lease.Leased, err)
			}
			if err := s.ReadLeased(t.Context(), lease); err != nil || !lease.Leased {
				t.Fatal(lease.Leased, err)
			}
			want := lease.Publication
			want.Status, want.State, want.Results = crier.Published, json.RawMessage(`{"parts": [1.50, "a"]}`),
				crier.PublishResults{}
			if i == 0 {
				want.StateSecrets, want.PlatformPostID, want.Permalink, want.ErrorCode,
					want.ErrorMessage = []byte{0, '"', 0xff}, &words, &words, &words, &words
				want.PublishedAt, want.WakeAt, want.SlotAt, want.Tries, want.Reserved, want.Captured = &now, &whole,
					&now, 3, 1<<40, -1
			}
			settle(t, s, now, &store.Settlement{Publication: want, Owner: lease.Owner})
			got, err := s.Publication(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			want.UpdatedAt, want.LeaseOwner, want.LeaseUntil = now, nil, nil
			if diff := cmp.Diff(want, got, cmp.Transformer("json",
				func(raw json.RawMessage) (v any) { _ = json.Unmarshal(raw, &v); return v })); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		}
	})
}

// The first reading of a post is planned when the post is counted, which finds the mark of its settlement.
func TestSettlementOfPublishedPostMarksThatItsReadingFollows(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, s *store.Store) {
		now := crier.TimeOf(time.Now())
		statuses := []crier.ScheduledPostStatus{crier.Published, crier.Failed}
		ids := planned(t, s, now, len(statuses))
		for i, id := range ids {
			p, err := s.Publication(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			p.Status, p.PublishedAt = statuses[i], &now
			settle(t, s, now, &store.Settlement{Publication: p})
		}
		marked := query(t, s, `SELECT id FROM publications WHERE reading_follows`)
		if len(marked) != 1 || marked[0][0] != string(ids[0]) {
			t.Errorf("the readings of %v follow, want only %s", marked, ids[0])
		}
	})
}
