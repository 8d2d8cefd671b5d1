package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

func (d *server) addCreditTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "get_credits", title: "Get the credits", effect: reads,
		description: "Returns the organization's credits: balance, reserved for scheduled posts, and available; and " +
			"the prices. 1 credit is 0.001 USD.",
	}, getCredits)
}

type getCreditsInput struct {
	OrganizationID crier.ID `json:"organizationId,omitempty" jsonschema:"the organization; the default one when absent"`
}

func getCredits(ctx context.Context, c *call, in getCreditsInput) (any, error) {
	if in.OrganizationID == "" {
		overview, err := c.AgentContext(ctx)
		if err != nil {
			return nil, err
		}
		if overview.DefaultOrganizationID == nil {
			return nil, refused(crier.KindNotFound, "You have no organization yet: create one, or ask to be invited "+
				"to one.")
		}
		in.OrganizationID = *overview.DefaultOrganizationID
	}
	return c.GetCredits(ctx, in.OrganizationID)
}
