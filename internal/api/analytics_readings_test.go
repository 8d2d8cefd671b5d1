package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/analytics"
	"crier/internal/job"
	"crier/internal/service"
	"crier/internal/store"
)

// publishAlone publishes, and stops the workers: nothing is read or counted automatically afterwards.
func (w *world) publishAlone(t *testing.T, networks ...crier.Provider) []crier.ScheduledPost {
	t.Helper()
	w.work(t)
	list := w.publish(t, "Hello", networks...)
	requireNoError(t, w.jobs.Stop(t.Context()))
	return list
}

// setNumbers sets metrics on the sandbox.
func (w *world) setNumbers(t *testing.T, body object) {
	t.Helper()
	data, err := json.Marshal(body)
	requireNoError(t, err)
	resp, err := http.Post(w.sandbox+"/_control/metrics", "application/json", bytes.NewReader(data))
	requireNoError(t, err)
	requireNoError(t, resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the sandbox answers %d", resp.StatusCode)
	}
}

// calls returns how many reads of a network the sandbox received.
func (w *world) calls(t *testing.T, network crier.Provider) (n int) {
	t.Helper()
	resp, err := http.Get(w.sandbox + "/_control/calls?provider=" + string(network))
	requireNoError(t, err)
	defer resp.Body.Close()
	var list struct {
		Data []struct {
			Operation string
			Count     int
		}
	}
	requireNoError(t, json.NewDecoder(resp.Body).Decode(&list))
	for _, c := range list.Data {
		if c.Operation == "read" {
			n += c.Count
		}
	}
	return n
}

// readAccount runs the daily reading of an account.
func (w *world) readAccount(t *testing.T, network crier.Provider) error {
	t.Helper()
	return w.services.Analytics.AccountSnapshot(t.Context(), job.AccountSnapshot{SocialAccountID: w.account(t, network),
		Provider: network, Before: crier.TimeOf(w.now().Add(time.Hour))})
}

// readPost runs a reading of a published post.
func (w *world) readPost(t *testing.T, id crier.ID) error {
	t.Helper()
	return w.services.Analytics.Snapshot(t.Context(), job.Snapshot{ScheduledPostID: id})
}

// lastFollowers returns the last value of a network's follower chart; nil when there is none.
func (w *world) lastFollowers(t *testing.T, network crier.Provider) *float64 {
	t.Helper()
	s := as[crier.AnalyticsSeries](t, w.call(t, http.MethodGet,
		w.team("/analytics/series?metric=followers&groupBy=provider&provider=%s", network), nil).want(t, 200))
	if len(s.Groups) == 0 {
		return nil
	}
	return s.Groups[0].Values[len(s.Buckets)-1]
}

func (w *world) payForReadings(t *testing.T) {
	t.Helper()
	w.call(t, http.MethodPatch, w.organization(""), object{"metricsPolicy": "all"}).want(t, 200)
}

// remote returns the id of an account on its network.
func (w *world) remote(t *testing.T, network crier.Provider) string {
	t.Helper()
	a, err := w.store.Account(t.Context(), w.account(t, network))
	requireNoError(t, err)
	return a.ProviderAccountID
}

func TestFollowersOfEveryNetworkAreRead(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.payForReadings(t)
		for network, want := range map[crier.Provider]float64{crier.ProviderX: 1234, crier.ProviderTikTok: 1234,
			crier.ProviderInstagram: 1234, crier.ProviderFacebook: 1234, crier.ProviderThreads: 1234,
			crier.ProviderYouTube: 1230} { // YouTube rounds
			requireNoError(t, w.readAccount(t, network))
			if got := w.lastFollowers(t, network); got == nil || *got != 100 {
				t.Errorf("%s begins with the followers %v", network, got)
			}
			w.setNumbers(t, object{"provider": network, "accountId": w.remote(t, network), "followers": 1234})
			requireNoError(t, w.readAccount(t, network))
			if got := w.lastFollowers(t, network); got == nil || *got != want {
				t.Errorf("%s has the followers %v, want %v", network, got, want)
			}
		}
	})
}

