package publish

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// eachShared runs a test on a database of each kind that all such tests share, with its own tenant.
func eachShared(t *testing.T, test func(t *testing.T, st *store.Store)) {
	t.Helper()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) { test(t, f.Store) })
}

// restoredAt marks the store as restored a while ago from a backup of an hour before.
func (f *fixture) restoredAt(ago time.Duration) store.Restoration {
	r := store.Restoration{ServedAt: crier.TimeOf(f.now().Add(-ago)),
		BackedUpAt: crier.TimeOf(f.now().Add(-ago - time.Hour))}
	f.Publisher.restored.at, f.Publisher.restored.known = &r, true
	return r
}

// fromBackup makes a publication come from the backup: it was created before, and is due some time after the restore.
func fromBackup(r store.Restoration, due time.Duration) func(*store.Publication) {
	return func(p *store.Publication) {
		p.CreatedAt, p.ScheduledAt = crier.TimeOf(r.BackedUpAt.Add(-time.Hour)), crier.TimeOf(r.ServedAt.Add(due))
	}
}

// runLate is run for publications that are due later: it continues a moment after the due time, since the engine waits
// for the second itself and the clock of a test stands still meanwhile.
func (f *fixture) runLate(tb testing.TB, id crier.ID) store.Publication {
	tb.Helper()
	for range 20 {
		next := f.step(tb, id)
		if next.IsZero() {
			return f.read(tb, id)
		}
		f.sleep(max(0, next.Sub(f.now())) + settleLead)
	}
	tb.Fatalf("no end: %+v", f.read(tb, id))
	return store.Publication{}
}

func TestPublicationsOfABackupAreLookedForBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	reading := provider.Strategy{Method: provider.ByReading, Absences: 2, Apart: 10 * time.Second}
	refused := &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "no such thing"}
	for name, c := range map[string]struct {
		public   int // public on the network already
		due      time.Duration
		since    time.Duration // since the restore
		change   func(t *testing.T, f *fixture, n *testNetwork)
		want     crier.ScheduledPostStatus
		wantText string // in the message
		commits  int
		attempts []string
	}{
		"shown": {public: 1, due: -time.Minute, want: crier.Published, attempts: []string{"reconcile published"}},
		"not shown": {due: -time.Minute, want: crier.Unknown, attempts: []string{"reconcile unclear"},
			wantText: "and this may have been published since: the network does not show it"},
		"due later": {due: 10 * time.Minute, want: crier.Published, commits: 1,
			attempts: []string{"publish published"}},
		"due later and shown already": {public: 1, due: 10 * time.Minute, want: crier.Unknown,
			wantText: "it may have been published early", attempts: []string{"reconcile unclear"}},
		"a network that cannot be read": {due: -time.Minute, want: crier.Unknown,
			attempts: []string{"reconcile unclear"},
			wantText: "this network gives no way to find out whether it was published",
			change:   func(_ *testing.T, _ *fixture, n *testNetwork) { n.strategy = provider.Strategy{} }},
		"a network that cannot be read, due later": {due: 10 * time.Minute, want: crier.Published, commits: 1,
			attempts: []string{"publish published"},
			change:   func(_ *testing.T, _ *fixture, n *testNetwork) { n.strategy = provider.Strategy{} }},
		"long after the restore": {public: 1, due: -time.Minute, since: restoredLookupTime + time.Minute,
			want: crier.Unknown, wantText: "it took too long to find out", attempts: []string{"reconcile unclear"}},
		"without its account": {public: 1, due: -time.Minute, want: crier.Unknown, wantText: "the account is disabled",
			attempts: []string{"reconcile unclear"},
			change:   func(t *testing.T, f *fixture, _ *testNetwork) { f.setAccount(t, crier.AccountDisabled) }},
		"asked twice": {public: 1, due: -time.Minute, want: crier.Published,
			attempts: []string{"reconcile temporary", "reconcile published"},
			change:   func(_ *testing.T, _ *fixture, n *testNetwork) { n.looks = []answer{{err: outage}} }},
		"refused to be asked": {public: 1, due: -time.Minute, want: crier.Unknown,
			wantText: "the network could not be asked: no such thing", attempts: []string{"reconcile unclear"},
			change: func(_ *testing.T, _ *fixture, n *testNetwork) { n.looks = []answer{{err: refused}} }},
		"told in two steps": {public: 1, due: -time.Minute, want: crier.Published,
			attempts: []string{"reconcile pending", "reconcile published"},
			change:   func(_ *testing.T, _ *fixture, n *testNetwork) { n.twoStep = true }},
		"not before the network shows posts": {public: 1, due: -time.Minute, want: crier.Published,
			attempts: []string{"reconcile published"},
			change:   func(_ *testing.T, _ *fixture, n *testNetwork) { n.strategy.NotBefore = 5 * time.Minute }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachShared(t, func(t *testing.T, st *store.Store) {
				n := newTestNetwork()
				n.strategy = reading
				f := withNetwork(t, st, n)
				for range c.public {
					n.show()
				}
				r := f.restoredAt(max(c.since, time.Second))
				if c.change != nil {
					c.change(t, f, n)
				}
				p := f.runLate(t, f.insert(t, fromBackup(r, c.due)).ID)
				if p.Status != c.want || n.count("commit post") != c.commits ||
					!strings.Contains(crier.Text(p.ErrorMessage), c.wantText) {
					t.Errorf("%s after %v: %s", p.Status, n.calls, crier.Text(p.ErrorMessage))
				}
				if got := f.attempts(t, p); !slices.Equal(got, c.attempts) {
					t.Errorf("attempts %q, want %q", got, c.attempts)
				}
			})
		})
	}
}

