package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
)

// publish publishes on networks and waits until the post is public and counted.
func (w *world) publish(t *testing.T, text string, networks ...crier.Provider) []crier.ScheduledPost {
	t.Helper()
	post := w.draft(t, object{"text": text})
	var accounts []crier.ID
	for _, n := range networks {
		accounts = append(accounts, w.account(t, n))
	}
	result := as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID),
		object{"socialAccountIds": accounts, "waitSeconds": 30}).want(t, 200))
	var list []crier.ScheduledPost
	for _, entry := range result.Data {
		list = append(list, w.until(t, entry.ScheduledPost.ID, func(p crier.ScheduledPost) bool {
			return p.Status == crier.Published
		}))
	}
	return list
}

// follow counts published posts.
func (w *world) follow(t *testing.T) {
	t.Helper()
	_, err := w.store.SequenceEvents(t.Context())
	requireNoError(t, err)
	for more := true; more; {
		more, err = w.services.Analytics.Follow(t.Context())
		requireNoError(t, err)
	}
}

// summary reads the summary of today.
func (w *world) summary(t *testing.T, query string) crier.AnalyticsSummary {
	t.Helper()
	return as[crier.AnalyticsSummary](t, w.call(t, http.MethodGet, w.team("/analytics/summary?%s", query), nil).want(t,
		200))
}

func TestAnalyticsCountPublishedPosts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		list := w.publish(t, "Hello", crier.ProviderThreads, crier.ProviderFacebook, crier.ProviderX)
		for _, p := range list {
			requireNoError(t, w.services.Analytics.Snapshot(context.Background(), job.Snapshot{ScheduledPostID: p.ID,
				Round: 99}))
		}
		// X charges for reads, which the organization has not enabled: its post is counted by the event alone.
		w.follow(t)
		got := w.summary(t, "compare=previous")
		if got.Posts != 3 || got.Metrics.Likes.Told != 2 || got.Metrics.Likes.NotTold != 1 ||
			got.Metrics.Likes.Value == nil || got.Previous == nil || got.Previous.Posts != 0 ||
			got.Previous.Metrics.Likes.Value != nil {
			t.Errorf("summary %+v", got.AnalyticsTotals)
		}
		if only := w.summary(t, "provider=x"); only.Posts != 1 || only.Metrics.Views.Value != nil ||
			only.Metrics.Views.NotTold != 1 || len(only.ByProvider) != 1 {
			t.Errorf("summary of X %+v", only.AnalyticsTotals)
		}
		gained := w.summary(t, "basis=gained")
		if gained.Posts != 3 || gained.Metrics.Likes.Value == nil || gained.Metrics.Likes.NotTold != 0 {
			t.Errorf("gained %+v", gained.AnalyticsTotals)
		}
		other := w.summary(t, "timezone=Asia/Kathmandu")
		if other.Posts != 3 || other.Timezone != "Asia/Kathmandu" || other.Metrics.Likes.Told != 2 {
			t.Errorf("in another zone %+v", other.AnalyticsTotals)
		}
		w.wantSeries(t)
		w.wantRanking(t)
		delivery := as[crier.AnalyticsDelivery](t, w.call(t, http.MethodGet, w.team("/analytics/delivery"),
			nil).want(t, 200))
		if delivery.Published != 3 || len(delivery.ByProvider) != 3 || delivery.Lateness == nil ||
			delivery.Lateness.Posts != 3 || delivery.Lateness.P99Ms < delivery.Lateness.P50Ms {
			t.Errorf("delivery %+v", delivery)
		}
		best := as[crier.BestTimes](t, w.call(t, http.MethodGet, w.team("/analytics/best-times"), nil).want(t, 200))
		if best.Known || best.Reason == "" || len(best.Cells) != 168 || len(best.Best) != 0 {
			t.Errorf("best times %+v", best)
		}
	})
}

