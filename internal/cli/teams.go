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

func (s *Shell) teamsCommand() *cobra.Command {
	return Group("teams", "Teams", "  crier teams list\n  crier teams create \"Berlin\" --timezone Europe/Berlin",
		s.teamsList(), s.teamsCreate(), s.teamsEdit(), s.teamsDelete())
}

func (s *Shell) teamsList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{Use: "list", Short: "List your teams", Example: "  crier teams list", Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.Connect(cmd.Context())
		if err != nil {
			return err
		}
		var org crier.ID
		if s.org != "" {
			if org, err = s.findOrganization(cmd.Context(), c, s.org); err != nil {
				return err
			}
		}
		page, err := fetch(cmd.Context(), p,
			func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Team], error) {
				return c.ListTeams(ctx, org, o)
			})
		if err != nil {
			return err
		}
		return s.Show(page, "ID\tNAME\tZONE\tAPPROVAL\tLATE", func(w io.Writer) {
			for _, t := range page.Data {
				approval := "–"
				if t.RequireApproval {
					approval = "required"
				}
				Row(w, t.ID, t.Name, cmp.Or(text(t.Timezone), "UTC"), approval,
					fmt.Sprintf("%d min", t.PublishLateMinutes))
			}
			more(w, cmd, page, "team")
		})
	}
	p.add(cmd)
	return cmd
}

func (s *Shell) teamsCreate() *cobra.Command {
	var zone, website string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a team", Example: "  crier teams create \"Berlin\" --timezone Europe/Berlin",
		Args: cobra.ExactArgs(1),
		RunE: s.forOrganization(func(ctx context.Context, c *client.Client, org crier.ID, args []string) error {
			in := crier.TeamCreate{OrganizationID: org, Name: crier.Name(args[0])}
			if zone != "" {
				in.Timezone = (*crier.Zone)(&zone)
			}
			if website != "" {
				in.Website = (*crier.WebURL)(&website)
			}
			t, err := c.CreateTeam(ctx, in)
			if err != nil {
				return err
			}
			return s.Show(t, "", func(w io.Writer) { fmt.Fprintf(w, "Created %s: %s\n", t.Name, t.ID) })
		}),
	}
	cmd.Flags().StringVar(&zone, "timezone", "", "IANA name, such as Europe/Berlin")
	cmd.Flags().StringVar(&website, "website", "", "address of the brand's website")
	return cmd
}

func (s *Shell) teamsEdit() *cobra.Command {
	var name, zone, website string
	var approval bool
	var late int
	cmd := &cobra.Command{
		Use: "edit TEAM", Short: "Change a team's name or settings", Args: cobra.ExactArgs(1),
		Example: "  crier teams edit Berlin --timezone Europe/Berlin\n  crier teams edit Berlin --require-approval " +
			"--late 30",
		RunE: func(cmd *cobra.Command, args []string) error {
			in := crier.TeamUpdate{}
			given := cmd.Flags().Changed
			if given("name") {
				in.Name = crier.Some(crier.Name(name))
			}
			if given("timezone") {
				in.Timezone = crier.Some(crier.Zone(zone))
			}
			if given("website") {
				in.Website = orNull(crier.WebURL(website))
			}
			if given("require-approval") {
				in.RequireApproval = crier.Some(approval)
			}
			if given("late") {
				in.PublishLateMinutes = crier.Some(late)
			}
			if in == (crier.TeamUpdate{}) {
				return usagef("there is nothing to change: give --name, --timezone, --website, --require-approval or " +
					"--late")
			}
			c, err := s.Connect(cmd.Context())
			if err != nil {
				return err
			}
			id, err := s.findTeam(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			t, err := c.UpdateTeam(cmd.Context(), id, in)
			if err != nil {
				return err
			}
			return s.Show(t, "", func(w io.Writer) { fmt.Fprintf(w, "Changed %s.\n", t.Name) })
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the new name")
	cmd.Flags().StringVar(&zone, "timezone", "", "IANA name, such as Europe/Berlin")
	cmd.Flags().StringVar(&website, "website", "", "address of the brand's website; empty: none")
	cmd.Flags().BoolVar(&approval, "require-approval", false, "let only approved posts be scheduled")
	cmd.Flags().IntVar(&late, "late", 0, "how many minutes late a post may still be published automatically")
	return completesFirst(cmd, s.teamNames)
}

// orNull returns a value, or null if it is empty.
func orNull[T ~string](value T) crier.Optional[T] {
	if value == "" {
		return crier.Null[T]()
	}
	return crier.Some(value)
}

func (s *Shell) teamsDelete() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete TEAM", Short: "Delete a team with its posts, accounts and media",
		Example: "  crier teams delete Berlin", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.Connect(cmd.Context())
			if err != nil {
				return err
			}
			id, err := s.findTeam(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			t, err := c.GetTeam(cmd.Context(), id)
			if err != nil {
				return err
			}
			if err := s.confirm(cmd.Context(),
				"This deletes the team %s with its posts, accounts and media, and cancels "+
					"what is scheduled.", t.Name); err != nil {
				return err
			}
			out, err := c.DeleteTeam(cmd.Context(), id)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Deleted.") })
		},
	}
	return completesFirst(cmd, s.teamNames)
}
