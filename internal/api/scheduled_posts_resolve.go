package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type resolveScheduledPostInput struct {
	scheduledPostPath
	Body crier.Resolution
}

var resolveScheduledPostDoc = doc{
	ID: "resolveScheduledPost", Tag: "Publishing", Summary: "Decide an unknown outcome",
	Description: "For a publication that is `unknown`: a person has looked at the network. `published` takes it as public, `retry` publishes it, `failed` ends it.",
}

func (s *Server) resolveScheduledPost(ctx context.Context, scope service.TeamScope, in *resolveScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Resolve(ctx, scope, in.ID, in.Body)
}
