package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// KeyFingerprint returns the fingerprint of the secret key that this store is sealed with; empty on a new store.
func (r reads) KeyFingerprint(ctx context.Context) (string, error) {
	var fingerprint string
	err := r.q.QueryRowContext(ctx, `SELECT key_fingerprint FROM instance WHERE id = 1`).Scan(&fingerprint)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the key's fingerprint: %w", err)
	}
	return fingerprint, nil
}

// HasInstance reports whether the database has the table that KeyFingerprint reads: it has been migrated once.
func (s *Store) HasInstance(ctx context.Context) (there bool, err error) {
	query := `SELECT to_regclass('instance') IS NOT NULL`
	if s.dialect == SQLite {
		query = `SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = 'instance'`
	}
	if err := s.q.QueryRowContext(ctx, query).Scan(&there); err != nil {
		return false, fmt.Errorf("look for the instance: %w", err)
	}
	return there, nil
}

// SetKeyFingerprint binds the store to a secret key.
func (tx *Tx) SetKeyFingerprint(ctx context.Context, fingerprint string, at crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO instance (id, key_fingerprint, created_at) VALUES (1, $1, $2)
		ON CONFLICT (id) DO UPDATE SET key_fingerprint = excluded.key_fingerprint`, fingerprint, at)
	if err != nil {
		return fmt.Errorf("keep the key's fingerprint: %w", err)
	}
	return nil
}

// LockInstance prevents other nodes from initializing or re-keying the store until the transaction ends.
func (tx *Tx) LockInstance(ctx context.Context) error {
	if tx.forUpdate == "" {
		return nil // SQLite: the transaction holds the write lock already
	}
	if _, err := tx.q.ExecContext(ctx, `SELECT pg_advisory_xact_lock(4919226410)`); err != nil {
		return fmt.Errorf("lock the instance: %w", err)
	}
	return nil
}
