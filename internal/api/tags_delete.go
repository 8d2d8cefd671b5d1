package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteTagInput struct{ tagPath }

var deleteTagDoc = doc{ID: "deleteTag", Tag: "Tags", Summary: "Delete a tag", Description: "It is removed from " +
	"all posts."}

func (s *Server) deleteTag(ctx context.Context, scope access.TeamScope, in *deleteTagInput) (crier.Deleted, error) {
	return s.services.Tags.Delete(ctx, scope, in.TagID)
}
