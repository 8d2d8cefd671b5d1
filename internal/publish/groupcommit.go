package publish

import (
	"context"
	"sync"

	"crier/internal/store"
)

// maxBatch bounds how many writes share a commit: enough to amortize its cost, few enough to keep row locks short.
const maxBatch = 128

// groupCommit commits writes that arrive during another commit in one transaction. A single write does not wait.
type groupCommit[T any] struct {
	// run commits all or nothing.
	run func(ctx context.Context, wait store.LockWait, items []T) error
	// workers bounds the concurrent runs.
	workers int
	mu      sync.Mutex
	waiting []member[T]
	running int
}

type member[T any] struct {
	item T
	done chan error
}

// do returns when the item has been committed or has failed.
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

// work commits batches until the queue is empty.
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
			// one item fails, or waits for a row that another transaction has locked
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
