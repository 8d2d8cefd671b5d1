package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// accountBrief is the short form of a social account.
type accountBrief struct {
	ID       crier.ID            `json:"id"`
	Provider crier.Provider      `json:"provider"`
	Name     string              `json:"name"`
	Handle   string              `json:"handle,omitempty"`
	Status   crier.AccountStatus `json:"status"`
	Health   string              `json:"health,omitempty"` // the problem
	Sandbox  bool                `json:"sandbox,omitempty"`
	// Capabilities is set only when one account is read.
	Capabilities *crier.JSON[crier.Capabilities] `json:"capabilities,omitempty"`
}

func briefAccount(a crier.SocialAccount) accountBrief {
	out := accountBrief{ID: a.ID, Provider: a.Provider, Name: a.DisplayName, Status: a.Status, Sandbox: a.Sandbox}
	if a.ProfileHandle != nil {
		out.Handle = *a.ProfileHandle
	}
	if a.AccountHealthMessage != nil {
		out.Health = *a.AccountHealthMessage
	}
	return out
}

func (d *server) addAccountTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "list_accounts", title: "List social accounts", effect: reads,
		description: "Lists the team's social accounts. Only connected ones can publish.",
	}, listAccounts)
	addTool(d, s, tool{
		name: "get_account", title: "Get a social account", effect: reads,
		description: "Returns a social account with the capabilities of its network and its connection: post types, " +
			"limits, comments, threads.",
	}, getAccount)
	addTool(d, s, tool{
		name: "connect_account", title: "Connect a social account", effect: adds, outside: true,
		description: "Starts connecting an account of a network: returns a URL that the person must open in a " +
			"browser to consent. Nothing is connected before that.",
	}, connectAccount)
}

// accountList lists all accounts of a team.
type accountList struct {
	Data []accountBrief `json:"data"`
}

func listAccounts(ctx context.Context, c *call, in inTeam) (any, error) {
	team, err := c.team(ctx, in)
	if err != nil {
		return nil, err
	}
	found, err := c.ListAccounts(ctx, team)
	if err != nil {
		return nil, err
	}
	return accountList{each(found.Data, briefAccount)}, nil
}

type getAccountInput struct {
	inTeam
	SocialAccountID crier.ID `json:"socialAccountId" jsonschema:"id of the account"`
}

func getAccount(ctx context.Context, c *call, in getAccountInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	found, err := c.GetAccount(ctx, team, in.SocialAccountID)
	if err != nil {
		return nil, err
	}
	out := briefAccount(found)
	out.Capabilities = &found.Capabilities
	return out, nil
}

type connectAccountInput struct {
	inTeam
	Provider crier.Provider `json:"provider" jsonschema:"the network"`
}

func connectAccount(ctx context.Context, c *call, in connectAccountInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	return c.ConnectAccount(ctx, team, crier.ConnectRequest{Provider: in.Provider})
}
