package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type updateOrganizationInput struct {
	organizationPath
	Body crier.OrganizationUpdate
}

var updateOrganizationDoc = doc{
	ID: "updateOrganization", Tag: "Organizations", Summary: "Change an organization's settings",
	Description: "What is absent stays. Owners and admins only.",
}

func (s *Server) updateOrganization(ctx context.Context, scope service.OrgScope, in *updateOrganizationInput) (crier.Organization, error) {
	return s.services.Organizations.Update(ctx, scope, in.Body)
}
