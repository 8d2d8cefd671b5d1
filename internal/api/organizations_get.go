package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type getOrganizationInput struct{ organizationPath }

var getOrganizationDoc = doc{ID: "getOrganization", Tag: "Organizations", Summary: "Read an organization"}

func (s *Server) getOrganization(ctx context.Context, scope service.OrgScope, _ *getOrganizationInput) (crier.Organization, error) {
	return s.services.Organizations.Get(ctx, scope)
}
