package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) keysCommand() *cobra.Command {
	return Group("keys", "API keys of an organization",
		"  crier keys list\n  crier keys create CI --role editor --teams Berlin",
		s.keysList(), s.keysCreate(), s.keysRotate(), s.keysRevoke())
}

func (s *Shell) keysList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{Use: "list", Short: "List the API keys", Example: "  crier keys list", Args: cobra.NoArgs}
	cmd.RunE = s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, _ []string) error {
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.APIKey], error) {
			return c.ListKeys(ctx, org, o)
		})
		if err != nil {
			return err
		}
		names := s.teamNamesByID(ctx, c)
		return s.Show(page, "ID\tNAME\tROLE\tTEAMS\tPERMISSIONS\tENDS IN\tEXPIRES\tLAST USED", func(w io.Writer) {
			for _, k := range page.Data {
				permissions := "all of the role"
				if k.Permissions != nil {
					permissions = joinWords(k.Permissions)
				}
				Row(w, k.ID, k.Name, k.Role, namesOf(k.TeamIDs, names), permissions, "…"+k.LastFour,
					localOrDash(k.ExpiresAt), localOrDash(k.LastUsedAt))
			}
			more(w, cmd, page, "key")
		})
	})
	p.add(cmd)
	return cmd
}

func joinWords[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return strings.Join(words, " ")
}

// teamNamesByID returns the names of the teams, as far as the caller may read them.
func (s *Shell) teamNamesByID(ctx context.Context, c *client.Client) map[crier.ID]string {
	names := map[crier.ID]string{}
	if s.asJSON {
		return names
	}
	if page, err := c.ListTeams(ctx, "", firstPage); err == nil {
		for _, t := range page.Data {
			names[t.ID] = t.Name
		}
	}
	return names
}

// namesOf returns the names of teams as a table cell.
func namesOf(teams []crier.ID, names map[crier.ID]string) string {
	if teams == nil {
		return "all"
	}
	list := make([]string, len(teams))
	for i, id := range teams {
		list[i] = cmp.Or(names[id], string(id))
	}
	return strings.Join(list, ", ")
}

func (s *Shell) keysCreate() *cobra.Command {
	var role, expires string
	var permissions, teams []string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create an API key; its secret is shown once",
		Example: "  crier keys create CI --role editor --teams Berlin\n" +
			"  crier keys create Reader --role viewer --permissions read --expires +90d", Args: cobra.ExactArgs(1),
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			in := crier.APIKeyCreate{Name: crier.Name(args[0]), Role: crier.Role(role)}
			for _, p := range permissions {
				in.Permissions = append(in.Permissions, crier.Permission(p))
			}
			var err error
			if in.TeamIDs, err = s.findTeams(ctx, c, teams); err != nil {
				return err
			}
			if expires != "" {
				end, err := parseDay(expires, s.now().Local())
				if err != nil {
					return err
				}
				in.ExpiresAt = &end
			}
			k, err := c.CreateKey(ctx, org, in)
			if err != nil {
				return err
			}
			return s.showSecret(k)
		}),
	}
	cmd.Flags().StringVar(&role, "role", "editor", "owner, admin, editor or viewer")
	cmd.Flags().StringSliceVar(&permissions, "permissions", nil,
		"restrict the key to these permissions; all of the role "+
			"when absent")
	cmd.Flags().StringSliceVar(&teams, "teams", nil, "restrict the key to these teams, by name or id; default: "+
		"all")
	cmd.Flags().StringVar(&expires, "expires", "",
		"when the key ends: a day such as 2026-12-31, or +90d; never when absent")
	filled(cmd.Flags(), "permissions", "teams", "expires")
	completes(cmd, "role", crier.Roles())
	completes(cmd, "permissions", crier.Permissions())
	s.completes(cmd, "teams", s.teamNames)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func (s *Shell) showSecret(k crier.APIKeyWithSecret) error {
	return s.Show(k, "", func(w io.Writer) {
		fmt.Fprintf(w, "The secret of %s (%s) is shown once:\n%s\n", k.Name, k.ID, k.Secret)
	})
}

func (s *Shell) keysRotate() *cobra.Command {
	var grace time.Duration
	cmd := &cobra.Command{
		Use: "rotate KEY", Short: "Rotate an API key; the new secret is shown once",
		Example: "  crier keys rotate CI --grace 1h", Args: cobra.ExactArgs(1),
		PreRunE: func(*cobra.Command, []string) error { return checkGrace(grace) },
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			id, err := s.findKey(ctx, c, org, args[0])
			if err != nil {
				return err
			}
			if grace == 0 {
				if err := s.confirm(ctx,
					"This revokes the current secret of %s at once; with --grace 1h it works for another "+
						"hour.", args[0]); err != nil {
					return err
				}
			}
			k, err := c.RotateKey(ctx, org, id, crier.APIKeyRotate{GraceSeconds: int(grace / time.Second)})
			if err != nil {
				return err
			}
			return s.showSecret(k)
		}),
	}
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long the current secret stays valid, up to 24h")
	return completesFirst(cmd, s.orgWords(s.keyWords))
}

// checkGrace limits how long an old secret stays valid.
func checkGrace(grace time.Duration) error {
	if grace < 0 || grace > crier.MaxRotationGraceSeconds*time.Second {
		return usagef("--grace must be from 0 to 24h, got %s", grace)
	}
	return nil
}

func (s *Shell) keysRevoke() *cobra.Command {
	cmd := &cobra.Command{
		Use: "revoke KEY", Short: "Revoke an API key", Example: "  crier keys revoke CI --yes",
		Args: cobra.ExactArgs(1),
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			id, err := s.findKey(ctx, c, org, args[0])
			if err != nil {
				return err
			}
			if err := s.confirm(ctx, "This revokes the API key %s at once.", args[0]); err != nil {
				return err
			}
			out, err := c.RevokeKey(ctx, org, id)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Revoked.") })
		}),
	}
	return completesFirst(cmd, s.orgWords(s.keyWords))
}
