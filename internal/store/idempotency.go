package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// KeptAnswer is the answer to a request that carried an idempotency key.
type KeptAnswer struct {
	PrincipalID crier.ID
	Key         string
	Fingerprint []byte
	Status      int
	Body        []byte // sealed
	ExpiresAt   crier.Time
}

// KeptAnswer reads the answer kept for a principal's key; nil when there is none that still counts.
func (r reads) KeptAnswer(ctx context.Context, principal crier.ID, key string, now crier.Time) (*KeptAnswer, error) {
	a := KeptAnswer{PrincipalID: principal, Key: key}
	err := r.q.QueryRowContext(ctx, `SELECT fingerprint, status, body, expires_at FROM idempotency_keys
		WHERE principal_id = $1 AND key = $2 AND expires_at > $3`, principal, key, now).
		Scan(&a.Fingerprint, &a.Status, &a.Body, &a.ExpiresAt)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the kept answer: %w", err)
	}
	return &a, nil
}

// ClaimKey takes a key for the running transaction. A request that holds the same key is waited for: claimed is false
// when it has committed. An answer that has outlived its time is overwritten.
func (tx *Tx) ClaimKey(ctx context.Context, a KeptAnswer, now crier.Time) (claimed bool, err error) {
	var one int
	err = tx.q.QueryRowContext(ctx, `INSERT INTO idempotency_keys (principal_id, key, fingerprint, status, expires_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (principal_id, key) DO UPDATE
			SET fingerprint = excluded.fingerprint, status = excluded.status, body = NULL, expires_at = excluded.expires_at
			WHERE idempotency_keys.expires_at <= $6
		RETURNING 1`, a.PrincipalID, a.Key, a.Fingerprint, a.Status, a.ExpiresAt, now).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("claim the idempotency key: %w", err)
	}
	return true, nil
}

// KeepAnswer completes a claimed key with the answer.
func (tx *Tx) KeepAnswer(ctx context.Context, principal crier.ID, key string, body []byte) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE idempotency_keys SET body = $3 WHERE principal_id = $1 AND key = $2`, principal, key, body)
	if err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	return nil
}

// sweepBatch bounds one sweep, so that it never holds the writer for long.
const sweepBatch = 5000

// SweepAnswers removes answers that have outlived their time and tells how many.
func (tx *Tx) SweepAnswers(ctx context.Context, now crier.Time) (int64, error) {
	res, err := tx.q.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE (principal_id, key) IN
		(SELECT principal_id, key FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, now, sweepBatch)
	if err != nil {
		return 0, fmt.Errorf("sweep kept answers: %w", err)
	}
	return res.RowsAffected()
}
