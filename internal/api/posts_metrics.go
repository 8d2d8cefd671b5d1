package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type getPostMetricsInput struct{ postPath }

var getPostMetricsDoc = doc{
	ID: "getPostMetrics", Tag: "Analytics", Summary: "Read how a post does",
	Description: "Stored snapshots, free of charge: taken 1, 6 and 24 hours and 3, 7, 14 and 30 days after publishing.",
}

func (s *Server) getPostMetrics(ctx context.Context, scope service.TeamScope, in *getPostMetricsInput) (crier.PostMetrics, error) {
	return s.services.Metrics.Post(ctx, scope, in.PostID)
}
