package service

import (
	"context"

	"crier"
	"crier/internal/store"
)

// reserve sets credits aside, or hands them back when amount is negative. Too few free credits are a 402.
func (c *core) reserve(ctx context.Context, tx *store.Tx, organization crier.ID, amount int64, scheduledPost *crier.ID) error {
	if amount == 0 {
		return nil
	}
	if amount < 0 {
		return tx.AddCredits(ctx, c.booked(organization, "release", 0, amount, scheduledPost)...)
	}
	if err := c.afford(ctx, tx, organization, amount); err != nil {
		return err
	}
	return tx.AddCredits(ctx, c.booked(organization, "reserve", 0, amount, scheduledPost)...)
}

// afford refuses what an organization's free credits do not cover.
func (c *core) afford(ctx context.Context, tx *store.Tx, organization crier.ID, amount int64) error {
	credits, err := tx.LockCredits(ctx, organization)
	if err != nil {
		return err
	}
	if free := credits.Balance - credits.Reserved; free < amount {
		return crier.PaymentRequired("This costs %d credits; the organization has %d free.", amount, max(0, free))
	}
	return nil
}

// capture spends reserved credits.
func (c *core) capture(ctx context.Context, tx *store.Tx, organization crier.ID, amount int64, scheduledPost crier.ID) error {
	return tx.AddCredits(ctx, c.captured(organization, amount, scheduledPost)...)
}

func (c *core) captured(organization crier.ID, amount int64, scheduledPost crier.ID) []store.Booking {
	return c.booked(organization, "capture", -amount, -amount, &scheduledPost)
}

func (c *core) released(organization crier.ID, amount int64, scheduledPost crier.ID) []store.Booking {
	return c.booked(organization, "release", 0, -amount, &scheduledPost)
}

// releaseCanceled hands back what was reserved for publications that were cancelled.
func (c *core) releaseCanceled(ctx context.Context, tx *store.Tx, canceled []store.Canceled) error {
	for _, gone := range canceled {
		if err := c.reserve(ctx, tx, gone.OrganizationID, -gone.Reserved, &gone.ScheduledPostID); err != nil {
			return err
		}
	}
	return nil
}

// booked is a ledger entry; none when nothing changes.
func (c *core) booked(organization crier.ID, kind string, amount, reserved int64, scheduledPost *crier.ID) []store.Booking {
	if amount == 0 && reserved == 0 {
		return nil
	}
	return []store.Booking{{OrganizationID: organization, CreditTransaction: crier.CreditTransaction{
		ID: crier.NewID(), Kind: kind, Amount: amount, ReservedAmount: reserved, ScheduledPostID: scheduledPost, CreatedAt: c.now(),
	}}}
}

// Credits shows an organization what it has.
type Credits struct {
	*core
	pages *Pages
}

// Get returns the credits and what things cost.
func (s *Credits) Get(ctx context.Context, scope OrgScope) (crier.Credits, error) {
	if err := scope.check(); err != nil {
		return crier.Credits{}, err
	}
	o := scope.organization
	out := crier.Credits{
		CreditsBalance: o.CreditsBalance, ReservedCredits: o.ReservedCredits, AvailableCredits: o.CreditsBalance - o.ReservedCredits,
		Costs: []crier.CreditCost{},
	}
	for _, p := range s.providers.All() {
		info := p.Info()
		for _, c := range info.Costs {
			out.Costs = append(out.Costs, crier.CreditCost{
				Provider: crier.Provider(info.Name), Operation: c.Key, Credits: c.Credits, Description: c.Description,
			})
		}
	}
	return out, ctx.Err()
}

// Transactions returns one page of the ledger.
func (s *Credits) Transactions(ctx context.Context, scope OrgScope, q PageQuery) (crier.Page[crier.CreditTransaction], error) {
	var none crier.Page[crier.CreditTransaction]
	if err := scope.check(); err != nil {
		return none, err
	}
	rows, err := s.store.CreditTransactions(ctx, scope.organization.ID, q.query)
	if err != nil {
		return none, err
	}
	total, err := s.store.CreditTransactionCount(ctx, scope.organization.ID)
	if err != nil {
		return none, err
	}
	return pageOf(s.pages, q, rows, total, same), nil
}
