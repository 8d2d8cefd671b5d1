package store

import (
	"context"
	"fmt"

	"crier"
)

// Upload is a resumable upload. The number of received bytes follows from its chunks.
type Upload struct {
	ID, TeamID crier.ID
	FolderID   *crier.ID
	FileName   string
	MimeType   string // as declared
	ByteSize   int64
	AltText    *string
	// AssetID is the asset created from it; nil while it is incomplete.
	AssetID              *crier.ID
	CreatedAt, ExpiresAt crier.Time
}

const uploadColumns = `u.id, u.team_id, u.folder_id, u.file_name, u.mime_type, u.byte_size, u.alt_text, u.asset_id,
	u.created_at, u.expires_at`

func scanUpload(row scanner) (Upload, error) {
	var u Upload
	err := row.Scan(&u.ID, &u.TeamID, &u.FolderID, &u.FileName, &u.MimeType, &u.ByteSize, &u.AltText, &u.AssetID,
		&u.CreatedAt, &u.ExpiresAt)
	return u, err
}

// Upload reads an upload of a team that has not expired.
func (r reads) Upload(ctx context.Context, team, id crier.ID, now crier.Time) (Upload, error) {
	return r.upload(ctx, team, id, now, "")
}

// LockUpload is Upload with an exclusive lock.
func (tx *Tx) LockUpload(ctx context.Context, team, id crier.ID, now crier.Time) (Upload, error) {
	return tx.upload(ctx, team, id, now, tx.forUpdate)
}

func (r reads) upload(ctx context.Context, team, id crier.ID, now crier.Time, lock string) (Upload, error) {
	u, err := scanUpload(r.q.QueryRowContext(ctx,
		`SELECT `+uploadColumns+` FROM uploads u WHERE u.id = $1 AND u.team_id = $2 AND u.expires_at > $3`+lock, id,
		team, now))
	return u, orNotFound(err, "upload", id)
}

// InsertUpload writes a new upload.
func (tx *Tx) InsertUpload(ctx context.Context, u Upload) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO uploads (id, team_id, folder_id, file_name, mime_type, byte_size,
		alt_text, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		u.ID, u.TeamID, u.FolderID, u.FileName, u.MimeType, u.ByteSize, u.AltText, u.CreatedAt, u.ExpiresAt)
	if err != nil {
		return fmt.Errorf("insert upload: %w", err)
	}
	return nil
}

// CompleteUpload sets the asset created from an upload.
func (tx *Tx) CompleteUpload(ctx context.Context, id, asset crier.ID) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE uploads SET asset_id = $2 WHERE id = $1`, id, asset)
	return affectedOne(res, err, "upload", id)
}

// DeleteUpload deletes an upload, if it exists.
func (tx *Tx) DeleteUpload(ctx context.Context, id crier.ID) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM uploads WHERE id = $1`, id); err != nil {
		return fmt.Errorf("delete upload: %w", err)
	}
	return nil
}

// ExpiredUploads returns up to limit expired uploads.
func (r reads) ExpiredUploads(ctx context.Context, now crier.Time, limit int) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx,
		`SELECT u.id FROM uploads u WHERE u.expires_at <= $1 ORDER BY u.expires_at LIMIT $2`, now, limit)
	if err != nil {
		return nil, fmt.Errorf("look for expired uploads: %w", err)
	}
	return collect(rows, scanID)
}
