package cli

import (
	"cmp"
	"context"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
	"crier/internal/mcp"
)

func (s *Shell) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the Model Context Protocol over standard input and output",
		Long: "Serves the Model Context Protocol over standard input and output, for agents that start their " +
			"tools as processes.\n" +
			"It connects like the other commands: --server and --token, CRIER_SERVER and CRIER_TOKEN, or your " +
			"login. The agent has your permissions, and you are asked before it publishes, spends or deletes.",
		Example: "  crier mcp\n  CRIER_TOKEN=crier_... crier mcp --server https://crier.example.com",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.ServeAgent(cmd.Context()) },
	}
}

// ServeAgent serves one agent until it disconnects.
func (s *Shell) ServeAgent(ctx context.Context) error {
	connection, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	var team crier.ID
	if given := cmp.Or(s.team, s.variable("CRIER_TEAM")); given != "" {
		if team, err = s.findTeam(ctx, connection, given); err != nil {
			return err
		}
	}
	return mcp.Serve(ctx, mcp.Config{
		Version: s.version, Now: s.now, Team: team,
		Connect: func(context.Context, http.Header) (*client.Client, error) { return connection, nil },
	}, io.NopCloser(s.stdin), keepOpen{s.stdout})
}

// keepOpen is a writer that ignores Close.
type keepOpen struct{ io.Writer }

// Close does nothing.
func (keepOpen) Close() error { return nil }
