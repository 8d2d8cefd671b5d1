package client_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/client"
)

// requestedURL runs a call against a server that accepts anything, and returns the requested URL.
func requestedURL(t *testing.T, call func(context.Context, *client.Client) error) *url.URL {
	t.Helper()
	c, s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, map[string]any{}) })
	if err := call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return s.seen[0].URL
}

// Every filter must be sent under its own name: a lost one shows people what they did not ask for.
func TestFiltersAreSentUnderTheirNames(t *testing.T) {
	t.Parallel()
	at := func(day int) *crier.Time {
		moment := crier.TimeOf(time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC))
		return &moment
	}
	one, two := crier.NewID(), crier.NewID()
	both := string(one) + "," + string(two)
	for name, c := range map[string]struct {
		call func(context.Context, *client.Client) error
		path string
		want url.Values
	}{
		"posts, all filters": {func(ctx context.Context, c *client.Client) error {
			_, err := c.ListPosts(ctx, team, client.PostFilter{ListOptions: client.ListOptions{Cursor: "c+/=", Limit: 7,
				SortBy: "createdAt", SortOrder: "asc"}, Status: []crier.PostStatus{"draft", "approved"},
				DeliveryState: []crier.DeliveryState{"failed"}, PostType: []crier.PostType{crier.TextPost},
				Provider: []crier.Provider{"x", "threads"}, SocialAccountIDs: []crier.ID{one, two},
				SaveDestination: "queue",
				TagID:           one, AssetID: two, Q: "a & b?",
				ScheduledFrom: at(1), ScheduledTo: at(2), CreatedFrom: at(3),
				CreatedTo: at(4), UpdatedSince: at(5), ScheduledPosts: true})
			return err
		}, "/posts", url.Values{"cursor": {"c+/="}, "limit": {"7"}, "sortBy": {"createdAt"}, "sortOrder": {"asc"},
			"status": {"draft,approved"}, "deliveryState": {"failed"}, "postType": {string(crier.TextPost)},
			"provider": {"x,threads"}, "socialAccountId": {both}, "saveDestination": {"queue"}, "tagId": {string(one)},
			"assetId": {string(two)}, "q": {"a & b?"}, "scheduledFrom": {"2026-11-01T12:00:00.000Z"},
			"scheduledTo": {"2026-11-02T12:00:00.000Z"}, "createdFrom": {"2026-11-03T12:00:00.000Z"},
			"createdTo": {"2026-11-04T12:00:00.000Z"}, "updatedSince": {"2026-11-05T12:00:00.000Z"},
			"include": {"scheduledPosts"}}},
		"posts, none": {func(ctx context.Context, c *client.Client) error {
			_, err := c.ListPosts(ctx, team, client.PostFilter{})
			return err
		}, "/posts", url.Values{}},
		"a deletion from networks": {func(ctx context.Context, c *client.Client) error {
			_, err := c.DeletePost(ctx, team, one, true)
			return err
		}, "/posts/" + string(one), url.Values{"alsoDeleteFromPlatform": {"true"}}},
		"a deletion": {func(ctx context.Context, c *client.Client) error {
			_, err := c.DeletePost(ctx, team, one, false)
			return err
		}, "/posts/" + string(one), url.Values{}},
		"choices": {func(ctx context.Context, c *client.Client) error {
			_, err := c.AccountChoices(ctx, team, one, "youtubePlaylistId", "news & more")
			return err
		}, "/social-accounts/" + string(one) + "/choices",
			url.Values{"setting": {"youtubePlaylistId"}, "q": {"news & more"}}},
		"all choices": {func(ctx context.Context, c *client.Client) error {
			_, err := c.AccountChoices(ctx, team, one, "youtubePlaylistId", "")
			return err
		}, "/social-accounts/" + string(one) + "/choices", url.Values{"setting": {"youtubePlaylistId"}}},
		"live numbers of a time": {func(ctx context.Context, c *client.Client) error {
			_, err := c.AccountAnalytics(ctx, team, one, at(1), at(2))
			return err
		}, "/social-accounts/" + string(one) + "/analytics",
			url.Values{"from": {"2026-11-01T12:00:00.000Z"}, "to": {"2026-11-02T12:00:00.000Z"}}},
		"live numbers": {func(ctx context.Context, c *client.Client) error {
			_, err := c.AccountAnalytics(ctx, team, one, nil, nil)
			return err
		}, "/social-accounts/" + string(one) + "/analytics", url.Values{}},
		"a summary": {func(ctx context.Context, c *client.Client) error {
			_, err := c.AnalyticsSummary(ctx, team, client.AnalyticsQuery{From: "2026-11-01", To: "2026-11-02",
				Timezone: "Europe/Berlin", Providers: []crier.Provider{"x"}, SocialAccountIDs: []crier.ID{one, two},
				PostTypes: []crier.PostType{crier.TextPost}, Basis: crier.BasisGained}, true)
			return err
		}, "/analytics/summary", url.Values{"from": {"2026-11-01"}, "to": {"2026-11-02"}, "timezone": {"Europe/Berlin"},
			"provider": {"x"}, "socialAccountId": {both}, "postType": {string(crier.TextPost)}, "basis": {"gained"},
			"compare": {"previous"}}},
		"a series": {func(ctx context.Context, c *client.Client) error {
			_, err := c.AnalyticsSeries(ctx, team, client.AnalyticsQuery{}, client.SeriesOptions{Metric: "likes",
				Interval: "week", GroupBy: "tag"})
			return err
		}, "/analytics/series", url.Values{"metric": {"likes"}, "interval": {"week"}, "groupBy": {"tag"}}},
		"a table": {func(ctx context.Context, c *client.Client) error {
			return c.AnalyticsTable(ctx, team, "", client.AnalyticsQuery{From: "2026-11-01"},
				client.ListOptions{SortBy: "likes"},
				io.Discard)
		}, "/analytics/summary", url.Values{"from": {"2026-11-01"}, "sortBy": {"likes"}, "format": {"csv"}}},
		"a table of a series": {func(ctx context.Context, c *client.Client) error {
			return c.AnalyticsSeriesTable(ctx, team, client.AnalyticsQuery{}, client.SeriesOptions{Metric: "views"},
				io.Discard)
		}, "/analytics/series", url.Values{"metric": {"views"}, "format": {"csv"}}},
		"a calendar": {func(ctx context.Context, c *client.Client) error {
			_, err := c.Calendar(ctx, team, *at(1), *at(2), "UTC", client.IncludeCanceled)
			return err
		}, "/calendar", url.Values{"from": {"2026-11-01T12:00:00.000Z"}, "to": {"2026-11-02T12:00:00.000Z"},
			"timezone": {"UTC"}, "include": {"canceled"}}},
		"facets": {func(ctx context.Context, c *client.Client) error {
			_, err := c.Facets(ctx, team, "provider", "status")
			return err
		}, "/posts/facets/enrichment", url.Values{"fields": {"provider,status"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := requestedURL(t, c.call)
			if got.Query().Encode() != c.want.Encode() || !strings.HasSuffix(got.Path, string(team)+c.path) {
				t.Errorf("%s?%s, want %s?%s", got.Path, got.Query().Encode(), c.path, c.want.Encode())
			}
		})
	}
}

