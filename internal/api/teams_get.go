package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getTeamInput struct{ teamPath }

var getTeamDoc = doc{ID: "getTeam", Tag: "Teams", Summary: "Get a team"}

func (s *Server) getTeam(ctx context.Context, scope access.TeamScope, _ *getTeamInput) (crier.Team, error) {
	return s.services.Teams.Get(ctx, scope)
}
