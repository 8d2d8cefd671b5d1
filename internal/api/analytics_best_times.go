package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getBestTimesInput struct{ analyticsQuery }

var getBestTimesDoc = doc{
	ID: "getBestTimes", Tag: "Analytics", Summary: "Get the best times to post", CSV: true,
	Description: "The hours of the week at which posts did better than usual. Each post is compared with the " +
		"median of its own account; hours with fewer than 5 posts are ignored, and `known` is false when no hour " +
		"is statistically significant. It shows when posts did well, not why.",
}

func (s *Server) getBestTimes(ctx context.Context, scope access.TeamScope, in *getBestTimesInput) (crier.BestTimes,
	error) {
	return s.services.Analytics.BestTimes(ctx, scope, in.query)
}
