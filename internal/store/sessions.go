package store

import (
	"context"
	"fmt"
	"time"

	"crier"
)

// SignIn holds the fields of a person that signing in needs.
type SignIn struct {
	User         crier.User
	PasswordHash string
}

// UserByEmail finds a person who can sign in; nil if there is none.
func (r reads) UserByEmail(ctx context.Context, email string) (*SignIn, error) {
	return r.signIn(ctx, `u.email = $1`, email)
}

// UserByID finds a person who can sign in; nil if there is none.
func (r reads) UserByID(ctx context.Context, id crier.ID) (*SignIn, error) {
	return r.signIn(ctx, `u.id = $1`, id)
}

func (r reads) signIn(ctx context.Context, which string, value any) (*SignIn, error) {
	var s SignIn
	err := r.q.QueryRowContext(ctx,
		`SELECT u.id, u.email, u.name, u.password_hash FROM users u WHERE `+which+` AND u.password_hash IS NOT NULL`,
		value).
		Scan(&s.User.ID, &s.User.Email, &s.User.Name, &s.PasswordHash)
	return orNil(s, err, "look for the person")
}

// LockSignIns reads and locks the failed sign-ins of an e-mail address and the time until which sign-ins are rejected.
func (tx *Tx) LockSignIns(ctx context.Context, email string) (failures int, until crier.Time, err error) {
	err = tx.q.QueryRowContext(ctx, `INSERT INTO sign_in_failures (email, failures, blocked_to) VALUES ($1, 0, $2)
		ON CONFLICT (email) DO UPDATE SET failures = sign_in_failures.failures RETURNING failures, blocked_to`,
		email, crier.Time{}).
		Scan(&failures, &until)
	if err != nil {
		return 0, until, fmt.Errorf("read failed sign-ins: %w", err)
	}
	return failures, until, nil
}

// NoteSignIn counts a failed sign-in, or resets the count after a successful one.
func (tx *Tx) NoteSignIn(ctx context.Context, email string, failures int, blockedTo crier.Time) error {
	query, args := `DELETE FROM sign_in_failures WHERE email = $1`, []any{email}
	if failures > 0 {
		query = `INSERT INTO sign_in_failures (email, failures, blocked_to) VALUES ($1, $2, $3)
			ON CONFLICT (email) DO UPDATE SET failures = excluded.failures, blocked_to = excluded.blocked_to`
		args = append(args, failures, blockedTo)
	}
	if _, err := tx.q.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("note the sign-in: %w", err)
	}
	return nil
}

// Session is a browser session.
type Session struct {
	ID         crier.ID
	Hash       []byte // of the token
	User       crier.User
	Browser    string
	Address    string
	CreatedAt  crier.Time
	LastUsedAt *crier.Time
	ExpiresAt  crier.Time
}

