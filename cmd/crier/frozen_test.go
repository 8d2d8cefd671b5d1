package main

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/publish"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// A process may be suspended for any time between any two of its instructions: a laptop sleeps, a virtual machine is
// migrated. Another node takes over; when the first resumes, in the middle of its calls, it publishes nothing a second
// time. With CRIER_CHAOS_PACE=usual it is suspended for two minutes and all waits are those of production.
func TestFrozenNodePublishesNothingTwice_postgres(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.Postgres)
	pace, sleeps := brisk, time.Duration(0)
	if os.Getenv("CRIER_CHAOS_PACE") == usual {
		pace, sleeps = usual, 2*time.Minute
	}
	e := &engine{box: servertest.StartBox(t)}
	e.testServer = startServer(t, db, servertest.WithBox(e.box), servertest.WithRole("api"),
		servertest.WithTimings(paces[pace]))
	sleeper, other := frozenNode(t, db, pace, e), frozenNode(t, db, pace, e)
	sleeper.start(t)
	sleeper.waitReady(t)
	posts := e.dueSoon(t, 24)
	// Some calls are running, some have ended, and some workers are just before theirs.
	servertest.Until(t, func() bool {
		return e.Number(t, `SELECT count(*) FROM publications WHERE status <> 'scheduled'`) >= 6
	}, func() string { return "nothing happens when the time has come" })
	sleeper.signal(t, syscall.SIGSTOP)
	stopped := time.Now()
	t.Cleanup(func() { sleeper.signal(t, syscall.SIGCONT) }) // or it could not even be killed
	left := e.Number(t, `SELECT count(*) FROM publications WHERE status IN ('scheduled', 'publishing')`)
	if left == 0 {
		t.Fatal("the node was frozen when it had done everything")
	}
	other.start(t)
	for _, p := range posts {
		e.Await(t, e.crew, p.id, crier.Published)
	}
	took := time.Since(stopped)
	t.Logf("%d of %d were left when the node was frozen; the other one was done %v later", left, len(posts),
		took.Round(time.Millisecond))
	<-time.After(sleeps - took)
	sleeper.signal(t, syscall.SIGCONT)
	sleeper.waitReady(t)
	servertest.Until(t, func() bool {
		return e.Number(t, `SELECT count(*) FROM river_job WHERE kind = 'post.publish' AND state = 'running'`) == 0
	},
		func() string { return "the frozen node does not finish what it was doing" })
	for _, p := range posts {
		got := e.Await(t, e.crew, p.id, crier.Published)
		timeline := e.box.Timeline(t, p.on)
		if !slices.Equal(servertest.Texts(timeline), []string{p.text}) ||
			timeline[0].PlatformPostID != got.PlatformPostID {
			t.Errorf("timeline of %s: %+v, said to be %s\n%s", p.on.Network, timeline, got.PlatformPostID,
				e.History(t, e.crew, p.id))
		}
	}
	e.Balanced(t, e.crew)
}

// A worker is suspended before its call. Another one takes over and is making its own when the first resumes.
func TestWorkerThatWakesUpDuringTheCallOfAnotherDoesNotSend(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		asleep, called := servertest.NewGate(t, publish.StepLeased, 1), servertest.NewGate(t, publish.StepSent, 1)
		timings := servertest.FastTimings
		timings.SendWindow = servertest.WaitTimeout // or a busy machine keeps the other one from sending, too
		e := startEngine(t, db, servertest.WithGates(asleep, called), servertest.WithTimings(timings))
		x := e.Accounts[0]
		id := e.PostOn(t, e.crew, e.NewPost(t, e.crew, "once"), x, nil)
		asleep.Await(t)
		called.Await(t)
		asleep.Open()
		servertest.Until(t, func() bool {
			return e.Number(t, `SELECT count(*) FROM river_job WHERE kind = 'post.publish' AND state = 'running'`) == 1
		}, func() string { return "the first worker does not end" })
		if n := e.box.Calls(t, "x", "publish"); n != 1 {
			t.Errorf("the network was called %d times", n)
		}
		called.Open()
		e.Await(t, e.crew, id, crier.Published)
		if got := servertest.Texts(e.box.Timeline(t, x)); !slices.Equal(got, []string{"once"}) {
			t.Errorf("timeline %q\n%s", got, e.History(t, e.crew, id))
		}
		e.Balanced(t, e.crew)
	})
}

