package cli

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) auditCommand() *cobra.Command {
	var p paging
	var f auditFlags
	cmd := &cobra.Command{
		Use: "audit", Short: "Show the audit log, newest first",
		Example: "  crier audit --limit 10\n  crier audit --actor ada@example.com --from 2026-11-01\n" +
			"  crier audit --action deletePost --all --json",
		Args: cobra.NoArgs,
	}
	cmd.RunE = s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, _ []string) error {
		filter, err := f.filter(ctx, s, c, org)
		if err != nil {
			return err
		}
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.AuditEntry],
			error) {
			filter.ListOptions = o
			return c.SearchAuditLog(ctx, org, filter)
		})
		if err != nil {
			return err
		}
		people := s.people(ctx, c, org)
		return s.Show(page, "WHEN\tWHO\tWHAT\tWHERE", func(w io.Writer) {
			for _, e := range page.Data {
				who := cmp.Or(people[e.PersonID], string(e.PersonID))
				if e.PrincipalKind == crier.CredentialKey {
					who += ", by key " + cmp.Or(people[e.PrincipalID], string(e.PrincipalID))
				}
				Row(w, local(e.CreatedAt), who, e.Action, strings.TrimPrefix(e.Target, "/v1"))
			}
			more(w, cmd, page, "entry")
		})
	})
	p.add(cmd)
	f.add(cmd)
	return cmd
}

// auditFlags filter the audit log.
type auditFlags struct{ actor, action, from, until string }

func (f *auditFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.actor, "actor", "", "only changes by this member or API key, by name, e-mail address or id")
	flags.StringVar(&f.action, "action", "", "only this operation, as WHAT shows it, such as deletePost")
	flags.StringVar(&f.from, "from", "", "only from this day or time on")
	flags.StringVar(&f.until, "until", "", "only before this day or time")
}

func (f *auditFlags) filter(ctx context.Context, s *Shell, c *client.Client, org crier.ID) (client.AuditFilter,
	error) {
	filter := client.AuditFilter{Action: f.action}
	var err error
	if filter.From, filter.To, err = s.days(f.from, f.until); err != nil || f.actor == "" {
		return filter, err
	}
	filter.PrincipalID, err = s.findActor(ctx, c, org, f.actor)
	return filter, err
}

// people returns the names of members and keys, as far as the caller may read them.
func (s *Shell) people(ctx context.Context, c *client.Client, org crier.ID) map[crier.ID]string {
	names := map[crier.ID]string{}
	if s.asJSON {
		return names
	}
	if page, err := c.ListMembers(ctx, org, firstPage); err == nil {
		for _, m := range page.Data {
			names[m.UserID] = cmp.Or(text(m.Email), m.Name)
		}
	}
	if page, err := c.ListKeys(ctx, org, firstPage); err == nil {
		for _, k := range page.Data {
			names[k.ID] = k.Name
		}
	}
	return names
}
