package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/analytics"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// history is a world with three posts: a of 13 November (150 views and 15 likes by now), b of the 15th on a network
// without metrics, and c of the 16th (50 views, 1 like). a is tagged news, c is tagged news and sale.
type history struct {
	*world
	a, b, c store.Publication
}

func newHistory(t *testing.T, f *storetest.Fixture) history {
	t.Helper()
	h := history{world: newWorld(t, f)}
	h.a, h.c = h.published("a", -72*time.Hour), h.published("c", -2*time.Hour)
	h.b = h.published("b", -24*time.Hour, func(p *store.Publication) {
		p.SocialAccountID, p.Provider = h.silent.ID, h.silent.Provider
	})
	h.attempt(h.a, 1500*time.Millisecond)
	h.attempt(h.c, -time.Second) // the clock was set back: it was not late
	h.recordPublished(h.a, h.b, h.c)
	h.follow(t)
	for _, r := range []struct {
		p            store.Publication
		views, likes int64
		after        time.Duration
	}{{h.a, 100, 10, -71 * time.Hour}, {h.a, 150, 15, -24 * time.Hour}, {h.c, 50, 1, -time.Hour}} {
		h.now = h.Now.Add(r.after)
		h.network.posts[*r.p.PlatformPostID] = provider.Metrics{Views: number(r.views), Likes: number(r.likes)}
		h.read(t, r.p)
	}
	h.now = h.Now.Time
	h.tag("news", h.a, h.c)
	h.tag("sale", h.c)
	for ago, followers := range map[int]int64{3: 10, 1: 14} {
		h.Tx(func(ctx context.Context, tx *store.Tx) error {
			return tx.PutAccountDay(ctx, store.AccountDay{SocialAccountID: h.Fixture.Account.ID, TeamID: h.Team.ID,
				Provider: crier.ProviderX, Day: h.Now.Unix()/86400 - int64(ago), ReadAt: h.Now, Followers: &followers})
		})
	}
	return h
}

// attempt records that a publication was sent late after it was due.
func (h history) attempt(p store.Publication, late time.Duration) {
	h.Tx(func(ctx context.Context, tx *store.Tx) error {
		at := crier.TimeOf(p.ScheduledAt.Add(late))
		return tx.InsertAttempt(ctx, store.Attempt{ScheduledPostID: p.ID, Attempt: crier.Attempt{ID: crier.NewID(),
			Operation: "publish", StartedAt: at, EndedAt: &at, Outcome: "succeeded"}})
	})
}

func (h history) tag(name string, list ...store.Publication) {
	tag := crier.Tag{ID: crier.NewID(), TeamID: h.Team.ID, Name: name, Colour: "#123456", CreatedAt: h.Now,
		UpdatedAt: h.Now}
	h.Tx(func(ctx context.Context, tx *store.Tx) error {
		if err := tx.InsertTag(ctx, tag, name); err != nil {
			return err
		}
		for _, p := range list {
			if _, err := tx.ReplacePostTags(ctx, p.PostID, nil, []crier.ID{tag.ID}); err != nil {
				return err
			}
		}
		return nil
	})
}

