package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

// QuotaKey identifies a limit of a network: its subject and its name.
type QuotaKey struct{ Subject, Name string }

// LockQuota reads and locks the uses of a limit.
func (tx *Tx) LockQuota(ctx context.Context, key QuotaKey, now crier.Time) (json.RawMessage, error) {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO quotas (subject, name, uses, updated_at) VALUES ($1, $2, '[]', $3)
		ON CONFLICT (subject, name) DO NOTHING`, key.Subject, key.Name, now)
	if err != nil {
		return nil, fmt.Errorf("begin to count a quota: %w", err)
	}
	var uses *json.RawMessage
	err = tx.q.QueryRowContext(ctx, quotaUses+tx.forUpdate, key.Subject, key.Name).Scan(intoJSON(&uses))
	if err != nil {
		return nil, fmt.Errorf("read a quota: %w", err)
	}
	return *uses, nil
}

// PlannedUse is a query for how much of a limit is used and planned.
type PlannedUse struct {
	Key QuotaKey
	// Account is the account whose posts count; empty counts those of all teams on Network, up to Most.
	Account crier.ID
	Network crier.Provider
	Most    int64
	Span    Span

	// Uses is the result of LockQuota, nil if there is none; Planned is the number of posts within Span.
	Uses    json.RawMessage
	Planned int64
}

// PlannedUses fills in the results of a list of queries, in one round trip.
func (r reads) PlannedUses(ctx context.Context, list []*PlannedUse) error {
	var questions []question
	for _, u := range list {
		planned := newQuestion(plannedOnNetwork, []any{u.Network, u.Span.From, u.Span.To, u.Most},
			func(row scanner) error { return row.Scan(&u.Planned) })
		if u.Account != "" {
			planned.query, planned.args = plannedOnAccount, []any{u.Account, u.Span.From, u.Span.To}
		}
		questions = append(questions, planned, newQuestion(quotaUses, []any{u.Key.Subject, u.Key.Name},
			func(row scanner) error {
				var uses *json.RawMessage
				err := row.Scan(intoJSON(&uses))
				if uses != nil {
					u.Uses = *uses
				}
				return err
			}))
	}
	if len(questions) == 0 {
		return nil
	}
	if err := r.q.Ask(ctx, questions...); err != nil {
		return fmt.Errorf("read what is planned: %w", err)
	}
	return nil
}

const quotaUses = `SELECT q.uses FROM quotas q WHERE q.subject = $1 AND q.name = $2`

// UpdateQuota writes the uses of a locked limit.
func (tx *Tx) UpdateQuota(ctx context.Context, key QuotaKey, uses json.RawMessage, now crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE quotas SET uses = $3, updated_at = $4 WHERE subject = $1 AND name = $2`,
		key.Subject, key.Name, string(uses), now)
	if err != nil {
		return fmt.Errorf("count a quota: %w", err)
	}
	return nil
}

// SweepQuotas deletes limits that were not used since a time.
func (tx *Tx) SweepQuotas(ctx context.Context, before crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM quotas WHERE updated_at < $1`, before); err != nil {
		return fmt.Errorf("sweep quotas: %w", err)
	}
	return nil
}

// Span is the time range [From, To).
type Span struct{ From, To crier.Time }

// plannedOnNetwork stops at the limit: a day may hold many times more posts.
const plannedOnNetwork = `SELECT count(*) FROM (SELECT 1 FROM publications p WHERE p.provider = $1 AND p.kind = 'post'
	AND p.live
	AND p.status = 'scheduled'
	AND p.scheduled_at >= $2 AND p.scheduled_at < $3 LIMIT $4) planned`

const plannedOnAccount = `SELECT count(*) FROM publications p WHERE p.social_account_id = $1 AND p.kind = 'post'
	AND p.scheduled_at >= $2 AND p.scheduled_at < $3 AND p.live`
