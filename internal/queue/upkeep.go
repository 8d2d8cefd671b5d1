package queue

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"crier/internal/analytics"
	"crier/internal/job"
	"crier/internal/service"
)

const (
	// upkeepQueue is the queue of periodic maintenance jobs, so that no tenant can delay them. There is one of each at
	// a time, or two when one takes long.
	upkeepQueue   = "upkeep"
	upkeepWorkers = 8
	sweepEvery    = 10 * time.Minute
	// resealEvery is also the timeout: every publication may have secrets, so looking for them may take long.
	resealEvery = 10 * time.Minute
)

func periodicJobs() []*river.PeriodicJob {
	upkeep := func(args river.JobArgs) (river.JobArgs, *river.InsertOpts) {
		return args, &river.InsertOpts{Queue: upkeepQueue}
	}
	sweep := func() (river.JobArgs, *river.InsertOpts) { return upkeep(job.Sweep{}) }
	reseal := func() (river.JobArgs, *river.InsertOpts) { return upkeep(job.Reseal{}) }
	renew := func() (river.JobArgs, *river.InsertOpts) { return upkeep(job.RenewTokens{}) }
	sweepAssets := func() (river.JobArgs, *river.InsertOpts) { return upkeep(job.SweepAssets{}) }
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(renewEvery), renew, &river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(sweepEvery), sweep, &river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(resealEvery), reseal, &river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(sweepAssetsEvery), sweepAssets,
			&river.PeriodicJobOpts{RunOnStart: true}),
	}
}

// dailyAt is a time of day, UTC.
type dailyAt struct{ hour, minute int }

// quietTime is when River rebuilds its indexes: its default is midnight, when many posts are due.
var quietTime = dailyAt{3, 43}

// Next returns the next such time after the given one.
func (d dailyAt) Next(after time.Time) time.Time {
	year, month, day := after.UTC().Date()
	next := time.Date(year, month, day, d.hour, d.minute, 0, 0, time.UTC)
	if !next.After(after) {
		next = next.AddDate(0, 0, 1)
	}
	return next
}

type purgeTeamWorker struct {
	river.WorkerDefaults[job.PurgeTeam]
	upkeep *service.Upkeep
	shares *defaultShares
}

// Work purges a deleted team. It is not urgent, so few run concurrently.
func (w *purgeTeamWorker) Work(ctx context.Context, job *river.Job[job.PurgeTeam]) error {
	return w.shares.purges.run("all", func() error { return w.upkeep.PurgeTeam(ctx, job.Args.TeamID) })
}

type sweepWorker struct {
	river.WorkerDefaults[job.Sweep]
	upkeep    *service.Upkeep
	analytics *analytics.Analytics
}

// Work removes expired data.
func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[job.Sweep]) error {
	return errors.Join(w.upkeep.Sweep(ctx), w.analytics.Sweep(ctx))
}

type resealWorker struct {
	river.WorkerDefaults[job.Reseal]
	upkeep *service.Upkeep
}

// Work seals records of older keys again.
func (w *resealWorker) Work(ctx context.Context, _ *river.Job[job.Reseal]) error {
	return w.upkeep.Reseal(ctx)
}

// Timeout gives the job enough time.
func (*resealWorker) Timeout(*river.Job[job.Reseal]) time.Duration { return resealEvery }
