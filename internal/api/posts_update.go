package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updatePostInput struct {
	postPath
	IfMatch crier.VersionMatch `header:"If-Match" required:"false" doc:"The contentPayloadId that the change was made for, in double quotes. Another present version is a 412."`
	Body    crier.PostUpdate
}

var updatePostDoc = doc{
	ID: "updatePost", Tag: "Posts", Summary: "Update a post", Costs: true,
	Description: "What is absent stays. Each change of content makes a new version (`contentPayloadId`), and what is " +
		"scheduled publishes the new one. The next change of a draft by the same credential within 10 minutes " +
		"replaces the version, unless something was scheduled with it. " +
		"While something of the post is publishing, processing or unknown, only the title and the tags can change " +
		"(409). `text` or `assetIds` alone on " +
		"a thread are refused, because they would drop it. In a team that requires approval, an edit of an approved " +
		"post takes it back to `draft` and " +
		"cancels what is pending.",
}

func (s *Server) updatePost(ctx context.Context, scope access.TeamScope, in *updatePostInput) (crier.Post, error) {
	return s.services.Posts.UpdateMatching(ctx, scope, in.PostID, in.IfMatch, in.Body)
}
