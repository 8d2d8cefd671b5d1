package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *shell) membersCommand() *cobra.Command {
	return group("members", "People in an organization", "  crier members list\n  crier members invite ada@example.com --role editor",
		s.membersList(), s.membersInvite(), s.membersRemove(), s.invitationsList(), s.invitationsWithdraw())
}

// teamNames is the teams that somebody is narrowed to, as a cell of a table.
func teamNames(teams []crier.ID) string {
	if teams == nil {
		return "all"
	}
	names := make([]string, len(teams))
	for i, id := range teams {
		names[i] = string(id)
	}
	return strings.Join(names, " ")
}

func (s *shell) membersList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the members", Example: "  crier members list", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			page, err := c.ListMembers(cmd.Context(), org, client.ListOptions{Limit: crier.MaxPageSize})
			if err != nil {
				return err
			}
			return s.show(page, "ID\tNAME\tE-MAIL\tROLE\tTEAMS", func(w io.Writer) {
				for _, m := range page.Data {
					email := "–"
					if m.Email != nil {
						email = string(*m.Email)
					}
					row(w, m.ID, m.Name, email, m.Role, teamNames(m.TeamIDs))
				}
			})
		},
	}
}

func (s *shell) membersInvite() *cobra.Command {
	var role string
	var teams []string
	cmd := &cobra.Command{
		Use: "invite E-MAIL", Short: "Invite a person, by mail or by a link to hand over", Args: cobra.ExactArgs(1),
		Example: "  crier members invite ada@example.com --role editor",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			in := crier.MemberInvite{Email: crier.Email(args[0]), Role: crier.Role(role)}
			for _, id := range teams {
				in.TeamIDs = append(in.TeamIDs, crier.ID(id))
			}
			if err := s.confirm(cmd.Context(), "This invites %s with the role %s.", args[0], role); err != nil {
				return err
			}
			i, err := c.InviteMember(cmd.Context(), org, in)
			if err != nil {
				return err
			}
			return s.show(i, "", func(w io.Writer) {
				if i.InviteURL == "" {
					fmt.Fprintf(w, "A mail is on its way to %s.\n", i.Email)
				} else {
					fmt.Fprintf(w, "Hand this link to %s. It is shown once, works once and until %s:\n%s\n", i.Email, local(i.ExpiresAt), i.InviteURL)
				}
			})
		},
	}
	cmd.Flags().StringVar(&role, "role", "editor", "owner, admin, editor or viewer")
	cmd.Flags().StringSliceVar(&teams, "teams", nil, "ids of the teams that the person is narrowed to; all when absent")
	completes(cmd, "role", []crier.Role{crier.RoleOwner, crier.RoleAdmin, crier.RoleEditor, crier.RoleViewer})
	return cmd
}

func (s *shell) membersRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove MEMBER", Short: "Remove a member, and the API keys that they made", Example: "  crier members remove ID", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This removes the member %s and ends the API keys that they made here.", args[0]); err != nil {
				return err
			}
			out, err := c.RemoveMember(cmd.Context(), org, crier.ID(args[0]))
			if err != nil {
				return err
			}
			return s.show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Removed.") })
		},
	}
}

func (s *shell) invitationsList() *cobra.Command {
	return &cobra.Command{
		Use: "invitations", Short: "List the invitations that nobody has accepted yet", Example: "  crier members invitations", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			page, err := c.ListInvitations(cmd.Context(), org, client.ListOptions{Limit: crier.MaxPageSize})
			if err != nil {
				return err
			}
			return s.show(page, "ID\tE-MAIL\tROLE\tTEAMS\tUNTIL", func(w io.Writer) {
				for _, i := range page.Data {
					row(w, i.ID, i.Email, i.Role, teamNames(i.TeamIDs), local(i.ExpiresAt))
				}
			})
		},
	}
}

func (s *shell) invitationsWithdraw() *cobra.Command {
	return &cobra.Command{
		Use: "withdraw INVITATION", Short: "Withdraw an invitation", Example: "  crier members withdraw ID", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, org, err := s.inOrganization(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(), "This ends the link of the invitation %s.", args[0]); err != nil {
				return err
			}
			out, err := c.WithdrawInvitation(cmd.Context(), org, crier.ID(args[0]))
			if err != nil {
				return err
			}
			return s.show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Withdrawn.") })
		},
	}
}
