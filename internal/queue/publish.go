package queue

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"

	"crier"
	"crier/internal/job"
	"crier/internal/publish"
	"crier/internal/store"
)

const (
	// publishWorkers is how many publications of one network a node works on concurrently, most of them waiting for
	// their time or for an answer. Each network has its own queue, so that a slow one never delays another.
	publishWorkers = 4_000
	// publishTimeout bounds one run on a publication; uploads continue in the next.
	publishTimeout = 3 * time.Minute
	sweepOverdue   = 2 * time.Second
	renewEvery     = time.Minute
)

func publishQueue(p crier.Provider) string { return "publish_" + string(p) }

type publishWorker struct {
	river.WorkerDefaults[job.Publish]
	publisher *publish.Publisher
	now       func() time.Time
	// advanced counts the starts and ends of runs.
	advanced *atomic.Int64
}

// Work advances a publication and snoozes until its next step.
func (w *publishWorker) Work(ctx context.Context, job *river.Job[job.Publish]) error {
	run := store.Run{Job: strconv.FormatInt(job.ID, 10), Attempt: strconv.Itoa(job.Attempt)}
	w.advanced.Add(1)
	next, err := w.publisher.Advance(ctx, job.Args, run)
	w.advanced.Add(1)
	if err != nil || next.IsZero() {
		return err
	}
	return river.JobSnooze(max(0, next.Sub(w.now())))
}

// Timeout returns the longest run.
func (w *publishWorker) Timeout(*river.Job[job.Publish]) time.Duration { return publishTimeout }

// NextRetry retries soon after an internal error, such as an unavailable database.
func (w *publishWorker) NextRetry(job *river.Job[job.Publish]) time.Time {
	return w.now().Add(min(time.Duration(job.Attempt)*2*time.Second, 30*time.Second))
}

type unpublishWorker struct {
	river.WorkerDefaults[job.Unpublish]
	publisher *publish.Publisher
	shares    *defaultShares
	now       func() time.Time
}

// Work deletes a publication from its network, and snoozes while the network cannot.
func (w *unpublishWorker) Work(ctx context.Context, job *river.Job[job.Unpublish]) error {
	return w.shares.remove(job.Args.Provider, job.Args.TeamID, func() error {
		next, err := w.publisher.Unpublish(ctx, job.Args.ScheduledPostID)
		if err != nil || next.IsZero() {
			return err
		}
		return river.JobSnooze(max(0, next.Sub(w.now())))
	})
}

type renewTokensWorker struct {
	river.WorkerDefaults[job.RenewTokens]
	tokens *publish.Tokens
}

// Work refreshes tokens before they expire.
func (w *renewTokensWorker) Work(ctx context.Context, _ *river.Job[job.RenewTokens]) error {
	return w.tokens.RenewExpiring(ctx)
}

// overdueLoop is the lease sweep: it wakes publications that missed their wake-up.
func (q *Queue) overdueLoop(ctx context.Context) {
	q.every(ctx, sweepOverdue, upkeepTimeout, "wake overdue publications", q.publisher.WakeOverdue)
}

// Late measures the delay between a post's scheduled time and its call to the network.
func (q *Queue) Late(network crier.Provider, by time.Duration) {
	q.metrics.late.WithLabelValues(string(network)).Observe(by.Seconds())
}

// Attempt counts an attempt.
func (q *Queue) Attempt(network crier.Provider, operation, outcome string) {
	q.metrics.attempts.WithLabelValues(string(network), operation, outcome).Inc()
}
