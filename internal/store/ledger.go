package store

import (
	"context"
	"fmt"

	"crier"
)

// AddCredits books a change of credits: the entry and the organization's totals in one go.
func (tx *Tx) AddCredits(ctx context.Context, organization crier.ID, t crier.CreditTransaction) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO credit_transactions
		(id, organization_id, kind, amount, reserved_amount, scheduled_post_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		t.ID, organization, t.Kind, t.Amount, t.ReservedAmount, t.ScheduledPostID, t.CreatedAt)
	if err != nil {
		return fmt.Errorf("book credits: %w", err)
	}
	res, err := tx.q.ExecContext(ctx, `UPDATE organizations SET credits_balance = credits_balance + $2,
		reserved_credits = reserved_credits + $3 WHERE id = $1`, organization, t.Amount, t.ReservedAmount)
	return affectedOne(res, err, "organization", organization)
}
