package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type dismissScheduledPostInput struct{ scheduledPostPath }

var dismissScheduledPostDoc = doc{
	ID: "dismissScheduledPost", Tag: "Publishing", Summary: "Dismiss a failure",
	Description: "Removes a failure from the list of what needs attention. The record stays, and a new failure " +
		"needs attention again.",
}

func (s *Server) dismissScheduledPost(ctx context.Context, scope access.TeamScope,
	in *dismissScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Dismiss(ctx, scope, in.ID)
}
