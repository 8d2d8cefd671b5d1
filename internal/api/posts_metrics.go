package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getPostMetricsInput struct{ postPath }

var getPostMetricsDoc = doc{
	ID: "getPostMetrics", Tag: "Analytics", Summary: "Get post metrics",
	Description: "Stored snapshots, free of charge: taken 1, 6 and 24 hours and 3, 7, 14 and 30 days after publishing.",
}

func (s *Server) getPostMetrics(ctx context.Context, scope access.TeamScope,
	in *getPostMetricsInput) (crier.PostMetrics, error) {
	return s.services.Analytics.Post(ctx, scope, in.PostID)
}
