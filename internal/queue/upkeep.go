package queue

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"crier/internal/service"
)

const sweepEvery = 10 * time.Minute

func periodicJobs() []*river.PeriodicJob {
	sweep := func() (river.JobArgs, *river.InsertOpts) { return service.SweepJob{}, nil }
	renew := func() (river.JobArgs, *river.InsertOpts) { return service.RenewTokensJob{}, nil }
	sweepAssets := func() (river.JobArgs, *river.InsertOpts) { return service.SweepAssetsJob{}, nil }
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(renewEvery), renew, &river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(sweepEvery), sweep, &river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(sweepAssetsEvery), sweepAssets, &river.PeriodicJobOpts{RunOnStart: true}),
	}
}

// dailyAt is a time of day, UTC.
type dailyAt struct{ hour, minute int }

// quietTime is when the job engine rebuilds its indexes: it would do so at midnight, when many posts are due.
var quietTime = dailyAt{3, 43}

// Next is the first such time after another.
func (d dailyAt) Next(after time.Time) time.Time {
	year, month, day := after.UTC().Date()
	next := time.Date(year, month, day, d.hour, d.minute, 0, 0, time.UTC)
	if !next.After(after) {
		next = next.AddDate(0, 0, 1)
	}
	return next
}

type purgeTeamWorker struct {
	river.WorkerDefaults[service.PurgeTeamJob]
	upkeep *service.Upkeep
}

// Work removes a deleted team.
func (w *purgeTeamWorker) Work(ctx context.Context, job *river.Job[service.PurgeTeamJob]) error {
	return w.upkeep.PurgeTeam(ctx, job.Args.TeamID)
}

type sweepWorker struct {
	river.WorkerDefaults[service.SweepJob]
	upkeep *service.Upkeep
}

// Work removes what has outlived its time.
func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[service.SweepJob]) error {
	return w.upkeep.Sweep(ctx)
}
