package analytics_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/access/accesstest"
	"crier/internal/analytics"
	"crier/internal/auth"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/ledger"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// meteredNetwork returns metrics set by the test.
type meteredNetwork struct {
	provider.Defaults
	mu sync.Mutex
	// posts are the metrics of posts by their id on the network, account those of every account.
	posts   map[string]provider.Metrics
	account provider.AccountMetrics
	// err is its error; denied removes both abilities from every account.
	err    error
	denied bool
	costs  []provider.Cost
	// period is the period of the last request about an account.
	period [2]time.Time
	calls  int
}

func (n *meteredNetwork) Info() provider.Info {
	return provider.Info{Name: "x", DisplayName: "X", CommitTimeout: time.Second, MetricsBatch: 1, Costs: n.costs,
		Formats: []provider.Format{{Name: "post"}}, Abilities: provider.Abilities{PostMetrics: true,
			AccountMetrics: true}}
}

// InfoFor removes abilities from accounts whose connection lacks them.
func (n *meteredNetwork) InfoFor(provider.Account) provider.Info {
	info := n.Info()
	info.Abilities.PostMetrics, info.Abilities.AccountMetrics = !n.denied, !n.denied
	return info
}

func (*meteredNetwork) Check(provider.Account, provider.Content) provider.Findings {
	return provider.Findings{}
}

func (*meteredNetwork) Commit(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	return st, nil
}

func (n *meteredNetwork) PostMetrics(_ context.Context, _ provider.Account,
	ids []string) (map[string]provider.Metrics, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	found := map[string]provider.Metrics{}
	for _, id := range ids {
		if m, ok := n.posts[id]; ok {
			found[id] = m
		}
	}
	return found, n.err
}

func (n *meteredNetwork) AccountMetrics(_ context.Context, _ provider.Account, from,
	to time.Time) (provider.AccountMetrics, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	n.period = [2]time.Time{from, to}
	return n.account, n.err
}

// silentNetwork publishes and has no metrics.
type silentNetwork struct{ provider.Defaults }

func (silentNetwork) Info() provider.Info {
	return provider.Info{Name: "threads", DisplayName: "Threads", CommitTimeout: time.Second,
		Formats: []provider.Format{{Name: "post"}}}
}

func (silentNetwork) Check(provider.Account, provider.Content) provider.Findings {
	return provider.Findings{}
}

func (silentNetwork) Commit(_ context.Context, _ provider.Account, _ provider.Content,
	st provider.State) (provider.State, error) {
	return st, nil
}

// planned records the enqueued jobs.
type planned struct{ jobs []job.Job }

func (p *planned) Enqueue(_ context.Context, _ *store.Tx, jobs ...job.Job) error {
	p.jobs = append(p.jobs, jobs...)
	return nil
}

// take empties the list.
func (p *planned) take() []job.Job {
	jobs := p.jobs
	p.jobs = nil
	return jobs
}

// world is a team with an account on a network with metrics, at a time set by the test.
type world struct {
	*storetest.Fixture
	*analytics.Analytics
	t       *testing.T
	network *meteredNetwork
	queue   planned
	engine  *publish.Engine
	scope   access.TeamScope
	pages   *pagination.Cursors
	now     time.Time
	// silent is an account on a network without metrics.
	silent store.Account
}

func newWorld(t *testing.T, f *storetest.Fixture) *world {
	t.Helper()
	keys, err := auth.NewKeyring(auth.NewSecretKey())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Fixture: f, t: t, network: &meteredNetwork{posts: map[string]provider.Metrics{}}, now: f.Now.Time,
		pages: pagination.NewCursors(keys)}
	registry, err := provider.NewRegistry(w.network, silentNetwork{})
	if err != nil {
		t.Fatal(err)
	}
	clock := crier.Clock(func() time.Time { return w.now })
	w.engine = publish.New(publish.Config{Store: f.Store, Keys: keys, Providers: registry, Clock: clock,
		Logger: slog.New(slog.DiscardHandler)})
	w.Analytics = analytics.New(analytics.Config{Store: f.Store, Providers: registry, Engine: w.engine, Clock: clock,
		Queue: &w.queue, Pages: w.pages})
	w.Fixture.Account = w.connected(t, crier.ProviderX)
	w.silent = w.connected(t, crier.ProviderThreads)
	w.scope = accesstest.Owner(t, f).Team(crier.ReadAnalytics)
	return w
}

// connected inserts an account with a token.
func (w *world) connected(t *testing.T, network crier.Provider, change ...func(*store.Account)) store.Account {
	t.Helper()
	change = append([]func(*store.Account){func(a *store.Account) {
		if err := w.engine.Tokens.Seal(a, provider.Token{Access: "token"}); err != nil {
			t.Fatal(err)
		}
	}}, change...)
	return w.NewAccount(network, change...)
}

// published inserts a post that was published after noon; its id on the network is its text.
func (w *world) published(text string, after time.Duration, change ...func(*store.Publication)) store.Publication {
	p := w.Schedule(w.NewPost(text), append([]func(*store.Publication){func(p *store.Publication) {
		at := w.After(after)
		p.SocialAccountID, p.Provider, p.Status = w.Fixture.Account.ID, w.Fixture.Account.Provider, crier.Published
		p.PlatformPostID, p.PublishedAt, p.ScheduledAt, p.WakeAt = &text, &at, at, nil
	}}, change...)...)
	w.exec(`UPDATE publications SET platform_post_id = $2, published_at = $3, reading_follows = TRUE WHERE id = $1`,
		p.ID, p.PlatformPostID, p.PublishedAt)
	return p
}

// exec changes the database directly.
func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	if _, err := w.Writer().ExecContext(w.t.Context(), query, args...); err != nil {
		w.t.Fatal(err)
	}
}

// recordPublished records the events of publications, as the engine does.
func (w *world) recordPublished(list ...store.Publication) {
	w.Tx(func(_ context.Context, tx *store.Tx) error {
		for _, p := range list {
			if err := events.Record(tx, w.Now, events.Fact{Type: crier.ScheduledPostPublished,
				OrganizationID: w.Organization.ID, TeamID: &w.Team.ID,
				Object: map[string]any{"id": p.ID}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// read makes the first scheduled reading of a publication.
func (w *world) read(t *testing.T, p store.Publication) {
	t.Helper()
	if err := w.Snapshot(t.Context(), job.Snapshot{ScheduledPostID: p.ID}); err != nil {
		t.Fatal(err)
	}
}

// pays gives the organization credits and enables paid metrics.
func (w *world) pays(credits int64) {
	w.Tx(func(ctx context.Context, tx *store.Tx) error {
		return ledger.Grant(ctx, tx, ledger.Charge{Organization: w.Organization.ID, Amount: credits, At: w.Now})
	})
	w.policy(crier.MetricsAll)
}

func (w *world) policy(p crier.MetricsPolicy) {
	o := store.Organization{Organization: w.Organization}
	o.MetricsPolicy = p
	w.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateOrganization(ctx, o) })
}

func (w *world) balance(t *testing.T) int64 {
	t.Helper()
	o, err := w.Store.Organization(t.Context(), w.Organization.ID)
	if err != nil {
		t.Fatal(err)
	}
	return o.CreditsBalance
}

// hint returns the hint about the metrics of an account.
func (w *world) hint(t *testing.T, id crier.ID) string {
	t.Helper()
	a, err := w.Store.Account(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return crier.Text(a.MetricsHint)
}

func raw(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func number(n int64) *int64 { return &n }