func TestRequestsCarryTheTokenAndTheProgramsName(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, map[string]any{}) },
		client.WithUserAgent("planner/1.0"), client.WithTries(0))
	if strings.HasSuffix(c.Base(), "/") || !strings.HasPrefix(c.Base(), "http://127.0.0.1:") {
		t.Errorf("the base is %s", c.Base())
	}
	if _, err := c.UpdatePostVersion(client.WithIdempotencyKey(t.Context(), "mine"), team, team, team,
		crier.PostUpdate{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetPost(client.WithIdempotencyKey(t.Context(), "mine"), team, team); err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{"Authorization": "Bearer secret", "User-Agent": "planner/1.0",
		"Content-Type": "application/json", "Idempotency-Key": "mine", "If-Match": `"` + string(team) + `"`} {
		if got := s.seen[0].Header.Get(header); got != want {
			t.Errorf("a change carries %s: %q, want %q", header, got, want)
		}
	}
	for _, header := range []string{"Content-Type", "Idempotency-Key", "If-Match"} {
		if got := s.seen[1].Header.Get(header); got != "" {
			t.Errorf("a question carries %s: %q", header, got)
		}
	}
}

func TestOneTryIsOneRequest(t *testing.T) {
	t.Parallel()
	for _, tries := range []int{-1, 0, 1} {
		c, s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusServiceUnavailable, map[string]string{"_tag": "InternalError", "message": "away"})
		}, client.WithTries(tries))
		if _, err := c.GetPost(t.Context(), team, team); !client.IsKind(err, crier.KindInternal) || len(s.seen) != 1 {
			t.Errorf("%d tries: %d requests, %v", tries, len(s.seen), err)
		}
	}
}

func TestContentsAreWrittenAsTheyArrive(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789"), 10_000)
	c, s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 2 { // breaks off in the middle
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write(data[:50_000])
			return
		}
		_, _ = w.Write(data)
	})
	var got bytes.Buffer
	if err := c.AssetContent(t.Context(), team, team, &got); err != nil || !bytes.Equal(got.Bytes(), data) {
		t.Errorf("%d of %d bytes, %v", got.Len(), len(data), err)
	}
	got.Reset()
	err := c.AssetContent(t.Context(), team, team, &got)
	if err == nil || !strings.HasPrefix(err.Error(), "read the answer: ") || len(s.seen) != 2 {
		t.Errorf("what was handed on in part is asked for again: %d requests, %v", len(s.seen), err)
	}
}
