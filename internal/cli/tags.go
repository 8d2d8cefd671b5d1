package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) tagsCommand() *cobra.Command {
	return Group("tags", "Labels of posts", "  crier tags list\n  crier tags create launch --colour \"#1d9bf0\"",
		s.tagsList(), s.tagsCreate(), s.tagsEdit(), s.tagsDelete())
}

func (s *Shell) tagsList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{Use: "list", Short: "List the tags", Example: "  crier tags list", Args: cobra.NoArgs}
	cmd.RunE = s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, _ []string) error {
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Tag], error) {
			return c.ListTags(ctx, team, o)
		})
		if err != nil {
			return err
		}
		return s.Show(page, "ID\tNAME\tCOLOUR\tPOSTS", func(w io.Writer) {
			for _, t := range page.Data {
				Row(w, t.ID, t.Name, t.Colour, t.PostCount)
			}
			more(w, cmd, page, "tag")
		})
	})
	p.add(cmd)
	return cmd
}

func (s *Shell) tagsCreate() *cobra.Command {
	var colour string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a tag", Example: "  crier tags create launch --colour \"#1d9bf0\"",
		Args: cobra.ExactArgs(1),
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			in := crier.TagCreate{Name: crier.TagName(args[0])}
			if colour != "" {
				in.Colour = (*crier.Colour)(&colour)
			}
			t, err := c.CreateTag(ctx, team, in)
			if err != nil {
				return err
			}
			return s.Show(t, "", func(w io.Writer) { fmt.Fprintf(w, "Created %s: %s\n", t.Name, t.ID) })
		}),
	}
	cmd.Flags().StringVar(&colour, "colour", "", "such as #1d9bf0; default: derived from the name")
	return cmd
}

func (s *Shell) tagsEdit() *cobra.Command {
	var name, colour string
	cmd := &cobra.Command{
		Use: "edit TAG", Short: "Change a tag's name or colour",
		Example: "  crier tags edit launch --name release",
		Args:    cobra.ExactArgs(1),
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			in := crier.TagUpdate{}
			if name != "" {
				in.Name = crier.Some(crier.TagName(name))
			}
			if colour != "" {
				in.Colour = crier.Some(crier.Colour(colour))
			}
			if in == (crier.TagUpdate{}) {
				return usagef("there is nothing to change: give --name or --colour")
			}
			id, err := s.findTag(ctx, c, team, args[0])
			if err != nil {
				return err
			}
			t, err := c.UpdateTag(ctx, team, id, in)
			if err != nil {
				return err
			}
			return s.Show(t, "", func(w io.Writer) { fmt.Fprintf(w, "%s is %s now.\n", t.Name, t.Colour) })
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "the new name")
	cmd.Flags().StringVar(&colour, "colour", "", "the new colour, such as #1d9bf0")
	return completesFirst(cmd, s.teamWords(s.tagWords))
}

func (s *Shell) tagsDelete() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete TAG", Short: "Delete a tag; its posts stay", Example: "  crier tags delete launch --yes",
		Args: cobra.ExactArgs(1),
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			id, err := s.findTag(ctx, c, team, args[0])
			if err != nil {
				return err
			}
			if err := s.confirm(ctx, "This deletes the tag %s and removes it from its posts.", args[0]); err != nil {
				return err
			}
			out, err := c.DeleteTag(ctx, team, id)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Deleted.") })
		}),
	}
	return completesFirst(cmd, s.teamWords(s.tagWords))
}
