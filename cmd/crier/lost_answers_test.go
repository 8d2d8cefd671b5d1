package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/provider/all/alltest"
	"crier/internal/provider/providertest"
	"crier/internal/publish"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// readable are the connections through which crier can read its own posts.
var readable = []string{"x", "tiktok", "instagram", "facebook", "youtube", "threads", "linkedin:organization"}

// lostOn publishes posts of the simplest kind on each network, the given number of times, and loses their responses.
func (e *engine) lostOn(tb testing.TB, times int, networks ...string) (crew, []suitePost) {
	tb.Helper()
	networks = slices.Repeat(networks, times)
	c := e.NewCrew(tb, 1_000_000, networks...)
	uploadedFiles, suite := e.uploadFiles(tb, c), alltest.Networks()
	list := make([]suitePost, len(networks))
	for i, name := range networks {
		n := suite[name]
		info, err := n.Info()
		if err != nil {
			tb.Fatal(err)
		}
		list[i] = suitePost{name: name, network: name, post: n.Simplest(info), fault: "lost_response",
			on: c.Accounts[i], ends: []providertest.End{providertest.Published}}
		e.try(tb, c, uploadedFiles, &list[i])
	}
	return c, list
}

// timeToFind returns the time from the loss of the response until the post was found.
func (e *engine) timeToFind(tb testing.TB, c crew, tr suitePost) time.Duration {
	tb.Helper()
	e.Await(tb, c, tr.id, crier.Published)
	attempts := e.Attempts(tb, c, tr.id)
	lost := slices.IndexFunc(attempts, func(a crier.Attempt) bool { return a.Operation == "publish" })
	found := slices.IndexFunc(attempts, func(a crier.Attempt) bool {
		return a.Operation == "reconcile" && (a.Outcome == "published" || a.Outcome == "accepted")
	})
	if lost < 0 || found < 0 || attempts[lost].EndedAt == nil {
		tb.Fatalf("%s was published without a look\n%s", tr.name, e.History(tb, c, tr.id))
	}
	return attempts[found].EndedAt.Sub(attempts[lost].EndedAt.Time)
}

// With the waits of production: a published post is found within seconds, although its response was lost. Not parallel:
// it measures time.
func TestLostAnswersAreFoundWithinSeconds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngineOn(t, db, servertest.StartBox(t), servertest.WithTimings(publish.Timings{}),
			servertest.WithReachableMedia(t))
		c, list := e.lostOn(t, 3, readable...)
		took := map[string][]time.Duration{}
		for _, tr := range list {
			took[tr.network] = append(took[tr.network], e.timeToFind(t, c, tr))
			e.wantOutcome(t, c, tr)
		}
		for network, times := range took {
			slices.Sort(times)
			t.Logf("%s: %v", network, times)
			if median := times[len(times)/2]; median > 5*time.Second {
				t.Errorf("on %s a lost answer was found after %v", network, median)
			}
		}
		e.Balanced(t, c)
	})
}

// A node is killed during its calls. The time until the other one knows their outcomes is bounded by the lease of a
// call (15 s without a heartbeat), the sweep (2 s), and when the network shows a post.
func TestCallsOfADeadNodeAreReconciledByAnother_postgres(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.Postgres)
	e := &engine{box: servertest.StartBox(t)}
	e.testServer = startServer(t, db, servertest.WithBox(e.box), servertest.WithRole("api"))
	dies, other := frozenNode(t, db, usual, e), frozenNode(t, db, usual, e)
	dies.start(t)
	dies.waitReady(t)
	e.crew = e.NewCrew(t, 100_000, "x", "threads", "facebook", "linkedin:organization", "x")
	posts := make([]string, len(e.Accounts))
	for i, on := range e.Accounts {
		// Less than the lease, so that the delay adds nothing to the time until the calls are found.
		e.box.Fault(t, on, "publish", "slow", object{"delayMs": 12_000})
		posts[i] = e.NewPost(t, e.crew, fmt.Sprintf("in a call %d", i))
	}
	ids := make([]crier.ID, len(e.Accounts))
	var wg sync.WaitGroup
	for i, on := range e.Accounts {
		wg.Go(func() { ids[i] = e.PostOn(t, e.crew, posts[i], on, nil) })
	}
	wg.Wait()
	servertest.Until(t, func() bool { // an attempt is recorded before its call: wait until the network has received it
		calls := 0
		for _, network := range []string{"x", "threads", "facebook", "linkedin"} {
			calls += e.box.Calls(t, network, "publish")
		}
		return calls == len(ids)
	}, func() string { return "not all calls are under way at once" })
	dies.kill(t)
	died := time.Now()
	other.start(t)
	var took []time.Duration
	for i, id := range ids {
		p := e.Await(t, e.crew, id, crier.Published)
		found := e.Attempts(t, e.crew, id)
		took = append(took, found[len(found)-1].EndedAt.Sub(died))
		if shown := e.box.Timeline(t, e.Accounts[i]); len(shown) != 1 || shown[0].PlatformPostID != p.PlatformPostID {
			t.Errorf("timeline %+v\n%s", shown, e.History(t, e.crew, id))
		}
	}
	slices.Sort(took)
	t.Logf("found after %v", took)
	if median := took[len(took)/2]; median > 30*time.Second {
		t.Errorf("half of the calls were found after %v", median)
	}
}
