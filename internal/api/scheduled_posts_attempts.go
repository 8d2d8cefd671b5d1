package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type listAttemptsInput struct{ scheduledPostPath }

var listAttemptsDoc = doc{
	ID: "listAttempts", Tag: "Publishing", Summary: "List publish attempts",
	Description: "The oldest first: what was sent and answered, without secrets, how long it took, how it was " +
		"classed, and what happens next.",
}

func (s *Server) listAttempts(ctx context.Context, scope access.TeamScope, in *listAttemptsInput) (crier.AttemptList,
	error) {
	return s.services.ScheduledPosts.Attempts(ctx, scope, in.ID)
}
