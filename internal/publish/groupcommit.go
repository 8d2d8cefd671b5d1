package publish

import (
	"context"
	"sync"

	"crier/internal/store"
)

// maxBatch bounds how many writes share a commit: enough to spread its cost, few enough that nobody waits long for the
// row locks.
const maxBatch = 128

// groupCommit commits writes that arrive while others are being committed in one transaction. A write that arrives
// alone does not wait.
type groupCommit[T any] struct {
	// run commits all or nothing.
	run func(ctx context.Context, wait store.LockWait, items []T) error
	// workers bounds how many runs there are at once.
	workers int
	mu      sync.Mutex
	waiting []member[T]
	running int
}

type member[T any] struct {
	item T
	done chan error
}

// do returns when the item has been committed, or could not be.
func (t *groupCommit[T]) do(ctx context.Context, item T) error {
	m := member[T]{item, make(chan error, 1)}
	t.mu.Lock()
	t.waiting = append(t.waiting, m)
	begin := t.running < t.workers
	if begin {
		t.running++
	}
	t.mu.Unlock()
	if begin {
		go t.work(context.WithoutCancel(ctx))
	}
	return <-m.done
}

// work runs what waits until nothing does.
func (t *groupCommit[T]) work(ctx context.Context) {
	for {
		batch := t.take()
		if len(batch) == 0 {
			return
		}
		items := make([]T, len(batch))
		for i, m := range batch {
			items[i] = m.item
		}
		err := t.run(ctx, store.Impatient, items)
		for _, m := range batch {
			// one of them spoils it, or waits for a row that somebody else holds on to
			if err != nil && !store.Unavailable(err) {
				go func() { m.done <- t.run(ctx, store.Patient, []T{m.item}) }()
				continue
			}
			m.done <- err
		}
	}
}

func (t *groupCommit[T]) take() []member[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.waiting), maxBatch)
	batch := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	if n == 0 {
		t.waiting, t.running = nil, t.running-1
	}
	return batch
}
