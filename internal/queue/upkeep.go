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
