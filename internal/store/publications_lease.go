package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// Run is the job engine's job and attempt that work on a publication.
type Run struct{ Job, Attempt string }

// Leasing is the wish of a worker to have a publication for itself until a time.
type Leasing struct {
	Ref
	Epoch      int64
	Owner      crier.ID
	Now, Until crier.Time
	Run        Run
	// Leased is false when the publication is not due, when another worker has it, or when it has moved to another epoch or ended.
	Leased bool
	// Publication is what was leased.
	Publication Publication
}

// Lease gives live publications that are due to their workers. A lease without an owner keeps no worker away: it is the
// sweep's note that a worker has been called.
func (s *Store) Lease(ctx context.Context, wait LockWait, list []*Leasing) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b *Leasing) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return s.WithTx(ctx, func(tx *Tx) error {
		if err := tx.waitForLocks(ctx, wait); err != nil {
			return err
		}
		for _, l := range list {
			if err := tx.lease(ctx, l); err != nil {
				return err
			}
		}
		if err := tx.flush(ctx); err != nil {
			return err
		}
		return errors.Join(tx.readLeased(ctx, list, false), tx.readLeased(ctx, list, true))
	})
}

func (tx *Tx) lease(ctx context.Context, l *Leasing) error {
	set := ""
	args := []any{l.ID, l.Epoch, l.Owner, l.Now, l.Until}
	if !l.Action {
		set = ", workflow_id = $6, workflow_run_id = $7"
		args = append(args, l.Run.Job, l.Run.Attempt)
	}
	return tx.later(ctx, func(rows int64, err error) error {
		l.Leased = rows == 1
		return changed("lease")(rows, err)
	}, `UPDATE `+l.table()+` AS p SET lease_owner = $3, lease_until = $5`+set+`
		WHERE p.id = $1 AND p.epoch = $2 AND p.status IN `+liveStatuses+` AND p.wake_at <= $4
		AND (p.lease_owner IS NULL OR p.lease_until <= $4)`, args...)
}