// InsertSession inserts a browser session.
func (tx *Tx) InsertSession(ctx context.Context, s Session) error {
	_, err := tx.q.ExecContext(ctx,
		`INSERT INTO sessions (id, token_hash, user_id, browser, address, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.ID, s.Hash, s.User.ID, s.Browser, s.Address, s.CreatedAt, s.ExpiresAt)
	if err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	return nil
}

// SessionByToken finds the session of a token; nil if it has ended.
func (r reads) SessionByToken(ctx context.Context, hash []byte, now crier.Time, ahead ...*Lookahead) (*Session,
	error) {
	var found *Session
	err := r.withCredential(ctx, newQuestion(`SELECT s.id, u.id, u.email, u.name, s.browser, s.address, s.created_at,
		s.last_used_at, s.expires_at FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.token_hash = $1 AND s.expires_at > $2`, []any{hash, now}, func(row scanner) error {
		s := Session{Hash: hash}
		found = &s
		return row.Scan(&s.ID, &s.User.ID, &s.User.Email, &s.User.Name, &s.Browser, &s.Address, &s.CreatedAt,
			&s.LastUsedAt, &s.ExpiresAt)
	}), SessionCredential, now, ahead)
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	return found, nil
}

// SessionsOf lists the browser sessions and device logins of a person, newest first.
func (r reads) SessionsOf(ctx context.Context, user crier.ID, now crier.Time) ([]crier.Session, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT 'session', s.id, s.browser, s.address, s.created_at, s.last_used_at,
			s.expires_at FROM sessions s WHERE s.user_id = $1 AND s.expires_at > $2
		UNION ALL SELECT 'access_token', f.id, f.name, '', f.created_at, f.last_used_at, t.expires_at
		FROM token_families f JOIN refresh_tokens t ON t.family_id = f.id AND t.used_at IS NULL
		WHERE f.user_id = $1 AND f.revoked_at IS NULL AND t.expires_at > $2
		ORDER BY 5 DESC, 2 DESC`, user, now)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	list, err := collect(rows, func(row scanner) (s crier.Session, err error) {
		err = row.Scan(&s.Kind, &s.ID, &s.Name, &s.Address, &s.CreatedAt, &s.LastUsedAt, &s.ExpiresAt)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return list, nil
}

// EndSessionOf ends a browser session or device login of a person; false means that the person has no such one.
func (tx *Tx) EndSessionOf(ctx context.Context, user, id crier.ID, now crier.Time) (bool, error) {
	ended := int64(0)
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`DELETE FROM sessions WHERE id = $1 AND user_id = $2`, []any{id, user}},
		{`UPDATE token_families SET revoked_at = $3 WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL`,
			[]any{id, user, now}},
	} {
		res, err := tx.q.ExecContext(ctx, step.query, step.args...)
		if err != nil {
			return false, fmt.Errorf("end a session: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return false, fmt.Errorf("end a session: %w", err)
		}
		ended += n
	}
	return ended > 0, nil
}

// EndSession ends a session.
func (tx *Tx) EndSession(ctx context.Context, hash []byte) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM sessions WHERE token_hash = $1`, hash); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	return nil
}

// EndSessions ends all sessions of a person, revokes the tokens of their devices and clients, and deletes approvals
// whose tokens were not fetched yet.
func (tx *Tx) EndSessions(ctx context.Context, user crier.ID, now crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1`, user); err != nil {
		return fmt.Errorf("end the sessions: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx,
		`UPDATE token_families SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL`, user, now); err != nil {
		return fmt.Errorf("end the devices: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx,
		`UPDATE device_logins SET status = 'denied' WHERE user_id = $1 AND status = 'approved'`, user); err != nil {
		return fmt.Errorf("end the approved devices: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM authorization_codes WHERE user_id = $1 AND family_id IS NULL`,
		user); err != nil {
		return fmt.Errorf("end the authorization codes: %w", err)
	}
	return nil
}

// failuresKept is how long failed sign-ins are stored.
const failuresKept = 24 * time.Hour

// revokedKept is how long revoked token families and expired authorization codes are stored.
const revokedKept = 24 * time.Hour

// SweepSignIns deletes expired sessions, links, upload addresses, device logins and tokens, and old failed sign-ins.
func (tx *Tx) SweepSignIns(ctx context.Context, now crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM sign_in_failures WHERE blocked_to <= $1`,
		crier.TimeOf(now.Add(-failuresKept))); err != nil {
		return fmt.Errorf("sweep failed sign-ins: %w", err)
	}
	for _, table := range []string{"sessions", "setup_links", "invitations", "device_logins", "access_tokens",
		"refresh_tokens", "used_upload_addresses"} {
		if _, err := tx.q.ExecContext(ctx, `DELETE FROM `+table+` WHERE expires_at <= $1`, now); err != nil {
			return fmt.Errorf("sweep %s: %w", table, err)
		}
	}
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM authorization_codes WHERE expires_at <= $1`,
		crier.TimeOf(now.Add(-revokedKept))); err != nil {
		return fmt.Errorf("sweep authorization codes: %w", err)
	}
	return tx.sweepTokenFamilies(ctx, crier.TimeOf(now.Add(-revokedKept)))
}

// sweepTokenFamilies deletes token families that were revoked before a time or whose last token has expired.
func (tx *Tx) sweepTokenFamilies(ctx context.Context, revokedBefore crier.Time) error {
	for _, table := range []string{"access_tokens", "refresh_tokens"} {
		_, err := tx.q.ExecContext(ctx,
			`DELETE FROM `+table+` WHERE family_id IN (SELECT id FROM token_families WHERE revoked_at <= $1)`,
			revokedBefore)
		if err != nil {
			return fmt.Errorf("sweep revoked %s: %w", table, err)
		}
	}
	_, err := tx.q.ExecContext(ctx, `DELETE FROM token_families
		WHERE id NOT IN (SELECT family_id FROM access_tokens) AND id NOT IN (SELECT family_id FROM refresh_tokens)`)
	if err != nil {
		return fmt.Errorf("sweep token families: %w", err)
	}
	return nil
}
