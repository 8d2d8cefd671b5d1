package queue

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

// wakePause is the shortest time between two notifications of a waker.
const wakePause = 20 * time.Millisecond

// urgentQueues returns the queues whose jobs start as soon as they are committed: nodes are notified of them.
func urgentQueues(poll time.Duration) map[string]river.QueueConfig {
	queues := map[string]river.QueueConfig{webhookQueue: {MaxWorkers: webhookWorkers}}
	for _, p := range crier.Providers() {
		queues[publishQueue(p)] = river.QueueConfig{MaxWorkers: publishWorkers}
	}
	for name, config := range queues {
		config.FetchCooldown, config.FetchPollInterval = 5*time.Millisecond, poll
		queues[name] = config
	}
	return queues
}

// waker notifies the nodes on PostgreSQL of urgent jobs that are due, after the commit, and at once for all that are
// committed while it pauses. It is lost with the node; polling finds the jobs then.
type waker struct {
	notify  func(ctx context.Context, queues map[string]bool)
	mu      sync.Mutex
	pending map[string]bool
	running bool
}

// wake notifies of the queues, at once or after a pause, and does not wait for it.
func (w *waker) wake(ctx context.Context, queues map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending == nil {
		w.pending = map[string]bool{}
	}
	maps.Copy(w.pending, queues)
	if !w.running {
		w.running = true
		go w.run(context.WithoutCancel(ctx))
	}
}

// run notifies until nothing is pending.
func (w *waker) run(ctx context.Context) {
	for queues := w.take(); queues != nil; queues = w.take() {
		w.notify(ctx, queues)
		<-time.After(wakePause)
	}
}

func (w *waker) take() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	queues := w.pending
	w.pending, w.running = nil, queues != nil
	return queues
}

// wake notifies of the urgent jobs that are due. River notifies of one job of a queue in 100 ms; the others would wait
// until a node polls, up to 1.1 seconds. On PostgreSQL the notification follows the commit, because commits of
// transactions that notify are serialized. On SQLite it is a row, and written with the job.
func (q *Queue) wake(ctx context.Context, tx *store.Tx, jobs []job.Job) error {
	due := dueAtOnce(jobs)
	switch {
	case due == nil:
		return nil
	case q.store.Dialect() == store.SQLite:
		return q.engine.notifyIn(ctx, tx, due)
	}
	tx.AfterCommit(func() { q.waker.wake(ctx, due) })
	return nil
}

// dueAtOnce returns the queues of the urgent jobs that are due at once; nil if there are none.
func dueAtOnce(jobs []job.Job) map[string]bool {
	var due map[string]bool
	for _, j := range jobs {
		switch j.Args.(type) {
		case job.Publish, job.DeliverWebhook:
			if j.At.IsZero() {
				if due == nil {
					due = map[string]bool{}
				}
				due[queueOf(j.Args)] = true
			}
		}
	}
	return due
}
