package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type validateContentInput struct {
	teamPath
	Body crier.ContentValidation
}

var validateContentDoc = doc{
	ID: "validateContent", Tag: "Publishing", Summary: "Dry-run unsaved content",
	Description: "Like `validate` of a post, for content that is still being written: errors, warnings, length " +
		"and cost per account. Without a time it is a dry run of publishing now. In a team that publishes approved " +
		"posts only, `approvalRequired` is true. Writes nothing.",
}

func (in *validateContentInput) check(s *Server) []crier.Issue {
	return s.services.Schedules.CheckSettings(in.Body.Targets)
}

func (s *Server) validateContent(ctx context.Context, scope access.TeamScope,
	in *validateContentInput) (crier.ValidationResult, error) {
	return s.services.Schedules.ValidateContent(ctx, scope, in.Body)
}
