package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// KeySecret is a secret of an API key, with its hash for lookup.
type KeySecret struct {
	Hash      []byte
	KeyID     crier.ID
	Sealed    []byte
	LastFour  string
	CreatedAt crier.Time
	// IssuedByID is the person who requested the secret: it ends with their permissions.
	IssuedByID crier.ID
}

// BearerKey is the identity behind an API key.
type BearerKey struct {
	ID          crier.ID
	Name        string
	Permissions *[]crier.Permission
	ExpiresAt   *crier.Time
	LastUsedAt  *crier.Time
	Person      crier.User
}

// errUnknownToken is the error for tokens that do not exist or are no longer valid.
func errUnknownToken() error {
	return crier.Unauthorized("The token is not valid: it is unknown, expired or revoked.")
}

// KeyBySecret finds the key of a secret's hash, unless it was revoked or has expired.
func (r reads) KeyBySecret(ctx context.Context, hash []byte, now crier.Time, ahead ...*Lookahead) (BearerKey, error) {
	var k BearerKey
	err := r.withCredential(ctx, newQuestion(`SELECT k.id, k.name, k.permissions, k.expires_at, k.last_used_at, u.id,
		u.email, u.name
		FROM api_key_secrets s JOIN api_keys k ON k.id = s.api_key_id JOIN users u ON u.id = k.created_by_id
		WHERE s.hash = $1 AND k.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > $2)
		AND (k.expires_at IS NULL OR k.expires_at > $2)`, []any{hash, now}, func(row scanner) error {
		return row.Scan(&k.ID, &k.Name, intoJSON(&k.Permissions), &k.ExpiresAt, &k.LastUsedAt, &k.Person.ID,
			&k.Person.Email, &k.Person.Name)
	}), KeyCredential, now, ahead)
	if err != nil {
		return k, fmt.Errorf("look the key up: %w", err)
	}
	if k.ID == "" {
		return k, errUnknownToken()
	}
	return k, nil
}

// InsertKey inserts a key without its membership and secret.
func (tx *Tx) InsertKey(ctx context.Context, k crier.APIKey) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO api_keys (id, organization_id, created_by_id, name, permissions,
		expires_at,
		created_at, updated_at, name_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		k.ID, k.OrganizationID, k.CreatedByID, k.Name, asJSON(listOrNull(k.Permissions)), k.ExpiresAt, k.CreatedAt,
		k.UpdatedAt, sortKey(k.Name))
	if err != nil {
		return fmt.Errorf("insert key: %w", err)
	}
	return nil
}

func listOrNull[T any](list []T) *[]T {
	if list == nil {
		return nil
	}
	return &list
}

// InsertSecret inserts a secret as the current one of its key. Earlier secrets expire at previousEnds at the latest.
func (tx *Tx) InsertSecret(ctx context.Context, s KeySecret, previousEnds crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE api_key_secrets SET current = $2,
		expires_at = CASE WHEN expires_at <= $3 THEN expires_at ELSE $3 END
		WHERE api_key_id = $1 AND (current OR expires_at IS NULL OR expires_at > $3)`, s.KeyID, false, previousEnds)
	if err != nil {
		return fmt.Errorf("end the secrets before: %w", err)
	}
	_, err = tx.q.ExecContext(ctx, `INSERT INTO api_key_secrets (hash, api_key_id, sealed, last_four, current,
		created_at, issued_by_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, s.Hash, s.KeyID, s.Sealed, s.LastFour, true, s.CreatedAt, s.IssuedByID)
	if err != nil {
		return fmt.Errorf("insert secret: %w", err)
	}
	return nil
}

const keyColumns = `k.id, k.organization_id, k.name, m.role, k.permissions, m.id, m.all_teams, s.last_four,
	k.created_by_id,
	k.expires_at, k.last_used_at, k.created_at, k.updated_at`

const keyTables = `api_keys k
	JOIN memberships m ON m.principal_id = k.id AND m.organization_id = k.organization_id
	JOIN api_key_secrets s ON s.api_key_id = k.id AND s.current`

// storedKey is a key without its teams.
type storedKey struct {
	crier.APIKey
	membership crier.ID
	allTeams   bool
}