// A process is killed during its call, and the next one gets the publication at once. The network is still processing
// the call, so a post that it does not show yet may still appear.
func TestLookupBeforeTheFenceIsInconclusive(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		timings := servertest.FastTimings
		timings.CommitTimeout = servertest.Pace(6 * time.Second)
		e := startEngine(t, db, servertest.WithTimings(timings))
		x := e.Accounts[0]
		e.box.Fault(t, x, "publish", "slow", object{"delayMs": servertest.Pace(3 * time.Second).Milliseconds()})
		id := e.PostOn(t, e.crew, e.NewPost(t, e.crew, "under way"), x, nil)
		e.Await(t, e.crew, id, crier.Publishing)
		e.Exec(t, `UPDATE publications SET lease_owner = NULL, lease_until = NULL WHERE id = $1`, id)
		job := job.Publish{ID: id, Provider: "x", SocialAccountID: x.ID}
		next, err := e.Node.Services.Publisher.Advance(t.Context(), job, store.Run{})
		if settled := e.Attempts(t, e.crew, id)[0].StartedAt.Add(timings.SendWindow +
			timings.CommitTimeout); err != nil || next.Before(settled) {
			t.Errorf("the other worker comes back at %s, before %s: %v\n%s", next, settled, err,
				e.History(t, e.crew, id))
		}
		if got := e.Publication(t, e.crew, id); got.Status != crier.Publishing {
			t.Errorf("after one look it is %s", got.Status)
		}
		e.Await(t, e.crew, id, crier.Published)
		if got := servertest.Outcomes(e.Attempts(t, e.crew, id)); !slices.Equal(got, []string{"publish published",
			"reconcile absent"}) || e.box.Calls(t, "x", "publish") != 1 {
			t.Errorf("attempts %q, %d calls", got, e.box.Calls(t, "x", "publish"))
		}
		e.Balanced(t, e.crew)
	})
}

// frozenNode returns a node for a test that suspends its nodes.
func frozenNode(tb testing.TB, db database, pace string, e *engine) *nodeProcess {
	tb.Helper()
	return newNode(tb, pace, append(settingsOf(db), "CRIER_SANDBOX=on", "CRIER_SANDBOX_URL="+e.box.URL,
		"CRIER_LOG_LEVEL=warn", "CRIER_ROLE=worker")...)
}

// duePost is a post that is due soon, alone on its account.
type duePost struct {
	id   crier.ID
	on   servertest.Account
	text string
}

// dueSoon schedules posts for the same time, each on a separate account. Every other network is slow.
func (e *engine) dueSoon(tb testing.TB, count int) []duePost {
	tb.Helper()
	e.crew = e.NewCrew(tb, 100_000, slices.Repeat([]string{"x", "linkedin", "x"}, count/3)...)
	posts := make([]duePost, len(e.Accounts))
	due := time.Now().Add(servertest.Pace(3 * time.Second))
	for i, on := range e.Accounts {
		if i%2 == 0 {
			e.box.Fault(tb, on, "publish", "slow", object{"delayMs": 1000})
		}
		text := fmt.Sprintf("post %d", i)
		r, _ := e.ScheduleIn(tb, e.crew, e.NewPost(tb, e.crew, text), time.Until(due),
			crier.Targets{SocialAccountIDs: []crier.ID{on.ID}})
		posts[i] = duePost{id: r.Data[0].ScheduledPost.ID, on: on, text: text}
	}
	return posts
}
