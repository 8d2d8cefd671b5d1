package queue

import (
	"context"

	"github.com/riverqueue/river"

	"crier/internal/service"
)

type snapshotWorker struct {
	river.WorkerDefaults[service.SnapshotJob]
	metrics *service.Metrics
}

// Work reads the numbers of a published post.
func (w *snapshotWorker) Work(ctx context.Context, job *river.Job[service.SnapshotJob]) error {
	return w.metrics.Snapshot(ctx, job.Args)
}