func TestSandboxDerivesFollowersAndViewsFromLikes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.payForReadings(t)
		p := w.publishAlone(t, crier.ProviderX)[0]
		set := func(body object) crier.AnalyticsTotals {
			w.wait(time.Second)
			body["provider"], body["platformPostId"] = "x", p.PlatformPostID
			w.setNumbers(t, body)
			requireNoError(t, w.readPost(t, p.ID))
			requireNoError(t, w.readAccount(t, crier.ProviderX))
			return w.summary(t, "provider=x").AnalyticsTotals
		}
		got := set(object{"likes": 200})
		if *got.Metrics.Likes.Value != 200 || *got.Metrics.Views.Value != 4000 || *got.Followers.Value != 120 {
			t.Errorf("200 likes make %+v", got)
		}
		got = set(object{"likes": 150, "views": 77}) // metrics may fall
		if *got.Metrics.Likes.Value != 150 || *got.Metrics.Views.Value != 77 || *got.Followers.Value != 115 {
			t.Errorf("150 likes and 77 views make %+v", got)
		}
	})
}

// An unreachable network postpones its own readings, and no others.
func TestUnreachableNetworkDoesNotDelayOtherReadings(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		list := w.publishAlone(t, crier.ProviderThreads, crier.ProviderFacebook)
		away := func() {
			w.fault(t, object{"provider": "threads", "operation": "read", "kind": "outage", "count": 1000})
		}
		away()
		for _, read := range []func() error{
			func() error { return w.readAccount(t, crier.ProviderThreads) },
			func() error { return w.readPost(t, list[0].ID) },
		} {
			later, ok := errors.AsType[*analytics.Later](read())
			if !ok || later.After < 10*time.Minute {
				t.Errorf("a reading of a network that is away ends with %v", later)
			}
		}
		requireNoError(t, w.readAccount(t, crier.ProviderFacebook))
		requireNoError(t, w.readPost(t, list[1].ID))
		if got := w.lastFollowers(t, crier.ProviderFacebook); got == nil {
			t.Error("the other network was not read")
		}
		// When the next reading is due, the one that failed is given up.
		w.wait(7 * time.Hour)
		requireNoError(t, w.readPost(t, list[0].ID))
		requireNoError(t, w.services.Analytics.AccountSnapshot(t.Context(), job.AccountSnapshot{
			SocialAccountID: w.account(t, crier.ProviderThreads), Before: crier.TimeOf(w.now().Add(-time.Hour))}))
	})
}

// Metrics are not requested through a connection without the permission: the account shows a hint, and no job fails.
func TestMissingPermissionIsAHintAndNoError(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		p := w.publishAlone(t, crier.ProviderThreads)[0]
		grant := func(scopes string) {
			_, err := w.store.Writer().ExecContext(t.Context(), `UPDATE social_accounts SET scopes = $2 WHERE id = $1`,
				w.account(t, crier.ProviderThreads), scopes)
			requireNoError(t, err)
		}
		grant(`["threads_basic","threads_content_publish"]`)
		requests := w.calls(t, crier.ProviderThreads)
		for range 3 { // each day
			requireNoError(t, w.readAccount(t, crier.ProviderThreads))
			requireNoError(t, w.readPost(t, p.ID))
			w.wait(24 * time.Hour)
		}
		if n := w.calls(t, crier.ProviderThreads) - requests; n != 0 {
			t.Errorf("the network was asked %d times", n)
		}
		hints := w.summary(t, "").AccountsWithHint
		account := as[crier.SocialAccount](t,
			w.call(t, http.MethodGet, w.team("/social-accounts/%s", p.SocialAccountID), nil).want(t, 200))
		if len(hints) != 1 || hints[0].SocialAccountID != p.SocialAccountID || account.MetricsHint == nil ||
			!strings.Contains(*account.MetricsHint, "Connect the account again") {
			t.Errorf("the hints are %+v, of the account %v", hints, account.MetricsHint)
		}
		grant(`["threads_basic","threads_content_publish","threads_manage_insights"]`)
		requireNoError(t, w.readAccount(t, crier.ProviderThreads))
		if hints := w.summary(t, "").AccountsWithHint; len(hints) != 0 {
			t.Errorf("with the permission the hints are %+v", hints)
		}
	})
}

