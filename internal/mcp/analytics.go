package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/client"
)

// rankedPosts is the number of posts in a ranking.
const rankedPosts = 5

// analyticsBrief is the short form of a team's analytics.
type analyticsBrief struct {
	From     crier.Date `json:"from"`
	To       crier.Date `json:"to"`
	Timezone string     `json:"timezone"`
	Posts    int64      `json:"posts"`
	// Totals and Before have null for metrics that no network reported.
	Totals    totalsBrief      `json:"totals"`
	Before    *totalsBrief     `json:"before,omitempty"`
	TopPosts  []rankedBrief    `json:"topPosts"`
	BestTimes []crier.BestTime `json:"bestTimes"`
	// NoBestTime says why there is no best time.
	NoBestTime string               `json:"noBestTime,omitempty"`
	Delivery   crier.DeliveryCounts `json:"delivery"`
}

type totalsBrief struct {
	Views          *int64   `json:"views"`
	Engagements    *int64   `json:"engagements"`
	EngagementRate *float64 `json:"engagementRate"`
	Followers      *int64   `json:"followers"`
	NotTold        int64    `json:"postsThatDidNotTellViews"`
}

type rankedBrief struct {
	PostID      crier.ID       `json:"postId"`
	Provider    crier.Provider `json:"provider"`
	PublishedAt crier.Time     `json:"publishedAt"`
	Views       *int64         `json:"views"`
	Engagements *int64         `json:"engagements"`
	Text        string         `json:"text"`
}

func briefTotals(t crier.AnalyticsTotals) totalsBrief {
	return totalsBrief{Views: t.Metrics.Views.Value, Engagements: t.Metrics.Engagements.Value,
		EngagementRate: t.EngagementRate.Value, Followers: t.Followers.Value, NotTold: t.Metrics.Views.NotTold}
}

func (d *server) addAnalyticsTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "get_analytics", title: "Get analytics", effect: reads,
		description: "Summarizes the current metrics of the posts of some days, compared with the days before: " +
			"views, engagements, followers, the best posts, the best hours of the week and how punctually posts were " +
			"published. null means that no network reported a value, never zero.",
	}, getAnalytics)
}

type getAnalyticsInput struct {
	inTeam
	From     crier.Date     `json:"from,omitempty" jsonschema:"the first day, such as 2026-11-01; 30 days ago when absent"`
	To       crier.Date     `json:"to,omitempty" jsonschema:"the last day; today when absent"`
	Provider crier.Provider `json:"provider,omitempty" jsonschema:"one network; all when absent"`
}

func getAnalytics(ctx context.Context, c *call, in getAnalyticsInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	q := client.AnalyticsQuery{From: in.From, To: in.To}
	if in.Provider != "" {
		q.Providers = []crier.Provider{in.Provider}
	}
	summary, err := c.AnalyticsSummary(ctx, team, q, true)
	if err != nil {
		return nil, err
	}
	top, err := c.AnalyticsPosts(ctx, team, q, client.ListOptions{Limit: rankedPosts, SortBy: "engagements"})
	if err != nil {
		return nil, err
	}
	delivery, err := c.AnalyticsDelivery(ctx, team, q)
	if err != nil {
		return nil, err
	}
	best, err := c.BestTimes(ctx, team, client.AnalyticsQuery{Providers: q.Providers})
	if err != nil {
		return nil, err
	}
	out := analyticsBrief{From: summary.From, To: summary.To, Timezone: summary.Timezone, Posts: summary.Posts,
		Totals: briefTotals(summary.AnalyticsTotals), BestTimes: best.Best[:min(3, len(best.Best))],
		NoBestTime: best.Reason, Delivery: delivery.DeliveryCounts,
		TopPosts: each(top.Data, func(p crier.AnalyticsPost) rankedBrief {
			return rankedBrief{PostID: p.PostID, Provider: p.Provider, PublishedAt: p.PublishedAt,
				Views: p.Metrics.Views, Engagements: p.Metrics.Engagements, Text: shorten(p.Text, calendarTextLength)}
		})}
	if p := summary.Previous; p != nil {
		before := briefTotals(p.AnalyticsTotals)
		out.Before = &before
	}
	return out, nil
}