func TestAPostOfAnotherPublicationProvesNothingAfterARestore(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		known := f.insert(t)
		id := n.show()
		if _, err := st.Writer().ExecContext(t.Context(), `UPDATE publications SET status = 'published', wake_at = NULL,
			platform_post_id = $2 WHERE id = $1`, known.ID, id); err != nil {
			t.Fatal(err)
		}
		r := f.restoredAt(time.Second)
		p := f.run(t, f.insert(t, fromBackup(r, -time.Minute)).ID)
		if p.Status != crier.Unknown ||
			!strings.Contains(crier.Text(p.ErrorMessage), "the network shows another post with the same text") {
			t.Errorf("%s: %s", p.Status, crier.Text(p.ErrorMessage))
		}
	})
}

// A person has looked at the network, and wants it to be published: it is not left to the person once more.
func TestWhatAPersonRetriesAfterARestoreIsPublished(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		for name, c := range map[string]struct {
			published int // parts, according to the backup
			since     time.Duration
			public    int // on the network
		}{
			"a post":                        {0, time.Second, 0},
			"a post like another":           {0, time.Second, 1},
			"a thread":                      {1, time.Second, 1},
			"a thread long after a restore": {1, restoredLookupTime + time.Minute, 1},
		} {
			n := newTestNetwork()
			n.parts = 1 + c.published
			f := withNetwork(t, st, n)
			for range c.public {
				n.show()
			}
			r := f.restoredAt(c.since)
			state := provider.State{}
			for range c.published {
				state.Publish(provider.Published{PlatformPostID: "id0"}, n.parts)
			}
			p := f.insert(t, fromBackup(r, -time.Minute), func(p *store.Publication) {
				p.Actions.PartCosts = make([]int64, n.parts)
				if c.published > 0 {
					p.Status = crier.Publishing
				}
				if err := f.Publisher.encodeState(p, state, Progress{}); err != nil {
					t.Fatal(err)
				}
			})
			if name == "a post like another" {
				if _, err := st.Writer().ExecContext(t.Context(), `UPDATE publications SET status = 'unknown'
					WHERE id = $1`, p.ID); err != nil {
					t.Fatal(err)
				}
			} else if p = f.run(t, p.ID); p.Status != crier.Unknown {
				t.Errorf("%s: %s before a person decides", name, p.Status)
				continue
			}
			if err := f.resolve(t, p.ID, crier.Resolution{Outcome: "retry"}); err != nil {
				t.Fatal(err)
			}
			if p = f.run(t, p.ID); p.Status != crier.Published || n.count("commit post") != 1 {
				t.Errorf("%s: %s after %v: %s", name, p.Status, n.calls, crier.Text(p.ErrorMessage))
			}
		}
	})
}

func TestWhatWasMadeAfterARestoreIsNotLookedFor(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		n := newTestNetwork()
		f := withNetwork(t, st, n)
		f.restoredAt(time.Minute)
		if p := f.run(t, f.insert(t).ID); p.Status != crier.Published || n.count("look") != 0 {
			t.Errorf("%s after %v", p.Status, n.calls)
		}
	})
}

// A part without a text could be mistaken for any other, so it is not searched for.
func TestOnlyWhatHasATextIsRecognized(t *testing.T) {
	t.Parallel()
	parts := []provider.Part{{Text: "one"}, {}, {Text: "three"}}
	state := func(published int) (s provider.State) {
		for range published {
			s.Publish(provider.Published{PlatformPostID: "x"}, len(parts))
		}
		return s
	}
	for name, c := range map[string]struct {
		w    worker
		want bool
	}{
		"the first part": {worker{content: provider.Content{Action: provider.Post, Parts: parts}}, true},
		"one of pictures": {worker{content: provider.Content{Action: provider.Post, Parts: parts},
			state: state(1)}, false},
		"the third part": {worker{content: provider.Content{Action: provider.Post, Parts: parts},
			state: state(2)}, true},
		"behind the last": {worker{content: provider.Content{Action: provider.Post, Parts: parts},
			state: state(3)}, false},
		"without parts": {worker{content: provider.Content{Action: provider.Post}}, false},
		"a repost":      {worker{content: provider.Content{Action: provider.Repost, Parts: []provider.Part{{}}}}, true},
		"a comment": {worker{content: provider.Content{Action: provider.Comment,
			Parts: []provider.Part{{Text: "x"}}}}, true},
	} {
		if got := c.w.recognizable(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if closed(nil, "published") != nil {
		t.Error("without an open call something is closed")
	}
	a := &store.Attempt{}
	a.ID = "a"
	if got := closed(a, "published"); len(got) != 1 ||
		got[0] != (store.ResolvedAttempt{ID: "a", Outcome: "published"}) {
		t.Errorf("closed %+v", got)
	}
}

func TestTheRestoreIsReadOnce(t *testing.T) {
	t.Parallel()
	eachShared(t, func(t *testing.T, st *store.Store) {
		f := withNetwork(t, st, newTestNetwork())
		r, err := f.Publisher.restoration(t.Context(), st)
		if err != nil || r != nil || !f.Publisher.restored.known {
			t.Errorf("%+v, %v", r, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := f.Publisher.restoration(gone, st); err != nil { // cached: the store is not read
			t.Errorf("asked again: %v", err)
		}
	})
}