// Readings of X that were not enabled are neither made nor billed.
func TestReadingsAreBilledOnlyOnRequest(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		p := w.publishAlone(t, crier.ProviderX)[0]
		read := func() (spent int64, requests int) {
			balance, calls := w.credits(t).CreditsBalance, w.calls(t, crier.ProviderX)
			w.wait(24 * time.Hour)
			requireNoError(t, w.readAccount(t, crier.ProviderX))
			requireNoError(t, w.readPost(t, p.ID))
			return balance - w.credits(t).CreditsBalance, w.calls(t, crier.ProviderX) - calls
		}
		if spent, requests := read(); spent != 0 || requests != 0 || w.lastFollowers(t, crier.ProviderX) != nil {
			t.Errorf("readings that nobody asked for cost %d credits in %d calls", spent, requests)
		}
		w.payForReadings(t)
		if spent, requests := read(); spent <= 10 || requests != 2 || w.lastFollowers(t, crier.ProviderX) == nil {
			t.Errorf("readings of an account and a post cost %d credits in %d calls", spent, requests)
		}
		w.call(t, http.MethodPatch, w.organization(""), object{"metricsPolicy": "free"}).want(t, 200)
		if spent, requests := read(); spent != 0 || requests != 0 {
			t.Errorf("after they were turned off readings cost %d credits in %d calls", spent, requests)
		}
	})
}

// Posts that were published and read before the analytics tables existed are counted afterwards, once.
func TestPostsFromBeforeAnalyticsAreCounted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		networks := []crier.Provider{crier.ProviderThreads, crier.ProviderFacebook}
		for i, p := range w.publishAlone(t, networks...) {
			for likes := range 3 {
				w.setNumbers(t, object{"provider": networks[i], "platformPostId": p.PlatformPostID,
					"likes": 10 * (i + likes + 1)})
				w.wait(time.Second)
				requireNoError(t, w.readPost(t, p.ID))
			}
		}
		w.follow(t)
		published, gained := w.summary(t, "").AnalyticsTotals, w.summary(t, "basis=gained").AnalyticsTotals
		for _, query := range []string{`DELETE FROM publication_stats`, `DELETE FROM analytics_days`,
			`UPDATE analytics_log SET backfilled = '00000000-0000-0000-0000-000000000000'`} {
			_, err := w.store.Writer().ExecContext(t.Context(), query)
			requireNoError(t, err)
		}
		for range 2 { // the repetition changes nothing
			w.follow(t)
			for basis, want := range map[string]crier.AnalyticsTotals{"published": published, "gained": gained} {
				got := w.summary(t, "basis="+basis).AnalyticsTotals
				if got.Posts != 2 || *got.Metrics.Likes.Value != *want.Metrics.Likes.Value ||
					got.Metrics.Likes.Told != want.Metrics.Likes.Told ||
					*got.Metrics.Views.Value != *want.Metrics.Views.Value {
					t.Errorf("counted afterwards, %s: %+v, want %+v", basis, got, want)
				}
			}
		}
	})
}

