package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getPostInput struct {
	postPath
	Include string `query:"include" doc:"scheduledPosts adds the post's scheduled posts."`

	withScheduled bool
}

var getPostDoc = doc{ID: "getPost", Tag: "Posts", Summary: "Get a post"}

func (in *getPostInput) check(*Server) (issues []crier.Issue) {
	in.withScheduled, issues = includes(in.Include)
	return issues
}

func (s *Server) getPost(ctx context.Context, scope access.TeamScope, in *getPostInput) (crier.Post, error) {
	return s.services.Posts.Get(ctx, scope, in.PostID, in.withScheduled)
}
