package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) membersCommand() *cobra.Command {
	return Group("members", "People in an organization",
		"  crier members list\n  crier members invite ada@example.com --role editor",
		s.membersList(), s.membersInvite(), s.membersRole(), s.membersRemove(), s.invitationsList(),
		s.invitationsWithdraw())
}

func (s *Shell) membersList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{Use: "list", Short: "List the members", Example: "  crier members list", Args: cobra.NoArgs}
	cmd.RunE = s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, _ []string) error {
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Member], error) {
			return c.ListMembers(ctx, org, o)
		})
		if err != nil {
			return err
		}
		names := s.teamNamesByID(ctx, c)
		return s.Show(page, "ID\tNAME\tE-MAIL\tROLE\tTEAMS", func(w io.Writer) {
			for _, m := range page.Data {
				Row(w, m.ID, m.Name, cmp.Or(text(m.Email), "–"), m.Role, namesOf(m.TeamIDs, names))
			}
			more(w, cmd, page, "member")
		})
	})
	p.add(cmd)
	return cmd
}

func (s *Shell) membersInvite() *cobra.Command {
	var role string
	var teams []string
	cmd := &cobra.Command{
		Use: "invite E-MAIL", Short: "Invite a person by mail or by link", Args: cobra.ExactArgs(1),
		Example: "  crier members invite ada@example.com --role editor --teams Berlin",
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			in := crier.MemberInvite{Email: crier.Email(args[0]), Role: crier.Role(role)}
			var err error
			if in.TeamIDs, err = s.findTeams(ctx, c, teams); err != nil {
				return err
			}
			where := "all teams"
			if len(teams) > 0 {
				where = counted(len(teams), "team") + " alone: " + strings.Join(teams, ", ")
			}
			if err := s.confirm(ctx, "This invites %s with the role %s, to %s.", args[0], role, where); err != nil {
				return err
			}
			i, err := c.InviteMember(ctx, org, in)
			if err != nil {
				return err
			}
			return s.Show(i, "", func(w io.Writer) {
				if i.InviteURL == "" {
					fmt.Fprintf(w, "A mail is on its way to %s.\n", i.Email)
				} else {
					fmt.Fprintf(w, "Give this link to %s. It is shown once and works once, until %s:\n%s\n", i.Email,
						local(i.ExpiresAt), i.InviteURL)
				}
			})
		}),
	}
	addRoleFlags(s, cmd, &role, &teams, "editor")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func addRoleFlags(s *Shell, cmd *cobra.Command, role *string, teams *[]string, fallback string) {
	if role != nil {
		cmd.Flags().StringVar(role, "role", fallback, "owner, admin, editor or viewer")
		completes(cmd, "role", crier.Roles())
	}
	cmd.Flags().StringSliceVar(teams, "teams", nil,
		"restrict the person to these teams, by name or id; default: all")
	filled(cmd.Flags(), "teams")
	s.completes(cmd, "teams", s.teamNames)
}

func (s *Shell) membersRole() *cobra.Command {
	var teams []string
	cmd := &cobra.Command{
		Use: "role MEMBER ROLE", Short: "Change a member's role and teams",
		Long: "Changes the role of a member. --teams restricts them to some teams; --teams all gives access to " +
			"every team.",
		Example: "  crier members role ada@example.com admin\n  crier members role ada@example.com viewer --teams " +
			"Berlin",
		Args: cobra.ExactArgs(2),
	}
	cmd.RunE = s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
		in := crier.MemberUpdate{Role: crier.Some(crier.Role(args[1]))}
		if len(teams) == 1 && teams[0] == "all" {
			in.TeamIDs = crier.Null[[]crier.ID]()
		} else if len(teams) > 0 {
			ids, err := s.findTeams(ctx, c, teams)
			if err != nil {
				return err
			}
			in.TeamIDs = crier.Some(ids)
		}
		id, err := s.findMember(ctx, c, org, args[0])
		if err != nil {
			return err
		}
		m, err := c.UpdateMember(ctx, org, id, in)
		if err != nil {
			return err
		}
		return s.Show(m, "", func(w io.Writer) {
			fmt.Fprintf(w, "%s is %s, in teams: %s.\n", cmp.Or(text(m.Email), m.Name), m.Role,
				namesOf(m.TeamIDs, s.teamNamesByID(ctx, c)))
		})
	})
	addRoleFlags(s, cmd, nil, &teams, "")
	members := completion(s.orgWords(s.memberWords))
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string,
		prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return members(cmd, args, prefix)
		}
		roles, _ := completed(crier.Roles(), nil, func(r crier.Role) cobra.Completion { return string(r) })
		return roles, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

func (s *Shell) membersRemove() *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove MEMBER", Short: "Remove a member and the API keys they created",
		Example: "  crier members remove ada@example.com", Args: cobra.ExactArgs(1),
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			id, err := s.findMember(ctx, c, org, args[0])
			if err != nil {
				return err
			}
			if err := s.confirm(ctx, "This removes the member %s and revokes the API keys that they created here.",
				args[0]); err != nil {
				return err
			}
			out, err := c.RemoveMember(ctx, org, id)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Removed.") })
		}),
	}
	return completesFirst(cmd, s.orgWords(s.memberWords))
}

func (s *Shell) invitationsList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{
		Use: "invitations", Short: "List open invitations",
		Example: "  crier members invitations", Args: cobra.NoArgs,
	}
	cmd.RunE = s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, _ []string) error {
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Invitation],
			error) {
			return c.ListInvitations(ctx, org, o)
		})
		if err != nil {
			return err
		}
		names := s.teamNamesByID(ctx, c)
		return s.Show(page, "ID\tE-MAIL\tROLE\tTEAMS\tUNTIL", func(w io.Writer) {
			for _, i := range page.Data {
				Row(w, i.ID, i.Email, i.Role, namesOf(i.TeamIDs, names), local(i.ExpiresAt))
			}
			more(w, cmd, page, "invitation")
		})
	})
	p.add(cmd)
	return cmd
}

func (s *Shell) invitationsWithdraw() *cobra.Command {
	cmd := &cobra.Command{
		Use: "withdraw INVITATION", Short: "Withdraw an invitation",
		Example: "  crier members withdraw ada@example.com",
		Args:    cobra.ExactArgs(1),
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			id, err := s.findInvitation(ctx, c, org, args[0])
			if err != nil {
				return err
			}
			if err := s.confirm(ctx, "This ends the invitation %s: its link stops working.", args[0]); err != nil {
				return err
			}
			out, err := c.WithdrawInvitation(ctx, org, id)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Withdrawn.") })
		}),
	}
	return completesFirst(cmd, s.orgWords(s.invitationWords))
}
