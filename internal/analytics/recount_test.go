package analytics_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"crier"
	"crier/internal/access/accesstest"
	"crier/internal/analytics"
	"crier/internal/auth"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = &storetest.Suite{}

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

// bench is a team in a zone with a clock change every half year, and accounts.
type bench struct {
	*storetest.Fixture
	analytics *analytics.Analytics
	location  *time.Location
	accounts  []store.Account
	random    *rand.Rand
}

func newBench(tb testing.TB, f *storetest.Fixture) *bench {
	tb.Helper()
	zone := "America/New_York"
	f.Team.Timezone = &zone
	f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.UpdateTeam(ctx, f.Team) })
	location, err := time.LoadLocation(zone)
	if err != nil {
		tb.Fatal(err)
	}
	keys, err := auth.NewKeyring(auth.NewSecretKey())
	if err != nil {
		tb.Fatal(err)
	}
	registry, err := provider.NewRegistry()
	if err != nil {
		tb.Fatal(err)
	}
	clock := crier.Clock(func() time.Time { return f.Now.Time })
	engine := publish.New(publish.Config{Store: f.Store, Keys: keys, Providers: registry, Clock: clock,
		Logger: slog.New(slog.DiscardHandler)})
	b := &bench{Fixture: f, location: location, accounts: []store.Account{f.Account},
		random:    rand.New(rand.NewPCG(1, 2)),
		analytics: analytics.New(analytics.Config{Store: f.Store, Providers: registry, Engine: engine, Clock: clock})}
	for _, network := range []crier.Provider{crier.ProviderFacebook, crier.ProviderThreads} {
		b.accounts = append(b.accounts, f.NewAccount(network))
	}
	return b
}

// day returns the day of a time in the team's zone.
func (b *bench) day(t crier.Time) int64 {
	year, month, day := t.In(b.location).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86400
}

// published inserts a published post.
func (b *bench) published(post store.Post, at time.Time) store.PublicationStats {
	a := b.accounts[b.random.IntN(len(b.accounts))]
	p := b.Schedule(post, func(p *store.Publication) {
		id, published := "post-"+string(p.ID), crier.TimeOf(at)
		p.SocialAccountID, p.Provider, p.Status, p.PlatformPostID, p.PublishedAt = a.ID, a.Provider, crier.Published,
			&id, &published
		p.ScheduledAt, p.WakeAt = published, nil
	})
	return store.PublicationStats{PublicationID: p.ID, TeamID: b.Team.ID, SocialAccountID: a.ID, PostID: post.ID,
		Provider: a.Provider, PostType: post.PostType, DueAt: p.ScheduledAt, PublishedAt: *p.PublishedAt,
		PublishedDay: b.day(*p.PublishedAt)}
}

// raw returns random metrics: some are missing, some have decreased.
func (b *bench) raw() string {
	number := func(name string) string {
		if b.random.IntN(4) == 0 {
			return fmt.Sprintf("%q:null", name)
		}
		return fmt.Sprintf("%q:%d", name, b.random.IntN(1000))
	}
	views := "views"
	if b.random.IntN(3) == 0 {
		views = "impressions"
	}
	return "{" + number(views) + "," + number("reach") + "," + number("likes") + "," + number("comments") + "," +
		number("shares") + "," + number("saves") + "}"
}

// key is what sums are grouped by.
type key struct {
	gained  bool
	day     int64
	account crier.ID
}

// recount recounts the stored readings, by other means than the sums are calculated with.
func (b *bench) recount(tb testing.TB, posts []store.PublicationStats) map[key]map[string]int64 {
	tb.Helper()
	ids := make([]crier.ID, len(posts))
	for i, p := range posts {
		ids[i] = p.PublicationID
	}
	raw, err := b.RawReadings(context.Background(), ids)
	if err != nil {
		tb.Fatal(err)
	}
	out := map[key]map[string]int64{}
	add := func(k key, name string, n int64) {
		if out[k] == nil {
			out[k] = map[string]int64{}
		}
		out[k][name] += n
	}
	for _, p := range posts {
		onDay := key{false, p.PublishedDay, p.SocialAccountID}
		add(onDay, "counted", 1)
		last := map[string]int64{}
		for _, r := range raw[p.PublicationID] {
			readDay := key{true, b.day(r.At), p.SocialAccountID}
			add(readDay, "counted", 1)
			for name, v := range map[string]*int64{"views": r.Numbers.Views, "likes": r.Numbers.Likes,
				"comments": r.Numbers.Comments, "shares": r.Numbers.Shares, "saves": r.Numbers.Saves} {
				if v != nil {
					add(readDay, name, *v-last[name])
					add(readDay, name+" told", 1)
					last[name] = *v
				}
			}
		}
		for name, v := range last {
			add(onDay, name, v)
			add(onDay, name+" told", 1)
		}
	}
	return out
}

// wantSums fails unless the daily sums equal those of a recount.
func (b *bench) wantSums(tb testing.TB, posts []store.PublicationStats) {
	tb.Helper()
	want, found := b.recount(tb, posts), 0
	for _, gained := range []bool{false, true} {
		list, err := b.AnalyticsDays(context.Background(), store.AnalyticsFilter{TeamID: b.Team.ID, To: 1 << 40},
			gained, store.DayGrouping{Day: true, Account: true})
		if err != nil {
			tb.Fatal(err)
		}
		found += len(list)
		for _, d := range list {
			w := want[key{gained, d.Day, d.SocialAccountID}]
			if d.Counted != w["counted"] {
				tb.Errorf("day %d, gained %t: counted %d, want %d", d.Day, gained, d.Counted, w["counted"])
			}
			for i, m := range store.SummedMetrics {
				if m == crier.MetricEngagements {
					continue
				}
				if d.Sums[i].Value != w[string(m)] || d.Sums[i].Told != w[string(m)+" told"] {
					tb.Errorf("day %d, gained %t: %s %+v, want %d told by %d", d.Day, gained, m, d.Sums[i],
						w[string(m)], w[string(m)+" told"])
				}
			}
		}
	}
	if found != len(want) {
		tb.Errorf("%d days have sums, want %d", found, len(want))
	}
}

