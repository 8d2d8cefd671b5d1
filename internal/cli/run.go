package cli

import (
	"context"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// teamRun runs a command in a team.
type teamRun func(ctx context.Context, c *client.Client, team crier.ID, args []string) error

// forTeam connects, determines the team and runs.
func (s *Shell) forTeam(run teamRun) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, team, err := s.inTeam(cmd.Context())
		if err != nil {
			return err
		}
		return run(cmd.Context(), c, team, args)
	}
}

// orgRun runs a command in an organization.
type orgRun func(ctx context.Context, c *client.Client, org crier.ID, args []string) error

// forOrganization connects, determines the organization and runs.
func (s *Shell) forOrganization(run orgRun) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, org, err := s.inOrganization(cmd.Context())
		if err != nil {
			return err
		}
		return run(cmd.Context(), c, org, args)
	}
}
