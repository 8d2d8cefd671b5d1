package store

import (
	"context"
	"fmt"
	"strings"

	"crier"
)

// SealedMark is how many bytes at the beginning of a sealed record identify the key that sealed it.
const SealedMark = 5

// SealedColumn is a column of sealed records.
type SealedColumn struct {
	Table, Column string
	// Key is the primary key of the table.
	Key []string
	// Place are the columns that identify what a record belongs to: it can only be opened there.
	Place []string
	// readable is the condition of rows whose record can still be opened; empty means all.
	readable string
	// heldUntil is the column of the time until which somebody may write a record that depends on this one; empty means
	// never.
	heldUntil string
	// sample is how many rows of a table are enough to notice a missing key, if all are too many for the start of a
	// node; 0 means all.
	sample int
	// soonest is the column by which the sample is ordered; empty means in any order.
	soonest string
}

// The columns of sealed records. A test compares them with the schema.
var (
	SealedTokens = SealedColumn{Table: "social_accounts", Column: "token", Key: []string{"id"},
		Place: []string{"id"}, heldUntil: "refresh_until"}
	SealedWebhookSecrets = SealedColumn{Table: "webhooks", Column: "secret", Key: []string{"id"},
		Place: []string{"id"}}
	SealedOldWebhookSecrets = SealedColumn{Table: "webhooks", Column: "old_secret", Key: []string{"id"},
		Place: []string{"id"}}
	SealedKeySecrets = SealedColumn{Table: "api_key_secrets", Column: "sealed", Key: []string{"hash"},
		Place: []string{"api_key_id"}}
	SealedAnswers = SealedColumn{Table: "idempotency_keys", Column: "body", Key: []string{"principal_id", "key"},
		Place: []string{"principal_id", "key"}, sample: 1000}
	// A connection with choices has another state than its verifier was sealed for, and needs it no more.
	SealedVerifiers = SealedColumn{Table: "connections", Column: "verifier", Key: []string{"state_hash"},
		Place: []string{"state_hash"}, readable: "choices IS NULL"}
	SealedChoices = SealedColumn{Table: "connections", Column: "choices", Key: []string{"state_hash"},
		Place: []string{"state_hash"}}
	SealedStates = SealedColumn{Table: "publications", Column: "state_secrets", Key: []string{"id"},
		Place: []string{"id"}, sample: 1000, soonest: "wake_at"}
)

// SealedRecord is a record with the row that it is in.
type SealedRecord struct {
	Key    []any
	Place  []string
	Sealed []byte
}

func (c SealedColumn) where(more string) string {
	conditions := []string{c.Column + " IS NOT NULL"}
	for _, condition := range []string{c.readable, more} {
		if condition != "" {
			conditions = append(conditions, condition)
		}
	}
	return strings.Join(conditions, " AND ")
}

// SealedBy counts the records of a column by the mark of the key that sealed them. With quickly, some of those that
// only a person's request would read may be left out.
func (r reads) SealedBy(ctx context.Context, c SealedColumn, quickly bool) (map[string]int64, error) {
	table := c.Table
	if quickly && c.sample > 0 {
		from := c.where("")
		if c.soonest != "" { // the others wait, and have none
			from = c.soonest + " IS NOT NULL ORDER BY " + c.soonest
		}
		table = fmt.Sprintf("(SELECT * FROM %s WHERE %s LIMIT %d) AS sampled", c.Table, from, c.sample)
	}
	rows, err := r.q.QueryContext(ctx, fmt.Sprintf(`SELECT substr(%s, 1, %d), count(*) FROM %s WHERE %s GROUP BY 1`,
		c.Column, SealedMark, table, c.where("")))
	if err != nil {
		return nil, fmt.Errorf("count the sealed records of %s.%s: %w", c.Table, c.Column, err)
	}
	counts := map[string]int64{}
	err = readAll(rows, func(row scanner) error {
		var mark []byte
		var count int64
		err := row.Scan(&mark, &count)
		counts[string(mark)] = count
		return err
	})
	return counts, err
}

// SealedQuery selects records to seal again: those that were not sealed by the key with the mark, in the order of the
// primary key.
type SealedQuery struct {
	Mark  []byte
	Now   crier.Time
	After []any // the key after which they come; nil for the first
	Limit int
}

// notHeld returns the condition of records that nobody holds now, and the arguments with its own.
func (c SealedColumn) notHeld(now crier.Time, args []any) (condition string, all []any) {
	if c.heldUntil == "" {
		return "", args
	}
	args = append(args, now)
	return fmt.Sprintf(" AND (%s IS NULL OR %[1]s <= $%d)", c.heldUntil, len(args)), args
}

// SealedOtherwise returns records of a column to seal again.
func (r reads) SealedOtherwise(ctx context.Context, c SealedColumn, q SealedQuery) ([]SealedRecord, error) {
	args := []any{q.Mark, q.Limit}
	more := fmt.Sprintf("substr(%s, 1, %d) <> $1", c.Column, SealedMark)
	if q.After != nil {
		more += fmt.Sprintf(" AND (%s) > (%s)", strings.Join(c.Key, ", "), placeholders(3, len(q.After)))
		args = append(args, q.After...)
	}
	free, args := c.notHeld(q.Now, args)
	rows, err := r.q.QueryContext(ctx, fmt.Sprintf(`SELECT %s, %s, %s FROM %s WHERE %s ORDER BY %s LIMIT $2`,
		strings.Join(c.Key, ", "), strings.Join(c.Place, ", "), c.Column, c.Table, c.where(more+free),
		strings.Join(c.Key, ", ")), args...)
	if err != nil {
		return nil, fmt.Errorf("read the sealed records of %s.%s: %w", c.Table, c.Column, err)
	}
	return collect(rows, func(row scanner) (SealedRecord, error) {
		found := SealedRecord{Key: make([]any, len(c.Key)), Place: make([]string, len(c.Place))}
		var into []any
		for i := range found.Key {
			into = append(into, &found.Key[i])
		}
		for i := range found.Place {
			into = append(into, &found.Place[i])
		}
		err := row.Scan(append(into, &found.Sealed)...)
		return found, err
	})
}

// Reseal replaces a record that nobody holds and that has not changed since it was read; done is false otherwise.
func (tx *Tx) Reseal(ctx context.Context, c SealedColumn, read SealedRecord, sealed []byte,
	now crier.Time) (done bool, err error) {
	free, args := c.notHeld(now, append([]any{sealed, read.Sealed}, read.Key...))
	res, err := tx.q.ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET %s = $1 WHERE %[2]s = $2 AND (%[3]s) = (%[4]s)%[5]s`,
		c.Table, c.Column, strings.Join(c.Key, ", "), placeholders(3, len(c.Key)), free), args...)
	if err != nil {
		return false, fmt.Errorf("seal a record of %s.%s again: %w", c.Table, c.Column, err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
