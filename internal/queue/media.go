package queue

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"crier/internal/service"
)

const (
	// processTimeout is for the largest picture on a slow machine, behind others that are decoded first.
	processTimeout = 10 * time.Minute
	// sweepAssetsEvery and sweepAssetsTimeout: a sweep lists every file of the library.
	sweepAssetsEvery   = 6 * time.Hour
	sweepAssetsTimeout = time.Hour
)

type processAssetWorker struct {
	river.WorkerDefaults[service.ProcessAssetJob]
	assets *service.Assets
}

// Work makes what belongs to an asset.
func (w *processAssetWorker) Work(ctx context.Context, job *river.Job[service.ProcessAssetJob]) error {
	return w.assets.Process(ctx, job.Args)
}

// Timeout is longer than that of other jobs.
func (w *processAssetWorker) Timeout(*river.Job[service.ProcessAssetJob]) time.Duration {
	return processTimeout
}

type sweepAssetsWorker struct {
	river.WorkerDefaults[service.SweepAssetsJob]
	assets *service.Assets
}

// Work removes files and uploads that nobody needs.
func (w *sweepAssetsWorker) Work(ctx context.Context, _ *river.Job[service.SweepAssetsJob]) error {
	return w.assets.Sweep(ctx)
}

// Timeout is longer than that of other jobs.
func (w *sweepAssetsWorker) Timeout(*river.Job[service.SweepAssetsJob]) time.Duration {
	return sweepAssetsTimeout
}
