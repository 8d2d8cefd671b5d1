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

// Get returns who the caller is and what it can reach, the oldest first. A key that may not read sees itself and
// nothing else.
func (s *Contexts) Get(ctx context.Context, scope CallerScope) (crier.AgentContext, error) {
	person := scope.caller.person
	out := crier.AgentContext{
		User: &person, Credential: scope.caller.credential, Organizations: []crier.Organization{}, Teams: []crier.Team{}, ServerTime: s.now(),
	}
	if err := scope.check(); err != nil {
		return out, err
	}
	teams, err := s.store.NarrowedTeams(ctx, scope.caller.id)
	if err != nil {
		return out, err
	}
	out.Credential.TeamIDs = teams
	if scope.mayRead() != nil {
		return out, nil //nolint:nilerr // a key that may not read still learns who it is
	}
	return s.reached(ctx, scope, out)
}

// reached fills in the organizations and teams.
func (s *Contexts) reached(ctx context.Context, scope CallerScope, out crier.AgentContext) (crier.AgentContext, error) {
	oldest := PageQuery{query: store.PageQuery{Sort: "createdAt", Limit: contextSize}}
	organizations, err := s.organizations.List(ctx, scope, oldest)
	if err != nil {
		return out, err
	}
	teams, err := s.teams.List(ctx, scope, "", oldest)
	if err != nil {
		return out, err
	}
	out.Organizations, out.Teams = organizations.Data, teams.Data
	if len(out.Organizations) > 0 {
		out.DefaultOrganizationID = &out.Organizations[0].ID
	}
	if len(out.Teams) > 0 {
		out.DefaultTeamID = &out.Teams[0].ID
	}
	return out, nil
}
