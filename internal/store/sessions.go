package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"crier"
)

// SignIn is what signing in needs to know of a person.
type SignIn struct {
	User         crier.User
	PasswordHash string
}

// UserByEmail finds a person who can sign in; nil when there is none.
func (r reads) UserByEmail(ctx context.Context, email string) (*SignIn, error) {
	return r.signIn(ctx, `u.email = $1`, email)
}

// UserByID finds a person who can sign in; nil when there is none.
func (r reads) UserByID(ctx context.Context, id crier.ID) (*SignIn, error) {
	return r.signIn(ctx, `u.id = $1`, id)
}

func (r reads) signIn(ctx context.Context, which string, value any) (*SignIn, error) {
	var s SignIn
	err := r.q.QueryRowContext(ctx, `SELECT u.id, u.email, u.name, u.password_hash FROM users u WHERE `+which+` AND u.password_hash IS NOT NULL`, value).
		Scan(&s.User.ID, &s.User.Email, &s.User.Name, &s.PasswordHash)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the person: %w", err)
	}
	return &s, nil
}

// LockSignIns reads how often signing in with an e-mail address has failed and until when guesses are refused. Two
// guesses at once follow each other.
func (tx *Tx) LockSignIns(ctx context.Context, email string) (failures int, until crier.Time, err error) {
	err = tx.q.QueryRowContext(ctx, `INSERT INTO sign_in_failures (email, failures, blocked_to) VALUES ($1, 0, $2)
		ON CONFLICT (email) DO UPDATE SET failures = sign_in_failures.failures RETURNING failures, blocked_to`, email, crier.Time{}).
		Scan(&failures, &until)
	if err != nil {
		return 0, until, fmt.Errorf("read failed sign-ins: %w", err)
	}
	return failures, until, nil
}

// NoteSignIn counts a failed sign-in, or forgets them all after a good one.
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

// InsertSession begins a browser session.
func (tx *Tx) InsertSession(ctx context.Context, hash []byte, user crier.ID, now, expires crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO sessions (token_hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`, hash, user, now, expires)
	if err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	return nil
}

// SessionUser is the person of a session; nil when it has ended.
func (r reads) SessionUser(ctx context.Context, hash []byte, now crier.Time) (*crier.User, error) {
	var u crier.User
	err := r.keyed.QueryRowContext(ctx, `SELECT u.id, u.email, u.name FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.token_hash = $1 AND s.expires_at > $2`, hash, now).Scan(&u.ID, &u.Email, &u.Name)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	return &u, nil
}

// EndSession ends one session; EndSessions ends all of a person.
func (tx *Tx) EndSession(ctx context.Context, hash []byte) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM sessions WHERE token_hash = $1`, hash); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	return nil
}

// EndSessions ends all sessions of a person, the tokens of all their devices, and what was approved but not fetched yet.
func (tx *Tx) EndSessions(ctx context.Context, user crier.ID, now crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1`, user); err != nil {
		return fmt.Errorf("end the sessions: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx, `UPDATE token_families SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL`, user, now); err != nil {
		return fmt.Errorf("end the devices: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx, `UPDATE device_logins SET status = 'denied' WHERE user_id = $1 AND status = 'approved'`, user); err != nil {
		return fmt.Errorf("end the approved devices: %w", err)
	}
	return nil
}

// failuresKept is how long after the last wrong password an e-mail address starts afresh.
const failuresKept = 24 * time.Hour

// revokedKept is how long the tokens of a login that was ended stay.
const revokedKept = 24 * time.Hour

// SweepSignIns removes sessions, links, device logins and tokens that have ended, and forgets old wrong passwords.
func (tx *Tx) SweepSignIns(ctx context.Context, now crier.Time) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM sign_in_failures WHERE blocked_to <= $1`, crier.TimeOf(now.Add(-failuresKept))); err != nil {
		return fmt.Errorf("sweep failed sign-ins: %w", err)
	}
	for _, table := range []string{"sessions", "setup_links", "invitations", "device_logins", "access_tokens", "refresh_tokens"} {
		if _, err := tx.q.ExecContext(ctx, `DELETE FROM `+table+` WHERE expires_at <= $1`, now); err != nil {
			return fmt.Errorf("sweep %s: %w", table, err)
		}
	}
	return tx.sweepTokenFamilies(ctx, crier.TimeOf(now.Add(-revokedKept)))
}

// sweepTokenFamilies removes logins that were revoked before an instant, and those whose last token has expired.
func (tx *Tx) sweepTokenFamilies(ctx context.Context, revokedBefore crier.Time) error {
	for _, table := range []string{"access_tokens", "refresh_tokens"} {
		_, err := tx.q.ExecContext(ctx, `DELETE FROM `+table+` WHERE family_id IN (SELECT id FROM token_families WHERE revoked_at <= $1)`, revokedBefore)
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
