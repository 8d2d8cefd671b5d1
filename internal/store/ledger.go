package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier"
)

// Booking is a change of an organization's credits.
type Booking struct {
	OrganizationID crier.ID
	crier.CreditTransaction
}

// AddCredits books changes of credits: the entries and the organizations' totals in one go.
func (tx *Tx) AddCredits(ctx context.Context, list ...Booking) error {
	if len(list) == 0 {
		return nil
	}
	entries := make([]bookingRow, len(list))
	sums := map[crier.ID]*totalRow{}
	for i, b := range list {
		entries[i] = bookingRow{b.ID, b.OrganizationID, b.Kind, b.Amount, b.ReservedAmount, b.ScheduledPostID, givenTime(b.CreatedAt)}
		if sums[b.OrganizationID] == nil {
			sums[b.OrganizationID] = &totalRow{Key: b.OrganizationID}
		}
		sum := sums[b.OrganizationID]
		sum.Amount, sum.Reserved, sum.Count = sum.Amount+b.Amount, sum.Reserved+b.ReservedAmount, sum.Count+1
	}
	err := tx.later(ctx, changed("book credits"), `INSERT INTO credit_transactions (id, organization_id, kind, amount, reserved_amount, scheduled_post_id, created_at)
		SELECT v.key, v.organization, v.kind, v.amount, v.reserved, v.post, v.created FROM `+tx.given(`key uuid, organization uuid, kind text,
		amount bigint, reserved bigint, post uuid, created timestamptz`), asJSON(&entries))
	if err != nil {
		return err
	}
	return tx.addTotals(ctx, slices.SortedFunc(maps.Values(sums), func(a, b *totalRow) int { return strings.Compare(string(a.Key), string(b.Key)) }))
}

// bookingRow is a row of the statement that writes ledger entries.
type bookingRow struct {
	Key           crier.ID  `json:"key"`
	Organization  crier.ID  `json:"organization"`
	Kind          string    `json:"kind"`
	Amount        int64     `json:"amount"`
	Reserved      int64     `json:"reserved"`
	ScheduledPost *crier.ID `json:"post"`
	CreatedAt     givenTime `json:"created"`
}

// totalRow is a row of the statement that changes organizations' totals.
type totalRow struct {
	Key      crier.ID `json:"key"`
	Amount   int64    `json:"amount"`
	Reserved int64    `json:"reserved"`
	Count    int64    `json:"entries"`
}

func (tx *Tx) addTotals(ctx context.Context, rows []*totalRow) error {
	return tx.later(ctx, func(changed int64, err error) error {
		if err == nil && changed != int64(len(rows)) {
			err = fmt.Errorf("%d of %d organizations are there", changed, len(rows))
		}
		if err != nil {
			return fmt.Errorf("book credits: %w", err)
		}
		return nil
	}, `UPDATE organizations AS o SET credits_balance = o.credits_balance + v.amount, reserved_credits = o.reserved_credits + v.reserved,
		credit_transaction_count = o.credit_transaction_count + v.entries FROM `+tx.given(`key uuid, amount bigint, reserved bigint, entries bigint`)+`
		WHERE o.id = v.key`, asJSON(&rows))
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