func (w *world) wantSeries(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		query  string
		groups []string
	}{
		{"metric=likes", []string{"total"}},
		{"metric=likes&groupBy=provider", []string{"facebook", "threads", "x"}},
		{"metric=posts&groupBy=postType&interval=month", []string{"text_post"}},
		{"metric=views&groupBy=tag&interval=week&basis=gained", []string{"untagged"}},
	} {
		s := as[crier.AnalyticsSeries](t, w.call(t, http.MethodGet, w.team("/analytics/series?%s", c.query),
			nil).want(t, 200))
		var keys []string
		for _, g := range s.Groups {
			keys = append(keys, g.Key)
			if len(g.Values) != len(s.Buckets) || len(g.Told) != len(s.Buckets) || len(g.NotTold) != len(s.Buckets) {
				t.Errorf("%s: %d buckets, group %+v", c.query, len(s.Buckets), g)
			}
			if g.Key == "x" && g.Values[len(g.Values)-1] != nil {
				t.Errorf("X told nothing, and its line ends with %v", *g.Values[len(g.Values)-1])
			}
		}
		if !slices.Equal(keys, c.groups) {
			t.Errorf("%s: groups %q, want %q", c.query, keys, c.groups)
		}
	}
	metric, _ := reflect.TypeFor[getAnalyticsSeriesInput]().FieldByName("Metric")
	for name := range strings.SplitSeq(metric.Tag.Get("enum"), ",") {
		s := as[crier.AnalyticsSeries](t, w.call(t, http.MethodGet, w.team("/analytics/series?metric=%s", name),
			nil).want(t, 200))
		if s.Metric != name || len(s.Groups) == 0 {
			t.Errorf("the series of %s is %+v", name, s)
		}
	}
	w.call(t, http.MethodGet, w.team("/analytics/series?metric=reach"), nil).wantError(t, crier.KindInvalid, "metric")
	w.call(t, http.MethodGet, w.team("/analytics/series?metric=followers&groupBy=tag"), nil).wantError(t,
		crier.KindInvalid, "groupBy")
}

func (w *world) wantRanking(t *testing.T) {
	t.Helper()
	first := as[crier.Page[crier.AnalyticsPost]](t, w.call(t, http.MethodGet,
		w.team("/analytics/posts?sortBy=engagements&limit=2"), nil).want(t, 200))
	if len(first.Data) != 2 || first.Total != 3 || first.NextCursor == nil {
		t.Fatalf("first page %+v", first)
	}
	last := as[crier.Page[crier.AnalyticsPost]](t, w.call(t, http.MethodGet,
		w.team("/analytics/posts?sortBy=engagements&limit=2&cursor=%s", *first.NextCursor), nil).want(t, 200))
	if len(last.Data) != 1 || last.Data[0].Provider != crier.ProviderX || last.Data[0].Metrics.Engagements != nil {
		t.Errorf("what was not told must come last: %+v", last.Data)
	}
	if first.Data[0].Text != "Hello" || first.Data[0].ReadAt == nil {
		t.Errorf("ranked %+v", first.Data[0])
	}
}

func TestAnalyticsAsCSV(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for path, columns := range map[string]int{"summary": 10, "series": 6, "posts": 21, "best-times": 5,
			"delivery": 10} {
			a := w.call(t, http.MethodGet, w.team("/analytics/%s?format=csv", path), nil).want(t, 200)
			if got := a.header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
				t.Errorf("%s is %s", path, got)
			}
			rows, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
			requireNoError(t, err)
			if len(rows[0]) != columns {
				t.Errorf("%s has the columns %q", path, rows[0])
			}
		}
	})
}

func TestLargeTablesAreCompressedUnlessTheyAreStreamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, databases.Fresh(t, "sqlite").Open(t))
	for path, want := range map[string]string{"summary": "gzip", "best-times": "gzip", "delivery": "", "posts": ""} {
		path = w.team("/analytics/%s?format=csv", path)
		plain := w.call(t, http.MethodGet, path, nil).want(t, 200)
		zipped := w.call(t, http.MethodGet, path, nil, header{"Accept-Encoding", "gzip"}).want(t, 200)
		vary := map[string]string{"gzip": "Accept-Encoding"}[want]
		if got := zipped.header; got.Get("Content-Encoding") != want || got.Get("Vary") != vary ||
			plain.header.Get("Vary") != vary || got.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Errorf("%s: %v, and plain %v", path, got, plain.header)
		}
		body := io.Reader(bytes.NewReader(zipped.body))
		if want != "" {
			unzipped, err := gzip.NewReader(body)
			requireNoError(t, err)
			body = unzipped
		}
		if table, err := io.ReadAll(body); err != nil || !bytes.Equal(table, plain.body) {
			t.Errorf("%s: unzipped it is %s (%v)", path, table, err)
		}
	}
}

