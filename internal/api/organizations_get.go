package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getOrganizationInput struct{ organizationPath }

var getOrganizationDoc = doc{ID: "getOrganization", Tag: "Organizations", Summary: "Get an organization"}

func (s *Server) getOrganization(ctx context.Context, scope access.OrgScope,
	_ *getOrganizationInput) (crier.Organization, error) {
	return s.services.Organizations.Get(ctx, scope)
}
