package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listTeamsInput struct {
	Organization crier.ID `query:"organizationId" doc:"Only the teams of this organization; without it, those of all the caller's organizations."`
	listQuery
}

var listTeamsDoc = doc{ID: "listTeams", Tag: "Teams", Summary: "List teams",
	Sorts: service.TeamSorts}

func (in *listTeamsInput) check(s *Server) []crier.Issue {
	return in.open(s, "teams of "+string(in.Organization), service.TeamSorts)
}

func (s *Server) listTeams(ctx context.Context, scope access.CallerScope, in *listTeamsInput) (crier.Page[crier.Team],
	error) {
	return s.services.Teams.List(ctx, scope, in.Organization, in.page)
}
