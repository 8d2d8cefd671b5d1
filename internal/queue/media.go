package queue

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"crier/internal/job"
	"crier/internal/library"
)

const (
	// mediaQueue is the queue of jobs that decode files. They use a core and much memory, so few run concurrently.
	mediaQueue   = "media"
	mediaWorkers = 4
	// processTimeout allows for the largest image on a slow machine, queued behind others.
	processTimeout = 10 * time.Minute
	// sweepAssetsEvery and sweepAssetsTimeout: a sweep lists every file of the library.
	sweepAssetsEvery   = 6 * time.Hour
	sweepAssetsTimeout = time.Hour
)

type processAssetWorker struct {
	river.WorkerDefaults[job.ProcessAsset]
	assets *library.Assets
	shares *fairShares
}

// Work processes an asset.
func (w *processAssetWorker) Work(ctx context.Context, job *river.Job[job.ProcessAsset]) error {
	return w.shares.run(job.Args.TeamID, func() error { return w.assets.Process(ctx, job.Args) })
}

// Timeout is longer than that of other jobs.
func (w *processAssetWorker) Timeout(*river.Job[job.ProcessAsset]) time.Duration {
	return processTimeout
}

type sweepAssetsWorker struct {
	river.WorkerDefaults[job.SweepAssets]
	assets *library.Assets
}

// Work removes unused files and uploads.
func (w *sweepAssetsWorker) Work(ctx context.Context, _ *river.Job[job.SweepAssets]) error {
	return w.assets.Sweep(ctx)
}

// Timeout is longer than that of other jobs.
func (w *sweepAssetsWorker) Timeout(*river.Job[job.SweepAssets]) time.Duration {
	return sweepAssetsTimeout
}
