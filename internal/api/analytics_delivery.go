package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getAnalyticsDeliveryInput struct{ analyticsQuery }

var getAnalyticsDeliveryDoc = doc{
	ID: "getAnalyticsDelivery", Tag: "Analytics", Summary: "Get delivery results", CSV: true,
	Description: "The results of the posts that were due in the window, and their lateness: the time from when a " +
		"post was due to the call that published it. Canceled posts are not counted.",
}

func (s *Server) getAnalyticsDelivery(ctx context.Context, scope access.TeamScope,
	in *getAnalyticsDeliveryInput) (crier.AnalyticsDelivery, error) {
	return s.services.Analytics.Delivery(ctx, scope, in.query)
}
