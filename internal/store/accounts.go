package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

// Account is a social account with what the wire does not show.
type Account struct {
	crier.SocialAccount
	// Token is sealed; nil when there is none.
	Token            []byte
	TokenExpiresAt   *crier.Time
	RefreshExpiresAt *crier.Time
	// ProfileAt is when its network was last asked what it looks like and may do; nil: when it was connected, if at all.
	ProfileAt *crier.Time
}

const accountColumns = `a.id, a.team_id, a.provider, a.provider_account_id, a.display_name, a.profile_handle, a.profile_image_url,
	a.account_sub_type, a.status, a.scopes, a.provider_settings, a.sandbox, a.token, a.token_expires_at, a.refresh_expires_at,
	a.health_issue, a.health_message, a.health_since, a.connected_at, a.disconnected_at, a.created_at, a.updated_at, a.profile_at`

func scanAccount(row scanner) (Account, error) {
	var a Account
	targets, finish := accountTargets(&a)
	err := row.Scan(targets...)
	finish()
	return a, err
}

// accountTargets is where the values of accountColumns go; finish completes the account after the scan.
func accountTargets(a *Account) (targets []any, finish func()) {
	var scopes *[]string
	var settings *json.RawMessage
	targets = []any{
		&a.ID, &a.TeamID, &a.Provider, &a.ProviderAccountID, &a.DisplayName, &a.ProfileHandle, &a.ProfileImageURL,
		&a.AccountSubType, &a.Status, intoJSON(&scopes), intoJSON(&settings), &a.Sandbox, &a.Token, &a.TokenExpiresAt, &a.RefreshExpiresAt,
		&a.AccountHealthIssue, &a.AccountHealthMessage, &a.AccountHealthSince, &a.ConnectedAt, &a.DisconnectedAt, &a.CreatedAt, &a.UpdatedAt, &a.ProfileAt,
	}
	return targets, func() {
		if scopes != nil {
			a.Scopes = *scopes
		}
		if settings != nil {
			a.ProviderSettings = *settings
		}
	}
}

// SocialAccounts reads all accounts of a team, the oldest first.
func (r reads) SocialAccounts(ctx context.Context, team crier.ID) ([]Account, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+accountColumns+` FROM social_accounts a WHERE a.team_id = $1 ORDER BY a.created_at, a.id`, team)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return collect(rows, scanAccount)
}

// SocialAccount reads one account of a team.
func (r reads) SocialAccount(ctx context.Context, team, id crier.ID) (Account, error) {
	a, err := scanAccount(r.q.QueryRowContext(ctx,
		`SELECT `+accountColumns+` FROM social_accounts a WHERE a.id = $1 AND a.team_id = $2`, id, team))
	return a, orNotFound(err, "social account", id)
}

// LockAccounts reads the accounts of a team that have the given ids, in id order, and keeps others from changing or
// scheduling on them until the transaction ends. Missing ones are missing in the result.
func (tx *Tx) LockAccounts(ctx context.Context, team crier.ID, ids []crier.ID) (map[crier.ID]Account, error) {
	found := map[crier.ID]Account{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := tx.q.QueryContext(ctx, `SELECT `+accountColumns+` FROM social_accounts a WHERE a.team_id = $1
		AND a.id IN (`+placeholders(2, len(ids))+`) ORDER BY a.id`+tx.forUpdate, append([]any{team}, anys(ids)...)...)
	if err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	list, err := collect(rows, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	for _, a := range list {
		found[a.ID] = a
	}
	return found, nil
}

// InsertAccount writes a new account.
func (tx *Tx) InsertAccount(ctx context.Context, a Account) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO social_accounts (id, team_id, provider, provider_account_id, display_name, profile_handle,
		profile_image_url, account_sub_type, status, scopes, provider_settings, sandbox, token, token_expires_at, refresh_expires_at,
		connected_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		a.ID, a.TeamID, a.Provider, a.ProviderAccountID, a.DisplayName, a.ProfileHandle, a.ProfileImageURL, a.AccountSubType, a.Status,
		asJSON(&a.Scopes), string(a.ProviderSettings), a.Sandbox, a.Token, a.TokenExpiresAt, a.RefreshExpiresAt, a.ConnectedAt, a.CreatedAt, a.UpdatedAt)
	if isUniqueViolation(err) {
		return crier.Conflict("This account of %s is connected already.", a.Provider)
	}
	if err != nil {
		return fmt.Errorf("insert account: %w", err)
	}
	return nil
}

// UpdateAccount writes what changes about an account: its face, its state, its health and its token.
func (tx *Tx) UpdateAccount(ctx context.Context, a Account) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE social_accounts SET display_name = $2, profile_handle = $3, profile_image_url = $4,
		account_sub_type = $5, status = $6, scopes = $7, provider_settings = $8, token = $9, token_expires_at = $10,
		refresh_expires_at = $11, health_issue = $12, health_message = $13, health_since = $14, connected_at = $15,
		disconnected_at = $16, updated_at = $17, sandbox = $18, profile_at = $19 WHERE id = $1`,
		a.ID, a.DisplayName, a.ProfileHandle, a.ProfileImageURL, a.AccountSubType, a.Status, asJSON(&a.Scopes),
		string(a.ProviderSettings), a.Token, a.TokenExpiresAt, a.RefreshExpiresAt, a.AccountHealthIssue, a.AccountHealthMessage,
		a.AccountHealthSince, a.ConnectedAt, a.DisconnectedAt, a.UpdatedAt, a.Sandbox, a.ProfileAt)
	return affectedOne(res, err, "social account", a.ID)
}
