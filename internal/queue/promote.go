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
	// upkeepTimeout bounds one round of a loop: otherwise a connection that no longer answers would stop the loop.
	// analyzeTimeout is longer, because tables can be large.
	upkeepTimeout  = 30 * time.Second
	analyzeTimeout = 10 * time.Minute
)

func (e *riverEngine[TTx]) promote(ctx context.Context, until time.Time) error {
	_, err := e.client.Driver().GetExecutor().JobSchedule(ctx,
		&riverdriver.JobScheduleParams{Max: promoteMax, Now: &until})
	return err
}

func (q *Queue) promoteLoop(ctx context.Context) {
	q.every(ctx, promoteEvery, upkeepTimeout, "promote timed jobs", func(ctx context.Context) error {
		return q.engine.promote(ctx, q.now().UTC().Add(promoteAhead))
	})
}

// analyzeNewLoop analyzes new tables soon after they have grown.
func (q *Queue) analyzeNewLoop(ctx context.Context) {
	q.every(ctx, analyzeNewEvery, analyzeTimeout, "analyze new tables", q.store.AnalyzeNew)
}

// every calls fn at an interval until ctx ends, each time with a timeout.
func (q *Queue) every(ctx context.Context, interval, timeout time.Duration, what string,
	fn func(context.Context) error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		round, cancel := context.WithTimeout(ctx, timeout)
		err := fn(round)
		cancel()
		if err != nil && ctx.Err() == nil {
			q.log.WarnContext(ctx, "upkeep failed", "work", what, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
