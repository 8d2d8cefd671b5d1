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

// cancelable are the rows of one kind that can be cancelled.
type cancelable struct {
	table string
	// among narrows them to what an index holds.
	among string
	// also is what else changes.
	also string
	// owner is the column that names the scheduled post.
	owner string
}

var (
	cancelablePosts   = cancelable{table: "scheduled_posts", among: " AND NOT canceled", also: ", slot_at = NULL", owner: "id"}
	cancelableActions = cancelable{table: "post_actions", owner: "scheduled_post_id"}
)

func (tx *Tx) cancel(ctx context.Context, column string, now crier.Time, of crier.ID) ([]Canceled, error) {
	posts, err := tx.cancelIn(ctx, cancelablePosts, column, now, of)
	if err != nil {
		return nil, fmt.Errorf("cancel scheduled posts: %w", err)
	}
	actions, err := tx.cancelIn(ctx, cancelableActions, column, now, of)
	if err != nil {
		return nil, fmt.Errorf("cancel actions: %w", err)
	}
	return append(posts, actions...), nil
}

// cancelIn cancels in one table. Rows are locked in one order first; what the update itself finds is what is cancelled.
func (tx *Tx) cancelIn(ctx context.Context, in cancelable, column string, now crier.Time, of crier.ID) ([]Canceled, error) {
	where := ` WHERE ` + column + ` = $1 AND status = 'scheduled'` + in.among
	if _, err := tx.returned(ctx, `SELECT id FROM `+in.table+where+` ORDER BY id`+tx.forUpdate, of); err != nil {
		return nil, err
	}
	rows, err := tx.q.QueryContext(ctx, `UPDATE `+in.table+` SET status = 'canceled', epoch = epoch + 1, wake_at = NULL, lease_until = NULL,
		lease_owner = NULL, updated_at = $2`+in.also+where+` RETURNING id, `+in.owner+`, organization_id, reserved_credits`, of, now)
	if err != nil {
		return nil, err
	}
	var ids []crier.ID
	list, err := collect(rows, func(row scanner) (c Canceled, err error) {
		var id crier.ID
		err = row.Scan(&id, &c.ScheduledPostID, &c.OrganizationID, &c.Reserved)
		ids = append(ids, id)
		return c, err
	})
	if err != nil {
		return nil, err
	}
	return list, tx.clearReserved(ctx, in.table, ids)
}

// clearReserved notes that nothing is reserved any more: PostgreSQL returns new values, so that it cannot happen in the update that
// tells the old ones.
func (tx *Tx) clearReserved(ctx context.Context, table string, ids []crier.ID) error {
	for batch := range batches(ids) {
		marks, args := inList(1, batch)
		if _, err := tx.q.ExecContext(ctx, `UPDATE `+table+` SET reserved_credits = 0 WHERE id IN (`+marks+`) AND reserved_credits <> 0`, args...); err != nil {
			return err
		}
	}
	return nil
}