// A CSV of the ranking has all posts, however many pages the list has.
func TestRankingAsCSVHasAllPosts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const posts = 2101 // more than one batch of the export
		w.rankMany(t, posts)
		for query, order := range map[string]func(a, b string) int{"sortBy=likes": func(a, b string) int {
			return len(b) - len(a)
		}, "sortBy=publishedAt&sortOrder=asc&limit=2": strings.Compare} {
			a := w.call(t, http.MethodGet, w.team("/analytics/posts?format=csv&%s", query), nil).want(t, 200)
			rows, err := csv.NewReader(bytes.NewReader(a.body)).ReadAll()
			requireNoError(t, err)
			if len(rows) != posts+1 {
				t.Fatalf("%s: %d rows", query, len(rows)-1)
			}
			column := slices.Index(rows[0], strings.Split(strings.TrimPrefix(query, "sortBy="), "&")[0])
			seen := map[string]bool{}
			for i, row := range rows[1:] {
				seen[row[0]] = true
				if i > 0 && order(rows[i][column], row[column]) > 0 {
					t.Fatalf("%s: %s comes before %s", query, rows[i][column], row[column])
				}
			}
			if len(seen) != posts {
				t.Errorf("%s: %d different posts", query, len(seen))
			}
		}
	})
}

// rankMany publishes one post many times, and counts each.
func (w *world) rankMany(t *testing.T, n int) {
	t.Helper()
	post := w.draft(t, object{"text": "Hello"})
	first := w.schedule(t, post.ID, object{}, crier.ProviderThreads)[0]
	var list []store.PublicationStats
	requireNoError(t, w.store.WithTx(t.Context(), func(tx *store.Tx) error {
		p, err := tx.Publication(t.Context(), first.ID)
		if err != nil {
			return err
		}
		list = nil
		for i := range n {
			at := crier.TimeOf(w.now().Add(-time.Duration(i) * time.Minute))
			p.ID, p.Status, p.PublishedAt, p.WakeAt = crier.NewID(), crier.Published, &at, nil
			if err := tx.InsertPublication(t.Context(), p); err != nil {
				return err
			}
			list = append(list, store.PublicationStats{PublicationID: p.ID, TeamID: p.TeamID, PostID: p.PostID,
				SocialAccountID: p.SocialAccountID, Provider: p.Provider, PostType: crier.TextPost, DueAt: at,
				PublishedAt: at, PublishedDay: at.Unix() / 86400})
		}
		_, err = tx.CountPublications(t.Context(), list)
		return err
	}))
	_, err := w.store.Writer().ExecContext(t.Context(),
		`UPDATE publication_stats SET likes = 10000 WHERE published_day % 2 = 0`)
	requireNoError(t, err)
}

// Expired readings are deleted in batches, and drafts and schedules continue meanwhile.
func TestPurgeOfReadingsDoesNotBlock(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		w := newWorldWith(t, st, func(c *service.Config) { c.MetricsDays = 31 })
		w.rankMany(t, 1)
		const old = 20_000
		insert := `INSERT INTO post_metrics (scheduled_post_id, taken_at, metrics)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ` + fmt.Sprint(old) + `)
			SELECT s.publication_id, %s, '{"likes":1}' FROM n, publication_stats s WHERE true`
		when := `datetime('2020-01-01 00:00:00', '+' || i || ' seconds') || '+00:00'`
		if st.Dialect() == store.Postgres {
			when = `timestamptz '2020-01-01' + i * interval '1 second'`
		}
		_, err := st.Writer().ExecContext(t.Context(), fmt.Sprintf(insert, when))
		requireNoError(t, err)
		swept := make(chan error, 1)
		go func() { swept <- w.services.Analytics.Sweep(t.Context()) }()
		drafts, slowest := 0, time.Duration(0)
		for done := false; !done; drafts++ {
			start := time.Now()
			w.draft(t, object{"text": "Hello"})
			slowest = max(slowest, time.Since(start))
			select {
			case err := <-swept:
				requireNoError(t, err)
				done = true
			default:
			}
		}
		t.Logf("%d drafts were written while %d readings went, the slowest in %s", drafts, old, slowest)
		if drafts < 2 {
			t.Error("nothing was written beside the purge")
		}
		var left int
		requireNoError(t, st.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM post_metrics`).Scan(&left))
		if left != 0 {
			t.Errorf("%d old readings are left", left)
		}
	})
}