// readLeased reads the publications of one kind that were leased.
func (tx *Tx) readLeased(ctx context.Context, list []*Leasing, action bool) error {
	byID := map[crier.ID]*Leasing{}
	var ids []any
	for _, l := range list {
		if l.Leased && l.Action == action {
			byID[l.ID] = l
			ids = append(ids, l.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	ref := Ref{Action: action}
	rows, err := tx.q.QueryContext(ctx, `SELECT `+ref.columns()+` FROM `+ref.table()+` p WHERE p.id IN (`+placeholders(1, len(ids))+`)`, ids...)
	if err != nil {
		return fmt.Errorf("read what was leased: %w", err)
	}
	leased, err := collect(rows, ref.scan)
	if err != nil {
		return fmt.Errorf("read what was leased: %w", err)
	}
	for _, p := range leased {
		byID[p.ID].Publication = p
	}
	return nil
}

// NotDueUntil is when a live publication wants to be looked at, if that is after now; nil when it is due, has ended, or has
// moved to another epoch.
func (s *Store) NotDueUntil(ctx context.Context, ref Ref, epoch int64, now crier.Time) (*crier.Time, error) {
	var wake crier.Time
	err := s.writer.QueryRowContext(ctx, `SELECT p.wake_at FROM `+ref.table()+` p
		WHERE p.id = $1 AND p.epoch = $2 AND p.status IN `+liveStatuses+` AND p.wake_at > $3`, ref.ID, epoch, now).Scan(&wake)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask when a publication is due: %w", err)
	}
	return &wake, nil
}

// ReleaseLeases ends the leases that a dead process left behind. Only SQLite needs it: one process works on its file, so
// what is leased before the start cannot be anybody's. On PostgreSQL leases run out.
func (s *Store) ReleaseLeases(ctx context.Context) error {
	if s.dialect != SQLite {
		return nil
	}
	for _, ref := range []Ref{{}, {Action: true}} {
		_, err := s.writer.ExecContext(ctx, `UPDATE `+ref.table()+` SET lease_owner = NULL, lease_until = NULL
			WHERE wake_at IS NOT NULL AND lease_until IS NOT NULL`)
		if err != nil {
			return fmt.Errorf("release leases: %w", err)
		}
	}
	return nil
}

// Rest ends the lease of a publication and says when to look again.
func (s *Store) Rest(ctx context.Context, ref Ref, epoch int64, owner crier.ID, wake crier.Time) error {
	_, err := s.writer.ExecContext(ctx, `UPDATE `+ref.table()+` SET wake_at = $4, lease_until = NULL, lease_owner = NULL
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3`, ref.ID, epoch, owner, wake)
	if err != nil {
		return fmt.Errorf("rest: %w", err)
	}
	return nil
}

// Postpone says when to look again at a publication that nobody works on.
func (s *Store) Postpone(ctx context.Context, ref Ref, epoch int64, now, wake crier.Time) error {
	_, err := s.writer.ExecContext(ctx, `UPDATE `+ref.table()+` SET wake_at = $4, lease_until = NULL, lease_owner = NULL
		WHERE id = $1 AND epoch = $2 AND wake_at <= $3 AND (lease_owner IS NULL OR lease_until <= $3)`, ref.ID, epoch, now, wake)
	if err != nil {
		return fmt.Errorf("postpone: %w", err)
	}
	return nil
}

// ExtendLease lets the worker that has a publication keep it until a time.
func (s *Store) ExtendLease(ctx context.Context, ref Ref, owner crier.ID, until crier.Time) error {
	_, err := s.writer.ExecContext(ctx, `UPDATE `+ref.table()+` SET lease_until = $3
		WHERE id = $1 AND lease_owner = $2 AND lease_until < $3`, ref.ID, owner, until)
	if err != nil {
		return fmt.Errorf("extend the lease: %w", err)
	}
	return nil
}

// Overdue is a publication whose wake-up did not come.
type Overdue struct {
	Ref
	Epoch           int64
	Provider        crier.Provider
	SocialAccountID crier.ID
}

// DueBefore says which publications are overdue.
type DueBefore struct {
	// Woken is for those whose worker died or did not come, Waiting for those that nobody has touched since they became due: their
	// jobs may be in line.
	Woken, Waiting crier.Time
}

// TakeOverdue finds publications that are due without a wake-up, or whose worker died, and notes until when their
// workers may take to come, so that no two sweeps wake the same one. The caller enqueues their jobs in the same
// transaction.
func (tx *Tx) TakeOverdue(ctx context.Context, action bool, due DueBefore, now, until crier.Time, limit int) ([]Overdue, error) {
	ref := Ref{Action: action}
	skip := ""
	if tx.forUpdate != "" {
		skip = " FOR UPDATE SKIP LOCKED"
	}
	rows, err := tx.q.QueryContext(ctx, `UPDATE `+ref.table()+` SET lease_owner = NULL, lease_until = $3 WHERE id IN
		(SELECT p.id FROM `+ref.table()+` p WHERE p.wake_at IS NOT NULL AND p.wake_at <= $1
			AND (p.lease_until <= $2 OR p.lease_until IS NULL AND p.wake_at <= $5) ORDER BY p.wake_at LIMIT $4`+skip+`)
		RETURNING id, epoch, provider, social_account_id`, due.Woken, now, until, limit, due.Waiting)
	if err != nil {
		return nil, fmt.Errorf("look for overdue publications: %w", err)
	}
	return collect(rows, scanOverdue(action))
}

func scanOverdue(action bool) func(scanner) (Overdue, error) {
	return func(row scanner) (o Overdue, err error) {
		o.Action = action
		return o, row.Scan(&o.ID, &o.Epoch, &o.Provider, &o.SocialAccountID)
	}
}
