package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type updatePostInput struct {
	postPath
	Body crier.PostUpdate
}

var updatePostDoc = doc{
	ID: "updatePost", Tag: "Posts", Summary: "Change a post", Costs: true,
	Description: "What is absent stays. Each change of content makes a new version (`contentPayloadId`), and what is scheduled publishes the new one. " +
		"While something of the post is publishing, processing or unknown, only the title and the tags can change (409). `text` or `assetIds` alone on " +
		"a thread are refused, because they would drop it. In a team that requires approval, an edit of an approved post takes it back to `draft` and " +
		"cancels what is pending.",
}

func (s *Server) updatePost(ctx context.Context, scope service.TeamScope, in *updatePostInput) (crier.Post, error) {
	return s.services.Posts.Update(ctx, scope, in.PostID, in.Body)
}
