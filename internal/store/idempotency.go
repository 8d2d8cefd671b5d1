package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// StoredResponse is the stored response to a request with an idempotency key.
type StoredResponse struct {
	PrincipalID crier.ID
	Key         string
	Fingerprint []byte
	Status      int
	Body        []byte // sealed
	ExpiresAt   crier.Time
	// OrganizationID is the organization the response belongs to; empty for none.
	OrganizationID crier.ID
	// Left is true if the principal has left that organization since.
	Left bool
}

const storedResponseColumns = `k.principal_id, k.key, k.fingerprint, k.status, k.body, k.expires_at,
	coalesce(CAST(k.organization_id AS text), ''), k.organization_id IS NOT NULL AND NOT EXISTS (
		SELECT 1 FROM memberships m WHERE m.principal_id = k.principal_id AND m.organization_id = k.organization_id)`

func scanStoredResponse(row scanner) (StoredResponse, error) {
	var a StoredResponse
	err := row.Scan(&a.PrincipalID, &a.Key, &a.Fingerprint, &a.Status, &a.Body, &a.ExpiresAt, &a.OrganizationID,
		&a.Left)
	return a, err
}

// StoredResponse reads the stored response of a principal's key; nil if there is none that has not expired.
func (r reads) StoredResponse(ctx context.Context, principal crier.ID, key string, now crier.Time) (*StoredResponse,
	error) {
	a, err := scanStoredResponse(r.q.QueryRowContext(ctx, `SELECT `+storedResponseColumns+` FROM idempotency_keys k
		WHERE k.principal_id = $1 AND k.key = $2 AND k.expires_at > $3`, principal, key, now))
	return orNil(a, err, "read the stored response")
}

// ClaimKey claims a key in the running transaction. It waits for a concurrent request with the same key; claimed is
// false if that one committed. An expired response is replaced.
func (tx *Tx) ClaimKey(ctx context.Context, a StoredResponse, now crier.Time) (claimed bool, err error) {
	if claimed, err = tx.insertKey(ctx, a); err != nil || claimed {
		return claimed, err
	}
	// The row is not updated: SweepResponses relies on the order in which rows were inserted.
	res, err := tx.q.ExecContext(ctx, `DELETE FROM idempotency_keys
		WHERE principal_id = $1 AND key = $2 AND expires_at <= $3`, a.PrincipalID, a.Key, now)
	if err != nil {
		return false, fmt.Errorf("remove an expired response: %w", err)
	}
	if removed, err := res.RowsAffected(); err != nil || removed == 0 {
		return false, err
	}
	return tx.insertKey(ctx, a)
}

// insertKey inserts a key unless it exists.
func (tx *Tx) insertKey(ctx context.Context, a StoredResponse) (inserted bool, err error) {
	var one int
	err = tx.q.QueryRowContext(ctx, `INSERT INTO idempotency_keys (principal_id, key, fingerprint, status, expires_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (principal_id, key) DO NOTHING RETURNING 1`,
		a.PrincipalID, a.Key, a.Fingerprint, a.Status, a.ExpiresAt).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("claim the idempotency key: %w", err)
	}
	return true, nil
}

// SaveResponse stores the response of a claimed key; organization is empty if the response belongs to none.
func (tx *Tx) SaveResponse(ctx context.Context, principal crier.ID, key string, body []byte,
	organization crier.ID) error {
	var whose *crier.ID
	if organization != "" {
		whose = &organization
	}
	return tx.queueExec(ctx, changed("keep the answer"), `UPDATE idempotency_keys SET body = $3, organization_id = $4
		WHERE principal_id = $1 AND key = $2`, principal, key, body, whose)
}

// sweepBatch limits the rows of one sweep, so that it does not hold the writer for long.
const sweepBatch = 5000

// SweepResponses deletes expired responses, a batch of the oldest, and returns how many.
func (tx *Tx) SweepResponses(ctx context.Context, now crier.Time) (int64, error) {
	res, err := tx.q.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE (principal_id, key) IN (`+
		tx.expiredKeys+`)`, now, sweepBatch)
	if err != nil {
		return 0, fmt.Errorf("sweep stored responses: %w", err)
	}
	return res.RowsAffected()
}
