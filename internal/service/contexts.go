package service

import (
	"context"

	"crier"
	"crier/internal/store"
)

// contextSize bounds the lists of an agent's overview.
const contextSize = crier.MaxPageSize

// Contexts gives agents their overview.
type Contexts struct {
	*core
	organizations *Organizations
	teams         *Teams
}

// Get returns who the caller is and what it can reach, the oldest first.
func (s *Contexts) Get(ctx context.Context, scope CallerScope) (crier.AgentContext, error) {
	var out crier.AgentContext
	if err := scope.check(); err != nil {
		return out, err
	}
	oldest := PageQuery{query: store.PageQuery{Sort: "createdAt", Limit: contextSize}}
	organizations, err := s.organizations.List(ctx, scope, oldest)
	if err != nil {
		return out, err
	}
	teams, err := s.teams.List(ctx, scope, "", oldest)
	if err != nil {
		return out, err
	}
	credential := scope.caller.credential
	if credential.TeamIDs, err = s.store.NarrowedTeams(ctx, scope.caller.id); err != nil {
		return out, err
	}
	person := scope.caller.person
	out = crier.AgentContext{
		User: &person, Credential: credential, Organizations: organizations.Data, Teams: teams.Data, ServerTime: s.now(),
	}
	if len(out.Organizations) > 0 {
		out.DefaultOrganizationID = &out.Organizations[0].ID
	}
	if len(out.Teams) > 0 {
		out.DefaultTeamID = &out.Teams[0].ID
	}
	return out, nil
}
