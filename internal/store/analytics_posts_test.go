package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// Every sort of a ranking is paged through in both directions: a page's key must be the value that the database sorts
// by, or the next page would omit posts.
func TestRankingsPageThroughEverySort(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, from, to := context.Background(), f.After(-aDay), f.After(aDay)
		var all []store.PublicationStats
		for i := range 5 {
			s := published(f, time.Duration(i)*time.Minute)
			all = append(all, s)
			if i < 4 { // the last one has no metrics
				n := int64(i % 3)
				read(f, s, time.Hour, store.Numbers{Views: number(10 + n), Reach: number(n), Likes: number(5 - n),
					Comments: number(n), Shares: number(n * 2), Quotes: number(1), Saves: number(0), Clicks: number(n)})
			}
		}
		for _, sort := range append([]string{"reach", "engagementRate", "publishedAt"}, metricNames()...) {
			for _, desc := range []bool{false, true} {
				var got []crier.ID
				last := store.PageQuery{Sort: sort, Desc: desc, Limit: 2}
				for {
					page, err := f.RankedPage(ctx, around(f), from, to, last)
					if err != nil {
						t.Fatalf("%s: %v", sort, err)
					}
					for _, p := range page.Rows {
						got = append(got, p.PublicationID)
					}
					if !page.After {
						break
					}
					last.Seek = &page.Last
				}
				sorted := slices.Compact(slices.Sorted(slices.Values(got)))
				if len(got) != len(all) || len(sorted) != len(all) {
					t.Errorf("%s, descending %v: %d rows, %d of them distinct, want %d",
						sort, desc, len(got), len(sorted), len(all))
				}
				untold := slices.Index(got, all[4].PublicationID)
				if sort != "publishedAt" && (desc && untold != 4 || !desc && untold != 0) {
					t.Errorf("%s, descending %v: what was not told is at place %d", sort, desc, untold)
				}
			}
		}
	})
}

func metricNames() (names []string) {
	for _, m := range store.SummedMetrics {
		names = append(names, string(m))
	}
	return names
}

func TestRankedPostsShowWhatWasPublished(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, from, to := context.Background(), f.After(-aDay), f.After(aDay)
		s := published(f, 0)
		read(f, s, time.Hour, store.Numbers{Views: number(8), Likes: number(2)})
		long := strings.Repeat("ä", 300)
		mustExec(t, f.Store, `UPDATE payloads SET text = $2 WHERE post_id = $1`, s.PostID, long)
		mustExec(t, f.Store, `UPDATE publications SET permalink = 'https://x.example/1' WHERE id = $1`, s.PublicationID)
		mustExec(t, f.Store, `UPDATE posts SET title = 'Launch' WHERE id = $1`, s.PostID)
		mustExec(t, f.Store, `UPDATE social_accounts SET profile_handle = 'acme' WHERE id = $1`, f.Account.ID)
		query := store.PageQuery{Sort: "views", Desc: true, Limit: 10}
		page, total, err := f.RankedPosts(ctx, around(f), from, to, query)
		if err != nil || total != (store.Total{Count: 1}) || len(page.Rows) != 1 {
			t.Fatalf("%+v, %+v, %v", page, total, err)
		}
		got := page.Rows[0]
		if *got.Title != "Launch" || got.Text != strings.Repeat("ä", 280) || *got.Permalink != "https://x.example/1" ||
			got.AccountName != "Acme" || *got.AccountHandle != "acme" || *got.Numbers.Views != 8 ||
			got.Numbers.Clicks != nil || got.Readings != 1 {
			t.Errorf("%+v", got)
		}
		for name, c := range map[string]struct {
			from, to crier.Time
			change   func(*store.AnalyticsFilter)
			want     int64
		}{
			"the network":   {from, to, providers(crier.ProviderX), 1},
			"another one":   {from, to, providers(crier.ProviderTikTok), 0},
			"the account":   {from, to, accounts(f.Account.ID), 1},
			"another type":  {from, to, kinds(f.Account.ID, crier.TextVideo), 0},
			"until then":    {from, s.PublishedAt, providers(), 0},
			"from then":     {s.PublishedAt, to, providers(), 1},
			"days too late": {from, to, span(s.PublishedDay+2, s.PublishedDay+9), 0},
		} {
			filter := around(f)
			c.change(&filter)
			page, total, err := f.RankedPosts(ctx, filter, c.from, c.to, query)
			if err != nil || total.Count != c.want || int64(len(page.Rows)) != c.want {
				t.Errorf("%s: %d rows of %d, %v; want %d", name, len(page.Rows), total.Count, err, c.want)
			}
		}
		if _, _, err := f.RankedPosts(ctx, around(f), from, to, store.PageQuery{Sort: "luck", Limit: 1}); err == nil ||
			!strings.Contains(err.Error(), `no sort named "luck"`) {
			t.Errorf("an unknown sort: %v", err)
		}
		f.Tx(func(ctx context.Context, tx *store.Tx) error { return tx.DeletePost(ctx, s.PostID, f.Now) })
		if page, total, err := f.RankedPosts(ctx, around(f), from, to, query); err != nil || total.Count != 0 ||
			len(page.Rows) != 0 {
			t.Errorf("a deleted post is ranked: %+v, %v", page.Rows, err)
		}
	})
}

