package service

import (
	"context"
	"sync"

	"crier/internal/store"
)

// togetherMost is how many writes are committed at once: enough to spread the cost of a commit, few enough that nobody waits long
// for the row locks.
const togetherMost = 128

// together commits writes that come while others are being committed in one go. A write that comes alone does not wait.
type together[T any] struct {
	// run commits all or nothing.
	run func(ctx context.Context, wait store.LockWait, items []T) error
	// lines is how many runs there may be at once.
	lines   int
	mu      sync.Mutex
	waiting []member[T]
	running int
}

type member[T any] struct {
	item T
	done chan error
}

// do returns when the item has been committed, or could not be.
func (t *together[T]) do(ctx context.Context, item T) error {
	m := member[T]{item, make(chan error, 1)}
	t.mu.Lock()
	t.waiting = append(t.waiting, m)
	begin := t.running < t.lines
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
func (t *together[T]) work(ctx context.Context) {
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
			if err != nil && !store.Unavailable(err) { // one of them spoils it, or waits for a row that somebody else holds on to
				go func() { m.done <- t.run(ctx, store.Patient, []T{m.item}) }()
				continue
			}
			m.done <- err
		}
	}
}

func (t *together[T]) take() []member[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.waiting), togetherMost)
	batch := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	if n == 0 {
		t.waiting, t.running = nil, t.running-1
	}
	return batch
}
