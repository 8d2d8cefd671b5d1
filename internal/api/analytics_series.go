package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/analytics"
)

type getAnalyticsSeriesInput struct {
	analyticsQuery
	basisQuery
	Metric   string `query:"metric" enum:"posts,followers,engagementRate,views,likes,comments,shares,quotes,saves,clicks,engagements" default:"views" doc:"The metric. Followers with basis gained are the differences between readings."`
	Interval string `query:"interval" enum:"day,week,month" default:"day"`
	GroupBy  string `query:"groupBy" enum:"none,provider,socialAccount,postType,tag" default:"none" doc:"A post with two tags is in both groups."`
}

var getAnalyticsSeriesDoc = doc{
	ID: "getAnalyticsSeries", Tag: "Analytics", Summary: "Get a metric over time", CSV: true,
	Description: "In columns, ready for a chart. null is a gap: there were posts, accounts or days, but no " +
		"reported values. With basis published a bucket without posts is 0; with basis gained one without " +
		"readings is a gap.",
}

func (in *getAnalyticsSeriesInput) check(s *Server) []crier.Issue {
	issues := in.analyticsQuery.check(s)
	in.query.Basis = crier.AnalyticsBasis(in.Basis)
	return issues
}

func (s *Server) getAnalyticsSeries(ctx context.Context, scope access.TeamScope,
	in *getAnalyticsSeriesInput) (crier.AnalyticsSeries, error) {
	return s.services.Analytics.Series(ctx, scope, analytics.SeriesQuery{Query: in.query, Metric: in.Metric,
		Interval: in.Interval, GroupBy: in.GroupBy})
}
