package queue

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"crier/internal/analytics"
	"crier/internal/job"
)

const (
	// metricsQueue is the queue of metrics readings. Each of the seven networks has its own share of the workers, so
	// networks that do not answer do not block the others.
	metricsQueue   = "metrics"
	metricsShare   = 4
	metricsWorkers = 7 * metricsShare
	// followEvery is the interval at which published posts are counted, planAccountsEvery the interval at which
	// accounts with due readings are planned.
	followEvery       = time.Second
	planAccountsEvery = 10 * time.Second
	// Counting yields to a burst: while this many runs on publications start or end per tick, it waits for followMax
	// ticks, and then starts no further batch once it has taken followShare of a tick.
	burst       = 16
	followMax   = 10
	followShare = 100 * time.Millisecond
)

type snapshotWorker struct {
	river.WorkerDefaults[job.Snapshot]
	analytics *analytics.Analytics
	shares    *groupShares
}

// Work reads the metrics of a published post.
func (w *snapshotWorker) Work(ctx context.Context, job *river.Job[job.Snapshot]) error {
	return orLater(w.shares.run(string(job.Args.Provider), job.Args.TeamID,
		func() error { return w.analytics.Snapshot(ctx, job.Args) }))
}

type accountSnapshotWorker struct {
	river.WorkerDefaults[job.AccountSnapshot]
	analytics *analytics.Analytics
	shares    *groupShares
}

// Work reads the metrics of an account.
func (w *accountSnapshotWorker) Work(ctx context.Context, job *river.Job[job.AccountSnapshot]) error {
	return orLater(w.shares.run(string(job.Args.Provider), job.Args.TeamID,
		func() error { return w.analytics.AccountSnapshot(ctx, job.Args) }))
}

// orLater snoozes a reading that the network cannot provide now.
func orLater(err error) error {
	if later, ok := errors.AsType[*analytics.Later](err); ok {
		return river.JobSnooze(later.After)
	}
	return err
}

// analyticsLoop counts published posts and schedules the readings of accounts.
func (q *Queue) analyticsLoop(ctx context.Context) {
	follow, plan := time.NewTicker(followEvery), time.NewTicker(planAccountsEvery)
	defer follow.Stop()
	defer plan.Stop()
	count := func(share time.Duration) { q.repeat(ctx, "count posts", share, q.analytics.Follow) }
	planAccounts := func() { q.repeat(ctx, "plan readings of accounts", planAccountsEvery, q.analytics.PlanAccounts) }
	count(followEvery)
	planAccounts()
	for waited := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-follow.C:
			var share time.Duration
			if share, waited = countingShare(q.advanced.Swap(0), waited); share > 0 {
				count(share)
			}
		case <-plan.C:
			planAccounts()
		}
	}
}

// countingShare returns how much of a tick counting may take, given how many runs started or ended in the last one, and
// how many ticks it has waited for a burst.
func countingShare(advanced int64, waited int) (share time.Duration, nowWaited int) {
	switch {
	case advanced < burst:
		return followEvery, 0
	case waited < followMax:
		return 0, waited + 1
	}
	return followShare, waited
}

// repeat calls fn until nothing is left to do, or until it has taken share.
func (q *Queue) repeat(ctx context.Context, failure string, share time.Duration,
	fn func(context.Context) (more bool, err error)) {
	for start := q.now(); ctx.Err() == nil; {
		more, err := fn(ctx)
		if err != nil && ctx.Err() == nil {
			q.log.WarnContext(ctx, "background work failed", "work", failure, "error", err)
		}
		if err != nil || !more || q.now().Sub(start) >= share {
			return
		}
	}
}
