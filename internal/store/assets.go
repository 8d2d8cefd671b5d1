package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

// Asset is an asset with the fields that the API does not show. The thumbnail URL and the compatibility are computed by
// the service and not stored.
type Asset struct {
	crier.Asset
	// Facts holds the results of probing the file and the existing renditions, as JSON of the service.
	Facts json.RawMessage
}

const assetColumns = `a.id, a.team_id, a.folder_id, a.file_name, a.mime_type, a.kind, a.byte_size, a.width, a.height,
	a.duration_seconds,
	a.sha256, a.alt_text, a.status, coalesce(a.failure_message, ''), a.facts, a.tags, a.created_at, a.updated_at`

func scanAsset(row scanner) (Asset, error) {
	var a Asset
	var facts *json.RawMessage
	var tags *[]string
	err := row.Scan(&a.ID, &a.TeamID, &a.FolderID, &a.FileName, &a.MimeType, &a.Kind, &a.ByteSize, &a.Width, &a.Height,
		&a.DurationSeconds,
		&a.SHA256, &a.AltText, &a.Status, &a.FailureMessage, intoJSON(&facts), intoJSON(&tags), &a.CreatedAt,
		&a.UpdatedAt)
	if facts != nil {
		a.Facts = *facts
	}
	if tags != nil {
		a.AssetTags = *tags
	}
	return a, err
}

// nameKey returns the form of a file name that assets are sorted and searched by.
func nameKey(fileName string) string { return sortKey(fileName) }

// Asset reads an asset of a team that is not deleted.
func (r reads) Asset(ctx context.Context, team, id crier.ID) (Asset, error) {
	return r.asset(ctx, team, id, "")
}

// LockAsset is Asset with an exclusive lock.
func (tx *Tx) LockAsset(ctx context.Context, team, id crier.ID) (Asset, error) {
	return tx.asset(ctx, team, id, tx.forUpdate)
}

func (r reads) asset(ctx context.Context, team, id crier.ID, lock string) (Asset, error) {
	a, err := scanAsset(r.q.QueryRowContext(ctx,
		`SELECT `+assetColumns+` FROM assets a WHERE a.id = $1 AND a.team_id = $2 AND a.deleted_at IS NULL`+lock, id,
		team))
	return a, orNotFound(err, "asset", id)
}

// PublicAsset reads an asset by id, for the holder of a signed URL. Neither the asset nor its team may be deleted.
func (r reads) PublicAsset(ctx context.Context, id crier.ID) (Asset, error) {
	a, err := scanAsset(r.q.QueryRowContext(ctx, `SELECT `+assetColumns+` FROM assets a JOIN teams t ON t.id = a.team_id
		WHERE a.id = $1 AND a.deleted_at IS NULL AND t.deleted_at IS NULL`, id))
	return a, orNotFound(err, "asset", id)
}

// AssetsByID reads assets of a team that are not deleted. Ids that the team does not have are missing from the result.
func (r reads) AssetsByID(ctx context.Context, team crier.ID, ids []crier.ID) ([]Asset, error) {
	return r.assetsByID(ctx, team, ids, "")
}

// AssetsByID also takes a shared lock, so that an asset is not deleted while a post is scheduled with it.
func (tx *Tx) AssetsByID(ctx context.Context, team crier.ID, ids []crier.ID) ([]Asset, error) {
	return tx.assetsByID(ctx, team, ids, tx.forShare())
}

