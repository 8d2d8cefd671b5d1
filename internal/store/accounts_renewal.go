package store

import (
	"context"
	"fmt"

	"crier"
)

// renewable excludes accounts whose refresh was refused for good and whose token is still valid: retrying would not
// help; and those that are being refreshed.
const renewable = `a.token_expires_at IS NOT NULL AND a.status = 'connected'
	AND (a.health_issue IS NULL OR a.health_issue <> 'auth_failed' OR a.token_expires_at <= $2)
	AND (a.refresh_until IS NULL OR a.refresh_until <= $2)`

// inTurn selects accounts a team at a time: the soonest of every team, then the second of every team, and so on.
func inTurn(where string, limit int) string {
	return fmt.Sprintf(`SELECT t.id FROM (SELECT a.id, a.token_expires_at,
			ROW_NUMBER() OVER (PARTITION BY a.team_id ORDER BY a.token_expires_at) AS turn
			FROM social_accounts a WHERE `+where+`) AS t
		ORDER BY t.turn, t.token_expires_at LIMIT %d`, limit)
}

// ExpiringAccounts returns the connected accounts on a network whose token expires before a time: those of all teams in
// turn, soonest first.
func (r reads) ExpiringAccounts(ctx context.Context, network crier.Provider, now, before crier.Time,
	limit int) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, inTurn(`a.provider = $1 AND `+renewable+` AND a.token_expires_at <= $3`, limit),
		network, now, before)
	if err != nil {
		return nil, fmt.Errorf("look for expiring tokens: %w", err)
	}
	return collect(rows, scanID)
}

// NeededAccounts returns the connected accounts on a network that have a post scheduled until scheduledUntil and a
// token that expires before before: those of all teams in turn, soonest first.
func (r reads) NeededAccounts(ctx context.Context, network crier.Provider, now, scheduledUntil, before crier.Time,
	limit int) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, inTurn(`a.provider = $1 AND `+renewable+` AND a.token_expires_at <= $3
		AND EXISTS (SELECT 1 FROM publications p WHERE p.social_account_id = a.id AND p.live AND p.kind = 'post'
			AND p.status = 'scheduled' AND p.scheduled_at <= $4)`, limit), network, now, before, scheduledUntil)
	if err != nil {
		return nil, fmt.Errorf("look for tokens that will be needed: %w", err)
	}
	return collect(rows, scanID)
}

// ScheduledFrom counts the posts scheduled on each account at or after the account's own time.
func (r reads) ScheduledFrom(ctx context.Context, from map[crier.ID]crier.Time) (map[crier.ID]int64, error) {
	counts := map[crier.ID]int64{}
	if len(from) == 0 {
		return counts, nil
	}
	type accountRow struct {
		Key  crier.ID `json:"key"`
		From jsonTime `json:"earliest"`
	}
	accounts := make([]accountRow, 0, len(from))
	for account, at := range from {
		accounts = append(accounts, accountRow{account, jsonTime(at)})
	}
	rows, err := r.q.QueryContext(ctx, `SELECT v.key, (SELECT count(*) FROM publications p
			WHERE p.social_account_id = v.key AND p.live AND p.scheduled_at >= v.earliest AND p.kind = 'post'
			AND p.status = 'scheduled')
		FROM `+r.jsonRows(`key uuid, earliest timestamptz`), asJSON(&accounts))
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

// ClaimRefresh claims the refresh of an account's token until a time. ok is false while another node holds the claim.
func (s *Store) ClaimRefresh(ctx context.Context, account, owner crier.ID, now, until crier.Time) (ok bool, err error) {
	res, err := s.writer.ExecContext(ctx, `UPDATE social_accounts SET refresh_owner = $2, refresh_until = $4
		WHERE id = $1 AND (refresh_until IS NULL OR refresh_until <= $3)`, account, owner, now, until)
	if err != nil {
		return false, fmt.Errorf("claim the refresh: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// RefreshClaimed reports whether a node holds the claim of ClaimRefresh.
func (r reads) RefreshClaimed(ctx context.Context, account crier.ID, now crier.Time) (claimed bool, err error) {
	var held int
	err = r.keyed.QueryRowContext(ctx, `SELECT count(*) FROM social_accounts WHERE id = $1 AND refresh_until > $2`,
		account, now).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("look for the claim of a refresh: %w", err)
	}
	return held > 0, nil
}

// ReleaseRefresh releases the claim of ClaimRefresh.
func (tx *Tx) ReleaseRefresh(ctx context.Context, account, owner crier.ID) error {
	_, err := tx.q.ExecContext(ctx,
		`UPDATE social_accounts SET refresh_owner = NULL, refresh_until = NULL WHERE id = $1 AND refresh_owner = $2`,
		account, owner)
	if err != nil {
		return fmt.Errorf("release the refresh: %w", err)
	}
	return nil
}
