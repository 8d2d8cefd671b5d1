package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) contextCommand() *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Show who you are and what you can access", Example: "  crier whoami", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Connect(cmd.Context())
			if err != nil {
				return err
			}
			overview, err := c.AgentContext(cmd.Context())
			if err != nil {
				return err
			}
			return s.Show(overview, "", func(w io.Writer) {
				Row(w, "Server", c.Base())
				if overview.User != nil {
					Row(w, "Person", overview.User.Name)
					Row(w, "E-mail", cmp.Or(text(overview.User.Email), "–"))
				}
				Row(w, "Credential", fmt.Sprintf("%s (%s)", overview.Credential.Name, overview.Credential.Kind))
				for _, o := range overview.Organizations {
					Row(w, "Organization", o.Name, o.Role, o.ID)
				}
				for _, t := range overview.Teams {
					Row(w, "Team", t.Name, t.Role, t.ID)
				}
			})
		},
	}
}

func (s *Shell) organizationsCommand() *cobra.Command {
	return Group("orgs", "Organizations", "  crier orgs list\n  crier orgs create \"Acme\"", s.organizationsList(),
		s.organizationsCreate(), s.organizationsEdit())
}

func (s *Shell) organizationsList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{Use: "list", Short: "List your organizations", Example: "  crier orgs list",
		Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.Connect(cmd.Context())
		if err != nil {
			return err
		}
		page, err := fetch(cmd.Context(), p, c.ListOrganizations)
		if err != nil {
			return err
		}
		return s.Show(page, "ID\tNAME\tCREDITS\tRESERVED", func(w io.Writer) {
			for _, o := range page.Data {
				Row(w, o.ID, o.Name, o.CreditsBalance, o.ReservedCredits)
			}
			more(w, cmd, page, "organization")
		})
	}
	p.add(cmd)
	return cmd
}

func (s *Shell) organizationsCreate() *cobra.Command {
	return &cobra.Command{
		Use: "create NAME", Short: "Create an organization with a first team", Example: "  crier orgs create \"Acme\"",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.Connect(cmd.Context())
			if err != nil {
				return err
			}
			o, err := c.CreateOrganization(cmd.Context(), crier.OrganizationCreate{Name: crier.Name(args[0])})
			if err != nil {
				return err
			}
			return s.Show(o, "", func(w io.Writer) { fmt.Fprintf(w, "Created %s: %s\n", o.Name, o.ID) })
		},
	}
}

func (s *Shell) organizationsEdit() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "edit", Short: "Rename an organization", Args: cobra.NoArgs,
		Example: "  crier orgs edit --name \"Acme Corporation\" --organization Acme",
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, _ []string) error {
			o, err := c.UpdateOrganization(ctx, org, crier.OrganizationUpdate{Name: crier.Some(crier.Name(name))})
			if err != nil {
				return err
			}
			return s.Show(o, "", func(w io.Writer) { fmt.Fprintf(w, "The organization is called %s.\n", o.Name) })
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "the new name")
	Require(cmd, "name")
	return cmd
}

func (s *Shell) creditsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "credits", Short: "Show the credit balance and prices", Example: "  crier credits",
		Args: cobra.NoArgs,
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, _ []string) error {
			out, err := c.GetCredits(ctx, org)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) {
				fmt.Fprintf(w, "Balance\t%d\nReserved\t%d\nFree\t%d\n\n", out.CreditsBalance, out.ReservedCredits,
					out.AvailableCredits)
				fmt.Fprintln(w, "NETWORK\tCREDITS\tFOR")
				for _, cost := range out.Costs {
					Row(w, networkName(cost.Provider), cost.Credits, cost.Description)
				}
			})
		}),
	}
}
