package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"crier"
)

// QuotaKey names a limit of a network: whose, and which.
type QuotaKey struct{ Subject, Name string }

// LockQuota reads what was used of a limit, and keeps others from counting it until the transaction ends.
func (tx *Tx) LockQuota(ctx context.Context, key QuotaKey, now crier.Time) (json.RawMessage, error) {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO quotas (subject, name, uses, updated_at) VALUES ($1, $2, '[]', $3)
		ON CONFLICT (subject, name) DO NOTHING`, key.Subject, key.Name, now)
	if err != nil {
		return nil, fmt.Errorf("begin to count a quota: %w", err)
	}
	return tx.quota(ctx, key, tx.forUpdate)
}

// Quota reads what was used of a limit; nil when nothing was.
func (r reads) Quota(ctx context.Context, key QuotaKey) (json.RawMessage, error) {
	uses, err := r.quota(ctx, key, "")
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return uses, err
}

func (r reads) quota(ctx context.Context, key QuotaKey, lock string) (json.RawMessage, error) {
	var uses *json.RawMessage
	err := r.q.QueryRowContext(ctx, `SELECT q.uses FROM quotas q WHERE q.subject = $1 AND q.name = $2`+lock, key.Subject, key.Name).Scan(intoJSON(&uses))
	if err != nil {
		return nil, fmt.Errorf("read a quota: %w", err)
	}
	return *uses, nil
}

// KeepQuota writes what was used of a limit that is locked.
func (tx *Tx) KeepQuota(ctx context.Context, key QuotaKey, uses json.RawMessage, now crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE quotas SET uses = $3, updated_at = $4 WHERE subject = $1 AND name = $2`,
		key.Subject, key.Name, string(uses), now)
	if err != nil {
		return fmt.Errorf("count a quota: %w", err)
	}
	return nil
}

// SweepQuotas forgets limits that nothing was used of since a time.
func (tx *Tx) SweepQuotas(ctx context.Context, before crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM quotas WHERE updated_at < $1`, before); err != nil {
		return fmt.Errorf("sweep quotas: %w", err)
	}
	return nil
}

// Span is a stretch of time: From belongs to it, To does not.
type Span struct{ From, To crier.Time }

// PlannedOnNetwork counts what is scheduled on a network within a span, whoever's it is, up to a number.
func (r reads) PlannedOnNetwork(ctx context.Context, network crier.Provider, span Span, most int64) (int64, error) {
	var count int64
	if err := r.q.QueryRowContext(ctx, plannedOnNetwork, network, span.From, span.To, most).Scan(&count); err != nil {
		return 0, fmt.Errorf("count what is planned on a network: %w", err)
	}
	return count, nil
}

// plannedOnNetwork stops at the number that was asked for: a network's day may be planned many times over.
const plannedOnNetwork = `SELECT count(*) FROM (SELECT 1 FROM scheduled_posts p WHERE p.provider = $1 AND p.live AND p.status = 'scheduled'
	AND p.scheduled_at >= $2 AND p.scheduled_at < $3 LIMIT $4) planned`

// PlannedOnAccount counts what is scheduled on an account within a span.
func (r reads) PlannedOnAccount(ctx context.Context, account crier.ID, span Span) (int64, error) {
	var count int64
	err := r.q.QueryRowContext(ctx, `SELECT count(*) FROM scheduled_posts p WHERE p.social_account_id = $1 AND p.scheduled_at >= $2
		AND p.scheduled_at < $3 AND p.live`, account, span.From, span.To).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count what is planned on an account: %w", err)
	}
	return count, nil
}
