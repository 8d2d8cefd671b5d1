package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type setPostTagsInput struct {
	postPath
	Body crier.PostTagsUpdate
}

var setPostTagsDoc = doc{ID: "setPostTags", Tag: "Posts", Summary: "Set a post's tags"}

func (s *Server) setPostTags(ctx context.Context, scope access.TeamScope, in *setPostTagsInput) (crier.Post, error) {
	return s.services.Posts.SetTags(ctx, scope, in.PostID, in.Body)
}
