package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// Restoration describes a store that was restored from a backup. The installation that was backed up may have
// published until the restored one was first served.
type Restoration struct {
	// BackedUpAt is when the backup started: later changes may be missing from the store.
	BackedUpAt crier.Time
	// ServedAt is when the restored store was first served: all older rows come from the backup.
	ServedAt crier.Time
}

// ErrNotServed means that the store was restored and no node has served it since. What was due before the first one
// starts must be looked up, so nothing can be sent before.
var ErrNotServed = errors.New("the store was restored, and no server has been started on it since")

// Restoration returns the last restore of the store; nil if it was never restored, ErrNotServed until ServeRestored.
func (r reads) Restoration(ctx context.Context) (*Restoration, error) {
	var backedUp, served *crier.Time
	err := r.q.QueryRowContext(ctx, `SELECT backed_up_at, restored_at FROM instance WHERE id = 1`).Scan(&backedUp,
		&served)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read when the store was restored: %w", err)
	case backedUp == nil:
		return nil, nil
	case served == nil:
		return nil, ErrNotServed
	}
	return &Restoration{BackedUpAt: *backedUp, ServedAt: *served}, nil
}

// ServeRestored records that a node is about to serve the store, and reports whether it is the first one since a
// restore. Further nodes, and those of a store that was never restored, change nothing.
func (tx *Tx) ServeRestored(ctx context.Context, now crier.Time) (first bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE instance SET restored_at = $2 WHERE id = $1
		AND backed_up_at IS NOT NULL AND restored_at IS NULL`, 1, now)
	if err != nil {
		return false, fmt.Errorf("record the first start after the restore: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("record the first start after the restore: %w", err)
	}
	return n > 0, nil
}

// RestoredPublications counts the publications that the workers of a restored store check first.
type RestoredPublications struct {
	// Due are publications whose time has come by the restore, Later are those whose time is still to come.
	Due, Later int64
}

// RestoreTimes are the times of a restore.
type RestoreTimes struct {
	// BackedUpAt is when the backup started, Now when it is restored.
	BackedUpAt, Now crier.Time
}

// eventGap is added to the sequence of events by a restore. The lost events had sequences, and readers that have seen
// those would skip new events with the same ones.
const eventGap = 1_000_000

// MarkRestored records that the rows come from a backup, and that no node has served them yet. It makes every
// unfinished publication due at once, ends the browser sessions, because some may have been ended since the backup, and
// returns the jobs of dead workers to the queue.
func (tx *Tx) MarkRestored(ctx context.Context, r RestoreTimes) (found RestoredPublications, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE instance SET backed_up_at = $2, restored_at = NULL WHERE id = $1`, 1,
		r.BackedUpAt)
	if err := affectedOne(res, err, "instance", ""); err != nil {
		return found, fmt.Errorf("mark the store as restored: %w", err)
	}
	steps := []struct {
		query string
		args  []any
	}{
		{`UPDATE publications SET wake_at = $1, lease_owner = NULL, lease_until = NULL
			WHERE live AND wake_at IS NOT NULL`, []any{r.Now}},
		// The backup of an embedded database may not have the end of the log.
		{`UPDATE event_log SET last = $1 + (SELECT max(n) FROM (SELECT l.last AS n FROM event_log l
			UNION ALL SELECT max(e.sequence) FROM events e) AS numbers) WHERE id = 1`, []any{eventGap}},
		{`DELETE FROM sessions`, nil},
		{`UPDATE river_job SET state = 'available' WHERE state = 'running'`, nil},
	}
	for _, step := range steps {
		if _, err := tx.q.ExecContext(ctx, step.query, step.args...); err != nil {
			return found, fmt.Errorf("mark the store as restored: %w", err)
		}
	}
	err = tx.q.QueryRowContext(ctx, `SELECT
		coalesce(sum(CASE WHEN p.scheduled_at <= $1 THEN 1 ELSE 0 END), 0),
		coalesce(sum(CASE WHEN p.scheduled_at > $1 THEN 1 ELSE 0 END), 0)
		FROM publications p WHERE p.live AND p.wake_at IS NOT NULL`, r.Now).Scan(&found.Due, &found.Later)
	if err != nil {
		return found, fmt.Errorf("count what is to be examined: %w", err)
	}
	return found, nil
}

// HasPlatformPost reports whether another publication of an account has a platform post id.
func (r reads) HasPlatformPost(ctx context.Context, account crier.ID, platformPostID string, except crier.ID) (bool,
	error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM publications p WHERE p.social_account_id = $1
		AND p.platform_post_id = $2 AND p.id <> $3 LIMIT 1`, account, platformPostID, except).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the publication of a post: %w", err)
	}
	return true, nil
}
