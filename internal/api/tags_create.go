package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createTagInput struct {
	teamPath
	Body crier.TagCreate
}

var createTagDoc = doc{
	ID: "createTag", Tag: "Tags", Summary: "Create a tag", Status: http.StatusCreated,
	Description: "A team has at most 500 tags. Names are case-insensitive: a duplicate is a 409.",
}

func (s *Server) createTag(ctx context.Context, scope access.TeamScope, in *createTagInput) (crier.Tag, error) {
	return s.services.Tags.Create(ctx, scope, in.Body)
}
