package store

import (
	"context"
	"fmt"

	"crier"
)

// CancelScheduled cancels the publications of a post that have not begun and tells which. A worker that has prepared one
// finds a newer epoch and stops. The post must be locked; RefreshPost comes after it.
func (tx *Tx) CancelScheduled(ctx context.Context, post crier.ID, now crier.Time) ([]crier.ID, error) {
	return tx.cancel(ctx, `post_id = $2`, now, post)
}

// CancelTeamScheduled cancels the publications of a team that have not begun and tells which.
func (tx *Tx) CancelTeamScheduled(ctx context.Context, team crier.ID, now crier.Time) ([]crier.ID, error) {
	return tx.cancel(ctx, `team_id = $2`, now, team)
}

func (tx *Tx) cancel(ctx context.Context, where string, now crier.Time, of crier.ID) ([]crier.ID, error) {
	rows, err := tx.q.QueryContext(ctx, `UPDATE scheduled_posts SET status = 'canceled', epoch = epoch + 1, slot_at = NULL, wake_at = NULL,
		lease_until = NULL, lease_owner = NULL, updated_at = $1 WHERE `+where+` AND status = 'scheduled' RETURNING id`, now, of)
	if err != nil {
		return nil, fmt.Errorf("cancel scheduled posts: %w", err)
	}
	ids, err := collect(rows, func(row scanner) (id crier.ID, err error) { return id, row.Scan(&id) })
	if err != nil {
		return nil, fmt.Errorf("cancel scheduled posts: %w", err)
	}
	return ids, nil
}

// PointScheduled makes the publications of a post that have not begun publish another version of its content, in a new
// epoch: what was prepared of the old one is prepared anew. The post must be locked.
func (tx *Tx) PointScheduled(ctx context.Context, post, payload crier.ID, now crier.Time) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE scheduled_posts SET payload_id = $2, epoch = epoch + 1, updated_at = $3
		WHERE post_id = $1 AND status = 'scheduled'`, post, payload, now)
	if err != nil {
		return fmt.Errorf("point scheduled posts to the new content: %w", err)
	}
	return nil
}
