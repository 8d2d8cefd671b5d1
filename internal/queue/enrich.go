package queue

import (
	"context"

	"github.com/riverqueue/river"

	"crier/internal/service"
)

type enrichPostWorker struct {
	river.WorkerDefaults[service.EnrichPostJob]
	facets *service.Facets
}

// Work finds out what a post is about.
func (w *enrichPostWorker) Work(ctx context.Context, job *river.Job[service.EnrichPostJob]) error {
	return w.facets.Enrich(ctx, job.Args)
}

type retagPostsWorker struct {
	river.WorkerDefaults[service.RetagPostsJob]
	facets *service.Facets
}

// Work brings the asset tags of posts up to date.
func (w *retagPostsWorker) Work(ctx context.Context, job *river.Job[service.RetagPostsJob]) error {
	return w.facets.Retag(ctx, job.Args)
}
