package store

import (
	"context"
	"fmt"
	"strings"

	"crier"
)

// renewable leaves out accounts whose renewal was refused for good while the token lasts: asking again would not help.
const renewable = `a.token_expires_at IS NOT NULL AND a.status = 'connected'
	AND (a.health_issue IS NULL OR a.health_issue <> 'auth_failed' OR a.token_expires_at <= $2)`

// ExpiringAccounts are the connected accounts on a network whose token ends before a time, the soonest first.
func (r reads) ExpiringAccounts(ctx context.Context, network crier.Provider, now, before crier.Time, limit int) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT a.id FROM social_accounts a WHERE a.provider = $1 AND `+renewable+`
		AND a.token_expires_at <= $3 ORDER BY a.token_expires_at LIMIT $4`, network, now, before, limit)
	if err != nil {
		return nil, fmt.Errorf("look for expiring tokens: %w", err)
	}
	return collect(rows, scanID)
}

// NeededAccounts are the connected accounts on a network that have something scheduled up to a time and whose token ends
// before another, the soonest first.
func (r reads) NeededAccounts(ctx context.Context, network crier.Provider, now, scheduledUntil, before crier.Time, limit int) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT a.id FROM social_accounts a WHERE a.provider = $1 AND `+renewable+`
		AND a.token_expires_at <= $3 AND EXISTS (SELECT 1 FROM scheduled_posts p WHERE p.social_account_id = a.id AND p.live AND p.status = 'scheduled'
			AND p.scheduled_at <= $4) ORDER BY a.token_expires_at LIMIT $5`, network, now, before, scheduledUntil, limit)
	if err != nil {
		return nil, fmt.Errorf("look for tokens that will be needed: %w", err)
	}
	return collect(rows, scanID)
}

// ScheduledFrom counts, for some accounts, what is scheduled from a time on, each with a time of its own.
func (r reads) ScheduledFrom(ctx context.Context, from map[crier.ID]crier.Time) (map[crier.ID]int64, error) {
	counts := map[crier.ID]int64{}
	if len(from) == 0 {
		return counts, nil
	}
	var parts []string
	var args []any
	for account, at := range from {
		parts = append(parts, fmt.Sprintf(`p.social_account_id = $%d AND p.scheduled_at >= $%d`, len(args)+1, len(args)+2))
		args = append(args, account, at)
	}
	rows, err := r.q.QueryContext(ctx, `SELECT p.social_account_id, count(*) FROM scheduled_posts p WHERE p.live AND p.status = 'scheduled'
		AND (`+strings.Join(parts, " OR ")+`) GROUP BY p.social_account_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("count what accounts have scheduled: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var account crier.ID
		var count int64
		if err := rows.Scan(&account, &count); err != nil {
			return nil, fmt.Errorf("count what accounts have scheduled: %w", err)
		}
		counts[account] = count
	}
	return counts, rows.Err()
}
