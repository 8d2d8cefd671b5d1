package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"crier"
)

// Asset is an asset with what the wire does not show. What the wire shows of the rules' making, the address of the
// thumbnail and the compatibility, is not stored.
type Asset struct {
	crier.Asset
	// Facts is what the bytes tell and which files were made of them, in the rules' own JSON.
	Facts json.RawMessage
}

const assetColumns = `a.id, a.team_id, a.folder_id, a.file_name, a.mime_type, a.kind, a.byte_size, a.width, a.height, a.duration_seconds,
	a.sha256, a.alt_text, a.status, coalesce(a.failure_message, ''), a.facts, a.tags, a.created_at, a.updated_at`

func scanAsset(row scanner) (Asset, error) {
	var a Asset
	var facts *json.RawMessage
	var tags *[]string
	err := row.Scan(&a.ID, &a.TeamID, &a.FolderID, &a.FileName, &a.MimeType, &a.Kind, &a.ByteSize, &a.Width, &a.Height, &a.DurationSeconds,
		&a.SHA256, &a.AltText, &a.Status, &a.FailureMessage, intoJSON(&facts), intoJSON(&tags), &a.CreatedAt, &a.UpdatedAt)
	if facts != nil {
		a.Facts = *facts
	}
	if tags != nil {
		a.AssetTags = *tags
	}
	return a, err
}

// nameKey is the form of a file name by which assets are sorted and found.
func nameKey(fileName string) string { return strings.ToLower(fileName) }

// Asset reads an asset of a team that is not deleted.
func (r reads) Asset(ctx context.Context, team, id crier.ID) (Asset, error) {
	return r.asset(ctx, team, id, "")
}

// LockAsset is Asset that keeps others from using, changing or deleting it until the transaction ends.
func (tx *Tx) LockAsset(ctx context.Context, team, id crier.ID) (Asset, error) {
	return tx.asset(ctx, team, id, tx.forUpdate)
}

func (r reads) asset(ctx context.Context, team, id crier.ID, lock string) (Asset, error) {
	a, err := scanAsset(r.q.QueryRowContext(ctx,
		`SELECT `+assetColumns+` FROM assets a WHERE a.id = $1 AND a.team_id = $2 AND a.deleted_at IS NULL`+lock, id, team))
	return a, orNotFound(err, "asset", id)
}

// PublicAsset reads an asset by its id alone, for who holds a signed address: neither it nor its team may be deleted.
func (r reads) PublicAsset(ctx context.Context, id crier.ID) (Asset, error) {
	a, err := scanAsset(r.q.QueryRowContext(ctx, `SELECT `+assetColumns+` FROM assets a JOIN teams t ON t.id = a.team_id
		WHERE a.id = $1 AND a.deleted_at IS NULL AND t.deleted_at IS NULL`, id))
	return a, orNotFound(err, "asset", id)
}

// AssetsByID reads assets of a team that are not deleted; unknown ones and those of other teams are missing.
func (r reads) AssetsByID(ctx context.Context, team crier.ID, ids []crier.ID) ([]Asset, error) {
	return r.assetsByID(ctx, team, ids, "")
}

// AssetsByID also keeps others from changing or deleting the assets until the transaction ends: what is scheduled with
// them finds them when its time has come.
func (tx *Tx) AssetsByID(ctx context.Context, team crier.ID, ids []crier.ID) ([]Asset, error) {
	return tx.assetsByID(ctx, team, ids, tx.forShare())
}

func (r reads) assetsByID(ctx context.Context, team crier.ID, ids []crier.ID, lock string) ([]Asset, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := inList(2, ids)
	rows, err := r.q.QueryContext(ctx, `SELECT `+assetColumns+` FROM assets a WHERE a.team_id = $1 AND a.id IN (`+marks+`)
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

// InsertAsset writes a new asset and counts it.
func (tx *Tx) InsertAsset(ctx context.Context, a Asset) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO assets (id, team_id, folder_id, file_name, name_key, mime_type, kind, byte_size, width, height,
		duration_seconds, sha256, alt_text, status, facts, tags, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)`,
		a.ID, a.TeamID, a.FolderID, a.FileName, nameKey(a.FileName), a.MimeType, a.Kind, a.ByteSize, a.Width, a.Height,
		a.DurationSeconds, a.SHA256, a.AltText, a.Status, asJSON(&a.Facts), asJSON(&a.AssetTags), a.CreatedAt)
	if err != nil {
		return fmt.Errorf("insert asset: %w", err)
	}
	return tx.countAsset(ctx, a.TeamID, 1)
}

func (tx *Tx) countAsset(ctx context.Context, team crier.ID, by int) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE teams SET asset_count = asset_count + $2 WHERE id = $1`, team, by); err != nil {
		return fmt.Errorf("count assets: %w", err)
	}
	return nil
}

// UpdateAsset writes what people change about an asset.
func (tx *Tx) UpdateAsset(ctx context.Context, a Asset) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE assets SET folder_id = $2, file_name = $3, name_key = $4, alt_text = $5, updated_at = $6
		WHERE id = $1 AND deleted_at IS NULL`, a.ID, a.FolderID, a.FileName, nameKey(a.FileName), a.AltText, a.UpdatedAt)
	return affectedOne(res, err, "asset", a.ID)
}

// UnprocessedAsset reads an asset by the id alone and locks it, for jobs; it is nil unless it waits to be processed.
func (tx *Tx) UnprocessedAsset(ctx context.Context, id crier.ID) (*Asset, error) {
	return unprocessed(ctx, tx.reads, id, tx.forUpdate)
}

// UnprocessedAsset reads an asset by the id alone, for jobs; it is nil unless it waits to be processed.
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

// FinishAsset writes what processing an asset has come to.
func (tx *Tx) FinishAsset(ctx context.Context, a Asset) error {
	var failure *string
	if a.FailureMessage != "" {
		failure = &a.FailureMessage
	}
	res, err := tx.q.ExecContext(ctx, `UPDATE assets SET status = $2, failure_message = $3, facts = $4, tags = $5, updated_at = $6 WHERE id = $1`,
		a.ID, a.Status, failure, asJSON(&a.Facts), asJSON(&a.AssetTags), a.UpdatedAt)
	return affectedOne(res, err, "asset", a.ID)
}

// DeleteAsset hides an asset, takes it out of its folder and off the counter. It must be locked.
func (tx *Tx) DeleteAsset(ctx context.Context, a Asset, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE assets SET deleted_at = $2, updated_at = $2, folder_id = NULL WHERE id = $1 AND deleted_at IS NULL`, a.ID, at)
	if err := affectedOne(res, err, "asset", a.ID); err != nil {
		return err
	}
	return tx.countAsset(ctx, a.TeamID, -1)
}
