package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type listAttemptsInput struct{ scheduledPostPath }

var listAttemptsDoc = doc{
	ID: "listAttempts", Tag: "Publishing", Summary: "See everything that was tried for a scheduled post",
	Description: "The oldest first: what was sent and answered, without secrets, how long it took, how it was classed, and what happens next.",
}

func (s *Server) listAttempts(ctx context.Context, scope service.TeamScope, in *listAttemptsInput) (crier.AttemptList, error) {
	return s.services.ScheduledPosts.Attempts(ctx, scope, in.ID)
}
