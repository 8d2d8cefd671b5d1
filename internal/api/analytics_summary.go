package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getAnalyticsSummaryInput struct {
	analyticsQuery
	basisQuery
	Compare string `query:"compare" enum:"previous" doc:"previous adds the window of the same length before."`
}

var getAnalyticsSummaryDoc = doc{
	ID: "getAnalyticsSummary", Tag: "Analytics", Summary: "Get the analytics summary", CSV: true,
	Description: "Totals of posts and accounts: overall, by network and by account. A total states how many " +
		"posts it covers and how many reported no value; missing values are never added as 0. Reach is not " +
		"included: it counts people, and somebody who saw two posts would count twice.\n" +
		"\n" + metricMeanings,
}

func (in *getAnalyticsSummaryInput) check(s *Server) []crier.Issue {
	issues := in.analyticsQuery.check(s)
	in.query.Basis = crier.AnalyticsBasis(in.Basis)
	return issues
}

func (s *Server) getAnalyticsSummary(ctx context.Context, scope access.TeamScope,
	in *getAnalyticsSummaryInput) (crier.AnalyticsSummary, error) {
	return s.services.Analytics.Summary(ctx, scope, in.query, in.Compare == "previous")
}

// metricMeanings describes the metrics for each network.
const metricMeanings = "| Metric | Meaning |\n" +
	"|---|---|\n" +
	"| `views` | How many times the post was seen. X, LinkedIn: impressions, each time it was shown. Instagram, " +
	"Facebook, Threads: views, repeated ones included; of Facebook reels: plays. TikTok, YouTube: plays of the " +
	"video. |\n" +
	"| `reach` | How many people saw it, estimated by the network: Instagram, Facebook, LinkedIn. Never added " +
	"up. |\n" +
	"| `likes` | Likes; Facebook and LinkedIn: reactions of all kinds. |\n" +
	"| `comments` | Comments; X, Threads: direct replies. Instagram stories: replies. |\n" +
	"| `shares` | X, Threads: reposts without a text. Facebook, LinkedIn, TikTok, Instagram: shares. Not " +
	"reported by YouTube. |\n" +
	"| `quotes` | X, Threads: posts that quote it. |\n" +
	"| `saves` | X: bookmarks. Instagram, LinkedIn members: saves. |\n" +
	"| `clicks` | X: clicks on links, reported for 30 days. Facebook: clicks of all kinds on the post. LinkedIn: " +
	"clicks. |\n" +
	"| `engagements` | Likes, comments, shares, quotes and saves together, as far as the network reports them: " +
	"compare them within a network, not between networks. |\n" +
	"| `engagementRate` | `engagements` divided by `views`, over the posts that report both. |\n" +
	"| `followers` | Of the account, as reported by its network; YouTube rounds subscribers. |"