func scanKey(row scanner) (storedKey, error) {
	var k storedKey
	var permissions *[]crier.Permission
	err := row.Scan(&k.ID, &k.OrganizationID, &k.Name, &k.Role, intoJSON(&permissions), &k.membership, &k.allTeams,
		&k.LastFour, &k.CreatedByID, &k.ExpiresAt, &k.LastUsedAt, &k.CreatedAt, &k.UpdatedAt)
	if permissions != nil {
		k.Permissions = *permissions
	}
	return k, err
}

// Key reads a key that is not revoked.
func (r reads) Key(ctx context.Context, organization, id crier.ID) (crier.APIKey, error) {
	k, err := scanKey(r.q.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM `+keyTables+`
		WHERE k.id = $1 AND k.organization_id = $2 AND k.revoked_at IS NULL`, id, organization))
	if err := orNotFound(err, "API key", id); err != nil {
		return k.APIKey, err
	}
	keys, err := r.withTeams(ctx, []storedKey{k})
	if err != nil {
		return k.APIKey, err
	}
	return keys[0], nil
}

var keySorts = map[string]string{"createdAt": "k.created_at", "name": "k.name_key"}

// Keys reads one page of an organization's keys that are not revoked.
func (r reads) Keys(ctx context.Context, organization crier.ID, q PageQuery) (PageRows[crier.APIKey], error) {
	list := listing[storedKey]{
		columns:  keyColumns,
		from:     keyTables,
		id:       "k.id",
		sorts:    keySorts,
		branches: []branch{{where: "k.organization_id = ? AND k.revoked_at IS NULL", args: []any{organization}}},
		scan:     scanKey,
		key: func(k storedKey, sort string) Key {
			return Key{Value: sortValue(sort, k.CreatedAt, k.UpdatedAt, k.Name), ID: k.ID}
		},
	}
	var out PageRows[crier.APIKey]
	page, err := list.page(ctx, r, q)
	if err != nil {
		return out, fmt.Errorf("list keys: %w", err)
	}
	out = PageRows[crier.APIKey]{First: page.First, Last: page.Last, Before: page.Before, After: page.After}
	out.Rows, err = r.withTeams(ctx, page.Rows)
	return out, err
}

// withTeams reads the teams that keys are limited to, in one query.
func (r reads) withTeams(ctx context.Context, keys []storedKey) ([]crier.APIKey, error) {
	var memberships []crier.ID
	for _, k := range keys {
		if !k.allTeams {
			memberships = append(memberships, k.membership)
		}
	}
	teams, err := r.teamsOf(ctx, memberships)
	if err != nil {
		return nil, err
	}
	out := make([]crier.APIKey, len(keys))
	for i, k := range keys {
		out[i] = k.APIKey
		if !k.allTeams {
			out[i].TeamIDs = append([]crier.ID{}, teams[k.membership]...)
		}
	}
	return out, nil
}

// teamsOf reads the teams that memberships are limited to, without deleted teams.
func (r reads) teamsOf(ctx context.Context, memberships []crier.ID) (map[crier.ID][]crier.ID, error) {
	teams := map[crier.ID][]crier.ID{}
	if len(memberships) == 0 {
		return teams, nil
	}
	rows, err := r.q.QueryContext(ctx, `SELECT x.membership_id, x.team_id FROM membership_teams x
		JOIN teams t ON t.id = x.team_id AND t.deleted_at IS NULL
		WHERE x.membership_id IN (`+placeholders(1, len(memberships))+`) ORDER BY x.team_id`, anys(memberships)...)
	if err != nil {
		return nil, fmt.Errorf("read teams of members: %w", err)
	}
	type pair struct{ membership, team crier.ID }
	pairs, err := collect(rows, func(row scanner) (p pair, err error) { return p, row.Scan(&p.membership, &p.team) })
	if err != nil {
		return nil, fmt.Errorf("read teams of members: %w", err)
	}
	for _, p := range pairs {
		teams[p.membership] = append(teams[p.membership], p.team)
	}
	return teams, nil
}

// NarrowedTeams returns the teams that a principal is limited to; nil means all teams.
func (r reads) NarrowedTeams(ctx context.Context, principal crier.ID) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT m.id FROM memberships m WHERE m.principal_id = $1 AND NOT m.all_teams`,
		principal)
	if err != nil {
		return nil, fmt.Errorf("read narrowed memberships: %w", err)
	}
	memberships, err := collect(rows, scanID)
	if err != nil || len(memberships) == 0 {
		return nil, err
	}
	teams, err := r.teamsOf(ctx, memberships)
	if err != nil {
		return nil, err
	}
	out := []crier.ID{}
	for _, list := range teams {
		out = append(out, list...)
	}
	return out, nil
}

