package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/cli"
	"crier/internal/server"
)

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Start the server: API, dashboard and workers",
		Long: "Starts the API, the dashboard and the workers. On an empty store it first creates an " +
			"organization, an owner and an API key, and prints them once.\n" +
			"On SIGTERM it drains: running requests and jobs have 30 seconds to finish, new ones are rejected.",
		Example: "  crier serve\n  crier serve --listen :8080 --database-url postgres://crier@db/crier\n  " +
			"CRIER_ROLE=worker crier serve",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if strays := a.config.strays; len(strays) > 0 {
				a.config.Logger.Warn("variables in the environment are no settings of crier, and have no effect: see "+
					"crier config", "names", strays)
			}
			err := server.Serve(cmd.Context(), a.config.Config, a.welcome)
			if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) { // it was stopped before it had started
				return nil
			}
			return err
		},
	}
}

// welcome initializes an empty store and prints the next steps.
func (a *app) welcome(ctx context.Context, n *server.Node) error {
	empty, err := n.Services.Instance.Empty(ctx)
	if err != nil {
		return err
	}
	if empty {
		request, err := a.tenant(ctx, defaultOrganization)
		if err != nil {
			return err
		}
		t, err := n.Services.Instance.Initialise(ctx, request)
		var known *crier.Error
		switch {
		case errors.As(err, &known) && known.Kind == crier.KindConflict: // another node was faster
		case err != nil:
			return err
		default:
			if err := printBanner(a.stdout, a.report(t), cli.Interactive(a.stdout)); err != nil {
				return err
			}
		}
	}
	if _, err = fmt.Fprintf(a.stdout, "  crier %s is ready at %s (documentation: %s/docs)\n", version,
		a.config.PublicURL, a.config.PublicURL); err != nil {
		return err
	}
	if a.config.Sandbox {
		_, err = fmt.Fprintf(a.stdout, "  Posts go to the sandbox, not to real networks. Its timelines: %s\n\n",
			a.config.SandboxURL())
	}
	return err
}
