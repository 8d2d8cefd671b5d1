package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updateTeamInput struct {
	teamPath
	Body crier.TeamUpdate
}

var updateTeamDoc = doc{
	ID: "updateTeam", Tag: "Teams", Summary: "Update a team",
	Description: "Omitted fields keep their value. A timezone must be a name of the embedded IANA list; `Local`, " +
		"offsets and paths are rejected.",
}

func (s *Server) updateTeam(ctx context.Context, scope access.TeamScope, in *updateTeamInput) (crier.Team, error) {
	return s.services.Teams.Update(ctx, scope, in.Body)
}