func (r reads) assetsByID(ctx context.Context, team crier.ID, ids []crier.ID, lock string) ([]Asset, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := inList(2, ids)
	rows, err := r.q.QueryContext(ctx, `SELECT `+assetColumns+` FROM assets a WHERE a.team_id = $1
		AND a.id IN (`+marks+`)
		AND a.deleted_at IS NULL ORDER BY a.id`+lock, append([]any{team}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read assets: %w", err)
	}
	list, err := collect(rows, scanAsset)
	if err != nil {
		return nil, fmt.Errorf("read assets: %w", err)
	}
	return list, nil
}

// InsertAsset inserts an asset and increments the team's counter.
func (tx *Tx) InsertAsset(ctx context.Context, a Asset) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO assets (id, team_id, folder_id, file_name, name_key, mime_type, kind,
		byte_size, width, height,
		duration_seconds, sha256, alt_text, status, facts, tags, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)`,
		a.ID, a.TeamID, a.FolderID, a.FileName, nameKey(a.FileName), a.MimeType, a.Kind, a.ByteSize, a.Width, a.Height,
		a.DurationSeconds, a.SHA256, a.AltText, a.Status, asJSON(&a.Facts), asJSON(&a.AssetTags), a.CreatedAt)
	if err != nil {
		return fmt.Errorf("insert asset: %w", err)
	}
	return tx.countAsset(ctx, a.TeamID, 1, a.ByteSize)
}

func (tx *Tx) countAsset(ctx context.Context, team crier.ID, by int, bytes int64) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE teams SET asset_count = asset_count + $2, asset_bytes = asset_bytes + $3
		WHERE id = $1`, team, by, bytes); err != nil {
		return fmt.Errorf("count assets: %w", err)
	}
	return nil
}

// StoredBytes returns the total size of the assets of all teams of an organization.
func (r reads) StoredBytes(ctx context.Context, organization crier.ID) (bytes int64, err error) {
	err = r.q.QueryRowContext(ctx, `SELECT CAST(coalesce(sum(asset_bytes), 0) AS bigint) FROM teams
		WHERE organization_id = $1 AND deleted_at IS NULL`, organization).Scan(&bytes)
	if err != nil {
		return 0, fmt.Errorf("sum up what is stored: %w", err)
	}
	return bytes, nil
}

// UpdateAsset writes the fields of an asset that users can change.
func (tx *Tx) UpdateAsset(ctx context.Context, a Asset) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE assets SET folder_id = $2, file_name = $3, name_key = $4, alt_text = $5,
		updated_at = $6
		WHERE id = $1 AND deleted_at IS NULL`,
		a.ID, a.FolderID, a.FileName, nameKey(a.FileName), a.AltText, a.UpdatedAt)
	return affectedOne(res, err, "asset", a.ID)
}

// UnprocessedAsset reads and locks an asset by id, for jobs. It is nil unless the asset is waiting to be processed.
func (tx *Tx) UnprocessedAsset(ctx context.Context, id crier.ID) (*Asset, error) {
	return unprocessed(ctx, tx.reads, id, tx.forUpdate)
}

// UnprocessedAsset reads an asset by id, for jobs. It is nil unless the asset is waiting to be processed.
func (r reads) UnprocessedAsset(ctx context.Context, id crier.ID) (*Asset, error) {
	return unprocessed(ctx, r, id, "")
}

func unprocessed(ctx context.Context, r reads, id crier.ID, lock string) (*Asset, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+assetColumns+` FROM assets a
		WHERE a.id = $1 AND a.status = 'processing' AND a.deleted_at IS NULL`+lock, id)
	if err != nil {
		return nil, fmt.Errorf("read asset: %w", err)
	}
	list, err := collect(rows, scanAsset)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// FinishAsset writes the result of processing an asset.
func (tx *Tx) FinishAsset(ctx context.Context, a Asset) error {
	var failure *string
	if a.FailureMessage != "" {
		failure = &a.FailureMessage
	}
	res, err := tx.q.ExecContext(ctx,
		`UPDATE assets SET status = $2, failure_message = $3, facts = $4, tags = $5, updated_at = $6 WHERE id = $1`,
		a.ID, a.Status, failure, asJSON(&a.Facts), asJSON(&a.AssetTags), a.UpdatedAt)
	return affectedOne(res, err, "asset", a.ID)
}

// DeleteAsset soft-deletes an asset, removes it from its folder and decrements the counter. The asset must be locked.
func (tx *Tx) DeleteAsset(ctx context.Context, a Asset, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx,
		`UPDATE assets SET deleted_at = $2, updated_at = $2, folder_id = NULL WHERE id = $1 AND deleted_at IS NULL`,
		a.ID, at)
	if err := affectedOne(res, err, "asset", a.ID); err != nil {
		return err
	}
	return tx.countAsset(ctx, a.TeamID, -1, -a.ByteSize)
}
