package store

import (
	"context"
	"fmt"

	"crier"
)

// conditions collects the conditions of a list, with ? for their parameters.
type conditions struct {
	where string
	args  []any
}

func (c *conditions) add(condition string, arg any) {
	if c.where != "" {
		c.where += " AND "
	}
	c.where, c.args = c.where+condition, append(c.args, arg)
}

// between adds a half-open time range; either end may be nil.
func (c *conditions) between(column string, from, to *crier.Time) {
	if from != nil {
		c.add(column+" >= ?", *from)
	}
	if to != nil {
		c.add(column+" < ?", *to)
	}
}

// count counts the rows of a table that meet the conditions, up to maxCounted.
func (c *conditions) count(ctx context.Context, r reads, table string) (Total, error) {
	var n int64
	query := bind(fmt.Sprintf("SELECT count(*) FROM (SELECT 1 AS one FROM %s WHERE %s LIMIT %d) AS found", table,
		c.where,
		maxCounted+1), 0)
	if err := r.q.QueryRowContext(ctx, query, c.args...).Scan(&n); err != nil {
		return Total{}, fmt.Errorf("count %s: %w", table, err)
	}
	return Total{Count: min(n, maxCounted), Capped: n > maxCounted}, nil
}
