package store

import (
	"context"
	"fmt"

	"crier"
)

// AddCredits books a change of credits: the entry and the organization's totals in one go.
func (tx *Tx) AddCredits(ctx context.Context, organization crier.ID, t crier.CreditTransaction) error {
	err := tx.later(ctx, changed("book credits"), `INSERT INTO credit_transactions
		(id, organization_id, kind, amount, reserved_amount, scheduled_post_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		t.ID, organization, t.Kind, t.Amount, t.ReservedAmount, t.ScheduledPostID, t.CreatedAt)
	if err != nil {
		return err
	}
	return tx.later(ctx, changedOne("organization", organization), `UPDATE organizations SET credits_balance = credits_balance + $2,
		reserved_credits = reserved_credits + $3, credit_transaction_count = credit_transaction_count + 1 WHERE id = $1`, organization, t.Amount, t.ReservedAmount)
}

// CreditTransactions reads one page of an organization's ledger.
func (r reads) CreditTransactions(ctx context.Context, organization crier.ID, q PageQuery) (PageRows[crier.CreditTransaction], error) {
	list := listing[crier.CreditTransaction]{
		columns:  "c.id, c.kind, c.amount, c.reserved_amount, c.scheduled_post_id, c.created_at",
		from:     "credit_transactions c",
		id:       "c.id",
		sorts:    map[string]string{"createdAt": "c.created_at"},
		branches: []branch{{where: "c.organization_id = ?", args: []any{organization}}},
		scan: func(row scanner) (t crier.CreditTransaction, err error) {
			return t, row.Scan(&t.ID, &t.Kind, &t.Amount, &t.ReservedAmount, &t.ScheduledPostID, &t.CreatedAt)
		},
		key: func(t crier.CreditTransaction, _ string) Key { return Key{Value: t.CreatedAt, ID: t.ID} },
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list credit transactions: %w", err)
	}
	return page, nil
}

// CreditTransactionCount is how many entries an organization's ledger has, from its counter.
func (r reads) CreditTransactionCount(ctx context.Context, organization crier.ID) (int64, error) {
	var n int64
	err := r.q.QueryRowContext(ctx, `SELECT credit_transaction_count FROM organizations WHERE id = $1`, organization).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count credit transactions: %w", err)
	}
	return n, nil
}
