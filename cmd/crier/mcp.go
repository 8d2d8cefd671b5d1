package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
	"crier/internal/api"
	"crier/internal/mcp"
)

// mountAgents lets agents in at /mcp, through the same interface as everybody else.
func (a *app) mountAgents(door *api.Server, server *http.Server) {
	agents := mcp.NewHandler(door, version, a.now)
	door.Mount("/mcp", agents)
	server.RegisterOnShutdown(agents.Close)
}

func (s *shell) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Let an agent use crier, over standard input and output",
		Long: "Speaks the Model Context Protocol over standard input and output, for agents that start their tools as programs.\n" +
			"It connects like the other commands: --server and --token, CRIER_SERVER and CRIER_TOKEN, or your login. The agent can do what you can do, " +
			"and you are asked before it publishes, spends or deletes.",
		Example: "  crier mcp\n  CRIER_TOKEN=crier_... crier mcp --server https://crier.example.com",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.serveAgent(cmd.Context()) },
	}
}

// serveAgent speaks with one agent until it goes.
func (s *shell) serveAgent(ctx context.Context) error {
	connection, err := s.client(ctx)
	if err != nil {
		return err
	}
	var team crier.ID
	if given := firstOf(s.team, s.variable("CRIER_TEAM")); given != "" {
		var ok bool
		if team, ok = crier.ParseID(given); !ok {
			return fmt.Errorf("--team must be a UUID, got %q", given)
		}
	}
	return mcp.Serve(ctx, mcp.Config{
		Version: version, Now: s.now, Team: team,
		Connect: func(context.Context, http.Header) (*client.Client, error) { return connection, nil },
	}, io.NopCloser(s.stdin), keepOpen{s.stdout})
}

// keepOpen is a writer whose end is not its user's to decide.
type keepOpen struct{ io.Writer }

// Close leaves it open.
func (keepOpen) Close() error { return nil }