// snapshots returns how many random readings the recount compares.
func snapshots() int {
	if raceEnabled {
		return 500
	}
	return 10_000
}

func TestSumsOfDaysEqualARecount(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		b := newBench(t, f)
		total := snapshots()
		posts := make([]store.PublicationStats, total/50)
		// Around the clock changes of spring and autumn 2026 in New York: 8 March and 1 November.
		starts := []time.Time{time.Date(2026, 3, 7, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)}
		for i := range posts {
			at := starts[i%2].Add(time.Duration(b.random.IntN(3*24*60)) * time.Minute)
			posts[i] = b.published(b.NewPost("Hello"), at)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.CountPublications(ctx, posts)
			return err
		})
		for done := 0; done < total; {
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				for range 100 {
					p := posts[b.random.IntN(len(posts))]
					at := crier.TimeOf(p.PublishedAt.Add(time.Duration(b.random.IntN(40*24*3600)) * time.Second))
					raw := b.raw()
					numbers, err := store.DecodeNumbers([]byte(raw))
					if err != nil {
						return err
					}
					if _, err := tx.AddReading(ctx, store.Reading{PublicationID: p.PublicationID, At: at,
						Day: b.day(at), Numbers: numbers, Raw: []byte(raw)}); err != nil {
						return err
					}
					done++
				}
				// Counting again changes nothing.
				again, err := tx.CountPublications(ctx, posts[:10])
				if err == nil && len(again) > 0 {
					err = fmt.Errorf("counted again: %v", again)
				}
				return err
			})
		}
		b.wantSums(t, posts)
		b.wantDeletedAndDisconnectedToStay(t, posts)
	})
}

// wantDeletedAndDisconnectedToStay: sums keep deleted posts and disconnected accounts. The ranking omits deleted posts.
func (b *bench) wantDeletedAndDisconnectedToStay(t *testing.T, posts []store.PublicationStats) {
	t.Helper()
	scope := accesstest.Owner(t, b.Fixture).Team(crier.ReadAnalytics)
	q := analytics.Query{From: "2026-03-01", To: "2026-03-31"}
	before, err := b.analytics.Summary(context.Background(), scope, q, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct {
		query string
		args  []any
	}{
		{`UPDATE posts SET deleted_at = $2 WHERE id = $1`, []any{posts[0].PostID, b.Now}},
		{`UPDATE social_accounts SET status = 'disconnected' WHERE id = $1`, []any{posts[0].SocialAccountID}},
	} {
		if _, err := b.Writer().ExecContext(t.Context(), change.query, change.args...); err != nil {
			t.Fatal(err)
		}
	}
	after, err := b.analytics.Summary(context.Background(), scope, q, false)
	if err != nil {
		t.Fatal(err)
	}
	if before.Posts == 0 || after.Posts != before.Posts || *after.Metrics.Likes.Value != *before.Metrics.Likes.Value {
		t.Errorf("%d posts with %d likes became %d with %d", before.Posts, *before.Metrics.Likes.Value, after.Posts,
			*after.Metrics.Likes.Value)
	}
	single, err := b.analytics.Summary(context.Background(), scope, analytics.Query{From: q.From, To: q.To,
		Zone: "US/Eastern"}, false) // the same days under another name: counted one by one
	if err != nil {
		t.Fatal(err)
	}
	if single.Posts != after.Posts || single.Metrics.Views.Told != after.Metrics.Views.Told ||
		*single.Metrics.Engagements.Value != *after.Metrics.Engagements.Value ||
		*single.EngagementRate.Value != *after.EngagementRate.Value {
		t.Errorf("counted one by one %+v, by days %+v", single.AnalyticsTotals, after.AnalyticsTotals)
	}
	rows, _, err := b.RankedPosts(context.Background(), store.AnalyticsFilter{TeamID: b.Team.ID, To: 1 << 40},
		crier.Time{}, b.Now, store.PageQuery{Sort: "views", Desc: true, Limit: 1000})
	if err != nil || len(rows.Rows) != len(posts)-1 {
		t.Errorf("%d posts are ranked of %d, one of them deleted: %v", len(rows.Rows), len(posts), err)
	}
}

func TestPurgingReadingsKeepsDailySums(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		b := newBench(t, f)
		old := b.published(b.NewPost("Hello"), f.Now.AddDate(0, 0, -401))
		likes := int64(7)
		f.Tx(func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.CountPublications(ctx, []store.PublicationStats{old}); err != nil {
				return err
			}
			for _, at := range []crier.Time{old.PublishedAt, f.After(-time.Hour)} {
				if _, err := tx.AddReading(ctx, store.Reading{PublicationID: old.PublicationID, At: at, Day: b.day(at),
					Numbers: store.Numbers{Likes: &likes}, Raw: []byte(`{"likes":7}`)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err := b.analytics.Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
		if kept := f.Scan(`SELECT count(*) FROM post_metrics`); kept != 1 {
			t.Errorf("%d readings are kept, want the young one", kept)
		}
		if sums := f.Scan(`SELECT sum(likes) FROM analytics_days WHERE NOT gained`); sums != 7 {
			t.Errorf("the sums have %d likes, want 7", sums)
		}
	})
}
