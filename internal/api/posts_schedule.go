package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type schedulePostInput struct {
	postPath
	Body crier.ScheduleRequest
}

var schedulePostDoc = doc{
	ID: "schedulePost", Tag: "Publishing", Summary: "Schedule a post", Costs: true,
	Description: "Fans the post out to each account; each gets an entry of its own, in request order, with its " +
		"scheduled post or its error. " +
		"Exactly one of `scheduledAt` and `useNextSlot: true`. Scheduling again moves what is scheduled. Send an " +
		"`Idempotency-Key`: a repeat " +
		"gets the first answer instead of publishing twice.",
}

func (in *schedulePostInput) check(s *Server) []crier.Issue {
	return s.services.Schedules.CheckSettings(in.Body.Targets)
}

func (s *Server) schedulePost(ctx context.Context, scope access.TeamScope,
	in *schedulePostInput) (crier.ScheduleResult, error) {
	return s.services.Schedules.Schedule(ctx, scope, in.PostID, in.Body)
}
