package store

import (
	"context"
	"fmt"

	"crier"
)

// AssetInUse reports whether a live publication needs an asset: in the content of its post, in its settings, or in a
// comment that follows it. Content cannot change while a publication is running, so the assets of a post's current
// content are those of all its live publications. A comment with an unknown outcome is never sent again.
func (r reads) AssetInUse(ctx context.Context, team, id crier.ID) (bool, error) {
	// Joining through the accounts uses the partial index of live publications. Settings and comments are JSON and
	// searched as text.
	const query = `SELECT
		EXISTS (SELECT 1 FROM post_assets x JOIN publications p ON p.post_id = x.post_id
			WHERE x.asset_id = $2 AND p.kind = 'post' AND p.live)
		OR EXISTS (SELECT 1 FROM publications p
			WHERE p.social_account_id IN (SELECT s.id FROM social_accounts s WHERE s.team_id = $1) AND p.live
			AND (CAST(p.spec AS text) LIKE $3 AND p.status <> 'unknown'
				OR p.kind = 'post' AND (CAST(p.actions AS text) LIKE $3 OR CAST(p.platform_settings AS text) LIKE $3)))`
	var used bool
	if err := r.q.QueryRowContext(ctx, query, team, id, "%"+string(id)+"%").Scan(&used); err != nil {
		return false, fmt.Errorf("look for uses of an asset: %w", err)
	}
	return used, nil
}

// ApprovedWith returns an approved post whose content has an asset, or one with a live comment that has it; nil if
// there is none.
func (r reads) ApprovedWith(ctx context.Context, team, id crier.ID) (*crier.ID, error) {
	var post *crier.ID
	err := r.q.QueryRowContext(ctx, `SELECT coalesce(
		(SELECT p.id FROM post_assets x JOIN posts p ON p.id = x.post_id
			WHERE x.asset_id = $2 AND p.status = 'approved' AND p.deleted_at IS NULL LIMIT 1),
		(SELECT p.post_id FROM publications p
			WHERE p.social_account_id IN (SELECT s.id FROM social_accounts s WHERE s.team_id = $1) AND p.live
			AND (CAST(p.spec AS text) LIKE $3 OR CAST(p.actions AS text) LIKE $3) LIMIT 1))`, team, id,
		"%"+string(id)+"%").Scan(&post)
	if err != nil {
		return nil, fmt.Errorf("look for approved uses of an asset: %w", err)
	}
	return post, nil
}

// MediaInUse returns which ids belong to an asset that is not purged, or to an upload.
func (r reads) MediaInUse(ctx context.Context, ids []crier.ID) (map[crier.ID]bool, error) {
	used := map[crier.ID]bool{}
	for batch := range batches(ids) {
		marks, args := inList(1, batch)
		rows, err := r.q.QueryContext(ctx, `SELECT a.id FROM assets a WHERE a.id IN (`+marks+`) AND a.purged_at IS NULL
			UNION ALL SELECT u.id FROM uploads u WHERE u.id IN (`+marks+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("look for owners of files: %w", err)
		}
		found, err := collect(rows, scanID)
		if err != nil {
			return nil, fmt.Errorf("look for owners of files: %w", err)
		}
		for _, id := range found {
			used[id] = true
		}
	}
	return used, nil
}

// AssetsToPurge returns up to limit assets that were deleted before a time and whose files still exist.
func (r reads) AssetsToPurge(ctx context.Context, deletedBefore crier.Time, limit int) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT a.id FROM assets a WHERE a.deleted_at < $1 AND a.deleted_at IS NOT NULL
		AND a.purged_at IS NULL
		ORDER BY a.deleted_at LIMIT $2`, deletedBefore, limit)
	if err != nil {
		return nil, fmt.Errorf("look for deleted assets: %w", err)
	}
	return collect(rows, scanID)
}

// PurgeAsset records that the files of a deleted asset are gone. It deletes the row too, unless a post's content still
// refers to it and shows its size and type.
func (tx *Tx) PurgeAsset(ctx context.Context, id crier.ID, at crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `DELETE FROM assets WHERE id = $1 AND deleted_at IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM post_assets x WHERE x.asset_id = assets.id)`, id)
	if err == nil {
		_, err = tx.q.ExecContext(ctx, `UPDATE assets SET purged_at = $2 WHERE id = $1 AND deleted_at IS NOT NULL`, id,
			at)
	}
	if err != nil {
		return fmt.Errorf("purge asset: %w", err)
	}
	return nil
}
