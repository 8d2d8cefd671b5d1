package store

import (
	"context"
	"fmt"

	"crier"
)

// UseUploadAddress marks a signed upload address as used; false means that it was used before.
func (tx *Tx) UseUploadAddress(ctx context.Context, id crier.ID, expiresAt crier.Time) (bool, error) {
	res, err := tx.q.ExecContext(ctx, `INSERT INTO used_upload_addresses (id, expires_at) VALUES ($1, $2)
		ON CONFLICT (id) DO NOTHING`, id, expiresAt)
	if err != nil {
		return false, fmt.Errorf("use the upload address: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// UploadAddressUsed reports whether a signed upload address was used.
func (r reads) UploadAddressUsed(ctx context.Context, id crier.ID) (bool, error) {
	var n int
	err := r.q.QueryRowContext(ctx, `SELECT count(*) FROM used_upload_addresses WHERE id = $1`, id).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("look for the upload address: %w", err)
	}
	return n > 0, nil
}