// lines formats the groups of a series, such as "X: 1 - 2".
func lines(groups []crier.SeriesGroup) string {
	var out []string
	for _, g := range groups {
		text := g.Label + ":"
		for _, v := range g.Values {
			if v == nil {
				text += " -"
			} else {
				text += fmt.Sprintf(" %g", *v)
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestSeriesTellMetricsByTimeAndGroup(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		h := newHistory(t, f)
		days := analytics.Query{From: "2026-11-13", To: "2026-11-16"}
		gained, far, onX := days, days, days
		gained.Basis = crier.BasisGained
		// In Kiritimati it is 14 hours later: noon is the night of the next day.
		far.Zone, far.From, far.To = "Pacific/Kiritimati", "2026-11-14", "2026-11-17"
		farGained := far
		farGained.Basis = crier.BasisGained
		onX.Providers = []crier.Provider{crier.ProviderX}
		for _, c := range []struct {
			query                     analytics.Query
			metric, interval, groupBy string
			want                      string
		}{
			{days, "posts", "day", "none", "total: 1 0 1 1"},
			{gained, "posts", "day", "none", "total: 1 0 1 1"},
			{days, "views", "day", "none", "total: 150 0 - 50"},
			{gained, "views", "day", "none", "total: 100 - 50 50"},
			{far, "posts", "day", "none", "total: 1 0 1 1"},
			{farGained, "views", "day", "none", "total: 100 - 50 50"},
			{far, "likes", "day", "provider", "Threads: 0 0 - 0; X: 15 0 0 1"},
			{days, "views", "day", "provider", "Threads: 0 0 - 0; X: 150 0 0 50"},
			{onX, "views", "day", "provider", "X: 150 0 0 50"},
			{days, "likes", "day", "postType", "text_post: 15 0 - 1"},
			{far, "likes", "day", "postType", "text_post: 15 0 - 1"},
			{days, "likes", "day", "tag", "news: 15 0 0 1; sale: 0 0 0 1; untagged: 0 0 - 0"},
			{gained, "likes", "day", "tag", "news: 10 - 5 1; sale: - - - 1"},
			{days, "engagementRate", "day", "none", "total: 0.1 - - 0.02"},
			{days, "views", "week", "none", "total: 150 50"},
			{days, "views", "month", "none", "total: 200"},
			{days, "followers", "day", "none", "total: 10 - 14 14"},
			{gained, "followers", "day", "none", "total: - - 4 -"},
			{days, "followers", "day", "provider", "X: 10 - 14 14"},
			{days, "followers", "week", "socialAccount", "Acme: 14 14"},
			{analytics.Query{From: "2026-01-01", To: "2026-01-02"}, "views", "day", "none", "total: 0 0"},
			{analytics.Query{From: "2026-01-01", To: "2026-01-02"}, "views", "day", "provider", ""},
			{analytics.Query{From: "2026-01-01", To: "2026-01-02"}, "followers", "day", "none", ""},
		} {
			got, err := h.Series(t.Context(), h.scope, analytics.SeriesQuery{Query: c.query, Metric: c.metric,
				Interval: c.interval, GroupBy: c.groupBy})
			if err != nil || lines(got.Groups) != c.want {
				t.Errorf("%s of %s to %s in %q (%s) by %s and %s: %q, %v; want %q", c.metric, c.query.From, c.query.To,
					c.query.Zone, c.query.Basis, c.interval, c.groupBy, lines(got.Groups), err, c.want)
			}
		}
		for _, groupBy := range []string{"tag", "postType"} {
			_, err := h.Series(t.Context(), h.scope, analytics.SeriesQuery{Query: days, Metric: "followers",
				Interval: "day",
				GroupBy:  groupBy})
			if !crier.IsKind(err, crier.KindInvalid) || !strings.Contains(err.Error(),
				"groupBy: followers are of accounts, "+
					"not of posts: group by none, provider or socialAccount, not "+groupBy) {
				t.Errorf("followers by %s: %v", groupBy, err)
			}
		}
	})
}

func TestPostsAreRankedPageByPage(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		h := newHistory(t, f)
		days := analytics.Query{From: "2026-11-13", To: "2026-11-16"}
		request := pagination.Request{List: "posts", SortBy: "views", Desc: true, Limit: 1}
		var ranked []crier.ID
		for {
			query, err := h.pages.Query(request)
			if err != nil {
				t.Fatal(err)
			}
			page, err := h.Posts(t.Context(), h.scope, days, query)
			if err != nil || len(page.Data) != 1 {
				t.Fatalf("a page has %d posts, %v", len(page.Data), err)
			}
			p := page.Data[0]
			ranked = append(ranked, p.ScheduledPostID)
			if p.ScheduledPostID == h.a.ID && (p.Text != "a" || p.AccountName != "Acme" || *p.Metrics.Views != 150 ||
				*p.Metrics.Likes != 15 || p.Metrics.Comments != nil || *p.Metrics.Engagements != 15 ||
				*p.EngagementRate != 0.1 || p.ReadAt == nil || p.PublishedAt != *h.a.PublishedAt) {
				t.Errorf("the first is shown as %s", raw(t, p))
			}
			if p.ScheduledPostID == h.b.ID && (p.EngagementRate != nil || p.Metrics.Engagements != nil ||
				p.ReadAt != nil) {
				t.Errorf("one that nobody told of is shown as %s", raw(t, p))
			}
			if page.NextCursor == nil {
				break
			}
			request.Cursor = *page.NextCursor
		}
		if want := []crier.ID{h.a.ID, h.c.ID, h.b.ID}; !slices.Equal(ranked, want) { // missing values come last
			t.Errorf("ranked are %v, want %v", ranked, want)
		}
		all, err := h.pages.Query(pagination.Request{List: "posts", SortBy: "publishedAt", Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		var exported []crier.ID
		err = h.EachPost(t.Context(), h.scope, days, all, func(p crier.AnalyticsPost) error {
			exported = append(exported, p.ScheduledPostID)
			return nil
		})
		if err != nil || !slices.Equal(exported, []crier.ID{h.a.ID, h.b.ID, h.c.ID}) {
			t.Errorf("exported are %v, %v", exported, err)
		}
		broken := errors.New("the reader has gone")
		if err := h.EachPost(t.Context(), h.scope, days, all,
			func(crier.AnalyticsPost) error { return broken }); !errors.Is(
			err, broken) {
			t.Errorf("after the reader has gone: %v", err)
		}
	})
}

func TestDeliveryCountsWhatBecameOfDuePosts(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		h := newHistory(t, f)
		for _, status := range []crier.ScheduledPostStatus{crier.Failed, crier.Missed, crier.Unknown, crier.Scheduled} {
			h.Schedule(h.NewPost(string(status)), func(p *store.Publication) { p.Status = status })
		}
		h.Schedule(h.NewPost("later"),
			func(p *store.Publication) { p.ScheduledAt = h.After(12 * time.Hour) }) // tomorrow
		got, err := h.Delivery(t.Context(), h.scope, analytics.Query{From: "2026-11-13", To: "2026-11-16"})
		if err != nil {
			t.Fatal(err)
		}
		want := crier.DeliveryCounts{Published: 3, Failed: 1, Missed: 1, Unknown: 1, Open: 1}
		late := got.Lateness
		if got.Lateness = nil; got.DeliveryCounts != want || len(got.ByProvider) != 2 {
			t.Errorf("the counts are %+v of %d networks, want %+v of 2", got.DeliveryCounts, len(got.ByProvider), want)
		}
		if late == nil || *late != (crier.DeliveryLateness{Posts: 2, P50Ms: 0, P95Ms: 1500, P99Ms: 1500}) {
			t.Errorf("the lateness is %+v", late)
		}
		for _, p := range got.ByProvider {
			if p.Provider == crier.ProviderThreads && (p.Published != 1 || p.Failed != 0 || p.Lateness != nil) ||
				p.Provider == crier.ProviderX && (p.Published != 2 || p.Failed != 1 || p.Lateness.Posts != 2) {
				t.Errorf("%s: %+v", p.Provider, p)
			}
		}
		none, err := h.Delivery(t.Context(), h.scope, analytics.Query{From: "2026-01-01", To: "2026-01-01"})
		if err != nil || none.DeliveryCounts != (crier.DeliveryCounts{}) || none.ByProvider == nil {
			t.Errorf("a day without posts: %+v, %v", none, err)
		}
	})
}

