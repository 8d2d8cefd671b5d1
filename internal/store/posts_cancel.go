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
	var all []Canceled
	for _, table := range []struct{ name, owner, also string }{
		{"scheduled_posts", "id", ", slot_at = NULL"},
		{"post_actions", "scheduled_post_id", ""},
	} {
		where := ` WHERE ` + column + ` = $1 AND status = 'scheduled'`
		rows, err := tx.q.QueryContext(ctx, `SELECT `+table.owner+`, organization_id, reserved_credits FROM `+table.name+where+` ORDER BY id`+tx.forUpdate, of)
		if err != nil {
			return nil, fmt.Errorf("cancel: %w", err)
		}
		list, err := collect(rows, func(row scanner) (c Canceled, err error) {
			return c, row.Scan(&c.ScheduledPostID, &c.OrganizationID, &c.Reserved)
		})
		if err != nil {
			return nil, fmt.Errorf("cancel: %w", err)
		}
		if len(list) == 0 {
			continue
		}
		_, err = tx.q.ExecContext(ctx, `UPDATE `+table.name+` SET status = 'canceled', epoch = epoch + 1, wake_at = NULL, lease_until = NULL,
			lease_owner = NULL, reserved_credits = 0, updated_at = $2`+table.also+where, of, now)
		if err != nil {
			return nil, fmt.Errorf("cancel: %w", err)
		}
		all = append(all, list...)
	}
	return all, nil
}