// KeyCount counts an organization's keys that are not revoked. They are few.
func (r reads) KeyCount(ctx context.Context, organization crier.ID) (int64, error) {
	var n int64
	err := r.q.QueryRowContext(ctx,
		`SELECT count(*) FROM api_keys k WHERE k.organization_id = $1 AND k.revoked_at IS NULL`,
		organization).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count keys: %w", err)
	}
	return n, nil
}

// KeyActive reports whether a key is neither revoked nor expired.
func (r reads) KeyActive(ctx context.Context, id crier.ID, now crier.Time) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM api_keys k WHERE k.id = $1 AND k.revoked_at IS NULL
		AND (k.expires_at IS NULL OR k.expires_at > $2)`, id, now).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look a key up: %w", err)
	}
	return true, nil
}

// RevokeKey revokes a key and all its secrets.
func (tx *Tx) RevokeKey(ctx context.Context, organization, id crier.ID, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE api_keys SET revoked_at = $3, updated_at = $3
		WHERE id = $1 AND organization_id = $2 AND revoked_at IS NULL`, id, organization, at)
	return affectedOne(res, err, "API key", id)
}

// KeyStaysWithin reports whether a key has access only to organizations that both the principal and the person behind
// it administer as a whole.
func (r reads) KeyStaysWithin(ctx context.Context, key, principal, person crier.ID) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM memberships k WHERE k.principal_id = $1 AND NOT EXISTS (
		SELECT 1 FROM memberships m
		JOIN memberships b ON b.principal_id = $3 AND b.organization_id = m.organization_id
		WHERE m.principal_id = $2 AND m.organization_id = k.organization_id AND m.role IN ('owner', 'admin')
		AND m.all_teams
		AND b.role IN ('owner', 'admin') AND b.all_teams) LIMIT 1`, key, principal, person).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at what the key reaches: %w", err)
	}
	return false, nil
}

// EndSecretsIssuedBy ends the secrets that a person has issued for keys of an organization whose role is one of roles.
// The keys stay and can be rotated by others. Keys created by the person follow the person's permissions anyway.
func (tx *Tx) EndSecretsIssuedBy(ctx context.Context, organization, person crier.ID, roles []crier.Role,
	now crier.Time) error {
	if len(roles) == 0 {
		return nil
	}
	_, err := tx.q.ExecContext(ctx, `UPDATE api_key_secrets SET expires_at = $3 WHERE issued_by_id = $2
		AND (expires_at IS NULL OR expires_at > $3) AND api_key_id IN (SELECT k.id FROM api_keys k
			JOIN memberships m ON m.principal_id = k.id AND m.organization_id = k.organization_id
			WHERE k.organization_id = $1 AND k.created_by_id <> $2 AND m.role IN (`+placeholders(4, len(roles))+`))`,
		append([]any{organization, person, now}, anys(roles)...)...)
	if err != nil {
		return fmt.Errorf("end the secrets issued by a member: %w", err)
	}
	return nil
}

// SetKeyRotated sets when a key was last rotated.
func (tx *Tx) SetKeyRotated(ctx context.Context, id crier.ID, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE api_keys SET updated_at = $2 WHERE id = $1 AND revoked_at IS NULL`, id,
		at)
	return affectedOne(res, err, "API key", id)
}

// credentialTables are the tables of the kinds of credentials.
var credentialTables = map[string]string{crier.CredentialKey: "api_keys", crier.CredentialToken: "token_families",
	crier.CredentialSession: "sessions"}

// CredentialUsed records the last use of a credential of a kind.
func (s *Store) CredentialUsed(ctx context.Context, kind string, id crier.ID, at crier.Time) error {
	table, ok := credentialTables[kind]
	if !ok {
		return fmt.Errorf("note the use of a credential: unknown kind %q", kind)
	}
	_, err := s.writer.ExecContext(ctx, `UPDATE `+table+` SET last_used_at = $2
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`, id, at)
	if err != nil {
		return fmt.Errorf("note the use of a credential: %w", err)
	}
	return nil
}
