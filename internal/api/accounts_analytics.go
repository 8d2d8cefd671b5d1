package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getAccountAnalyticsInput struct {
	accountPath
	From crier.Time `query:"from" doc:"Start of the period; 28 days ago when absent."`
	To   crier.Time `query:"to" doc:"End of the period; now when absent."`
}

var getAccountAnalyticsDoc = doc{
	ID: "getAccountAnalytics", Tag: "Analytics", Summary: "Get live account analytics", Costs: true,
	Conflicts: true,
	Description: "Reads from the network now. If the network charges, this costs credits (`account_metrics` in " +
		"the list of costs); a failed reading costs nothing.",
}

// analyticsDays is the default period.
const analyticsDays = 28

func (in *getAccountAnalyticsInput) check(s *Server) []crier.Issue {
	if in.To.IsZero() {
		in.To = crier.TimeOf(s.now())
	}
	if in.From.IsZero() {
		in.From = crier.TimeOf(in.To.AddDate(0, 0, -analyticsDays))
	}
	return s.services.Analytics.CheckWindow(in.From, in.To)
}

func (s *Server) getAccountAnalytics(ctx context.Context, scope access.TeamScope,
	in *getAccountAnalyticsInput) (crier.AccountAnalytics, error) {
	return s.services.Analytics.Account(ctx, scope, in.ID, in.From, in.To)
}
