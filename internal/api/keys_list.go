package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listKeysInput struct {
	organizationPath
	listQuery
}

var listKeysDoc = doc{ID: "listApiKeys", Tag: "API keys", Summary: "List API keys",
	Sorts: service.KeySorts}

func (in *listKeysInput) check(s *Server) []crier.Issue {
	return in.open(s, "keys of "+string(in.OrganizationID), service.KeySorts)
}

func (s *Server) listKeys(ctx context.Context, scope access.OrgScope, in *listKeysInput) (crier.Page[crier.APIKey],
	error) {
	return s.services.Keys.List(ctx, scope, in.page)
}
