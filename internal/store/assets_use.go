package store

import (
	"context"
	"fmt"

	"crier"
)

// AssetInUse tells whether a publication that may still happen needs an asset: its post's content has it, or its settings
// or the comments that follow it name it. Content cannot change while something is on its way, so that the assets of
// the post's present content are those of all its live publications.
func (r reads) AssetInUse(ctx context.Context, team, id crier.ID) (bool, error) {
	// The accounts lead to the partial index of live publications; settings and comments are JSON, so their text is searched.
	const query = `SELECT
		EXISTS (SELECT 1 FROM post_assets x JOIN scheduled_posts p ON p.post_id = x.post_id
			WHERE x.asset_id = $2 AND p.live)
		OR EXISTS (SELECT 1 FROM scheduled_posts p
			WHERE p.social_account_id IN (SELECT s.id FROM social_accounts s WHERE s.team_id = $1) AND p.live
			AND (CAST(p.actions AS text) LIKE $3 OR CAST(p.platform_settings AS text) LIKE $3))
		OR EXISTS (SELECT 1 FROM post_actions c
			WHERE c.team_id = $1 AND c.wake_at IS NOT NULL AND c.status IN ` + liveStatuses + ` AND CAST(c.spec AS text) LIKE $3)`
	var used bool
	if err := r.q.QueryRowContext(ctx, query, team, id, "%"+string(id)+"%").Scan(&used); err != nil {
		return false, fmt.Errorf("look for uses of an asset: %w", err)
	}
	return used, nil
}

// MediaInUse tells which of the given ids belong to an asset whose files are kept, or to an upload.
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

// AssetsToPurge reads some assets that were deleted before the given time and whose files are still there.
func (r reads) AssetsToPurge(ctx context.Context, deletedBefore crier.Time, limit int) ([]crier.ID, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT a.id FROM assets a WHERE a.deleted_at < $1 AND a.deleted_at IS NOT NULL AND a.purged_at IS NULL
		ORDER BY a.deleted_at LIMIT $2`, deletedBefore, limit)
	if err != nil {
		return nil, fmt.Errorf("look for deleted assets: %w", err)
	}
	return collect(rows, scanID)
}

// PurgeAsset notes that the files of a deleted asset are gone. Its row goes too, unless a post's content still names it
// and shows its size and type.
func (tx *Tx) PurgeAsset(ctx context.Context, id crier.ID, at crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `DELETE FROM assets WHERE id = $1 AND deleted_at IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM post_assets x WHERE x.asset_id = assets.id)`, id)
	if err == nil {
		_, err = tx.q.ExecContext(ctx, `UPDATE assets SET purged_at = $2 WHERE id = $1 AND deleted_at IS NOT NULL`, id, at)
	}
	if err != nil {
		return fmt.Errorf("purge asset: %w", err)
	}
	return nil
}
