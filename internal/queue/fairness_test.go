package queue

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"crier"
	"crier/internal/store/storetest"
)

func TestFairSharesLeaveHalfOfTheWorkersToOthers(t *testing.T) {
	t.Parallel()
	s := newFairShares(4)
	var release func()
	for i := range 2 {
		got, ok := s.acquire("flood")
		if !ok {
			t.Fatalf("job %d of the only owner was put off", i+1)
		}
		release = got
	}
	if _, ok := s.acquire("flood"); ok {
		t.Error("an owner got more than half of the workers")
	}
	for _, owner := range []crier.ID{"a", "b"} {
		if _, ok := s.acquire(owner); !ok {
			t.Errorf("the job of %s was put off because of another owner's", owner)
		}
	}
	release()
	if _, ok := s.acquire("flood"); !ok {
		t.Error("a worker that was given back cannot be taken again")
	}
}

func TestFairSharesForgetOwnersWithoutJobs(t *testing.T) {
	t.Parallel()
	s := newFairShares(1)
	for range 100 {
		release, ok := s.acquire(crier.NewID())
		if !ok {
			t.Fatal("an owner without jobs was put off")
		}
		release()
	}
	if len(s.running) != 0 {
		t.Errorf("%d owners are remembered", len(s.running))
	}
}

func TestFairSharesPauseGrowsWithBacklog(t *testing.T) {
	t.Parallel()
	s := newFairShares(1)
	if p := s.pause(); p < 250*time.Millisecond || p > 750*time.Millisecond {
		t.Errorf("nobody waits, and the pause is %s", p)
	}
	_, _ = s.acquire("flood")
	for range 2000 {
		_, _ = s.acquire("flood")
	}
	if p := s.pause(); p < 10*time.Second || p > 31*time.Second {
		t.Errorf("2,000 wait, and the pause is %s", p)
	}
}

// occupy runs jobs of an owner until the test ends.
func occupy(t *testing.T, count int, run func(fn func() error) error) {
	t.Helper()
	running, end := make(chan struct{}), make(chan struct{})
	var jobs sync.WaitGroup
	for range count {
		jobs.Go(func() {
			if err := run(func() error { running <- struct{}{}; <-end; return nil }); err != nil {
				t.Error(err)
			}
		})
		<-running
	}
	t.Cleanup(func() { close(end); jobs.Wait() })
}

// snoozed reports whether a job was snoozed.
func snoozed(err error) bool {
	_, ok := errors.AsType[*river.JobSnoozeError](err)
	return ok
}

func TestTeamUsesAtMostHalfOfTextAndMediaWorkers(t *testing.T) {
	t.Parallel()
	for name, workers := range map[string]int{"texts": defaultWorkers, "media": mediaWorkers} {
		s := newFairShares(workers)
		occupy(t, workers/2, func(fn func() error) error { return s.run("flood", fn) })
		done := func() error { return nil }
		if err := s.run("flood", done); !snoozed(err) {
			t.Errorf("%s: a team has more than half of the workers: %v", name, err)
		}
		for _, other := range []crier.ID{"another", ""} {
			if err := s.run(other, done); err != nil {
				t.Errorf("%s: %q waits for another team: %v", name, other, err)
			}
		}
	}
}

func TestMailAndRemovalJobsCannotFillTheQueue(t *testing.T) {
	t.Parallel()
	done := func() error { return nil }
	for name, c := range map[string]struct {
		most int
		run  func(s *defaultShares, owner crier.ID, fn func() error) error
	}{
		"mails": {mailShare, func(s *defaultShares, owner crier.ID, fn func() error) error {
			return s.mail(owner, fn)
		}},
		"removals": {removalShare, func(s *defaultShares, owner crier.ID, fn func() error) error {
			return s.remove("x", owner, fn)
		}},
	} {
		s := newDefaultShares()
		occupy(t, c.most/2, func(fn func() error) error { return c.run(s, "flood", fn) })
		if err := c.run(s, "flood", done); !snoozed(err) {
			t.Errorf("%s: an owner has more than half: %v", name, err)
		}
		if err := c.run(s, "another", done); err != nil {
			t.Errorf("%s: another owner waits: %v", name, err)
		}
		occupy(t, c.most/2, func(fn func() error) error { return c.run(s, "another", fn) })
		if err := c.run(s, "third", done); !snoozed(err) {
			t.Errorf("%s: all together have more than their share: %v", name, err)
		}
		if err := s.run("flood", done); err != nil {
			t.Errorf("%s: other work of the owner waits: %v", name, err)
		}
		if err := s.remove("threads", "flood", done); err != nil {
			t.Errorf("%s: another network waits: %v", name, err)
		}
	}
}

