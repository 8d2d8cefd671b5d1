package publish

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
)

// answer is the response of a testNetwork to one call; without an error, the call succeeds.
type answer struct {
	err *provider.Error
	// effect is true when the call takes effect although the response is an error.
	effect bool
	// before runs when the call arrives.
	before func()
}

// testNetwork is a network scripted by the test; after the script, calls succeed.
type testNetwork struct {
	provider.Defaults
	strategy provider.Strategy
	parts    int // of every post
	// processing is how often Poll reports that the network is still processing.
	processing int
	likes      int64
	costs      []provider.Cost
	nameless   bool // it tells no id while it processes
	twoStep    bool // it first reports that something was published, then what

	mu      sync.Mutex
	commits []answer // remaining
	resends []answer // remaining
	looks   []answer // remaining
	public  []string // the ids of its posts
	calls   []string // the calls it received
	now     func() time.Time
}

func newTestNetwork(commits ...answer) *testNetwork {
	return &testNetwork{parts: 1, commits: commits, now: time.Now,
		strategy: provider.Strategy{Method: provider.ByReading, Absences: 2, Apart: 10 * time.Second}}
}

func (n *testNetwork) Info() provider.Info {
	return provider.Info{
		Name: "x", DisplayName: "X", CommitTimeout: 20 * time.Second, Formats: []provider.Format{{Name: "post"}},
		Comment: &provider.Format{Name: "comment"}, MetricsBatch: 1, Costs: n.costs,
		Abilities: provider.Abilities{Reconcile: true, Comment: true, Repost: true, PostMetrics: true},
	}
}

func (*testNetwork) Check(provider.Account, provider.Content) provider.Findings {
	return provider.Findings{}
}

// next takes a response from a script, records the call, and applies its effect.
func (n *testNetwork) next(script *[]answer, call string) answer {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, call)
	if len(*script) == 0 {
		return answer{}
	}
	a := (*script)[0]
	*script = (*script)[1:]
	return a
}

func (n *testNetwork) show() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := fmt.Sprintf("id%d", len(n.public))
	n.public = append(n.public, id)
	return id
}

func (n *testNetwork) publish(a answer, st provider.State) (provider.State, error) {
	if a.before != nil {
		a.before()
	}
	if a.err != nil && !a.effect {
		return st, a.err
	}
	id := n.show()
	if a.err != nil {
		return st, a.err
	}
	if n.nameless {
		id = ""
	}
	st.Publish(provider.Published{PlatformPostID: id, PublishedAt: n.now()}, n.parts)
	if n.processing > 0 {
		st.RequiresPolling, st.NextPollAfter = true, n.now().Add(time.Second)
	}
	return st, nil
}

func (n *testNetwork) Commit(_ context.Context, _ provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	return n.publish(n.next(&n.commits, "commit "+string(c.Action)), st)
}

func (n *testNetwork) Resend(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	a := n.next(&n.resends, "resend")
	n.mu.Lock()
	known := len(n.public)
	n.mu.Unlock()
	if a.err == nil && known > len(st.Published) {
		st.Publish(provider.Published{PlatformPostID: n.public[len(st.Published)], PublishedAt: n.now()}, n.parts)
		return st, nil
	}
	return n.publish(a, st)
}

func (n *testNetwork) Poll(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	n.next(&n.looks, "poll")
	n.processing--
	st.RequiresPolling, st.NextPollAfter = n.processing > 0, n.now().Add(time.Second)
	return st, nil
}

func (n *testNetwork) Strategy(provider.Account, provider.Content, provider.State) provider.Strategy {
	return n.strategy
}

