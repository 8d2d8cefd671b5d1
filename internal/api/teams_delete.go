package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteTeamInput struct{ teamPath }

var deleteTeamDoc = doc{
	ID: "deleteTeam", Tag: "Teams", Summary: "Delete a team",
	Description: "Destructive: the team and everything in it disappear from the API at once, and its scheduled " +
		"posts are canceled. It cannot be undone through the API.",
}

func (s *Server) deleteTeam(ctx context.Context, scope access.TeamScope, _ *deleteTeamInput) (crier.Deleted, error) {
	return s.services.Teams.Delete(ctx, scope)
}
