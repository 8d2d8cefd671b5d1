package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// DeviceLogin is a device login in progress.
type DeviceLogin struct {
	DeviceHash []byte
	UserCode   string
	ClientName string
	Status     string // pending, approved, denied, used
	UserID     *crier.ID
	PolledAt   *crier.Time
	Interval   int // seconds between polls
	ExpiresAt  crier.Time
}

// ErrCodeTaken means that another device login uses the same user code.
var ErrCodeTaken = errors.New("the user code is taken")

// InsertDeviceLogin inserts a new device login.
func (tx *Tx) InsertDeviceLogin(ctx context.Context, d DeviceLogin) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO device_logins (device_hash, user_code, client_name, status, interval_s,
		expires_at)
		VALUES ($1, $2, $3, 'pending', $4, $5)`, d.DeviceHash, d.UserCode, d.ClientName, d.Interval, d.ExpiresAt)
	if isUniqueViolation(err) {
		return ErrCodeTaken
	}
	if err != nil {
		return fmt.Errorf("insert device login: %w", err)
	}
	return nil
}

const deviceColumns = `d.device_hash, d.user_code, d.client_name, d.status, d.user_id, d.polled_at, d.interval_s,
	d.expires_at`

func scanDevice(row scanner) (DeviceLogin, error) {
	var d DeviceLogin
	err := row.Scan(&d.DeviceHash, &d.UserCode, &d.ClientName, &d.Status, &d.UserID, &d.PolledAt, &d.Interval,
		&d.ExpiresAt)
	return d, err
}

// LockDeviceLogin reads and locks a device login by its device code; nil if there is none.
func (tx *Tx) LockDeviceLogin(ctx context.Context, hash []byte) (*DeviceLogin, error) {
	d, err := scanDevice(tx.q.QueryRowContext(ctx,
		`SELECT `+deviceColumns+` FROM device_logins d WHERE d.device_hash = $1`+tx.forUpdate, hash))
	return orNil(d, err, "read device login")
}

// DeviceLogin reads a pending device login by its user code; nil if there is none.
func (r reads) DeviceLogin(ctx context.Context, userCode string, now crier.Time) (*DeviceLogin, error) {
	d, err := scanDevice(r.q.QueryRowContext(ctx, `SELECT `+deviceColumns+` FROM device_logins d
		WHERE d.user_code = $1 AND d.status = 'pending' AND d.expires_at > $2`, userCode, now))
	return orNil(d, err, "read device login")
}

// UpdateDeviceLogin writes the state of a device login.
func (tx *Tx) UpdateDeviceLogin(ctx context.Context, d DeviceLogin) error {
	_, err := tx.q.ExecContext(ctx,
		`UPDATE device_logins SET status = $2, user_id = $3, polled_at = $4, interval_s = $5 WHERE device_hash = $1`,
		d.DeviceHash, d.Status, d.UserID, d.PolledAt, d.Interval)
	if err != nil {
		return fmt.Errorf("update device login: %w", err)
	}
	return nil
}

// DecideDeviceLogin approves or denies a pending device login. Only the first decision succeeds.
func (tx *Tx) DecideDeviceLogin(ctx context.Context, userCode, status string, user crier.ID, now crier.Time) (bool,
	error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE device_logins SET status = $2, user_id = $3
		WHERE user_code = $1 AND status = 'pending' AND expires_at > $4`, userCode, status, user, now)
	if err != nil {
		return false, fmt.Errorf("decide device login: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// TokenFamily is a login that issues tokens, one pair after the other.
type TokenFamily struct {
	ID        crier.ID
	UserID    crier.ID
	Name      string
	CreatedAt crier.Time
	// ClientID and Resource bind the tokens to a client and a resource; nil for a device.
	ClientID *string
	Resource *string
}

// InsertTokenFamily inserts a login without tokens.
func (tx *Tx) InsertTokenFamily(ctx context.Context, f TokenFamily) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO token_families (id, user_id, name, created_at, client_id, resource)
		VALUES ($1, $2, $3, $4, $5, $6)`, f.ID, f.UserID, f.Name, f.CreatedAt, f.ClientID, f.Resource)
	if err != nil {
		return fmt.Errorf("insert token family: %w", err)
	}
	return nil
}

// InsertTokens inserts an access token and a refresh token of a family.
func (tx *Tx) InsertTokens(ctx context.Context, family crier.ID, access []byte, accessEnds crier.Time, refresh []byte,
	refreshEnds crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `INSERT INTO access_tokens (hash, family_id, expires_at) VALUES ($1, $2, $3)`,
		access, family, accessEnds); err != nil {
		return fmt.Errorf("insert access token: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx, `INSERT INTO refresh_tokens (hash, family_id, expires_at) VALUES ($1, $2, $3)`,
		refresh, family, refreshEnds); err != nil {
		return fmt.Errorf("insert refresh token: %w", err)
	}
	return nil
}

// RefreshToken is a stored refresh token.
type RefreshToken struct {
	FamilyID crier.ID
	Used     bool
	Revoked  bool
	Expired  bool
	ClientID string // the client of the token; empty for a device
}

// LockRefreshToken reads and locks a refresh token with its family; nil if it is unknown.
func (tx *Tx) LockRefreshToken(ctx context.Context, hash []byte, now crier.Time) (*RefreshToken, error) {
	var t RefreshToken
	err := tx.q.QueryRowContext(ctx, `SELECT f.id, r.used_at IS NOT NULL, f.revoked_at IS NOT NULL, r.expires_at <= $2,
		coalesce(f.client_id, '') FROM refresh_tokens r JOIN token_families f ON f.id = r.family_id
		WHERE r.hash = $1`+tx.forUpdate, hash, now).
		Scan(&t.FamilyID, &t.Used, &t.Revoked, &t.Expired, &t.ClientID)
	return orNil(t, err, "read refresh token")
}

// UseRefreshToken marks a refresh token as used.
func (tx *Tx) UseRefreshToken(ctx context.Context, hash []byte, now crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE refresh_tokens SET used_at = $2 WHERE hash = $1`, hash,
		now); err != nil {
		return fmt.Errorf("use refresh token: %w", err)
	}
	return nil
}

