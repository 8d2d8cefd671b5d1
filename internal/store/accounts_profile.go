package store

import (
	"context"
	"fmt"

	"crier"
)

// StaleProfiles reads the connected accounts of a team on a network whose profile was last read before a time.
func (r reads) StaleProfiles(ctx context.Context, team crier.ID, ids []crier.ID, network crier.Provider,
	before crier.Time) ([]Account, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.QueryContext(ctx, `SELECT `+accountColumns+` FROM social_accounts a WHERE a.team_id = $1
		AND a.provider = $2 AND a.status = 'connected'
		AND (a.profile_at IS NULL OR a.profile_at < $3) AND a.id IN (`+placeholders(4, len(ids))+`) ORDER BY a.id`,
		append([]any{team, network, before}, anys(ids)...)...)
	if err != nil {
		return nil, fmt.Errorf("look for accounts to look at: %w", err)
	}
	return collect(rows, scanAccount)
}

// AccountNetworks maps accounts of a team to their networks.
func (r reads) AccountNetworks(ctx context.Context, team crier.ID, ids []crier.ID) (map[crier.ID]crier.Provider,
	error) {
	rows, err := r.q.QueryContext(ctx,
		`SELECT a.id, a.provider FROM social_accounts a WHERE a.team_id = $1 AND a.id IN (`+placeholders(2,
			len(ids))+`)`,
		append([]any{team}, anys(ids)...)...)
	if err != nil {
		return nil, fmt.Errorf("read the networks of accounts: %w", err)
	}
	defer rows.Close()
	networks := map[crier.ID]crier.Provider{}
	for rows.Next() {
		var id crier.ID
		var network crier.Provider
		if err := rows.Scan(&id, &network); err != nil {
			return nil, fmt.Errorf("read the network of an account: %w", err)
		}
		networks[id] = network
	}
	return networks, rows.Err()
}
