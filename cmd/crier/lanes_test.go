package main

import (
	"testing"
	"time"

	"crier"
)

// A slow account has its own lane: what it has to publish takes no worker, and no place in line, from other accounts of the
// same network.
func TestFiveHundredSlowPostsOfOneAccountDelayNoOther(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		const slow, takes = 500, 6 * time.Second
		timings := hurried
		timings.CommitTimeout = takes + pace(2*time.Second)
		e := startEngine(t, db, withTimings(timings))
		c := e.newCrew(t, 1_000_000, "x", "x")
		busy, other := c.accounts[0], c.accounts[1]
		alone := e.lateness(t, c, other, "alone")
		e.box.fault(t, busy, "publish", "slow", object{"delayMs": takes.Milliseconds(), "count": slow})
		// Their jobs were lost: the sweep wakes them all at once.
		e.copyPublication(t, c, []account{busy}, slow, e.app.now().Add(-10*time.Second))
		until(t, func() bool { return e.box.calls(t, "x", "publish") >= 20 }, func() string { return "the slow posts are not on their way" })
		late := e.lateness(t, c, other, "beside the slow ones")
		left := e.number(t, `SELECT count(*) FROM scheduled_posts WHERE social_account_id = $1 AND status IN ('scheduled', 'publishing')`, busy.id)
		t.Logf("%d posts of the slow account were left; the other account's call left %v after its time, and %v when alone", left, late, alone)
		if late-alone > pace(time.Second) { // make chaos measures it without the race detector
			t.Errorf("the slow account delayed the other account's call by %v", late-alone)
		}
		if left < slow/2 {
			t.Errorf("only %d of %d slow posts were left: the account was not slow enough to prove anything", left, slow)
		}
		// A stop waits for the calls that are being made, not for those in line.
		began := time.Now()
		if err := e.stop(); err != nil || time.Since(began) > drainTime {
			t.Errorf("the stop took %v: %v", time.Since(began), err)
		}
	})
}

// lateness is how long after its time the call of a post left.
func (e *engine) lateness(t *testing.T, c crew, on account, text string) time.Duration {
	t.Helper()
	r, at := e.scheduleIn(t, c, e.newPost(t, c, text), 3*time.Second, crier.Targets{SocialAccountIDs: []crier.ID{on.id}})
	id := r.Data[0].ScheduledPost.ID
	e.await(t, c, id, crier.Published)
	late := e.attempts(t, c, id)[0].StartedAt.Sub(at)
	if late < 0 {
		t.Errorf("the call left %v before its time", -late)
	}
	return late
}