// RevokeFamily revokes all tokens of a family.
func (tx *Tx) RevokeFamily(ctx context.Context, id crier.ID, now crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE token_families SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`,
		id, now); err != nil {
		return fmt.Errorf("revoke tokens: %w", err)
	}
	return nil
}

// FamilyOfToken returns the family of an access or refresh token; empty if the token is unknown.
func (r reads) FamilyOfToken(ctx context.Context, hash []byte) (crier.ID, error) {
	var id crier.ID
	err := r.q.QueryRowContext(ctx, `SELECT family_id FROM access_tokens WHERE hash = $1
		UNION ALL SELECT family_id FROM refresh_tokens WHERE hash = $1`, hash).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for the token: %w", err)
	}
	return id, nil
}

// BearerToken is the identity behind an access token.
type BearerToken struct {
	FamilyID  crier.ID
	Name      string
	ExpiresAt crier.Time
	Person    crier.User
	// LastUsedAt is when the login was last used, to the minute.
	LastUsedAt *crier.Time
	// Resource is the resource that the token is valid for; empty means the whole API.
	Resource string
}

// AccessToken looks up an access token that is neither expired nor revoked.
func (r reads) AccessToken(ctx context.Context, hash []byte, now crier.Time, ahead ...*Lookahead) (BearerToken, error) {
	var t BearerToken
	err := r.withCredential(ctx, newQuestion(`SELECT f.id, f.name, a.expires_at, f.last_used_at, u.id, u.email, u.name,
		coalesce(f.resource, '') FROM access_tokens a
		JOIN token_families f ON f.id = a.family_id JOIN users u ON u.id = f.user_id
		WHERE a.hash = $1 AND a.expires_at > $2 AND f.revoked_at IS NULL`, []any{hash, now}, func(row scanner) error {
		return row.Scan(&t.FamilyID, &t.Name, &t.ExpiresAt, &t.LastUsedAt, &t.Person.ID, &t.Person.Email,
			&t.Person.Name, &t.Resource)
	}), TokenCredential, now, ahead)
	if err != nil {
		return t, fmt.Errorf("look the token up: %w", err)
	}
	if t.FamilyID == "" {
		return t, errUnknownToken()
	}
	return t, nil
}
