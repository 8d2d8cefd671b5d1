package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// overview is the short form of the agent context.
type overview struct {
	User                  string       `json:"user,omitempty"`
	Credential            string       `json:"credential"`
	Organizations         []namedBrief `json:"organizations"`
	Teams                 []teamBrief  `json:"teams"`
	DefaultOrganizationID *crier.ID    `json:"defaultOrganizationId,omitempty"`
	DefaultTeamID         *crier.ID    `json:"defaultTeamId,omitempty"`
	ServerTime            crier.Time   `json:"serverTime"`
}

type namedBrief struct {
	ID   crier.ID `json:"id"`
	Name string   `json:"name"`
}

type teamBrief struct {
	ID              crier.ID `json:"id"`
	OrganizationID  crier.ID `json:"organizationId"`
	Name            string   `json:"name"`
	Timezone        *string  `json:"timezone,omitempty"`
	RequireApproval bool     `json:"requireApproval,omitempty"`
}

func (d *server) addContextTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "get_context", title: "Get the context", effect: reads,
		description: "Returns the person you act for, the organizations and teams you can access, the defaults, and " +
			"the server's time.",
	}, func(ctx context.Context, c *call, _ struct{}) (any, error) {
		found, err := c.AgentContext(ctx)
		if err != nil {
			return nil, err
		}
		return d.overviewOf(found), nil
	})
}

func (d *server) overviewOf(a crier.AgentContext) overview {
	out := overview{
		Credential: a.Credential.Name, DefaultOrganizationID: a.DefaultOrganizationID, DefaultTeamID: a.DefaultTeamID,
		ServerTime: a.ServerTime,
		Organizations: each(a.Organizations, func(o crier.ContextOrganization) namedBrief {
			return namedBrief{o.ID,
				o.Name}
		}),
		Teams: each(a.Teams, func(t crier.ContextTeam) teamBrief {
			return teamBrief{ID: t.ID, OrganizationID: t.OrganizationID, Name: t.Name, Timezone: t.Timezone,
				RequireApproval: t.RequireApproval}
		}),
	}
	if a.User != nil {
		out.User = a.User.Name
	}
	if d.team != "" {
		out.DefaultTeamID = &d.team
	}
	return out
}
