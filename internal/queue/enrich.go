package queue

import (
	"context"

	"github.com/riverqueue/river"

	"crier/internal/job"
	"crier/internal/service"
)

type enrichPostWorker struct {
	river.WorkerDefaults[job.EnrichPost]
	facets *service.Facets
	shares *defaultShares
}

// Work enriches a post.
func (w *enrichPostWorker) Work(ctx context.Context, job *river.Job[job.EnrichPost]) error {
	return w.shares.run(job.Args.TeamID, func() error { return w.facets.Enrich(ctx, job.Args) })
}

type retagPostsWorker struct {
	river.WorkerDefaults[job.RetagPosts]
	facets *service.Facets
	shares *defaultShares
}

// Work updates the asset tags of posts.
func (w *retagPostsWorker) Work(ctx context.Context, job *river.Job[job.RetagPosts]) error {
	return w.shares.run(job.Args.TeamID, func() error { return w.facets.Retag(ctx, job.Args) })
}
