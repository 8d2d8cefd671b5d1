package publish

import (
	"context"

	"crier"
	"crier/internal/store"
)

const (
	// maxBatch bounds how many writes share a commit: enough to amortize its cost, few enough to keep row locks short.
	maxBatch = 256
	// maxMixedBatch is maxBatch where leases, starts and settlements share commits, and everybody waits for them.
	maxMixedBatch = 384
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

// groupWrites sets what groups leases, starts and settlements. SQLite has one writer, so they share commits; on
// PostgreSQL each kind is committed concurrently with the others, a batch at a time: two smaller ones take longer.
func (s *Publisher) groupWrites() {
	s.leased = &groupCommit[*store.LeaseRequest]{run: s.readLeased, most: maxBatch, workers: 2,
		timeout: s.timings.WriteTimeout}
	group := func(most int) *groupCommit[write] {
		return &groupCommit[write]{run: s.commit, team: write.team, most: most, workers: 1,
			timeout: s.timings.WriteTimeout}
	}
	if s.store.Dialect() == store.SQLite {
		all := group(maxMixedBatch)
		s.leases, s.starts, s.settlements = all, all, all
		return
	}
	s.leases, s.starts, s.settlements = group(maxBatch), group(maxBatch), group(maxBatch)
}

// readLeased reads publications that were leased.
func (s *Publisher) readLeased(ctx context.Context, _ store.LockWait, list []*store.LeaseRequest) error {
	return s.store.ReadLeased(ctx, list...)
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
		return s.writeEncoded(ctx, tx, wait, s.clock.Now(), settlements...)
	})
}
