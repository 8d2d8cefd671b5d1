package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type retryScheduledPostInput struct{ scheduledPostPath }

var retryScheduledPostDoc = doc{
	ID: "retryScheduledPost", Tag: "Publishing", Summary: "Retry a failed or missed post", Costs: true,
	Description: "The post becomes due at once, with its present content and the settings and actions that it was " +
		"scheduled with; a thread of which a part is public continues as it began. A series that was ended is not " +
		"continued. A conflict while the outcome is unknown: resolve it instead. Also a conflict if a newer " +
		"scheduled post has replaced it on the account; the message names it. And if the post is rejected, archived " +
		"or, in a team that requires approval, not approved; otherwise a draft becomes approved.",
}

func (s *Server) retryScheduledPost(ctx context.Context, scope access.TeamScope,
	in *retryScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Retry(ctx, scope, in.ID)
}
