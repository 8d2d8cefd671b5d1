package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

// Account is a social account with the fields that the API does not show.
type Account struct {
	crier.SocialAccount
	// Token is sealed; nil when there is none.
	Token            []byte
	TokenExpiresAt   *crier.Time
	RefreshExpiresAt *crier.Time
	// ProfileAt is when the profile was last read from the network; nil if that was never after the account was
	// connected.
	ProfileAt *crier.Time
}

const accountColumns = `a.id, a.team_id, a.provider, a.provider_account_id, a.display_name, a.profile_handle,
	a.profile_image_url,
	a.account_sub_type, a.status, a.scopes, a.provider_settings, a.sandbox, a.token, a.token_expires_at,
	a.refresh_expires_at,
	a.health_issue, a.health_message, a.health_since, a.connected_at, a.disconnected_at, a.created_at, a.updated_at,
	a.profile_at, a.metrics_hint`

func scanAccount(row scanner) (Account, error) {
	var a Account
	targets, finish := accountTargets(&a)
	err := row.Scan(targets...)
	finish()
	return a, err
}

// accountTargets returns the scan targets of accountColumns; finish completes the account after the scan.
func accountTargets(a *Account) (targets []any, finish func()) {
	var scopes *[]string
	var settings *json.RawMessage
	targets = []any{
		&a.ID, &a.TeamID, &a.Provider, &a.ProviderAccountID, &a.DisplayName, &a.ProfileHandle, &a.ProfileImageURL,
		&a.AccountSubType, &a.Status, intoJSON(&scopes), intoJSON(&settings), &a.Sandbox, &a.Token, &a.TokenExpiresAt,
		&a.RefreshExpiresAt,
		&a.AccountHealthIssue, &a.AccountHealthMessage, &a.AccountHealthSince, &a.ConnectedAt, &a.DisconnectedAt,
		&a.CreatedAt, &a.UpdatedAt, &a.ProfileAt, &a.MetricsHint,
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
	rows, err := r.q.QueryContext(ctx,
		`SELECT `+accountColumns+` FROM social_accounts a WHERE a.team_id = $1 ORDER BY a.created_at, a.id`, team)
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

// LockAccounts reads and locks accounts of a team by id, in id order. Ids that do not exist are missing from the
// result.
func (tx *Tx) LockAccounts(ctx context.Context, team crier.ID, ids []crier.ID) (map[crier.ID]Account, error) {
	found := map[crier.ID]Account{}
	if len(ids) == 0 {
		return found, nil
	}
	if err := tx.q.Ask(ctx, tx.accountsQuestion(found, team, ids)); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	return found, nil
}

// accountsQuestion reads and locks accounts of a team by id, in id order.
func (tx *Tx) accountsQuestion(found map[crier.ID]Account, team crier.ID, ids []crier.ID) question {
	marks, args := inList(2, ids)
	return newQuestion(`SELECT `+accountColumns+` FROM social_accounts a WHERE a.team_id = $1 AND a.id IN (`+marks+`)
		ORDER BY a.id`+tx.forUpdate, append([]any{team}, args...), func(row scanner) error {
		a, err := scanAccount(row)
		found[a.ID] = a
		return err
	})
}

// InsertAccount writes a new account.
func (tx *Tx) InsertAccount(ctx context.Context, a Account) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO social_accounts (id, team_id, provider, provider_account_id,
		display_name, profile_handle,
		profile_image_url, account_sub_type, status, scopes, provider_settings, sandbox, token, token_expires_at,
		refresh_expires_at,
		connected_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		a.ID, a.TeamID, a.Provider, a.ProviderAccountID, a.DisplayName, a.ProfileHandle, a.ProfileImageURL,
		a.AccountSubType, a.Status,
		asJSON(&a.Scopes), string(a.ProviderSettings), a.Sandbox, a.Token, a.TokenExpiresAt, a.RefreshExpiresAt,
		a.ConnectedAt, a.CreatedAt, a.UpdatedAt)
	if isUniqueViolation(err) {
		return crier.Conflict("This account of %s is connected already.", a.Provider)
	}
	if err != nil {
		return fmt.Errorf("insert account: %w", err)
	}
	return nil
}

// UpdateAccount writes the mutable fields of an account: profile, status, health and token.
func (tx *Tx) UpdateAccount(ctx context.Context, a Account) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE social_accounts SET display_name = $2, profile_handle = $3,
		profile_image_url = $4,
		account_sub_type = $5, status = $6, scopes = $7, provider_settings = $8, token = $9, token_expires_at = $10,
		refresh_expires_at = $11, health_issue = $12, health_message = $13, health_since = $14, connected_at = $15,
		disconnected_at = $16, updated_at = $17, sandbox = $18, profile_at = $19 WHERE id = $1`,
		a.ID, a.DisplayName, a.ProfileHandle, a.ProfileImageURL, a.AccountSubType, a.Status, asJSON(&a.Scopes),
		string(a.ProviderSettings), a.Token, a.TokenExpiresAt, a.RefreshExpiresAt, a.AccountHealthIssue,
		a.AccountHealthMessage,
		a.AccountHealthSince, a.ConnectedAt, a.DisconnectedAt, a.UpdatedAt, a.Sandbox, a.ProfileAt)
	return affectedOne(res, err, "social account", a.ID)
}

// Account reads an account by id without a team, for jobs.
func (r reads) Account(ctx context.Context, id crier.ID) (Account, error) {
	a, err := scanAccount(r.keyed.QueryRowContext(ctx,
		`SELECT `+accountColumns+` FROM social_accounts a WHERE a.id = $1`, id))
	return a, orNotFound(err, "social account", id)
}
