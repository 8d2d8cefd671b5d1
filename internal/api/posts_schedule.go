package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type schedulePostInput struct {
	postPath
	IfMatch crier.VersionMatch `header:"If-Match" required:"false" doc:"The contentPayloadId that was seen, in double quotes. If it is not the current version: 412, and nothing is scheduled."`
	Body    crier.ScheduleRequest
}

var schedulePostDoc = doc{
	ID: "schedulePost", Tag: "Publishing", Summary: "Schedule a post", Costs: true,
	Description: "Fans the post out to each account; each has its own entry, in request order, with its " +
		"scheduled post or its error. Exactly one of `scheduledAt` and `useNextSlot: true`. Scheduling again " +
		"moves the scheduled posts. Send an `Idempotency-Key`: a repeat gets the first response instead of " +
		"publishing twice.",
}

func (in *schedulePostInput) check(s *Server) []crier.Issue {
	return s.services.Schedules.CheckSettings(in.Body.Targets)
}

func (s *Server) schedulePost(ctx context.Context, scope access.TeamScope,
	in *schedulePostInput) (crier.ScheduleResult, error) {
	return s.services.Schedules.ScheduleMatching(ctx, scope, in.PostID, in.IfMatch, in.Body)
}