func TestTimesInCSVHaveMilliseconds(t *testing.T) {
	t.Parallel()
	at := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	row := postRow(crier.AnalyticsPost{PublishedAt: at, ReadAt: &at})
	for _, column := range []string{"publishedAt", "readAt"} {
		if got := row[slices.Index(postColumns, column)]; got != "2026-11-15T09:00:00.000Z" {
			t.Errorf("%s is %s", column, got)
		}
	}
}

func TestAnalyticsRejectInvalidWindows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for query, wantText := range map[string]string{
			"from=2026-13-01":               "2026-11-16",
			"from=yesterday":                "must be a date",
			"from=2026-02-02&to=2026-02-01": "must not be after to",
			"from=2025-01-01&to=2026-02-05": "at most 399 days before to",
			"timezone=Mars/Olympus":         "timezone",
			"provider=myspace":              "provider",
			"basis=guessed":                 "basis",
		} {
			w.call(t, http.MethodGet, w.team("/analytics/summary?%s", query), nil).wantError(t, crier.KindInvalid,
				wantText)
		}
		w.call(t, http.MethodGet, w.team("/analytics/summary?from=2025-01-01&to=2026-02-04"), nil).want(t, 200)
	})
}

func TestCSVIsSafeForSpreadsheets(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{"": "", "-1.5": "-1.5", "=1+1": "'=1+1", "+x": "'+x", "@a": "'@a",
		"-a": "'-a", "a=b": "a=b"} {
		if got := escapeCell(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
}

func TestNumbersInCSVHaveNoExponent(t *testing.T) {
	t.Parallel()
	for number, want := range map[float64]string{0: "0", 1_234_567: "1234567", 25_000_000: "25000000", 0.05: "0.05",
		0.000_000_5: "0.0000005", -3_000_000: "-3000000"} {
		if got := text(&number); got != want {
			t.Errorf("%v is written as %q, want %q", number, got, want)
		}
	}
	large, none := int64(9_007_199_254_740_993), (*float64)(nil)
	if got := text(&large); got != "9007199254740993" || text(none) != "" {
		t.Errorf("a large number is written as %q, a missing one as %q", got, text(none))
	}
}

func TestOrganizationOptsIntoPaidReadings(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		policy := func() crier.MetricsPolicy {
			return as[crier.Organization](t, w.call(t, http.MethodGet, w.organization(""), nil).want(t,
				200)).MetricsPolicy
		}
		if policy() != crier.MetricsFree {
			t.Fatalf("a new organization has the policy %q", policy())
		}
		p := w.publish(t, "Hello", crier.ProviderX)[0]
		read := func() (views *int64, balance int64) {
			requireNoError(t, w.services.Analytics.Snapshot(context.Background(), job.Snapshot{ScheduledPostID: p.ID,
				Round: 99}))
			o := as[crier.Organization](t, w.call(t, http.MethodGet, w.organization(""), nil).want(t, 200))
			return w.summary(t, "").Metrics.Views.Value, o.CreditsBalance
		}
		views, before := read()
		if views != nil {
			t.Fatalf("X was read without being asked for: %d views", *views)
		}
		w.call(t, http.MethodPatch, w.organization(""), object{"metricsPolicy": "some"}).wantError(t, crier.KindInvalid,
			"metricsPolicy")
		w.call(t, http.MethodPatch, w.organization(""), object{"metricsPolicy": "all"}).want(t, 200)
		views, after := read()
		if views == nil || after >= before {
			t.Errorf("views %v, credits before %d and after %d", views, before, after)
		}
	})
}
