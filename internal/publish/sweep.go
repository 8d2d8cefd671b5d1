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
	// overdueWhenBusy is how long it may be when this node has its hands full: its job waits in line then, and a second
	// one would only make the line longer.
	overdueWhenBusy = 30 * time.Second
	// busyThreshold is with how many publications at work.
	busyThreshold = 500
	// overdueAgain is when one that was woken is looked at again.
	overdueAgain = 20 * time.Second
	overdueBatch = 500
)

// WakeOverdue wakes publications that are due without a wake-up, or whose worker died: every node does it, so that a
// dead node's work goes on within a minute, whatever became of its jobs.
func (s *Publisher) WakeOverdue(ctx context.Context) error {
	waiting := overdueAfter
	if s.limiter.inWork() >= busyThreshold {
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
