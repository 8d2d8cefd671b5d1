// Package ledger books credits: they are reserved when something is planned, captured when it is published, and
// released otherwise. Every function runs in the caller's transaction.
package ledger

import (
	"context"

	"crier"
	"crier/internal/store"
)

// Charge is an amount of an organization's credits.
type Charge struct {
	Organization crier.ID
	// Publication is the publication the credits are for; nil for anything else.
	Publication *crier.ID
	Amount      int64
	At          crier.Time
}

// Reserve reserves credits. It fails with a 402 error if too few are available.
func Reserve(ctx context.Context, tx *store.Tx, c Charge) error {
	if c.Amount == 0 {
		return nil
	}
	if err := CheckFree(ctx, tx, c.Organization, c.Amount); err != nil {
		return err
	}
	return tx.AddCredits(ctx, Reserved(c)...)
}

// CheckFree returns an error if the available credits of an organization do not cover an amount. The organization stays
// locked until the transaction ends.
func CheckFree(ctx context.Context, tx *store.Tx, organization crier.ID, amount int64) error {
	credits, err := tx.LockCredits(ctx, organization)
	if err != nil {
		return err
	}
	if free := credits.Balance - credits.Reserved; free < amount {
		return crier.PaymentRequired("This costs %d credits; the organization has %d free.", amount, max(0, free))
	}
	return nil
}

// Capture spends reserved credits.
func Capture(ctx context.Context, tx *store.Tx, c Charge) error {
	return tx.AddCredits(ctx, Captured(c)...)
}

// Release returns reserved credits.
func Release(ctx context.Context, tx *store.Tx, c Charge) error {
	return tx.AddCredits(ctx, Released(c)...)
}

// Adjust changes a reservation: it reserves a positive amount and releases a negative one.
func Adjust(ctx context.Context, tx *store.Tx, c Charge) error {
	if c.Amount < 0 {
		c.Amount = -c.Amount
		return Release(ctx, tx, c)
	}
	return Reserve(ctx, tx, c)
}

// Spend charges available credits for something that has already happened.
func Spend(ctx context.Context, tx *store.Tx, c Charge) error {
	if err := Reserve(ctx, tx, c); err != nil {
		return err
	}
	return Capture(ctx, tx, c)
}

// Grant adds credits.
func Grant(ctx context.Context, tx *store.Tx, c Charge) error {
	return tx.AddCredits(ctx, c.booking("grant", c.Amount, 0)...)
}

// Spent returns the booking of something that has already happened and must be paid, even beyond the balance; none for
// zero.
func Spent(c Charge) []store.Booking { return c.booking("capture", -c.Amount, 0) }

// Reserved returns the booking of Reserve, for callers that have checked the available credits; none for zero.
func Reserved(c Charge) []store.Booking { return c.booking("reserve", 0, c.Amount) }

// Captured returns the booking of Capture, for callers that write many at once; none for zero.
func Captured(c Charge) []store.Booking { return c.booking("capture", -c.Amount, -c.Amount) }

// Released returns the booking of Release, for callers that write many at once; none for zero.
func Released(c Charge) []store.Booking { return c.booking("release", 0, -c.Amount) }

// booking returns a change of balance and reserved credits; none if it changes neither.
func (c Charge) booking(kind string, balance, reserved int64) []store.Booking {
	if balance == 0 && reserved == 0 {
		return nil
	}
	return []store.Booking{{OrganizationID: c.Organization, CreditTransaction: crier.CreditTransaction{
		ID: crier.NewID(), Kind: kind, Amount: balance, ReservedAmount: reserved, ScheduledPostID: c.Publication,
		CreatedAt: c.At,
	}}}
}
