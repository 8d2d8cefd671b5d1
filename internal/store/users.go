package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// InsertUser inserts a person without e-mail and password.
func (tx *Tx) InsertUser(ctx context.Context, u crier.User, at crier.Time) error {
	_, err := tx.q.ExecContext(ctx,
		`INSERT INTO users (id, email, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)`,
		u.ID, u.Email, u.Name, at)
	if err != nil {
		return fmt.Errorf("insert user: %w", err)
	}
	return nil
}

// User reads a person.
func (r reads) User(ctx context.Context, id crier.ID) (crier.User, error) {
	var u crier.User
	err := r.q.QueryRowContext(ctx, `SELECT u.id, u.email, u.name FROM users u WHERE u.id = $1`, id).Scan(&u.ID,
		&u.Email, &u.Name)
	return u, orNotFound(err, "user", id)
}

// HasUsers reports whether there are any users.
func (r reads) HasUsers(ctx context.Context) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM users LIMIT 1`).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return true, nil
}

// InsertSetupLink inserts the hash of a one-time link for a person.
func (tx *Tx) InsertSetupLink(ctx context.Context, hash []byte, user crier.ID, expires crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO setup_links (token_hash, user_id, expires_at) VALUES ($1, $2, $3)`,
		hash, user, expires)
	if err != nil {
		return fmt.Errorf("insert set-up link: %w", err)
	}
	return nil
}

// SetupLinkUser returns the person of a link that is unused and has not expired.
func (r reads) SetupLinkUser(ctx context.Context, hash []byte, now crier.Time) (crier.ID, error) {
	var user crier.ID
	err := r.q.QueryRowContext(ctx,
		`SELECT user_id FROM setup_links WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2`,
		hash, now).Scan(&user)
	if errors.Is(err, sql.ErrNoRows) {
		return "", crier.NotFound("This set-up link is not valid: it was used already, or it has expired.")
	}
	if err != nil {
		return "", fmt.Errorf("read set-up link: %w", err)
	}
	return user, nil
}

// UseSetupLink ends a link, sets the e-mail and password of its person, and returns the person. A second use is a not
// found error.
func (tx *Tx) UseSetupLink(ctx context.Context, hash []byte, email crier.Email, name, passwordHash string,
	now crier.Time) (user crier.ID, err error) {
	err = tx.q.QueryRowContext(ctx, `UPDATE setup_links SET used_at = $2
		WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING user_id`, hash, now).Scan(&user)
	if errors.Is(err, sql.ErrNoRows) {
		return "", crier.NotFound("This set-up link is not valid: it was used already, or it has expired.")
	}
	if err != nil {
		return "", fmt.Errorf("use set-up link: %w", err)
	}
	_, err = tx.q.ExecContext(ctx,
		`UPDATE users SET email = $2, name = $3, password_hash = $4, updated_at = $5 WHERE id = $1`,
		user, email, name, passwordHash, now)
	if isUniqueViolation(err) {
		return "", crier.Conflict("Somebody uses this e-mail address already.")
	}
	if err != nil {
		return "", fmt.Errorf("set up user: %w", err)
	}
	return user, nil
}

// SetPassword sets the e-mail and password of a person who has none, as accepting an invitation does.
func (tx *Tx) SetPassword(ctx context.Context, user crier.ID, email crier.Email, name, hash string,
	now crier.Time) error {
	_, err := tx.q.ExecContext(ctx,
		`UPDATE users SET email = $2, name = $3, password_hash = $4, updated_at = $5 WHERE id = $1`, user, email, name,
		hash, now)
	if isUniqueViolation(err) {
		return crier.Conflict("Somebody uses this e-mail address already.")
	}
	if err != nil {
		return fmt.Errorf("set the password: %w", err)
	}
	return nil
}

// ReplacePassword replaces the password of a person if it is still the one that the caller has read. It returns false
// if it was changed meanwhile.
func (tx *Tx) ReplacePassword(ctx context.Context, user crier.ID, before, hash string, now crier.Time) (bool, error) {
	res, err := tx.q.ExecContext(ctx,
		`UPDATE users SET password_hash = $3, updated_at = $4 WHERE id = $1 AND password_hash = $2`, user, before, hash,
		now)
	if err != nil {
		return false, fmt.Errorf("replace the password: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
