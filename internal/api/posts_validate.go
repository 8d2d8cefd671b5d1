package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type validatePostInput struct {
	postPath
	Body crier.ScheduleRequest
}

var validatePostDoc = doc{
	ID: "validatePost", Tag: "Publishing", Summary: "Dry-run scheduling a post",
	Description: "A dry run of schedule with the same body and the same rules: errors, warnings and cost per " +
		"account, and the slot it would take. Writes nothing.",
}

func (in *validatePostInput) check(s *Server) []crier.Issue {
	return s.services.Schedules.CheckSettings(in.Body.Targets)
}

func (s *Server) validatePost(ctx context.Context, scope access.TeamScope,
	in *validatePostInput) (crier.ValidationResult, error) {
	return s.services.Schedules.Validate(ctx, scope, in.PostID, in.Body)
}
