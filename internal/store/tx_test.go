package store_test

import (
	"context"
	"errors"
	"testing"

	"crier"
	"crier/internal/store"
)

func TestPipelinedStatementsKeepOrderAndErrors(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		ctx := context.Background()
		organization := crier.NewID()
		at := now()
		book := func(tx *store.Tx, to crier.ID, amount int64) error {
			return tx.AddCredits(ctx, store.Booking{OrganizationID: to,
				CreditTransaction: crier.CreditTransaction{ID: crier.NewID(), Kind: "grant", Amount: amount,
					CreatedAt: at}})
		}
		err := st.WithTx(ctx, func(tx *store.Tx) error {
			if err := tx.InsertOrganization(ctx,
				store.Organization{Organization: crier.Organization{ID: organization, Name: "one", CreatedAt: at,
					UpdatedAt: at}}); err != nil {
				return err
			}
			if err := book(tx, organization, 5); err != nil {
				return err
			}
			if err := book(tx, organization, 7); err != nil {
				return err
			}
			got, err := tx.LockCredits(ctx, organization)
			if got.Balance != 12 {
				t.Errorf("a read saw a balance of %d before the bookings", got.Balance)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = st.WithTx(ctx, func(tx *store.Tx) error {
			if err := book(tx, organization, 1); err != nil {
				return err
			}
			return book(tx, crier.NewID(), 1) // unknown organization
		})
		if err == nil {
			t.Error("a booking for nobody was committed")
		}
		if o, err := st.Organization(ctx, organization); err != nil || o.CreditsBalance != 12 {
			t.Errorf("after a transaction that failed the balance is %d, %v", o.CreditsBalance, err)
		}
	})
}

func TestAfterCommitIsCalledOnceTheTransactionIsCommitted(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		called, undo := 0, errors.New("undo")
		for _, end := range []error{undo, nil} {
			err := st.WithTx(t.Context(), func(tx *store.Tx) error {
				tx.AfterCommit(func() { called++ })
				if called != 0 {
					t.Error("called before the commit")
				}
				return end
			})
			if !errors.Is(err, end) {
				t.Fatal(err)
			}
		}
		if called != 1 {
			t.Errorf("called %d times for a transaction that was rolled back and one that was committed", called)
		}
	})
}
