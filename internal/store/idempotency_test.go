package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crier/internal/store"
	"crier/internal/store/storetest"
)

// On SQLite, rows are swept in the order in which they were inserted: a key that is claimed again must go to the end.
func TestStoredResponsesAreOrderedByExpiry_sqlite(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.SQLite).Open(t))
	claim := func(key string, at time.Duration) {
		t.Helper()
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			claimed, err := tx.ClaimKey(ctx, store.StoredResponse{PrincipalID: f.Owner.ID, Key: key,
				Fingerprint: []byte{1}, Status: 200, ExpiresAt: f.After(at + time.Hour)}, f.After(at))
			if !claimed {
				t.Errorf("%s is not claimed after %s", key, at)
			}
			return err
		})
	}
	claim("a", 0)
	claim("b", time.Minute)
	claim("c", 2*time.Minute)
	claim("a", time.Hour)
	claim("d", time.Hour+time.Second)
	want := "[[b] [c] [a] [d]]"
	for _, order := range []string{"rowid", "expires_at"} {
		got := query(t, f.Store, `SELECT key FROM idempotency_keys ORDER BY `+order)
		if fmt.Sprint(got) != want {
			t.Errorf("by %s: %v, want %s", order, got, want)
		}
	}
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.SweepResponses(ctx, f.After(time.Hour+time.Minute))
		if n != 1 {
			t.Errorf("%d were swept", n)
		}
		return err
	})
	if got := query(t, f.Store, `SELECT key FROM idempotency_keys ORDER BY rowid`); fmt.Sprint(got) != "[[c] [a] [d]]" {
		t.Errorf("after the sweep: %v", got)
	}
}

func TestExpiredKeyIsClaimedOnceByManyAtOnce(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		answer := store.StoredResponse{PrincipalID: f.Owner.ID, Key: "k", Fingerprint: []byte{1}, Status: 200,
			ExpiresAt: f.After(time.Hour)}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ClaimKey(ctx, answer, f.Now)
			return err
		})
		now := answer.ExpiresAt
		answer.ExpiresAt = f.After(2 * time.Hour)
		const repeats = 16
		var all sync.WaitGroup
		var claims atomic.Int64
		for range repeats {
			all.Go(func() {
				var claimed bool
				err := f.TryTx(func(ctx context.Context, tx *store.Tx) (err error) {
					if claimed, err = tx.ClaimKey(ctx, answer, now); err != nil {
						return err
					}
					if claimed {
						return tx.SaveResponse(ctx, f.Owner.ID, "k", []byte("body"), "")
					}
					kept, err := tx.StoredResponse(ctx, f.Owner.ID, "k", now)
					if err == nil && (kept == nil || string(kept.Body) != "body") {
						t.Errorf("who does not get the key finds %+v", kept)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
				if claimed {
					claims.Add(1)
				}
			})
		}
		all.Wait()
		if n := claims.Load(); n != 1 {
			t.Errorf("%d claimed the key, want 1", n)
		}
	})
}
