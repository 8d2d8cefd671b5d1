package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"crier"
)

func (s *shell) accountsCommand() *cobra.Command {
	return group("accounts", "The social accounts that posts go to", "  crier accounts list\n  crier accounts connect x",
		s.accountsList(), s.accountsConnect(), s.accountsSwitch("enable", crier.AccountConnected), s.accountsSwitch("disable", crier.AccountDisabled), s.accountsDisconnect())
}

func (s *shell) accountsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the team's social accounts", Example: "  crier accounts list --json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			list, err := c.ListAccounts(cmd.Context(), team)
			if err != nil {
				return err
			}
			return s.show(list, "ID\tNETWORK\tNAME\tSTATUS\tHEALTH", func(w io.Writer) {
				for _, a := range list.Data {
					health := "good"
					if a.AccountHealthIssue != nil {
						health = *a.AccountHealthIssue
					}
					row(w, a.ID, a.Provider, a.DisplayName, a.Status, health)
				}
			})
		},
	}
}

func (s *shell) accountsConnect() *cobra.Command {
	return &cobra.Command{
		Use: "connect NETWORK", Short: "Connect an account through your browser", Example: "  crier accounts connect linkedin", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This begins to connect an account of %s to the team, which costs nothing. You give your consent in the browser.", args[0]); err != nil {
				return err
			}
			out, err := c.ConnectAccount(cmd.Context(), team, crier.ConnectRequest{Provider: crier.Provider(args[0])})
			if err != nil {
				return err
			}
			if interactive(s.stdin) {
				openBrowser(cmd.Context(), out.AuthorizationURL)
			}
			return s.show(out, "", func(w io.Writer) {
				fmt.Fprintf(w, "Open this address and give your consent:\n%s\n", out.AuthorizationURL)
			})
		},
	}
}

func (s *shell) accountsSwitch(verb string, status crier.AccountStatus) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ACCOUNT", Short: verb + " an account", Example: "  crier accounts " + verb + " ID", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This will %s the account %s.", verb, args[0]); err != nil {
				return err
			}
			a, err := c.UpdateAccount(cmd.Context(), team, crier.ID(args[0]), crier.SocialAccountUpdate{Status: string(status)})
			if err != nil {
				return err
			}
			return s.show(a, "", func(w io.Writer) { fmt.Fprintf(w, "%s is %s.\n", a.DisplayName, a.Status) })
		},
	}
}

func (s *shell) accountsDisconnect() *cobra.Command {
	return &cobra.Command{
		Use: "disconnect ACCOUNT", Short: "End the connection of an account", Example: "  crier accounts disconnect ID --yes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This disconnects the account %s; what is scheduled on it waits for a new connection.", args[0]); err != nil {
				return err
			}
			a, err := c.DisconnectAccount(cmd.Context(), team, crier.ID(args[0]))
			if err != nil {
				return err
			}
			return s.show(a, "", func(w io.Writer) { fmt.Fprintf(w, "%s is %s.\n", a.DisplayName, a.Status) })
		},
	}
}
