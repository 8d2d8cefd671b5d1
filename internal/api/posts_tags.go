package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type setPostTagsInput struct {
	postPath
	Body crier.PostTagsUpdate
}

var setPostTagsDoc = doc{ID: "setPostTags", Tag: "Posts", Summary: "Say which tags a post has"}

func (s *Server) setPostTags(ctx context.Context, scope service.TeamScope, in *setPostTagsInput) (crier.Post, error) {
	return s.services.Posts.SetTags(ctx, scope, in.PostID, in.Body)
}
