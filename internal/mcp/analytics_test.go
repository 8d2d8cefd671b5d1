package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// largeTeam responds for a team with hundreds of accounts, long posts, and a best hour.
func largeTeam(w http.ResponseWriter, r *http.Request) {
	n, score := int64(1200), 1.5
	totals := crier.AnalyticsTotals{Posts: 900, Metrics: crier.AnalyticsSums{
		Views: crier.AnalyticsSum{Value: &n, Told: 800, NotTold: 100}}} // no network reports engagements
	var answer any
	switch noun := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]; noun {
	case "summary":
		s := crier.AnalyticsSummary{AnalyticsTotals: totals,
			AnalyticsWindow: crier.AnalyticsWindow{From: "2026-10-18", To: "2026-11-16", Timezone: "UTC"},
			Previous:        &crier.AnalyticsPrevious{AnalyticsTotals: totals}}
		for range 500 {
			s.BySocialAccount = append(s.BySocialAccount, crier.AccountTotals{SocialAccountID: crier.NewID(),
				AnalyticsTotals: totals})
		}
		answer = s
	case "posts":
		var page crier.Page[crier.AnalyticsPost]
		for range 100 { // more than requested, in case the limit is forgotten
			page.Data = append(page.Data, crier.AnalyticsPost{PostID: crier.NewID(), ScheduledPostID: crier.NewID(),
				SocialAccountID: crier.NewID(), Provider: crier.ProviderX, Text: strings.Repeat("long ", 56),
				PublishedAt: crier.TimeOf(time.Now()), Metrics: crier.PostNumbers{Views: &n}})
		}
		if r.URL.Query().Get("limit") == "5" {
			page.Data = page.Data[:5]
		}
		answer = page
	case "best-times":
		b := crier.BestTimes{Known: true}
		for i := range 168 {
			b.Cells = append(b.Cells, crier.BestTime{Weekday: 1 + i/24, Hour: i % 24, Posts: 9, Score: &score})
		}
		b.Best = b.Cells
		answer = b
	case "delivery":
		answer = crier.AnalyticsDelivery{DeliveryCounts: crier.DeliveryCounts{Published: 900}}
	default:
		answer = crier.AgentContext{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func TestAnalyticsResponsesAreBounded(t *testing.T) {
	t.Parallel()
	server := NewServer(Config{Version: "test", Now: time.Now,
		Connect: func(context.Context, http.Header) (*client.Client, error) {
			return client.New("http://crier", "token", client.WithHTTPClient(&http.Client{
				Transport: inProcess{http.HandlerFunc(largeTeam)}})), nil
		}})
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_analytics",
		Arguments: map[string]any{"teamId": crier.NewID()}})
	if err != nil || got.IsError {
		t.Fatalf("%+v, %v", got, err)
	}
	data, err := json.Marshal(got.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var brief analyticsBrief
	if err := json.Unmarshal(data, &brief); err != nil {
		t.Fatal(err)
	}
	if len(data) > 4096 || len(brief.TopPosts) != 5 || len(brief.BestTimes) != 3 {
		t.Errorf("%d bytes, %d posts, %d hours", len(data), len(brief.TopPosts), len(brief.BestTimes))
	}
	if brief.Posts != 900 || *brief.Totals.Views != 1200 || brief.Totals.NotTold != 100 ||
		brief.Totals.Engagements != nil || brief.Before == nil || brief.Delivery.Published != 900 {
		t.Errorf("the answer is %s", data)
	}
}
