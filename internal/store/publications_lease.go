package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// Run identifies the job and its attempt that work on a publication.
type Run struct{ Job, Attempt string }

// LeaseRequest is a request for the exclusive lease of a publication until a time.
type LeaseRequest struct {
	ID         crier.ID
	Epoch      int64
	Owner      crier.ID
	Now, Until crier.Time
	Run        Run
	// Leased is set by Lease. It is false if the publication is not due, is leased by another worker, has ended or is
	// in another epoch.
	Leased bool
	// Publication is the leased publication. Context is nil if its content or account is gone. ReadLeased sets them.
	Publication Publication
	Context     *PublishContext
}

// Lease leases live publications that are due. A lease without an owner excludes no worker: it is the mark of
// TakeOverdue. A worker may repeat a request whose response was lost.
func (tx *Tx) Lease(ctx context.Context, wait LockWait, list ...*LeaseRequest) error {
	list = slices.SortedFunc(slices.Values(list), func(a, b *LeaseRequest) int {
		return strings.Compare(string(a.ID), string(b.ID))
	})
	if err := tx.waitForLocks(ctx, wait); err != nil {
		return err
	}
	for _, round := range splitUnique(list, leasedID) {
		if err := tx.lease(ctx, round); err != nil {
			return err
		}
	}
	return nil
}

func leasedID(l *LeaseRequest) crier.ID { return l.ID }

// leaseRow is an input row of lease.
type leaseRow struct {
	Key     crier.ID `json:"key"`
	Epoch   int64    `json:"epoch"`
	Owner   crier.ID `json:"owner"`
	Now     jsonTime `json:"now"`
	Until   jsonTime `json:"until"`
	Job     string   `json:"job"`
	Attempt string   `json:"attempt"`
}

const leaseColumns = `key uuid, epoch bigint, owner uuid, now timestamptz, until timestamptz, job text, attempt text`

// lease leases publications, each at most once.
func (tx *Tx) lease(ctx context.Context, list []*LeaseRequest) error {
	rows := make([]leaseRow, len(list))
	for i, l := range list {
		rows[i] = leaseRow{Key: l.ID, Epoch: l.Epoch, Owner: l.Owner, Now: jsonTime(l.Now), Until: jsonTime(l.Until),
			Job: l.Run.Job, Attempt: l.Run.Attempt}
	}
	leased, err := tx.returned(ctx, `UPDATE publications AS p SET lease_owner = v.owner, lease_until = v.until,
		workflow_id = v.job, workflow_run_id = v.attempt
		FROM `+tx.jsonRows(leaseColumns)+` WHERE p.id = v.key AND p.epoch = v.epoch AND p.live AND p.wake_at <= v.now
		AND (p.lease_owner IS NULL OR p.lease_until <= v.now OR p.lease_owner = v.owner) RETURNING id`, asJSON(&rows))
	if err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	for _, l := range list {
		l.Leased = leased[l.ID]
	}
	return nil
}

// ReadLeased reads the publications that were leased, and what their workers need besides. It is called after the
// commit, because decoding the rows takes longer than writing the leases, for which others wait. A publication that
// was changed since is not leased any more.
func (r reads) ReadLeased(ctx context.Context, list ...*LeaseRequest) error {
	ids := make([]crier.ID, len(list))
	for i, l := range list {
		ids[i] = l.ID
	}
	publications, err := r.publications(ctx, ids)
	if err != nil {
		return err
	}
	contexts, err := r.publishContexts(ctx, publications)
	if err != nil {
		return err
	}
	byID := make(map[crier.ID]Publication, len(publications))
	for _, p := range publications {
		byID[p.ID] = p
	}
	for _, l := range list {
		p, found := byID[l.ID]
		if l.Leased = found && p.Epoch == l.Epoch && p.LeaseOwner != nil && *p.LeaseOwner == l.Owner; l.Leased {
			l.Publication, l.Context = p, contexts[p.ID]
		}
	}
	return nil
}

// returned runs a statement that returns ids.
func (tx *Tx) returned(ctx context.Context, query string, args ...any) (map[crier.ID]bool, error) {
	rows, err := tx.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	ids, err := collect(rows, scanID)
	set := make(map[crier.ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set, err
}

// ReleaseLeases ends the leases of a dead process. Only SQLite needs it: a single process owns the file, so no worker
// can hold them at start-up. On PostgreSQL leases expire.
func (s *Store) ReleaseLeases(ctx context.Context) error {
	if s.dialect != SQLite {
		return nil
	}
	_, err := s.writer.ExecContext(ctx, `UPDATE publications SET lease_owner = NULL, lease_until = NULL
		WHERE wake_at IS NOT NULL AND lease_until IS NOT NULL`)
	if err != nil {
		return fmt.Errorf("release leases: %w", err)
	}
	return nil
}

// ReleaseLease ends the lease of a worker and sets when its publication is due again.
func (s *Store) ReleaseLease(ctx context.Context, id crier.ID, epoch int64, owner crier.ID, wake crier.Time) error {
	_, err := s.writer.ExecContext(ctx, `UPDATE publications SET wake_at = $4, lease_until = NULL, lease_owner = NULL
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3`, id, epoch, owner, wake)
	if err != nil {
		return fmt.Errorf("release the lease: %w", err)
	}
	return nil
}

// ExtendLease extends the lease of a worker.
func (s *Store) ExtendLease(ctx context.Context, id crier.ID, owner crier.ID, until crier.Time) error {
	_, err := s.writer.ExecContext(ctx, `UPDATE publications SET lease_until = $3
		WHERE id = $1 AND lease_owner = $2 AND lease_until < $3`, id, owner, until)
	if err != nil {
		return fmt.Errorf("extend the lease: %w", err)
	}
	return nil
}
