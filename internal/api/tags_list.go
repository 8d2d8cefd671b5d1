package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listTagsInput struct {
	teamPath
	listQuery
}

var listTagsDoc = doc{ID: "listTags", Tag: "Tags", Summary: "List tags", Sorts: service.TagSorts}

func (in *listTagsInput) check(s *Server) []crier.Issue {
	return in.open(s, "tags of "+string(in.TeamID), service.TagSorts)
}

func (s *Server) listTags(ctx context.Context, scope access.TeamScope, in *listTagsInput) (crier.Page[crier.Tag],
	error) {
	return s.services.Tags.List(ctx, scope, in.page)
}
