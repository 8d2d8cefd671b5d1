package publish

import (
	"context"
	"time"

	"crier"
	"crier/internal/store"
)

const (
	// overdueAfter is how long a publication may be due without a wake-up.
	overdueAfter = 5 * time.Second
	// overdueWhenBusy replaces overdueAfter on a busy node: the publication's job is already queued, and another one
	// would only lengthen the queue.
	overdueWhenBusy = 30 * time.Second
	// busyThreshold is the number of active publications that make a node busy.
	busyThreshold = 500
	// overdueAgain is when a publication that was woken is checked again.
	overdueAgain = 20 * time.Second
	overdueBatch = 500
)

// WakeOverdue wakes publications that are due without a wake-up, or whose worker died: every node does it, so that a
// dead node's work continues within a minute even if its jobs are lost.
func (s *Publisher) WakeOverdue(ctx context.Context) error {
	waiting := overdueAfter
	if s.limiter.running() >= busyThreshold {
		waiting = overdueWhenBusy
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		now := s.clock()
		due := store.DueBefore{Woken: crier.TimeOf(now.Add(-overdueAfter)), Waiting: crier.TimeOf(now.Add(-waiting))}
		rows, err := tx.TakeOverdue(ctx, due, crier.TimeOf(now), crier.TimeOf(now.Add(overdueAgain)), overdueBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		return s.queue.Enqueue(ctx, tx, WakeJobs(rows)...)
	})
}