func TestLatenessPercentilesAreOfRanks(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		late := func(network crier.Provider, millis int64, after time.Duration) {
			published(f, after, func(s *store.PublicationStats) { s.Provider, s.LateMillis = network, &millis })
		}
		for _, millis := range []int64{30, 10, 20, 1000} {
			late(crier.ProviderX, millis, 0)
		}
		late(crier.ProviderLinkedIn, 7, time.Minute)
		late(crier.ProviderX, 99_000, 2*time.Hour) // due after the period
		// not sent by crier
		published(f, 0, func(s *store.PublicationStats) { s.Provider = crier.ProviderInstagram })
		show := func(filter store.AnalyticsFilter, percentiles ...int) (out []string) {
			list, err := f.Latenesses(ctx, filter, f.After(-time.Hour), f.After(time.Hour), percentiles)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range list {
				out = append(out, fmt.Sprintf("%s %d %v", l.Provider, l.Count, l.Percentiles))
			}
			return out
		}
		want := []string{"linkedin 1 [7 7 7 7]", "x 4 [10 20 1000 1000]", " 5 [7 20 1000 1000]"}
		if got := show(around(f), 1, 50, 95, 100); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		filter := around(f)
		filter.Providers = []crier.Provider{crier.ProviderLinkedIn}
		if got := show(filter, 50); !slices.Equal(got, []string{"linkedin 1 [7]", " 1 [7]"}) {
			t.Errorf("of one network %q", got)
		}
		filter.Providers = []crier.Provider{crier.ProviderInstagram}
		if got := show(filter, 50); got != nil {
			t.Errorf("of none %q", got)
		}
		if got := show(around(f)); !slices.Equal(got, []string{"linkedin 1 []", "x 4 []", " 5 []"}) {
			t.Errorf("without percentiles %q", got)
		}
	})
}

func TestDeliveriesAreCountedByNetworkAndStatus(t *testing.T) {
	t.Parallel()
	databases.EachShared(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := context.Background()
		linkedIn := f.NewAccount(crier.ProviderLinkedIn)
		due := func(after time.Duration, status crier.ScheduledPostStatus, on store.Account) store.Publication {
			return f.Schedule(f.NewPost("x"), func(p *store.Publication) {
				p.ScheduledAt, p.Status = f.After(after), status
				p.SocialAccountID, p.Provider = on.ID, on.Provider
			})
		}
		parent := due(0, crier.Published, f.Account)
		due(time.Minute, crier.Published, f.Account)
		due(0, crier.Failed, f.Account)
		due(0, crier.Canceled, f.Account)
		due(time.Hour, crier.Published, f.Account)
		due(0, crier.Missed, linkedIn)
		f.Follow(parent, store.FirstComment)
		show := func(change ...func(*store.AnalyticsFilter)) (out []string) {
			filter := around(f)
			for _, fn := range change {
				fn(&filter)
			}
			list, err := f.DeliveryCounts(ctx, filter, f.Now, f.After(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				out = append(out, fmt.Sprintf("%s %s %d", c.Provider, c.Status, c.Count))
			}
			return out
		}
		want := []string{"linkedin missed 1", "x failed 1", "x published 2"}
		if got := show(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := show(kinds(f.Account.ID, crier.TextVideo)); !slices.Equal(got, want[1:]) {
			t.Errorf("of an account, whatever the type of its posts: %q", got)
		}
		if got := show(providers(crier.ProviderLinkedIn)); !slices.Equal(got, want[:1]) {
			t.Errorf("of a network: %q", got)
		}
	})
}
