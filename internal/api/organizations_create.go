package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createOrganizationInput struct {
	Body crier.OrganizationCreate
}

var createOrganizationDoc = doc{
	ID: "createOrganization", Tag: "Organizations", Summary: "Create an organization", Status: http.StatusCreated,
	Description: "The caller becomes its admin, and so does the person behind an API key. A first team of the " +
		"same name is created with it. The caller must be owner or admin of some organization, with an " +
		"unrestricted key.",
}

func (s *Server) createOrganization(ctx context.Context, scope access.CallerScope,
	in *createOrganizationInput) (crier.Organization, error) {
	return s.services.Organizations.Create(ctx, scope, in.Body)
}
