package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listOrganizationsInput struct{ listQuery }

var listOrganizationsDoc = doc{
	ID: "listOrganizations", Tag: "Organizations", Summary: "List organizations",
	Sorts: service.OrganizationSorts,
}

func (in *listOrganizationsInput) check(s *Server) []crier.Issue {
	return in.open(s, "organizations", service.OrganizationSorts)
}

func (s *Server) listOrganizations(ctx context.Context, scope access.CallerScope,
	in *listOrganizationsInput) (crier.Page[crier.Organization], error) {
	return s.services.Organizations.List(ctx, scope, in.page)
}
