package publish

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

// batchRecorder records what was run together.
type batchRecorder struct {
	mu     sync.Mutex
	runs   [][]int
	failOn int           // fails every run that contains it
	gate   chan struct{} // the first run waits for it
}

var errBatch = errors.New("spoilt")

func (g *batchRecorder) run(_ context.Context, _ store.LockWait, items []int) error {
	g.mu.Lock()
	first := len(g.runs) == 0
	g.runs = append(g.runs, slices.Clone(items))
	g.mu.Unlock()
	if first {
		<-g.gate
	}
	if slices.Contains(items, g.failOn) {
		return errBatch
	}
	return nil
}

func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !condition(); <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
	}
}

func TestGroupCommitBatchesConcurrentWrites(t *testing.T) {
	t.Parallel()
	g := &batchRecorder{failOn: 7, gate: make(chan struct{})}
	all := &groupCommit[int]{run: g.run, most: maxBatch, workers: 1, timeout: time.Minute}
	const items = maxBatch + 10
	results := make([]error, items)
	var done sync.WaitGroup
	done.Go(func() { results[0] = all.do(context.Background(), 0) })
	waitFor(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.runs) == 1
	})
	for i := 1; i < items; i++ {
		done.Go(func() { results[i] = all.do(context.Background(), i) })
	}
	waitFor(t, func() bool {
		all.mu.Lock()
		defer all.mu.Unlock()
		return len(all.waiting[""]) == items-1
	})
	close(g.gate)
	done.Wait()
	for i, err := range results {
		if spoilt := errors.Is(err, errBatch); spoilt != (i == g.failOn) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if len(g.runs[0]) != 1 {
		t.Errorf("the first waited for %d others", len(g.runs[0])-1)
	}
	if len(g.runs[1]) != maxBatch {
		t.Errorf("%d were run together, not %d", len(g.runs[1]), maxBatch)
	}
	waitFor(t, func() bool { // no worker is left
		all.mu.Lock()
		defer all.mu.Unlock()
		return all.running == 0 && len(all.waiting) == 0
	})
}

func TestGroupCommitBatchesByTeam(t *testing.T) {
	t.Parallel()
	const teams, each, most, large = 10, 20, 128, 128 + 5
	all := &groupCommit[crier.ID]{most: most, team: func(item crier.ID) crier.ID { return item }}
	for range each {
		for i := range teams {
			all.add(member[crier.ID]{item: crier.ID(rune('a' + i))})
		}
	}
	for range large - each {
		all.add(member[crier.ID]{item: "a"})
	}
	var served []map[crier.ID]int
	all.running = 1
	for batch := all.take(); len(batch) > 0; batch = all.take() {
		counts := map[crier.ID]int{}
		for _, m := range batch {
			counts[m.item]++
		}
		served = append(served, counts)
	}
	want := []map[crier.ID]int{
		{"a": most}, // the oldest one's team
		{"b": 20, "c": 20, "d": 20, "e": 20, "f": 20, "g": 20, "h": 8},
		{"i": 20, "j": 20, "a": 5, "h": 12}, // what did not fit queues again
	}
	if !reflect.DeepEqual(served, want) {
		t.Errorf("batches of teams: %v, not %v", served, want)
	}
	if all.running != 0 || len(all.waiting) != 0 || len(all.turns) != 0 {
		t.Errorf("%d running, waiting %v %v", all.running, all.waiting, all.turns)
	}
}