func TestSummaryComparesWithTheTimeBefore(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		h := newHistory(t, f)
		hint := "connect again"
		h.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.SetMetricsHint(ctx, h.silent.ID, &hint) })
		q := analytics.Query{From: "2026-11-15", To: "2026-11-16"}
		got, err := h.Summary(t.Context(), h.scope, q, true)
		if err != nil {
			t.Fatal(err)
		}
		if got.Posts != 2 || *got.Metrics.Views.Value != 50 || got.Metrics.Views.Told != 1 ||
			got.Metrics.Views.NotTold != 1 ||
			*got.EngagementRate.Value != 0.02 || *got.Followers.Value != 14 || got.Basis != crier.BasisPublished {
			t.Errorf("the summary is %s", raw(t, got))
		}
		p := got.Previous
		if p == nil || p.From != "2026-11-13" || p.To != "2026-11-14" || p.Posts != 1 ||
			*p.Metrics.Views.Value != 150 ||
			*p.Followers.Value != 10 {
			t.Errorf("the time before is %s", raw(t, p))
		}
		if len(got.AccountsWithHint) != 1 || got.AccountsWithHint[0].Hint != hint ||
			got.AccountsWithHint[0].SocialAccountID != h.silent.ID {
			t.Errorf("the hints are %+v", got.AccountsWithHint)
		}
		q.Basis, q.SocialAccountIDs = crier.BasisGained, []crier.ID{h.Fixture.Account.ID}
		if got, err = h.Summary(t.Context(), h.scope, q, false); err != nil || got.Posts != 1 ||
			*got.Metrics.Views.Value != 100 || len(got.BySocialAccount) != 1 || len(got.ByProvider) != 1 ||
			len(got.AccountsWithHint) != 0 || got.Previous != nil {
			t.Errorf("what one account has gained is %s, %v", raw(t, got), err)
		}
	})
}

