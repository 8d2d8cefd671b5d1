package client

import (
	"context"
	"net/http"

	"crier"
)

const teamsPath = "/v1/teams"

func teamPath(id crier.ID) string { return teamsPath + "/" + string(id) }

// ListTeams returns a page of the teams the caller can access, of one organization or, if it is empty, of all.
func (c *Client) ListTeams(ctx context.Context, organization crier.ID, o ListOptions) (crier.Page[crier.Team], error) {
	q := o.query()
	set(q, "organizationId", string(organization))
	return get[crier.Page[crier.Team]](ctx, c, teamsPath, q)
}

// CreateTeam creates a team.
func (c *Client) CreateTeam(ctx context.Context, in crier.TeamCreate) (crier.Team, error) {
	return change[crier.Team](ctx, c, http.MethodPost, teamsPath, in)
}

// GetTeam returns a team.
func (c *Client) GetTeam(ctx context.Context, id crier.ID) (crier.Team, error) {
	return get[crier.Team](ctx, c, teamPath(id), nil)
}

// UpdateTeam changes a team's settings.
func (c *Client) UpdateTeam(ctx context.Context, id crier.ID, in crier.TeamUpdate) (crier.Team, error) {
	return change[crier.Team](ctx, c, http.MethodPatch, teamPath(id), in)
}

// DeleteTeam deletes a team and cancels its scheduled posts.
func (c *Client) DeleteTeam(ctx context.Context, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, teamPath(id), nil)
}
