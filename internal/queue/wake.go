package queue

import (
	"context"
	"maps"
	"sync"
	"time"

	"crier/internal/job"
	"crier/internal/store"
)

// wakePause is the shortest time between two notifications of a waker.
const wakePause = 20 * time.Millisecond

// waker notifies the nodes on PostgreSQL of publications that are due, after the commit, and at once for all that are
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

// wake notifies of the publications among the jobs that are due. River notifies of one job of a queue in 100 ms; the
// others would wait until a node polls, up to 1.1 seconds. On PostgreSQL the notification follows the commit, because
// commits of transactions that notify are serialized. On SQLite it is a row, and written with the job.
func (q *Queue) wake(ctx context.Context, tx *store.Tx, jobs []job.Job) error {
	due := duePublications(jobs)
	switch {
	case due == nil:
		return nil
	case q.store.Dialect() == store.SQLite:
		return q.engine.notifyIn(ctx, tx, due)
	}
	tx.AfterCommit(func() { q.waker.wake(ctx, due) })
	return nil
}

// duePublications returns the queues of the publications that are due at once; nil if there are none.
func duePublications(jobs []job.Job) map[string]bool {
	var due map[string]bool
	for _, j := range jobs {
		if args, ok := j.Args.(job.Publish); ok && j.At.IsZero() {
			if due == nil {
				due = map[string]bool{}
			}
			due[publishQueue(args.Provider)] = true
		}
	}
	return due
}
