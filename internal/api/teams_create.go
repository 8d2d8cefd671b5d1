package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/service"
)

type createTeamInput struct {
	Body crier.TeamCreate
}

func (in *createTeamInput) organizationID() crier.ID { return in.Body.OrganizationID }

var createTeamDoc = doc{
	ID: "createTeam", Tag: "Teams", Summary: "Create a further team in an organization", Status: http.StatusCreated,
}

func (s *Server) createTeam(ctx context.Context, scope service.OrgScope, in *createTeamInput) (crier.Team, error) {
	return s.services.Teams.Create(ctx, scope, in.Body)
}
