package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type cancelScheduledPostInput struct{ scheduledPostPath }

var cancelScheduledPostDoc = doc{
	ID: "cancelScheduledPost", Tag: "Publishing", Summary: "Cancel a scheduled post",
	Description: "Cancels the publication on this account only and releases its credits. A recurrence ends with " +
		"it.",
}

func (s *Server) cancelScheduledPost(ctx context.Context, scope access.TeamScope,
	in *cancelScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Cancel(ctx, scope, in.ID)
}
