package store

import (
	"context"
	"fmt"

	"crier"
)

// AssetFacts holds the fields of an asset that are shown with posts.
type AssetFacts struct {
	crier.AttachedAsset
	Status  string
	Tags    []string
	Deleted bool
}

// attached returns the asset as shown in an attachment; for a purged asset only the id is known.
func (f AssetFacts) attached(id crier.ID) crier.AttachedAsset {
	f.AssetID = id
	return f.AttachedAsset
}

// AssetFacts reads assets of a team by id, including deleted ones. Ids that the team does not have are missing from the
// result.
func (r reads) AssetFacts(ctx context.Context, team crier.ID, ids []crier.ID) (map[crier.ID]AssetFacts, error) {
	return r.assetFacts(ctx, team, ids, "")
}

// LockAssetFacts is AssetFacts with a shared lock on the assets. It is taken when assets are attached to a post, so
// that the job that follows a change of an asset's tags finds every post that read the old ones.
func (tx *Tx) LockAssetFacts(ctx context.Context, team crier.ID, ids []crier.ID) (map[crier.ID]AssetFacts, error) {
	return tx.assetFacts(ctx, team, ids, tx.forShare())
}

func (r reads) assetFacts(ctx context.Context, team crier.ID, ids []crier.ID, lock string) (map[crier.ID]AssetFacts,
	error) {
	found := map[crier.ID]AssetFacts{}
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := inList(2, ids)
	rows, err := r.q.QueryContext(ctx, `SELECT `+assetFactColumns+` FROM assets a WHERE a.team_id = $1 AND a.id IN (`+marks+`) ORDER BY a.id`+lock, append([]any{team}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read assets: %w", err)
	}
	list, err := collect(rows, scanAssetFacts)
	if err != nil {
		return nil, fmt.Errorf("read assets: %w", err)
	}
	for _, f := range list {
		found[f.AssetID] = f
	}
	return found, nil
}

const assetFactColumns = `a.id, a.mime_type, a.byte_size, coalesce(a.width, 0), coalesce(a.height, 0),
	coalesce(a.duration_seconds, 0), coalesce(a.alt_text, ''), a.status, a.tags, a.deleted_at IS NOT NULL`

func scanAssetFacts(row scanner) (AssetFacts, error) {
	var f AssetFacts
	var tags *[]string
	err := row.Scan(&f.AssetID, &f.MimeType, &f.ByteSize, &f.Width, &f.Height, &f.DurationSeconds, &f.AltText,
		&f.Status,
		intoJSON(&tags), &f.Deleted)
	if tags != nil {
		f.Tags = *tags
	}
	return f, err
}
