package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type resolveScheduledPostInput struct {
	scheduledPostPath
	Body crier.Resolution
}

var resolveScheduledPostDoc = doc{
	ID: "resolveScheduledPost", Tag: "Publishing", Summary: "Resolve an unknown outcome",
	Description: "For a publication that is `unknown`, after a person has checked the network. `published` marks " +
		"it as published, `retry` publishes it, `failed` ends it. If more is published then (with `retry`, or the " +
		"rest of a thread with `published`), the rules of a retry apply: a conflict if the post is rejected, " +
		"archived or, in a team that requires approval, not approved; otherwise a draft becomes approved. The rest " +
		"of a thread whose post was deleted is not published: it is `failed` then. What is `published` is deleted " +
		"from the network if the post was deleted with `alsoDeleteFromPlatform`.",
}

func (s *Server) resolveScheduledPost(ctx context.Context, scope access.TeamScope,
	in *resolveScheduledPostInput) (crier.ScheduledPost, error) {
	return s.services.ScheduledPosts.Resolve(ctx, scope, in.ID, in.Body)
}
