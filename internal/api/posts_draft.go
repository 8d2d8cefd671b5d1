package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type movePostToDraftInput struct{ postPath }

var movePostToDraftDoc = doc{
	ID: "movePostToDraft", Tag: "Posts", Summary: "Stop what is scheduled of a post and make it a draft again",
	Description: "A draft stays as it is. While something is being published, or when everything is published: 409.",
}

func (s *Server) movePostToDraft(ctx context.Context, scope service.TeamScope, in *movePostToDraftInput) (crier.Post, error) {
	return s.services.Posts.MoveToDraft(ctx, scope, in.PostID)
}
