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
	// Publication is what was leased, Around what is around it; nil when its content or account is gone.
	Publication Publication
	Around      *Around
}

// Lease gives live publications that are due to their workers. A lease without an owner keeps no worker away: it is the
// sweep's note that a worker has been called.
func (s *Store) Lease(ctx context.Context, wait LockWait, list []*Leasing) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b *Leasing) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return s.WithTx(ctx, func(tx *Tx) error {
		if err := tx.waitForLocks(ctx, wait); err != nil {
			return err
		}
		for _, round := range once(list, leasedRef) {
			for _, action := range []bool{false, true} {
				if err := tx.lease(ctx, action, ofKind(round, action, leasedRef)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func leasedRef(l *Leasing) Ref { return l.Ref }

// leaseRow is a row of the statement that leases.
type leaseRow struct {
	Key     crier.ID  `json:"key"`
	Epoch   int64     `json:"epoch"`
	Owner   crier.ID  `json:"owner"`
	Now     givenTime `json:"now"`
	Until   givenTime `json:"until"`
	Job     string    `json:"job"`
	Attempt string    `json:"attempt"`
}

const leaseColumns = `key uuid, epoch bigint, owner uuid, now timestamptz, until timestamptz, job text, attempt text`

// lease leases publications of one kind, none of them twice.
func (tx *Tx) lease(ctx context.Context, action bool, list []*Leasing) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]leaseRow, len(list))
	byID := map[crier.ID]*Leasing{}
	for i, l := range list {
		rows[i] = leaseRow{l.ID, l.Epoch, l.Owner, givenTime(l.Now), givenTime(l.Until), l.Run.Job, l.Run.Attempt}
		byID[l.ID], l.Leased = l, false
	}
	ref := Ref{Action: action}
	also := ""
	if !action {
		also = ", workflow_id = v.job, workflow_run_id = v.attempt"
	}
	leased, err := tx.returned(ctx, `UPDATE `+ref.table()+` AS p SET lease_owner = v.owner, lease_until = v.until`+also+`
		FROM `+tx.given(leaseColumns)+` WHERE p.id = v.key AND p.epoch = v.epoch AND p.`+ref.live()+` AND p.wake_at <= v.now
		AND (p.lease_owner IS NULL OR p.lease_until <= v.now) RETURNING id`, asJSON(&rows))
	if err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	publications, err := tx.publications(ctx, ref, leased)
	if err != nil || len(publications) == 0 {
		return err
	}
	around, err := tx.around(ctx, publications)
	for _, p := range publications {
		l := byID[p.ID]
		l.Leased, l.Publication, l.Around = true, p, around[p.ID]
	}
	return err
}

// returned runs a statement that returns ids.
func (tx *Tx) returned(ctx context.Context, query string, args ...any) ([]crier.ID, error) {
	rows, err := tx.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanID)
}

// publications reads publications of one kind.
func (r reads) publications(ctx context.Context, ref Ref, ids []crier.ID) ([]Publication, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.QueryContext(ctx, `SELECT `+ref.columns()+` FROM `+ref.table()+` p WHERE p.id IN (SELECT v.key FROM `+r.given("key uuid")+`)`, keys(ids))
	if err != nil {
		return nil, fmt.Errorf("read publications: %w", err)
	}
	list, err := collect(rows, ref.scan)
	if err != nil {
		return nil, fmt.Errorf("read publications: %w", err)
	}
	return list, nil
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
