package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"crier/internal/server"
)

func (a *app) sandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sandbox",
		Short: "Run only the sandbox of the social networks",
		Long: "Runs only the sandbox of the social networks, so that several nodes can share it and it survives " +
			"their restarts.\n" +
			"Its front page shows the timelines. It listens on the address of --listen.",
		Example: "  crier sandbox --listen 127.0.0.1:8081 --data-dir sandbox-data\n  " +
			"CRIER_SANDBOX_URL=http://127.0.0.1:8081 crier serve",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			listen := a.config.Listen
			if !cmd.Flags().Changed("listen") {
				listen = a.config.SandboxListen
			}
			stop, done, err := a.config.StartSandbox(cmd.Context(), listen, a.config.DataDir)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(a.stdout, "  The sandbox is ready at http://%s\n",
				server.Reachable(listen)); err != nil {
				return err
			}
			select {
			case <-cmd.Context().Done():
				return stop()
			case err := <-done:
				return errors.Join(err, stop())
			}
		},
	}
}
