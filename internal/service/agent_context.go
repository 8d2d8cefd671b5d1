package service

import (
	"context"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// contextSize bounds the lists of an agent's overview.
const contextSize = crier.MaxPageSize

// Contexts returns the overview for agents.
type Contexts struct {
	store         *store.Store
	clock         crier.Clock
	organizations *Organizations
	teams         *Teams
	events        *Events
}

// Get returns the caller and what it can access, oldest first. A key without read permission sees only itself.
func (s *Contexts) Get(ctx context.Context, scope access.CallerScope) (crier.AgentContext, error) {
	person := scope.Caller().Person()
	out := crier.AgentContext{
		User: &person, Credential: scope.Caller().Credential(), Organizations: []crier.ContextOrganization{},
		Teams: []crier.ContextTeam{}, ServerTime: s.clock.Now(),
	}
	if err := scope.Check(); err != nil {
		return out, err
	}
	teams, err := s.store.NarrowedTeams(ctx, scope.Caller().ID())
	if err != nil {
		return out, err
	}
	out.Credential.TeamIDs = teams
	if scope.MayRead() != nil {
		return out, nil //nolint:nilerr // a key that may not read still learns who it is
	}
	return s.reached(ctx, scope, out)
}

// reached fills in the organizations and teams.
func (s *Contexts) reached(ctx context.Context, scope access.CallerScope, out crier.AgentContext) (crier.AgentContext,
	error) {
	// Read first, so that a stream from this cursor misses nothing.
	events, err := s.store.EventLog(ctx)
	if err != nil {
		return out, err
	}
	oldest := pagination.Oldest(contextSize)
	organizations, err := s.organizations.List(ctx, scope, oldest)
	if err != nil {
		return out, err
	}
	teams, err := s.teams.List(ctx, scope, "", oldest)
	if err != nil {
		return out, err
	}
	granted, err := s.accessTo(ctx, scope.Caller(), organizations.Data, teams.Data)
	if err != nil {
		return out, err
	}
	for _, o := range organizations.Data {
		out.Organizations = append(out.Organizations, crier.ContextOrganization{Organization: o,
			Role: effectiveRole(granted[o.ID]), Permissions: permissionsOf(scope.Caller(), granted[o.ID], nil),
			EventCursor: s.events.cursor(o.ID, EventQuery{}, events.Last)})
	}
	for _, t := range teams.Data {
		inTeam := granted[t.OrganizationID]
		out.Teams = append(out.Teams, crier.ContextTeam{Team: t, Role: effectiveRole(inTeam),
			Permissions: permissionsOf(scope.Caller(), inTeam, access.IsOrganizationWide)})
	}
	if len(out.Organizations) > 0 {
		out.DefaultOrganizationID = &out.Organizations[0].ID
	}
	if len(out.Teams) > 0 {
		out.DefaultTeamID = &out.Teams[0].ID
	}
	return out, nil
}

// accessTo reads the caller's permissions in the listed organizations, directly or through a team.
func (s *Contexts) accessTo(ctx context.Context, c access.Caller, organizations []crier.Organization,
	teams []crier.Team) (
	map[crier.ID]store.Access, error) {
	var ids []crier.ID
	for _, o := range organizations {
		ids = append(ids, o.ID)
	}
	for _, t := range teams {
		ids = append(ids, t.OrganizationID)
	}
	slices.Sort(ids)
	return s.store.AccessIn(ctx, slices.Compact(ids), c.ID(), c.Person().ID)
}

// effectiveRole returns the lower one of the caller's role and that of the person behind it.
func effectiveRole(a store.Access) crier.Role {
	if a.Own == nil || a.Behind == nil {
		return ""
	}
	if a.Behind.Role.Rank() < a.Own.Role.Rank() {
		return a.Behind.Role
	}
	return a.Own.Role
}

// permissionsOf lists what the caller may do with what it was granted, but for those that without excludes.
func permissionsOf(c access.Caller, granted store.Access, without func(crier.Permission) bool) []crier.Permission {
	list := []crier.Permission{}
	for _, p := range crier.Permissions() {
		if (without == nil || !without(p)) && c.May(p, granted, "organization") == nil {
			list = append(list, p)
		}
	}
	return list
}
