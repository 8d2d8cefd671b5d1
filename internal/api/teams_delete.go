package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteTeamInput struct{ teamPath }

var deleteTeamDoc = doc{
	ID: "deleteTeam", Tag: "Teams", Summary: "Delete a team",
	Description: "Destructive: the team and all that belongs to it are gone from the interface at once, and its " +
		"scheduled work is cancelled. " +
		"It cannot be undone through the interface.",
}

func (s *Server) deleteTeam(ctx context.Context, scope access.TeamScope, _ *deleteTeamInput) (crier.Deleted, error) {
	return s.services.Teams.Delete(ctx, scope)
}
