package store

import (
	"context"
	"fmt"

	"crier"
)

// Canceled is a publication or action that was cancelled, with the credits that were reserved for it.
type Canceled struct {
	ScheduledPostID crier.ID
	OrganizationID  crier.ID
	Reserved        int64
}

// CancelScheduled cancels the publications of a post that have not begun, and the actions that wait, and tells which. A
// worker that has prepared one finds a newer epoch and stops. The post must be locked; RefreshPost comes after it.
func (tx *Tx) CancelScheduled(ctx context.Context, post crier.ID, now crier.Time) ([]Canceled, error) {
	return tx.cancel(ctx, `post_id`, now, post)
}

// CancelTeamScheduled cancels the publications and actions of a team that have not begun and tells which.
func (tx *Tx) CancelTeamScheduled(ctx context.Context, team crier.ID, now crier.Time) ([]Canceled, error) {
	return tx.cancel(ctx, `team_id`, now, team)
}

func (tx *Tx) cancel(ctx context.Context, column string, now crier.Time, of crier.ID) ([]Canceled, error) {
	posts, err := tx.cancelIn(ctx, "scheduled_posts", "id", ", slot_at = NULL", column, now, of)
	if err != nil {
		return nil, fmt.Errorf("cancel scheduled posts: %w", err)
	}
	actions, err := tx.cancelIn(ctx, "post_actions", "scheduled_post_id", "", column, now, of)
	if err != nil {
		return nil, fmt.Errorf("cancel actions: %w", err)
	}
	return append(posts, actions...), nil
}

// cancelIn cancels in one table. Rows are locked in one order first; what the update itself finds is what is cancelled.
func (tx *Tx) cancelIn(ctx context.Context, table, owner, also, column string, now crier.Time, of crier.ID) ([]Canceled, error) {
	where := ` WHERE ` + column + ` = $1 AND status = 'scheduled'`
	rows, err := tx.q.QueryContext(ctx, `SELECT id FROM `+table+where+` ORDER BY id`+tx.forUpdate, of)
	if err != nil {
		return nil, err
	}
	if _, err := collect(rows, func(row scanner) (id crier.ID, err error) { return id, row.Scan(&id) }); err != nil {
		return nil, err
	}
	rows, err = tx.q.QueryContext(ctx, `UPDATE `+table+` SET status = 'canceled', epoch = epoch + 1, wake_at = NULL, lease_until = NULL,
		lease_owner = NULL, updated_at = $2`+also+where+` RETURNING `+owner+`, organization_id, reserved_credits`, of, now)
	if err != nil {
		return nil, err
	}
	list, err := collect(rows, func(row scanner) (c Canceled, err error) {
		return c, row.Scan(&c.ScheduledPostID, &c.OrganizationID, &c.Reserved)
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	_, err = tx.q.ExecContext(ctx, `UPDATE `+table+` SET reserved_credits = 0
		WHERE `+column+` = $1 AND status = 'canceled' AND reserved_credits <> 0`, of)
	return list, err
}
