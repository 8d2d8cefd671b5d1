package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updateOrganizationInput struct {
	organizationPath
	Body crier.OrganizationUpdate
}

var updateOrganizationDoc = doc{
	ID: "updateOrganization", Tag: "Organizations", Summary: "Update an organization",
	Description: "Omitted fields keep their value. Owners and admins only.",
}

func (s *Server) updateOrganization(ctx context.Context, scope access.OrgScope,
	in *updateOrganizationInput) (crier.Organization, error) {
	return s.services.Organizations.Update(ctx, scope, in.Body)
}