func (n *testNetwork) Reconcile(_ context.Context, _ provider.Account, _ provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	a := n.next(&n.looks, "look")
	if a.err != nil {
		return "", st, a.err
	}
	if a.before != nil {
		a.before()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	found := slices.IndexFunc(n.public, func(id string) bool {
		return at.MayBe(id) && !slices.ContainsFunc(st.Published, func(p provider.Published) bool {
			return p.PlatformPostID == id
		})
	})
	if found < 0 {
		return provider.OutcomeAbsent, st, nil
	}
	if n.twoStep && st.Data["seen"] == "" {
		st.Note("seen", "yes")
		return provider.OutcomePending, st, nil
	}
	st.Publish(provider.Published{PlatformPostID: n.public[found], PublishedAt: n.now()}, n.parts)
	return provider.OutcomePublished, st, nil
}

func (n *testNetwork) PostMetrics(context.Context, provider.Account, []string) (map[string]provider.Metrics, error) {
	n.next(&n.looks, "count likes")
	return map[string]provider.Metrics{"id0": {Likes: &n.likes}}, nil
}

// count returns how often a call was made.
func (n *testNetwork) count(call string) (times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range n.calls {
		if one == call {
			times++
		}
	}
	return times
}

// The errors of scripts.
var (
	unanswered = &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeProviderUnavailable,
		Message: "no answer"}
	outage = &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "out of order"}
)

// withNetwork returns a fixture with a testNetwork.
func withNetwork(tb testing.TB, st *store.Store, n *testNetwork) *fixture {
	tb.Helper()
	f := newFixture(tb, st, n)
	n.now = f.now
	return f
}

// step runs the job of a publication once and returns the time of its next run.
func (f *fixture) step(tb testing.TB, id crier.ID) time.Time {
	tb.Helper()
	p := f.read(tb, id)
	next, err := f.Publisher.Advance(context.Background(), job.Publish{ID: p.ID, Action: p.IsAction(), Epoch: p.Epoch,
		Provider: p.Provider, SocialAccountID: p.SocialAccountID}, store.Run{Job: "1", Attempt: "1"})
	if err != nil {
		tb.Fatal(err)
	}
	return next
}

// run runs the job of a publication repeatedly, as time passes, until it has ended.
func (f *fixture) run(tb testing.TB, id crier.ID) store.Publication {
	tb.Helper()
	for range 50 {
		next := f.step(tb, id)
		if next.IsZero() {
			return f.read(tb, id)
		}
		if wait := next.Sub(f.now()); wait > 0 {
			f.sleep(wait)
		}
	}
	tb.Fatalf("no end: %+v", f.read(tb, id))
	return store.Publication{}
}

func (f *fixture) read(tb testing.TB, id crier.ID) store.Publication {
	tb.Helper()
	p, err := f.store.Publication(context.Background(), id)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// attempts returns the attempts, as "operation outcome".
func (f *fixture) attempts(tb testing.TB, p store.Publication) []string {
	tb.Helper()
	list, err := f.store.Attempts(context.Background(), p.ScheduledPostID, 100)
	if err != nil {
		tb.Fatal(err)
	}
	said := make([]string, len(list))
	for i, a := range list {
		said[i] = a.Operation + " " + a.Outcome
	}
	return said
}

// credits returns the balance and the reserved credits.
func (f *fixture) credits(tb testing.TB) (balance, reserved int64) {
	tb.Helper()
	o, err := f.store.Organization(context.Background(), f.organization)
	if err != nil {
		tb.Fatal(err)
	}
	return o.CreditsBalance, o.ReservedCredits
}

// costs reserves credits for a publication that is about to be inserted, so that the ledger balances.
func (f *fixture) costs(tb testing.TB, parts ...int64) func(*store.Publication) {
	tb.Helper()
	return func(p *store.Publication) {
		p.Actions.PartCosts = parts
		p.Reserved = p.Actions.Total()
		f.tx(tb, func(ctx context.Context, tx *store.Tx) error {
			return tx.AddCredits(ctx, reserveAgain(&store.Publication{OrganizationID: f.organization,
				ScheduledPostID: p.ID, Actions: p.Actions}, crier.TimeOf(f.now()))...)
		})
	}
}
