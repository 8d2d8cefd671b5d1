package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type movePostToDraftInput struct{ postPath }

var movePostToDraftDoc = doc{
	ID: "movePostToDraft", Tag: "Posts", Summary: "Move a post to draft",
	Description: "Cancels the post's scheduled posts. What is already published stays, and so do its follow-up " +
		"comments and reposts. A draft does not change. While something is being published, or when everything " +
		"is published: 409.",
}

func (s *Server) movePostToDraft(ctx context.Context, scope access.TeamScope, in *movePostToDraftInput) (crier.Post,
	error) {
	return s.services.Posts.MoveToDraft(ctx, scope, in.PostID)
}
