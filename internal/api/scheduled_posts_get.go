package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// scheduledPostPath is the part of an input that identifies a scheduled post.
type scheduledPostPath struct {
	teamPath
	ID crier.ID `path:"id"`
}

type getScheduledPostInput struct{ scheduledPostPath }

var getScheduledPostDoc = doc{ID: "getScheduledPost", Tag: "Publishing", Summary: "Get a scheduled post"}

func (s *Server) getScheduledPost(ctx context.Context, scope access.TeamScope,
	in *getScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Get(ctx, scope, in.ID)
}
