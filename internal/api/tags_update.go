package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// tagPath is the part of an input that identifies a tag.
type tagPath struct {
	teamPath
	TagID crier.ID `path:"tagId"`
}

type updateTagInput struct {
	tagPath
	Body crier.TagUpdate
}

var updateTagDoc = doc{ID: "updateTag", Tag: "Tags", Summary: "Update a tag",
	Description: "Omitted fields keep their value."}

func (s *Server) updateTag(ctx context.Context, scope access.TeamScope, in *updateTagInput) (crier.Tag, error) {
	return s.services.Tags.Update(ctx, scope, in.TagID, in.Body)
}
