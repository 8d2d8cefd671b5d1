package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/publish"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// A slow account has a separate lane: its posts take no worker, and no place in the queue, from other accounts of the
// same network. Not parallel: it measures time.
func TestFiveHundredSlowPostsOfOneAccountDoNotDelayOthers(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db database) {
		const slow, takes = 500, 6 * time.Second
		timings := servertest.FastTimings
		timings.CommitTimeout = takes + servertest.Pace(2*time.Second)
		e := startEngine(t, db, servertest.WithTimings(timings))
		c := e.NewCrew(t, 1_000_000, "x", "x")
		busy, other := c.Accounts[0], c.Accounts[1]
		alone := e.lateness(t, c, other, "alone")
		e.box.Fault(t, busy, "publish", "slow", object{"delayMs": takes.Milliseconds(), "count": slow})
		// Their jobs were lost: the sweep wakes them all at once.
		e.CopyPublication(t, c, []servertest.Account{busy}, slow, e.Config.Now().Add(-10*time.Second))
		servertest.Until(t, func() bool { return e.box.Calls(t, "x", "publish") >= 20 },
			func() string { return "the slow posts are not on their way" })
		late := e.lateness(t, c, other, "beside the slow ones")
		left := e.Number(t, `SELECT count(*) FROM publications WHERE social_account_id = $1
			AND status IN ('scheduled', 'publishing')`, busy.ID)
		t.Logf("%d posts of the slow account were left; the other account's call left %v after its time, and %v when "+
			"alone", left, late, alone)
		if late-alone > servertest.Pace(time.Second) { // make chaos measures it without the race detector
			t.Errorf("the slow account delayed the other account's call by %v", late-alone)
		}
		if left < slow/2 {
			t.Errorf("only %d of %d slow posts were left: the account was not slow enough to prove anything", left,
				slow)
		}
		// A stop waits for the calls that are running, not for those in the queue.
		start := time.Now()
		if err := e.Stop(); err != nil || time.Since(start) > server.DrainTime {
			t.Errorf("the stop took %v: %v", time.Since(start), err)
		}
	})
}

// lateness returns how long after its due time the call of a post was sent.
func (e *engine) lateness(t *testing.T, c crew, on servertest.Account, text string) time.Duration {
	t.Helper()
	r, at := e.ScheduleIn(t, c, e.NewPost(t, c, text), 3*time.Second,
		crier.Targets{SocialAccountIDs: []crier.ID{on.ID}})
	id := r.Data[0].ScheduledPost.ID
	e.Await(t, c, id, crier.Published)
	late := e.Attempts(t, c, id)[0].StartedAt.Sub(at)
	if late < 0 {
		t.Errorf("the call left %v before its time", -late)
	}
	return late
}

// A suspended node, or a long edit, locks the rows of its post. A write that waits for them would wait for the whole
// test.
func TestLockedRowsOfOnePostDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	const posts, held = 20, 7
	var leased sync.Map
	proceed := make(chan struct{})
	e := startEngine(t, servertest.Databases.Fresh(t, store.Postgres), func(a *server.Config) {
		a.Timings.Lease, a.Timings.WriteTimeout = 2*servertest.WaitTimeout, 2*servertest.WaitTimeout
		a.Checkpoint = func(id crier.ID, step publish.Step) {
			if step == publish.StepLeased {
				leased.Store(id, true)
				<-proceed // so that they begin together
			}
		}
	})
	begin := sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(begin)
	c := e.NewCrew(t, 100_000, slices.Repeat([]string{"x"}, posts)...)
	ids := make([]crier.ID, posts)
	for i, on := range c.Accounts {
		r, _ := e.ScheduleIn(t, c, e.NewPost(t, c, fmt.Sprint("post ", i)), 0,
			crier.Targets{SocialAccountIDs: []crier.ID{on.ID}})
		ids[i] = r.Data[0].ScheduledPost.ID
	}
	for _, id := range ids {
		servertest.Until(t, func() bool { _, ok := leased.Load(id); return ok }, func() string {
			return fmt.Sprintf("nobody works on %s", id)
		})
	}
	release := e.hold(t, ids[held])
	begin()
	for i, id := range ids {
		if i != held {
			e.Await(t, c, id, crier.Published)
		}
	}
	if n := e.Number(t, `SELECT count(*) FROM attempts WHERE scheduled_post_id = $1`, ids[held]); n != 0 {
		t.Errorf("%d attempts of a post whose row is held", n)
	}
	release()
	e.Await(t, c, ids[held], crier.Published)
}

// hold locks the row of a scheduled post, as another node would.
func (e *engine) hold(t *testing.T, id crier.ID) (release func()) {
	t.Helper()
	tx, err := e.Node.Store.Writer().BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(`SELECT 1 FROM publications WHERE id = $1 FOR UPDATE`, id); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}
