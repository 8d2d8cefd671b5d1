package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deletePostInput struct {
	postPath
	AlsoDeleteFromPlatform string `query:"alsoDeleteFromPlatform" doc:"true also deletes the published posts from the networks; anything else deletes only crier's record."`
}

var deletePostDoc = doc{
	ID: "deletePost", Tag: "Posts", Summary: "Delete a post",
	Description: "Its scheduled posts are canceled; while one is being published: 409. `platformDelete` is " +
		"present if the flag was `true` and something was published, or may have been; `platformDeletes` has one " +
		"entry per account. The call waits for the networks for up to 10 seconds; unfinished deletions are " +
		"`pending` and continue. What is `unknown` is deleted from its network once it is resolved as `published`.",
	replay: func(s *Server, ctx context.Context, stored []byte) (any, error) {
		return s.services.Posts.AwaitKeptDeletes(ctx, stored)
	},
}

func (s *Server) deletePost(ctx context.Context, scope access.TeamScope, in *deletePostInput) (crier.PostDeletion,
	error) {
	return s.services.Posts.Delete(ctx, scope, in.PostID, in.AlsoDeleteFromPlatform == "true")
}
