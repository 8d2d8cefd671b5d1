package publish

import (
	"context"
	"sync"
	"time"

	"crier"
	"crier/internal/store"
)

// groupCommit commits writes that arrive during another commit in one transaction. A single write does not wait. If
// more wait than a batch holds, writes of the same team share it: their index entries are on the same pages.
type groupCommit[T any] struct {
	// run commits all or nothing.
	run func(ctx context.Context, wait store.LockWait, items []T) error
	// team returns the team of an item; nil if it does not matter.
	team func(item T) crier.ID
	// most bounds how many writes share a commit.
	most int
	// workers bounds the concurrent runs.
	workers int
	// timeout bounds each run.
	timeout time.Duration
	mu      sync.Mutex
	// waiting holds the waiting members by team, turns the teams in the order in which they are served.
	waiting map[crier.ID][]member[T]
	turns   []crier.ID
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
	t.add(m)
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
		err := t.commit(ctx, store.Impatient, items)
		for _, m := range batch {
			// one item fails, or waits for a row that another transaction has locked
			if err != nil && !store.Unavailable(err) {
				go func() { m.done <- t.commit(ctx, store.Patient, []T{m.item}) }()
				continue
			}
			m.done <- err
		}
	}
}

// commit runs writes with a deadline: a connection that does not answer any more must not stop the writes behind them.
// Whether they were committed is not known then.
func (t *groupCommit[T]) commit(ctx context.Context, wait store.LockWait, items []T) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	return t.run(ctx, wait, items)
}

// add queues a member behind the others of its team.
func (t *groupCommit[T]) add(m member[T]) {
	var team crier.ID
	if t.team != nil {
		team = t.team(m.item)
	}
	if t.waiting == nil {
		t.waiting = map[crier.ID][]member[T]{}
	}
	if len(t.waiting[team]) == 0 {
		t.turns = append(t.turns, team)
	}
	t.waiting[team] = append(t.waiting[team], m)
}

// take returns the next batch; if it is empty, the worker has ended. A team that has more members than fit queues again
// behind the others, so that no team waits for all members of another.
func (t *groupCommit[T]) take() []member[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	var batch []member[T]
	for len(batch) < t.most && len(t.turns) > 0 {
		team := t.turns[0]
		t.turns = t.turns[1:]
		members := t.waiting[team]
		n := min(len(members), t.most-len(batch))
		batch = append(batch, members[:n]...)
		if n < len(members) {
			t.waiting[team], t.turns = members[n:], append(t.turns, team)
			continue
		}
		delete(t.waiting, team)
	}
	if len(batch) == 0 {
		t.turns, t.running = nil, t.running-1
	}
	return batch
}
