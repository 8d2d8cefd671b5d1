package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type validatePostInput struct {
	postPath
	Body crier.ScheduleRequest
}

var validatePostDoc = doc{
	ID: "validatePost", Tag: "Publishing", Summary: "Try out how a post would be scheduled",
	Description: "A dry run of schedule with the same body and the same rules: errors, warnings and cost per account, and the slot it would take. Writes nothing.",
}

func (in *validatePostInput) check(s *Server) []crier.Issue {
	return s.services.Schedules.CheckSettings(in.Body.Targets)
}

func (s *Server) validatePost(ctx context.Context, scope service.TeamScope, in *validatePostInput) (crier.ValidationResult, error) {
	return s.services.Schedules.Validate(ctx, scope, in.PostID, in.Body)
}
