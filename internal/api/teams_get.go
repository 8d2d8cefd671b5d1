package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type getTeamInput struct{ teamPath }

var getTeamDoc = doc{ID: "getTeam", Tag: "Teams", Summary: "Read a team"}

func (s *Server) getTeam(ctx context.Context, scope service.TeamScope, _ *getTeamInput) (crier.Team, error) {
	return s.services.Teams.Get(ctx, scope)
}
