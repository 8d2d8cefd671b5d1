package store

import (
	"context"
	"fmt"

	"crier"
)

// Overdue is a publication that is due and that no worker holds.
type Overdue struct {
	ID              crier.ID
	Kind            PublicationKind
	Epoch           int64
	Provider        crier.Provider
	SocialAccountID crier.ID
}

// DueBefore defines which publications are overdue.
type DueBefore struct {
	// Woken applies to publications whose lease expired, Waiting to those that no worker has leased yet: their jobs may
	// still be queued.
	Woken, Waiting crier.Time
}

// TakeOverdue finds publications that are due and that no worker holds, and marks them until a time, so that no other
// sweep takes them. The caller enqueues their jobs in the same transaction.
func (tx *Tx) TakeOverdue(ctx context.Context, due DueBefore, now, until crier.Time, limit int) ([]Overdue,
	error) {
	skip := ""
	if tx.forUpdate != "" {
		skip = " FOR UPDATE SKIP LOCKED"
	}
	rows, err := tx.q.QueryContext(ctx, `UPDATE publications SET lease_owner = NULL, lease_until = $3 WHERE id IN
		(SELECT p.id FROM publications p WHERE p.wake_at IS NOT NULL AND p.wake_at <= $1
			AND (p.lease_until <= $2 OR p.lease_until IS NULL AND p.wake_at <= $5) ORDER BY p.wake_at LIMIT $4`+skip+`)
		RETURNING id, kind, epoch, provider, social_account_id`, due.Woken, now, until, limit, due.Waiting)
	if err != nil {
		return nil, fmt.Errorf("look for overdue publications: %w", err)
	}
	return collect(rows, scanOverdue)
}

func scanOverdue(row scanner) (o Overdue, err error) {
	return o, row.Scan(&o.ID, &o.Kind, &o.Epoch, &o.Provider, &o.SocialAccountID)
}

// NotDueUntil returns when a live publication is due, if that is after now; nil if it is due, has ended or is in
// another epoch.
func (s *Store) NotDueUntil(ctx context.Context, id crier.ID, epoch int64, now crier.Time) (*crier.Time, error) {
	var wake crier.Time
	err := s.writer.QueryRowContext(ctx, `SELECT p.wake_at FROM publications p
		WHERE p.id = $1 AND p.epoch = $2 AND p.live AND p.wake_at > $3`, id, epoch, now).Scan(&wake)
	return orNil(wake, err, "ask when a publication is due")
}

// Postpone sets when a publication is due again, unless a worker holds it.
func (s *Store) Postpone(ctx context.Context, id crier.ID, epoch int64, now, wake crier.Time) error {
	_, err := s.writer.ExecContext(ctx, `UPDATE publications SET wake_at = $4, lease_until = NULL, lease_owner = NULL
		WHERE id = $1 AND epoch = $2 AND wake_at <= $3 AND (lease_owner IS NULL OR lease_until <= $3)`,
		id, epoch, now, wake)
	if err != nil {
		return fmt.Errorf("postpone: %w", err)
	}
	return nil
}

// waitsForAccount are the errors that are resolved when the account is reconnected.
const waitsForAccount = `'auth_expired', 'account_disconnected', 'permission_missing'`

// WakeAccount makes the publications that wait for an account due now, and returns them.
func (tx *Tx) WakeAccount(ctx context.Context, account crier.ID, now crier.Time) ([]Overdue, error) {
	rows, err := tx.q.QueryContext(ctx, `UPDATE publications SET wake_at = $2
		WHERE social_account_id = $1 AND live AND status <> 'unknown' AND wake_at IS NOT NULL
		AND error_code IN (`+waitsForAccount+`)
		RETURNING id, kind, epoch, provider, social_account_id`, account, now)
	if err != nil {
		return nil, fmt.Errorf("wake what waits for the account: %w", err)
	}
	woken, err := collect(rows, scanOverdue)
	if err != nil {
		return nil, fmt.Errorf("wake what waits for the account: %w", err)
	}
	return woken, nil
}
