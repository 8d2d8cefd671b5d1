package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updatePostInput struct {
	postPath
	IfMatch crier.VersionMatch `header:"If-Match" required:"false" doc:"The contentPayloadId that the change is based on, in double quotes. If it is not the current version: 412."`
	Body    crier.PostUpdate
}

var updatePostDoc = doc{
	ID: "updatePost", Tag: "Posts", Summary: "Update a post", Costs: true,
	Description: "Omitted fields keep their value. Each content change creates a new version " +
		"(`contentPayloadId`), which scheduled posts will publish. The next change of a draft by the same " +
		"credential within 10 minutes replaces the version, unless something was scheduled with it. While a " +
		"scheduled post is publishing, processing or unknown, only the title and the tags can change (409). " +
		"`text` or `assetIds` alone are rejected for a thread, because they would drop it. In a team that " +
		"requires approval, an edit returns an approved post to `draft` and cancels its pending scheduled posts.",
}

func (s *Server) updatePost(ctx context.Context, scope access.TeamScope, in *updatePostInput) (crier.Post, error) {
	return s.services.Posts.UpdateMatching(ctx, scope, in.PostID, in.IfMatch, in.Body)
}
