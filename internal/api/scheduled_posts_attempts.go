package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type listAttemptsInput struct{ scheduledPostPath }

var listAttemptsDoc = doc{
	ID: "listAttempts", Tag: "Publishing", Summary: "List publish attempts",
	Description: "Oldest first: the requests and responses, without secrets, how long they took, how they were " +
		"classified, and what happens next.",
}

func (s *Server) listAttempts(ctx context.Context, scope access.TeamScope, in *listAttemptsInput) (crier.AttemptList,
	error) {
	return s.services.ScheduledPosts.Attempts(ctx, scope, in.ID)
}
