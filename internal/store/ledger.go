package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier"
)

// Booking is an entry of an organization's credit ledger.
type Booking struct {
	OrganizationID crier.ID
	crier.CreditTransaction
}

// AddCredits inserts ledger entries and updates the organizations' totals.
func (tx *Tx) AddCredits(ctx context.Context, list ...Booking) error {
	if len(list) == 0 {
		return nil
	}
	entries := make([]bookingRow, len(list))
	sums := map[crier.ID]*totalRow{}
	for i, b := range list {
		entries[i] = bookingRow{Key: b.ID, Organization: b.OrganizationID, Kind: b.Kind, Amount: b.Amount,
			Reserved: b.ReservedAmount, ScheduledPost: b.ScheduledPostID, CreatedAt: jsonTime(b.CreatedAt)}
		if sums[b.OrganizationID] == nil {
			sums[b.OrganizationID] = &totalRow{Key: b.OrganizationID}
		}
		sum := sums[b.OrganizationID]
		sum.Amount, sum.Reserved, sum.Count = sum.Amount+b.Amount, sum.Reserved+b.ReservedAmount, sum.Count+1
		if delta := b.Amount - b.ReservedAmount; delta != 0 {
			tx.changeCredits(b.OrganizationID, delta, b.CreatedAt)
		}
	}
	err := tx.queueExec(ctx, changed("book credits"), `INSERT INTO credit_transactions (id, organization_id, kind,
		amount,
		reserved_amount, scheduled_post_id, created_at)
		SELECT v.key, v.organization, v.kind, v.amount, v.reserved, v.post, v.created
		FROM `+tx.jsonRows(`key uuid, organization uuid, kind text,
		amount bigint, reserved bigint, post uuid, created timestamptz`), asJSON(&entries))
	if err != nil {
		return err
	}
	return tx.addTotals(ctx, slices.SortedFunc(maps.Values(sums),
		func(a, b *totalRow) int { return strings.Compare(string(a.Key), string(b.Key)) }))
}

// bookingRow is an input row of AddCredits.
type bookingRow struct {
	Key           crier.ID  `json:"key"`
	Organization  crier.ID  `json:"organization"`
	Kind          string    `json:"kind"`
	Amount        int64     `json:"amount"`
	Reserved      int64     `json:"reserved"`
	ScheduledPost *crier.ID `json:"post"`
	CreatedAt     jsonTime  `json:"created"`
}

// totalRow is an input row of addTotals.
type totalRow struct {
	Key      crier.ID `json:"key"`
	Amount   int64    `json:"amount"`
	Reserved int64    `json:"reserved"`
	Count    int64    `json:"entries"`
}

func (tx *Tx) addTotals(ctx context.Context, rows []*totalRow) error {
	return tx.queueExec(ctx, check{want: int64(len(rows)), outcome: func(changed int64, err error) error {
		if err == nil && changed != int64(len(rows)) {
			err = fmt.Errorf("%d of %d organizations are there", changed, len(rows))
		}
		if err != nil {
			return fmt.Errorf("book credits: %w", err)
		}
		return nil
	}}, `UPDATE organizations AS o SET credits_balance = o.credits_balance + v.amount,
		reserved_credits = o.reserved_credits + v.reserved,
		credit_transaction_count = o.credit_transaction_count + v.entries
		FROM `+tx.jsonRows(`key uuid, amount bigint, reserved bigint, entries bigint`)+`
		WHERE o.id = v.key`, asJSON(&rows))
}

// CreditFilter filters a ledger. Empty fields do not filter.
type CreditFilter struct {
	From, To        *crier.Time
	Kind            string
	ScheduledPostID crier.ID
}

func (f CreditFilter) conditions(organization crier.ID) *conditions {
	c := &conditions{}
	c.add("c.organization_id = ?", organization)
	if f.Kind != "" {
		c.add("c.kind = ?", f.Kind)
	}
	if f.ScheduledPostID != "" {
		c.add("c.scheduled_post_id = ?", f.ScheduledPostID)
	}
	c.between("c.created_at", f.From, f.To)
	return c
}

// CreditTransactionCount counts the entries of an organization's ledger that pass a filter.
func (r reads) CreditTransactionCount(ctx context.Context, organization crier.ID, f CreditFilter) (Total, error) {
	if f == (CreditFilter{}) {
		n, err := r.wholeLedgerCount(ctx, organization)
		return Total{Count: n}, err
	}
	return f.conditions(organization).count(ctx, r, "credit_transactions c")
}

// CreditTransactions reads one page of the entries of an organization's ledger that pass a filter.
func (r reads) CreditTransactions(ctx context.Context, organization crier.ID, f CreditFilter,
	q PageQuery) (PageRows[crier.CreditTransaction], error) {
	c := f.conditions(organization)
	list := listing[crier.CreditTransaction]{
		columns:  "c.id, c.kind, c.amount, c.reserved_amount, c.scheduled_post_id, c.created_at",
		from:     "credit_transactions c",
		id:       "c.id",
		sorts:    map[string]string{"createdAt": "c.created_at"},
		branches: []branch{{where: c.where, args: c.args}},
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

// wholeLedgerCount returns the number of ledger entries of an organization, from its counter.
func (r reads) wholeLedgerCount(ctx context.Context, organization crier.ID) (int64, error) {
	var n int64
	err := r.q.QueryRowContext(ctx, `SELECT credit_transaction_count FROM organizations WHERE id = $1`,
		organization).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count credit transactions: %w", err)
	}
	return n, nil
}

// Credits are the credits of an organization.
type Credits struct{ Balance, Reserved int64 }

// LockCredits reads and locks the credits of an organization.
func (tx *Tx) LockCredits(ctx context.Context, organization crier.ID) (Credits, error) {
	var c Credits
	err := tx.q.QueryRowContext(ctx,
		`SELECT credits_balance, reserved_credits FROM organizations WHERE id = $1`+tx.forUpdate, organization).
		Scan(&c.Balance, &c.Reserved)
	if errors.Is(err, sql.ErrNoRows) {
		return c, crier.NotFound("There is no organization %s.", organization)
	}
	if err != nil {
		return c, fmt.Errorf("read credits: %w", err)
	}
	return c, nil
}

// SetReserved writes the credits reserved for a publication whose worker holds the lease. ok is false if the lease was
// lost.
func (tx *Tx) SetReserved(ctx context.Context, p Publication, owner crier.ID, amount int64) (ok bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE publications SET reserved_credits = $4
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3`, p.ID, p.Epoch, owner, amount)
	if err != nil {
		return false, fmt.Errorf("note reserved credits: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
