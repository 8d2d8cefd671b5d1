package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type postNowInput struct {
	postPath
	IfMatch crier.VersionMatch `header:"If-Match" required:"false" doc:"The contentPayloadId that was seen, in double quotes. If it is not the current version: 412, and nothing is published."`
	Body    crier.PostNowRequest
}

var postNowDoc = doc{
	ID: "postNow", Tag: "Publishing", Summary: "Publish a post now", Costs: true,
	Description: "Waits for the networks up to `waitSeconds` and reports the results so far: an entry has " +
		"`error` if the account was rejected or failed permanently within that time; otherwise it counts as a " +
		"success. A repeat with the same `Idempotency-Key` waits for and reports the same publications.",
	replay: func(s *Server, ctx context.Context, stored []byte) (any, error) {
		return s.services.Schedules.AwaitKept(ctx, stored)
	},
}

func (in *postNowInput) check(s *Server) []crier.Issue {
	return s.services.Schedules.CheckSettings(in.Body.Targets)
}

func (s *Server) postNow(ctx context.Context, scope access.TeamScope, in *postNowInput) (crier.ScheduleResult, error) {
	return s.services.Schedules.PostNowMatching(ctx, scope, in.PostID, in.IfMatch, in.Body)
}
