package analytics_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/analytics"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

func TestSnapshotKeepsWhatTheNetworkTellsAndPlansTheNextReading(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		p := w.published("hello", -time.Hour)
		w.network.posts["hello"] = provider.Metrics{Views: number(40), Likes: number(3)}
		w.read(t, p)
		w.network.posts["hello"] = provider.Metrics{Views: number(50), Likes: number(4)}
		w.now = w.now.Add(time.Hour)
		w.read(t, p)
		shown, err := w.Post(t.Context(), w.scope, p.PostID)
		if err != nil {
			t.Fatal(err)
		}
		if len(shown.Data) != 1 || shown.Data[0].ScheduledPostID != p.ID || shown.Data[0].PlatformPostID != "hello" ||
			shown.Data[0].PublishedAt != *p.PublishedAt || len(shown.Data[0].Snapshots) != 2 {
			t.Fatalf("the readings are %+v", shown.Data)
		}
		newest := shown.Data[0].Snapshots[0]
		m, err := newest.Metrics.Value()
		if err != nil || newest.TakenAt != w.After(time.Hour) || *m.Views != 50 || *m.Likes != 4 || m.Comments != nil {
			t.Errorf("the newest reading is %s, %v", raw(t, newest), err)
		}
		jobs := w.queue.take()
		want := job.Job{At: p.PublishedAt.Add(6 * time.Hour), Args: job.Snapshot{ScheduledPostID: p.ID, Round: 1,
			Provider: p.Provider, TeamID: p.TeamID}}
		if !slices.Equal(jobs, []job.Job{want, want}) {
			t.Errorf("the planned readings are %+v, want %+v after each", jobs, want)
		}
		if n := w.Scan(`SELECT count(*) FROM events WHERE type = $1`, crier.MetricsUpdated); n != 2 {
			t.Errorf("%d events tell of 2 readings", n)
		}
		if n := w.Scan(`SELECT sum(likes) FROM analytics_days WHERE NOT gained`); n != 4 {
			t.Errorf("the sums have %d likes, want the 4 of now", n)
		}
	})
}

// A failing reading must neither fail forever nor end the later readings.
func TestSnapshotGoesOnWithoutNumbers(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		p := w.published("hello", -time.Hour)
		w.network.posts["hello"] = provider.Metrics{Likes: number(3)}
		temporary := &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "away"}
		missing := &provider.Error{Kind: provider.Rejected, Code: provider.CodePermissionMissing,
			Message: "not granted"}
		for _, c := range []struct {
			name    string
			prepare func(*meteredNetwork)
			hint    string
		}{
			{"a post that the network does not know", func(n *meteredNetwork) { n.posts = nil }, ""},
			{"a rejected question", func(n *meteredNetwork) {
				n.err = &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected, Message: "no"}
			}, ""},
			{"a missing permission", func(n *meteredNetwork) { n.err = missing },
				"The network refuses to report metrics: not granted"},
			{"a connection without the ability", func(n *meteredNetwork) { n.denied = true },
				"The connection does not allow reading the metrics of posts. Connect the account again and grant the " +
					"permission for insights, if its kind has any."},
		} {
			posts := w.network.posts
			c.prepare(w.network)
			w.read(t, p)
			w.network.posts, w.network.err, w.network.denied = posts, nil, false
			if jobs := w.queue.take(); len(jobs) != 1 {
				t.Errorf("after %s %d readings are planned, want the next", c.name, len(jobs))
			}
			if got := w.hint(t, p.SocialAccountID); got != c.hint {
				t.Errorf("after %s the account's hint is %q, want %q", c.name, got, c.hint)
			}
		}
		w.network.err = temporary
		err := w.Snapshot(t.Context(), job.Snapshot{ScheduledPostID: p.ID})
		later, ok := errors.AsType[*analytics.Later](err)
		if !ok || later.After != 10*time.Minute || !errors.Is(err, temporary) ||
			err.Error() != "read again in 10m0s: provider_unavailable: away" {
			t.Errorf("a network that is away: %v", err)
		}
		if jobs := w.queue.take(); len(jobs) != 0 {
			t.Errorf("a reading that is tried again has planned %+v", jobs)
		}
		w.now = p.PublishedAt.Add(6 * time.Hour) // the next is due: this one is given up
		w.read(t, p)
		if jobs := w.queue.take(); len(jobs) != 1 {
			t.Errorf("a reading that was given up has planned %+v", jobs)
		}
		if n := w.Scan(`SELECT count(*) FROM post_metrics`); n != 0 {
			t.Errorf("%d readings are kept of a network that told nothing", n)
		}
	})
}

