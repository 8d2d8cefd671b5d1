package store_test

import (
	"context"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func entry(f *storetest.Fixture, after time.Duration) crier.AuditEntry {
	return crier.AuditEntry{ID: crier.NewID(), OrganizationID: f.Organization.ID, PrincipalKind: "user",
		PrincipalID: f.Owner.ID, PersonID: f.Owner.ID, Action: "createPost", Target: "/posts", RequestID: "r",
		CreatedAt: f.After(after)}
}

func TestAuditLogCountIsExactBeforeAndAfterCompaction(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		insert := func(after ...time.Duration) {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				for _, d := range after {
					if err := tx.InsertAudit(ctx, entry(f, d)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		sum := func(after time.Duration) {
			if more, err := f.SumAudit(ctx, f.After(after)); err != nil || more {
				t.Errorf("more: %v, %v", more, err)
			}
		}
		is := func(when string, want, total int64) {
			t.Helper()
			n, err := f.AuditCount(ctx, f.Organization.ID, store.AuditFilter{})
			summed := f.Scan(`SELECT audit_total FROM organizations WHERE id = $1`, f.Organization.ID)
			if err != nil || n.Count != want || n.Capped || summed != total {
				t.Errorf("%s: %d entries, %d of them summed up, want %d and %d, %v", when, n.Count, summed,
					want, total, err)
			}
		}
		insert(0, time.Minute, time.Hour)
		is("before", 3, 0)
		sum(time.Minute)
		is("after", 3, 2)
		sum(time.Minute)
		is("again", 3, 2)
		insert(2 * time.Hour)
		is("with a new one", 4, 2)
		sum(3 * time.Hour)
		is("at the end", 4, 4)
	})
}

// Writers of a large customer must not wait for the lock of one row.
func TestWritersOfOneOrganizationDoNotWaitForEachOther_postgres(t *testing.T) {
	t.Parallel()
	f := storetest.NewFixture(t, databases.Fresh(t, store.Postgres).Open(t))
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.InsertAudit(ctx, entry(f, 0)); err != nil {
			return err
		}
		if _, err := tx.LockPostHead(ctx, f.Team.ID, f.NewPost("its lock is held").ID); err != nil {
			return err
		}
		other, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return f.WithTx(other, func(tx *store.Tx) error { return tx.InsertAudit(other, entry(f, 0)) })
	})
	if n, err := f.AuditCount(context.Background(), f.Organization.ID, store.AuditFilter{}); err != nil ||
		n.Count != 2 {
		t.Errorf("%d entries, %v", n.Count, err)
	}
}