// TestTenantUsesAtMostHalfOfTheDefaultQueue counts the jobs of all kinds of a team together.
func TestTenantUsesAtMostHalfOfTheDefaultQueue(t *testing.T) {
	t.Parallel()
	s := newDefaultShares()
	done := func() error { return nil }
	occupy(t, 1, func(fn func() error) error { return s.mail("flood", fn) })
	occupy(t, 1, func(fn func() error) error { return s.remove("x", "flood", fn) })
	occupy(t, defaultWorkers/2-2, func(fn func() error) error { return s.run("flood", fn) })
	for name, err := range map[string]error{"mail": s.mail("flood", done), "removal": s.remove("x", "flood", done),
		"text": s.run("flood", done)} {
		if !snoozed(err) {
			t.Errorf("a %s beyond half of the queue: %v", name, err)
		}
	}
	if err := s.mail("another", done); err != nil {
		t.Errorf("another tenant waits: %v", err)
	}
}

func TestMaintenanceJobsHaveTheirOwnQueue(t *testing.T) {
	t.Parallel()
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		release, running := make(chan struct{}), make(chan struct{}, defaultWorkers)
		q, st := newQueue(t, db, func(context.Context, probe) error { running <- struct{}{}; <-release; return nil })
		for range defaultWorkers { // nothing else can run in the default queue
			enqueue(t, q, st, probe{})
		}
		start(t, q)
		t.Cleanup(func() { close(release) })
		for range defaultWorkers {
			wait(t, running, "the default queue to be full")
		}
		until(t, "work on tokens and old rows to begin", func() bool {
			var n int
			err := st.Reader().QueryRowContext(context.Background(), `SELECT count(*) FROM river_job
				WHERE kind IN ('tokens.renew', 'upkeep.sweep') AND attempted_at IS NOT NULL`).Scan(&n)
			return err == nil && n == 2
		})
	})
}

// TestTeamWithManyJobsDoesNotDelayOthers makes the jobs of one owner hang, of which there are more than workers.
func TestTeamWithManyJobsDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	const other = -1
	databases.Each(t, func(t *testing.T, db storetest.Database) {
		s := newDefaultShares()
		release, running, ran := make(chan struct{}), make(chan struct{}, defaultWorkers), make(chan struct{}, 1)
		q, st := newQueue(t, db, func(_ context.Context, p probe) error {
			if p.Number == other {
				return s.remove("x", "another", func() error { ran <- struct{}{}; return nil })
			}
			return s.remove("x", "flood", func() error { running <- struct{}{}; <-release; return nil })
		})
		for i := range defaultWorkers + 10 {
			enqueue(t, q, st, probe{Number: i})
		}
		start(t, q)
		t.Cleanup(func() { close(release) })
		for range removalShare / 2 {
			wait(t, running, "jobs of the first owner to run")
		}
		enqueue(t, q, st, probe{Number: other})
		wait(t, ran, "the job of the other owner")
	})
}

func TestTeamUsesAtMostHalfOfANetworksReaders(t *testing.T) {
	t.Parallel()
	s := newGroupShares(metricsShare)
	done := func() error { return nil }
	occupy(t, metricsShare/2, func(fn func() error) error { return s.run("x", "flood", fn) })
	if err := s.run("x", "flood", done); !snoozed(err) {
		t.Errorf("a team has more than half of a network's readers: %v", err)
	}
	if err := s.run("x", "another", done); err != nil {
		t.Errorf("another team waits: %v", err)
	}
	if err := s.run("threads", "flood", done); err != nil {
		t.Errorf("another network waits: %v", err)
	}
	occupy(t, metricsShare/2, func(fn func() error) error { return s.run("x", "another", fn) })
	if err := s.run("x", "third", done); !snoozed(err) {
		t.Errorf("a network has more than its readers: %v", err)
	}
}
