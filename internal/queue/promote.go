package queue

import (
	"context"
	"time"

	"github.com/riverqueue/river/riverdriver"
)

const (
	// promoteEvery and promoteAhead: every node promotes scheduled jobs well before they are due, so that the death of
	// River's leader, which normally does it, causes no delay.
	promoteEvery = 2 * time.Second
	promoteAhead = 30 * time.Second
	promoteMax   = 10_000
	// analyzeNewEvery is the interval of the search for grown tables without statistics.
	analyzeNewEvery = 5 * time.Second
)

func (e *riverEngine[TTx]) promote(ctx context.Context, until time.Time) error {
	_, err := e.client.Driver().GetExecutor().JobSchedule(ctx,
		&riverdriver.JobScheduleParams{Max: promoteMax, Now: &until})
	return err
}

func (q *Queue) promoteLoop(ctx context.Context) {
	q.every(ctx, promoteEvery, "promote timed jobs", func(ctx context.Context) error {
		return q.engine.promote(ctx, q.now().UTC().Add(promoteAhead))
	})
}

// analyzeNewLoop analyzes new tables soon after they have grown.
func (q *Queue) analyzeNewLoop(ctx context.Context) {
	q.every(ctx, analyzeNewEvery, "analyze new tables", q.store.AnalyzeNew)
}

func (q *Queue) every(ctx context.Context, interval time.Duration, what string, fn func(context.Context) error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := fn(ctx); err != nil && ctx.Err() == nil {
			q.log.WarnContext(ctx, "upkeep failed", "work", what, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
