package store_test

import (
	"context"
	"testing"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func booking(f *storetest.Fixture, organization crier.ID, kind string, amount, reserved int64) store.Booking {
	return store.Booking{OrganizationID: organization, CreditTransaction: crier.CreditTransaction{ID: crier.NewID(),
		Kind: kind, Amount: amount, ReservedAmount: reserved, CreatedAt: f.Now}}
}

func TestLedgerEntriesAddUpToTheBalance(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, one, two := context.Background(), f.Organization.ID, f.NewOrganization("Beta").ID
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if err := tx.AddCredits(ctx); err != nil { // nothing
				return err
			}
			return tx.AddCredits(ctx, booking(f, one, "grant", 100, 0), booking(f, two, "grant", 7, 0),
				booking(f, one, "reserve", 0, 5), booking(f, one, "capture", -3, -3), booking(f, one, "release", 0, -1))
		})
		for id, want := range map[crier.ID]store.Credits{one: {Balance: 97, Reserved: 1}, two: {Balance: 7}} {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				got, err := tx.LockCredits(ctx, id)
				if got != want {
					t.Errorf("credits %+v, want %+v", got, want)
				}
				return err
			})
		}
		n, err := f.CreditTransactionCount(ctx, one, store.CreditFilter{})
		page, err2 := f.CreditTransactions(ctx, one, store.CreditFilter{}, store.PageQuery{Sort: "createdAt", Limit: 3})
		if err != nil || err2 != nil || n.Count != 4 || len(page.Rows) != 3 || !page.After {
			t.Errorf("%d entries, a page of %d, more: %v; %v, %v", n.Count, len(page.Rows), page.After, err, err2)
		}
		err = f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			return tx.AddCredits(ctx, booking(f, one, "release", 0, -2))
		})
		if err == nil {
			t.Error("less than nothing is reserved")
		}
		err = f.TryTx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.LockCredits(ctx, crier.NewID())
			return err
		})
		if kindOf(err) != crier.KindNotFound {
			t.Errorf("an unknown organization: %v", err)
		}
	})
}
