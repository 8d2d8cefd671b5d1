package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *shell) contextCommand() *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Who am I, and what can I reach?", Example: "  crier whoami", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client(cmd.Context())
			if err != nil {
				return err
			}
			overview, err := c.AgentContext(cmd.Context())
			if err != nil {
				return err
			}
			return s.show(overview, "", func(w io.Writer) {
				row(w, "Server", c.Base())
				row(w, "Person", overview.User.Name)
				if overview.User.Email != nil {
					row(w, "E-mail", *overview.User.Email)
				}
				row(w, "Credential", fmt.Sprintf("%s (%s)", overview.Credential.Name, overview.Credential.Kind))
				for _, o := range overview.Organizations {
					row(w, "Organization", o.Name, o.ID)
				}
				for _, t := range overview.Teams {
					row(w, "Team", t.Name, t.ID)
				}
			})
		},
	}
}

func (s *shell) organizationsCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List your organizations", Example: "  crier orgs list", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client(cmd.Context())
			if err != nil {
				return err
			}
			page, err := c.ListOrganizations(cmd.Context(), client.ListOptions{Limit: crier.MaxPageSize})
			if err != nil {
				return err
			}
			return s.show(page, "ID\tNAME\tCREDITS\tRESERVED", func(w io.Writer) {
				for _, o := range page.Data {
					row(w, o.ID, o.Name, o.CreditsBalance, o.ReservedCredits)
				}
			})
		},
	}
	create := &cobra.Command{
		Use: "create NAME", Short: "Create an organization", Example: "  crier orgs create \"Acme\"", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This creates the organization %q with a first team.", args[0]); err != nil {
				return err
			}
			o, err := c.CreateOrganization(cmd.Context(), crier.OrganizationCreate{Name: crier.Name(args[0])})
			if err != nil {
				return err
			}
			return s.show(o, "", func(w io.Writer) { fmt.Fprintf(w, "Created %s: %s\n", o.Name, o.ID) })
		},
	}
	return group("orgs", "Organizations", "  crier orgs list", list, create)
}

func (s *shell) teamsCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List your teams", Example: "  crier teams list", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client(cmd.Context())
			if err != nil {
				return err
			}
			page, err := c.ListTeams(cmd.Context(), crier.ID(s.org), client.ListOptions{Limit: crier.MaxPageSize})
			if err != nil {
				return err
			}
			return s.show(page, "ID\tNAME\tZONE", func(w io.Writer) {
				for _, t := range page.Data {
					zone := "UTC"
					if t.Timezone != nil {
						zone = *t.Timezone
					}
					row(w, t.ID, t.Name, zone)
				}
			})
		},
	}
	var zone string
	create := &cobra.Command{
		Use: "create NAME", Short: "Create a team", Example: "  crier teams create \"Berlin\" --timezone Europe/Berlin", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This creates the team %q.", args[0]); err != nil {
				return err
			}
			in := crier.TeamCreate{OrganizationID: org, Name: crier.Name(args[0])}
			if zone != "" {
				in.Timezone = (*crier.Zone)(&zone)
			}
			t, err := c.CreateTeam(cmd.Context(), in)
			if err != nil {
				return err
			}
			return s.show(t, "", func(w io.Writer) { fmt.Fprintf(w, "Created %s: %s\n", t.Name, t.ID) })
		},
	}
	create.Flags().StringVar(&zone, "timezone", "", "IANA name, such as Europe/Berlin")
	return group("teams", "Teams", "  crier teams list\n  crier teams create \"Berlin\" --timezone Europe/Berlin", list, create)
}

func (s *shell) keysCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the API keys", Example: "  crier keys list", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			page, err := c.ListKeys(cmd.Context(), org, client.ListOptions{Limit: crier.MaxPageSize})
			if err != nil {
				return err
			}
			return s.show(page, "ID\tNAME\tROLE\tENDS IN\tLAST USED", func(w io.Writer) {
				for _, k := range page.Data {
					row(w, k.ID, k.Name, k.Role, "…"+k.LastFour, localOrDash(k.LastUsedAt))
				}
			})
		},
	}
	var role string
	create := &cobra.Command{
		Use: "create NAME", Short: "Create an API key; its secret is shown once", Example: "  crier keys create \"CI\" --role editor --yes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This creates the API key %q with the role %s.", args[0], role); err != nil {
				return err
			}
			k, err := c.CreateKey(cmd.Context(), org, crier.APIKeyCreate{Name: crier.Name(args[0]), Role: crier.Role(role)})
			if err != nil {
				return err
			}
			return s.show(k, "", func(w io.Writer) { fmt.Fprintf(w, "Created %s. The secret is shown once:\n%s\n", k.ID, k.Secret) })
		},
	}
	create.Flags().StringVar(&role, "role", "editor", "owner, admin, editor or viewer")
	completes(create, "role", []crier.Role{crier.RoleOwner, crier.RoleAdmin, crier.RoleEditor, crier.RoleViewer})
	revoke := &cobra.Command{
		Use: "revoke KEY", Short: "Revoke an API key", Example: "  crier keys revoke ID --yes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This ends the API key %s at once.", args[0]); err != nil {
				return err
			}
			out, err := c.RevokeKey(cmd.Context(), org, crier.ID(args[0]))
			if err != nil {
				return err
			}
			return s.show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Revoked.") })
		},
	}
	return group("keys", "API keys of an organization", "  crier keys list\n  crier keys create \"CI\" --role editor", list, create, revoke)
}

func (s *shell) creditsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "credits", Short: "The credit balance and what things cost", Example: "  crier credits", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			out, err := c.GetCredits(cmd.Context(), org)
			if err != nil {
				return err
			}
			return s.show(out, "", func(w io.Writer) {
				fmt.Fprintf(w, "Balance\t%d\nReserved\t%d\nFree\t%d\n\n", out.CreditsBalance, out.ReservedCredits, out.AvailableCredits)
				for _, cost := range out.Costs {
					row(w, cost.Provider, cost.Credits, cost.Description)
				}
			})
		},
	}
}
