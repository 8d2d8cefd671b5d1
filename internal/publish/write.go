package publish

import (
	"context"

	"crier"
	"crier/internal/store"
)

const (
	// maxBatch bounds how many writes share a commit: enough to amortize its cost, few enough to keep row locks short.
	maxBatch = 128
	// maxMixedBatch is maxBatch where leases, starts and settlements share commits.
	maxMixedBatch = 3 * maxBatch
)

// write is a write of a worker: exactly one of its fields is set.
type write struct {
	lease      *store.LeaseRequest
	start      *store.AttemptStart
	settlement *settlement
}

// team returns the team of a write. That of a lease is not known yet.
func (w write) team() crier.ID {
	switch {
	case w.start != nil:
		return w.start.Publication.TeamID
	case w.settlement != nil:
		return w.settlement.Publication.TeamID
	}
	return ""
}

// newGroupCommits returns what groups leases, starts and settlements. SQLite has one writer, so they share commits; on
// PostgreSQL they are committed concurrently.
func (s *Publisher) newGroupCommits() (leases, starts, settlements *groupCommit[write]) {
	group := func(most, workers int) *groupCommit[write] {
		return &groupCommit[write]{run: s.commit, team: write.team, most: most, workers: workers,
			timeout: s.timings.WriteTimeout}
	}
	if s.store.Dialect() == store.SQLite {
		all := group(maxMixedBatch, 1)
		return all, all, all
	}
	return group(maxBatch, 1), group(maxBatch, 1), group(maxBatch, 2)
}

// commit commits writes in one transaction.
func (s *Publisher) commit(ctx context.Context, wait store.LockWait, list []write) error {
	var leases []*store.LeaseRequest
	var starts []*store.AttemptStart
	var settlements []*settlement
	for _, w := range list {
		switch {
		case w.lease != nil:
			leases = append(leases, w.lease)
		case w.start != nil:
			starts = append(starts, w.start)
		default:
			settlements = append(settlements, w.settlement)
		}
	}
	now, err := s.encodeEvents(settlements...)
	if err != nil {
		return err
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		if len(leases) > 0 {
			if err := tx.Lease(ctx, wait, leases...); err != nil {
				return err
			}
		}
		if len(starts) > 0 {
			if err := tx.BeginAttempts(ctx, wait, starts...); err != nil {
				return err
			}
		}
		if len(settlements) == 0 {
			return nil
		}
		return s.writeEncoded(ctx, tx, wait, now, settlements...)
	})
}