func TestWindowsAreBoundedAndNamed(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		w := newWorld(t, f)
		ask := func(q analytics.Query) (crier.AnalyticsWindow, error) {
			got, err := w.Delivery(t.Context(), w.scope, q)
			return got.AnalyticsWindow, err
		}
		for _, c := range []struct {
			query analytics.Query
			want  crier.AnalyticsWindow
		}{
			{analytics.Query{}, crier.AnalyticsWindow{From: "2026-10-18", To: "2026-11-16", Timezone: "UTC"}},
			{analytics.Query{Zone: "Pacific/Kiritimati"}, crier.AnalyticsWindow{From: "2026-10-19", To: "2026-11-17",
				Timezone: "Pacific/Kiritimati"}},
			{analytics.Query{To: "2026-03-01"}, crier.AnalyticsWindow{From: "2026-01-31", To: "2026-03-01",
				Timezone: "UTC"}},
			{analytics.Query{From: "2025-10-13"}, crier.AnalyticsWindow{From: "2025-10-13", To: "2026-11-16",
				Timezone: "UTC"}}, // 400 days
		} {
			if got, err := ask(c.query); err != nil || got != c.want {
				t.Errorf("%+v is %+v, %v; want %+v", c.query, got, err, c.want)
			}
		}
		for _, c := range []struct {
			query analytics.Query
			want  string
		}{
			{analytics.Query{From: "2026-11-17"}, "from: must not be after to, 2026-11-16"},
			{analytics.Query{From: "2026-02-02", To: "2026-02-01"}, "from: must not be after to, 2026-02-01"},
			{analytics.Query{From: "2025-10-12"}, "from: must be at most 399 days before to"},
		} {
			if _, err := ask(c.query); !crier.IsKind(err, crier.KindInvalid) || !strings.HasSuffix(err.Error(),
				c.want) {
				t.Errorf("%+v: %v, want %s", c.query, err, c.want)
			}
		}
		if _, err := ask(analytics.Query{Zone: "Nowhere/Land"}); err == nil {
			t.Error("an unknown zone has days")
		}
		best, err := w.BestTimes(t.Context(), w.scope, analytics.Query{})
		if err != nil || best.Known || best.From != "2026-08-19" || best.To != "2026-11-16" || len(best.Cells) != 168 {
			t.Errorf("the best times of a new team: known %t of %s to %s, %v", best.Known, best.From, best.To, err)
		}
	})
}

// A missing permission check is a bug of crier, which must not return data.
func TestAnalyticsWithoutAScopeAreRefused(t *testing.T) {
	t.Parallel()
	var s analytics.Analytics
	var nobody access.TeamScope
	ctx := t.Context()
	for name, ask := range map[string]func() error{
		"summary":  func() error { _, err := s.Summary(ctx, nobody, analytics.Query{}, true); return err },
		"series":   func() error { _, err := s.Series(ctx, nobody, analytics.SeriesQuery{}); return err },
		"posts":    func() error { _, err := s.Posts(ctx, nobody, analytics.Query{}, pagination.Query{}); return err },
		"export":   func() error { return s.EachPost(ctx, nobody, analytics.Query{}, pagination.Query{}, nil) },
		"best":     func() error { _, err := s.BestTimes(ctx, nobody, analytics.Query{}); return err },
		"delivery": func() error { _, err := s.Delivery(ctx, nobody, analytics.Query{}); return err },
		"post":     func() error { _, err := s.Post(ctx, nobody, "p"); return err },
		"account":  func() error { _, err := s.Account(ctx, nobody, "a", crier.Time{}, crier.Time{}); return err },
	} {
		if err := ask(); !errors.Is(err, access.ErrNoScope) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
