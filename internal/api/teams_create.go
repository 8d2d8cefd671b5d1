package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createTeamInput struct {
	Body crier.TeamCreate
}

func (in *createTeamInput) organizationID() crier.ID { return in.Body.OrganizationID }

var createTeamDoc = doc{
	ID: "createTeam", Tag: "Teams", Summary: "Create a team", Status: http.StatusCreated,
}

func (s *Server) createTeam(ctx context.Context, scope access.OrgScope, in *createTeamInput) (crier.Team, error) {
	return s.services.Teams.Create(ctx, scope, in.Body)
}