// A network may ask for a pause of a year. What cannot be read before the next reading is left out; the next is made.
func TestLongPausesDoNotEndTheReadings(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		p := w.published("hello", -time.Hour)
		const year = 365 * 24 * time.Hour
		for _, c := range []struct {
			round, early int
			at, pause    time.Duration // at is counted from the publication
			later        bool
			next         time.Duration
		}{
			{round: 0, at: time.Hour, pause: 4 * time.Hour, later: true},
			{round: 0, at: time.Hour, pause: year, next: 6 * time.Hour},
			{round: 5, at: 14 * 24 * time.Hour, pause: year, next: 30 * 24 * time.Hour},
			{round: 6, at: 30 * 24 * time.Hour, pause: 23 * time.Hour, later: true},
			{round: 6, at: 30 * 24 * time.Hour, pause: year},
			{early: 1, at: 5 * time.Second, pause: year, next: 15 * time.Second},
		} {
			w.now = p.PublishedAt.Add(c.at)
			w.network.err = &provider.Error{Kind: provider.RateLimited, Code: provider.CodeRateLimited,
				Message: "slow down", RetryAfter: c.pause}
			err := w.Snapshot(t.Context(), job.Snapshot{ScheduledPostID: p.ID, Round: c.round, Early: c.early})
			later, ok := errors.AsType[*analytics.Later](err)
			if ok != c.later || ok && later.After != c.pause || !ok && err != nil {
				t.Errorf("%+v: %v", c, err)
			}
			jobs := w.queue.take()
			if c.next == 0 {
				if len(jobs) != 0 {
					t.Errorf("%+v: planned %+v", c, jobs)
				}
				continue
			}
			if len(jobs) != 1 || !jobs[0].At.Equal(p.PublishedAt.Add(c.next)) {
				t.Errorf("%+v: planned %+v", c, jobs)
			}
		}
		err := w.AccountSnapshot(t.Context(), job.AccountSnapshot{SocialAccountID: w.Fixture.Account.ID,
			Before: crier.TimeOf(w.now.Add(12 * time.Hour))})
		if err != nil {
			t.Errorf("a reading of an account that the next day's replaces: %v", err)
		}
	})
}

func TestSnapshotLeavesAloneWhatHasNoNumbers(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		deleted := w.published("deleted", -time.Hour)
		w.exec(`UPDATE posts SET deleted_at = $2 WHERE id = $1`, deleted.PostID, w.Now)
		for name, id := range map[string]crier.ID{
			"a publication that is not there": crier.NewID(),
			"a deleted post":                  deleted.ID,
			"a post that is due":              w.Schedule(w.NewPost("due")).ID,
			"a post without an id on the network": w.published("lost", 0,
				func(p *store.Publication) { p.PlatformPostID = nil }).ID,
			"a network that this installation does not have": w.published("elsewhere", 0,
				func(p *store.Publication) { p.Provider = crier.ProviderYouTube }).ID,
		} {
			if err := w.Snapshot(t.Context(), job.Snapshot{ScheduledPostID: id}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if jobs := w.queue.take(); len(jobs) != 0 {
				t.Errorf("%s is read again: %+v", name, jobs)
			}
		}
		silent := w.published("silent", -time.Hour, func(p *store.Publication) {
			p.SocialAccountID, p.Provider = w.silent.ID, w.silent.Provider
		})
		w.read(t, silent)
		gone := w.connected(t, crier.ProviderX, func(a *store.Account) { a.Status = crier.AccountDisconnected })
		w.read(t, w.published("gone", -time.Hour, func(p *store.Publication) { p.SocialAccountID = gone.ID }))
		if w.network.calls != 0 {
			t.Errorf("the network was asked %d times", w.network.calls)
		}
	})
}

