package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type retryScheduledPostInput struct{ scheduledPostPath }

var retryScheduledPostDoc = doc{
	ID: "retryScheduledPost", Tag: "Publishing", Summary: "Retry a failed or missed post", Costs: true,
	Description: "It is due at once. While the outcome is unknown this is a conflict: resolve it instead. So it is " +
		"when a newer scheduled post has taken its place on the account; the message names it.",
}

func (s *Server) retryScheduledPost(ctx context.Context, scope access.TeamScope,
	in *retryScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Retry(ctx, scope, in.ID)
}
