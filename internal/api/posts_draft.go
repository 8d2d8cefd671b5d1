package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type movePostToDraftInput struct{ postPath }

var movePostToDraftDoc = doc{
	ID: "movePostToDraft", Tag: "Posts", Summary: "Move a post to draft",
	Description: "Cancels what is scheduled of the post. Where it is published already, that stays, and so does what " +
		"is to " +
		"follow there: comments and reposts go on. A draft stays as it is. While something is being published, or " +
		"when everything is published: 409.",
}

func (s *Server) movePostToDraft(ctx context.Context, scope access.TeamScope, in *movePostToDraftInput) (crier.Post,
	error) {
	return s.services.Posts.MoveToDraft(ctx, scope, in.PostID)
}