func TestSnapshotsThatCostAreReadOnlyForWhoPays(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		w.network.costs = []provider.Cost{{Key: provider.CostPostRead, Credits: 5},
			{Key: provider.CostAccountMetrics, Credits: 7}}
		w.network.posts["hello"] = provider.Metrics{Likes: number(3)}
		p := w.published("hello", -time.Hour)
		w.pays(12)
		w.policy(crier.MetricsFree)
		w.read(t, p)
		if w.network.calls != 0 || w.balance(t) != 12 {
			t.Errorf("who does not buy numbers was charged: %d calls, %d credits left", w.network.calls, w.balance(t))
		}
		w.policy(crier.MetricsAll)
		w.read(t, p)
		if w.network.calls != 1 || w.balance(t) != 7 {
			t.Errorf("a bought reading: %d calls, %d credits left; want 1 and 7", w.network.calls, w.balance(t))
		}
		live, err := w.Analytics.Account(t.Context(), w.scope, w.Fixture.Account.ID, w.After(-time.Hour), w.Now)
		if err != nil || live.CreditCost != 7 || w.balance(t) != 0 {
			t.Errorf("a live reading cost %d, %d credits are left: %v", live.CreditCost, w.balance(t), err)
		}
		w.now = w.now.Add(time.Minute)
		w.read(t, p) // no credits: the later readings stay scheduled
		if w.network.calls != 2 || len(w.queue.take()) != 3 {
			t.Errorf("without credits the network was asked: %d calls", w.network.calls)
		}
		if _, err := w.Analytics.Account(t.Context(), w.scope, w.Fixture.Account.ID, w.After(-time.Hour),
			w.Now); !crier.IsKind(err, crier.KindPaymentRequired) {
			t.Errorf("a live reading without credits: %v", err)
		}
	})
}

func TestPostMetricsAreOfTheTeamsOwnPosts(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		other := w.NewTeam("Other")
		foreign := w.NewPost("foreign", func(p *store.Post) { p.TeamID = other.ID })
		for name, id := range map[string]crier.ID{"another team's": foreign.ID, "no": crier.NewID()} {
			if _, err := w.Post(t.Context(), w.scope, id); !crier.IsKind(err, crier.KindNotFound) {
				t.Errorf("%s post: %v", name, err)
			}
		}
		draft, err := w.Post(t.Context(), w.scope, w.NewPost("draft").ID)
		if err != nil || raw(t, draft) != `{"data":[]}` {
			t.Errorf("a draft has %s, %v", raw(t, draft), err)
		}
	})
}

func TestLiveNumbersOfAnAccount(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		w.network.account = provider.AccountMetrics{Followers: number(10)}
		from, to := w.After(-time.Hour), w.Now
		got, err := w.Analytics.Account(t.Context(), w.scope, w.Fixture.Account.ID, from, to)
		if err != nil || got.CreditCost != 0 || got.Provider != crier.ProviderX || got.From != from || got.To != to ||
			raw(t, got.Metrics) != `{"followers":10,"following":null,"posts":null,"impressions":null,"reach":null,`+
				`"engagements":null}` {
			t.Errorf("the live numbers are %s, %v", raw(t, got), err)
		}
		if w.network.period != [2]time.Time{from.Time, to.Time} {
			t.Errorf("the network was asked about %v", w.network.period)
		}
		lapsed := w.connected(t, crier.ProviderX, func(a *store.Account) { a.Status = crier.AccountRefreshNeeded })
		limited := &provider.Error{Kind: provider.RateLimited, Code: provider.CodeRateLimited, Message: "slow down"}
		for _, c := range []struct {
			name    string
			account crier.ID
			err     error
			kind    crier.Kind
			text    string
		}{
			{"an account that is not there", crier.NewID(), nil, crier.KindNotFound, ""},
			{"a network that tells nothing", w.silent.ID, nil, crier.KindConflict,
				"threads does not report metrics of accounts."},
			{"an account that has to be connected again", lapsed.ID, nil, crier.KindConflict,
				"The account is refresh_needed. Connect it first."},
			{"a limit", w.Fixture.Account.ID, limited, crier.KindTooManyRequests,
				"The network limits the rate of requests: slow down"},
			{"a refusal", w.Fixture.Account.ID, &provider.Error{Kind: provider.Rejected,
				Code:    provider.CodeAccountRestricted,
				Message: "suspended"}, crier.KindConflict,
				"The network did not report metrics (account_restricted): suspended"},
		} {
			w.network.err = c.err
			_, err := w.Analytics.Account(t.Context(), w.scope, c.account, from, to)
			if !crier.IsKind(err, c.kind) || c.text != "" && err.Error() != c.text {
				t.Errorf("%s: %v, want %s %q", c.name, err, c.kind, c.text)
			}
		}
	})
}
