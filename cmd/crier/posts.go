package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *shell) postsCommand() *cobra.Command {
	return group("posts", "Draft, look at, schedule and delete posts", "  crier posts list\n  crier posts create --text \"Hello\"",
		s.postsList(), s.postsCreate(), s.postsShow(), s.postsEdit(), s.postsSchedule(), s.postsNow(), s.postsValidate(),
		s.postsDraft(), s.postsDelete(), s.postsAttempts(), s.postsRetry(), s.postsResolve())
}

func (s *shell) postsList() *cobra.Command {
	var filter client.PostFilter
	var status, state []string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List posts, the newest first",
		Example: "  crier posts list --limit 10\n  crier posts list --state scheduled,failed\n  crier posts list --search launch --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			for _, v := range status {
				filter.Status = append(filter.Status, crier.PostStatus(v))
			}
			for _, v := range state {
				filter.DeliveryState = append(filter.DeliveryState, crier.DeliveryState(v))
			}
			page, err := c.ListPosts(cmd.Context(), team, filter)
			if err != nil {
				return err
			}
			return s.show(page, "ID\tSTATUS\tDELIVERY\tTIME\tTEXT", func(w io.Writer) {
				for _, p := range page.Data {
					when := "–"
					if p.LatestScheduledPost != nil {
						when = local(p.LatestScheduledPost.ScheduledAt)
					}
					row(w, p.ID, p.Status, p.DeliveryState, when, shorten(p.Text, 60))
				}
				fmt.Fprintf(w, "%d of %d posts\n", len(page.Data), page.Total)
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&filter.Limit, "limit", 25, "how many, at most 100")
	flags.StringVar(&filter.Cursor, "cursor", "", "nextCursor of an earlier answer")
	flags.StringVar(&filter.Q, "search", "", "words that the posts contain")
	flags.StringSliceVar(&status, "status", nil, "draft, approved, …")
	flags.StringSliceVar(&state, "state", nil, "scheduled, published, failed, …")
	completes(cmd, "status", crier.PostStatuses())
	completes(cmd, "state", crier.DeliveryStates())
	return cmd
}

// postText is the text of a command: a flag, or what is piped in.
func (s *shell) postText(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if interactive(s.stdin) {
		return "", errors.New("there is no text: give --text, or pipe it in")
	}
	data, err := io.ReadAll(io.LimitReader(s.stdin, 1<<20))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return strings.TrimRight(string(data), "\n"), nil
}

func (s *shell) postsCreate() *cobra.Command {
	var text, title string
	var assets []string
	cmd := &cobra.Command{
		Use:     "create",
		Short:   "Create a draft",
		Example: "  crier posts create --text \"Hello\"\n  echo \"Hello\" | crier posts create --title \"Greeting\"",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := s.postText(text)
			if err != nil {
				return err
			}
			assetIDs, err := ids(assets)
			if err != nil {
				return err
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			in := crier.PostCreate{Text: &body, AssetIDs: assetIDs}
			if title != "" {
				in.Title = &title
			}
			if err := s.confirm(cmd.Context(), "This creates a draft, which costs nothing:\n  %s", shorten(body, 200)); err != nil {
				return err
			}
			p, err := c.CreatePost(cmd.Context(), team, in)
			if err != nil {
				return err
			}
			return s.showPost(p)
		},
	}
	cmd.Flags().StringVar(&text, "text", "", "the text; without it, what is piped in")
	cmd.Flags().StringVar(&title, "title", "", "a title for display, never published")
	cmd.Flags().StringSliceVar(&assets, "asset", nil, "ids of assets of the media library")
	return cmd
}

// ids reads the ids of assets.
func ids(list []string) ([]crier.ID, error) {
	out := make([]crier.ID, len(list))
	for i, v := range list {
		id, ok := crier.ParseID(v)
		if !ok {
			return nil, fmt.Errorf("--asset must be the id of an asset, got %q; 'crier media list' shows them", v)
		}
		out[i] = id
	}
	return out, nil
}

func (s *shell) showPost(p crier.Post) error {
	return s.show(p, "", func(w io.Writer) {
		row(w, "Post", p.ID)
		row(w, "Status", fmt.Sprintf("%s, %s", p.Status, p.DeliveryState))
		row(w, "Type", p.PostType)
		if p.Title != nil {
			row(w, "Title", *p.Title)
		}
		if p.ScheduledPosts != nil {
			for _, sp := range *p.ScheduledPosts {
				row(w, "Scheduled", sp.ID, sp.Status, local(sp.ScheduledAt), sp.Permalink+sp.ErrorMessage)
			}
		}
		fmt.Fprintf(w, "\n%s\n", p.Text)
	})
}

// onPost makes a command about one post.
func (s *shell) onPost(use, short, example string, run func(ctx context.Context, c *client.Client, team, post crier.ID) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " POST", Short: short, Example: example, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			post, ok := crier.ParseID(args[0])
			if !ok {
				return fmt.Errorf("%q is not the id of a post", args[0])
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			return run(cmd.Context(), c, team, post)
		},
	}
}

func (s *shell) postsShow() *cobra.Command {
	return s.onPost("show", "Show a post and where it goes", "  crier posts show 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d", func(ctx context.Context, c *client.Client, team, post crier.ID) error {
		p, err := c.GetPost(ctx, team, post, client.IncludeScheduledPosts)
		if err != nil {
			return err
		}
		return s.showPost(p)
	})
}

func (s *shell) postsEdit() *cobra.Command {
	var text, title string
	cmd := s.onPost("edit", "Change the text or title of a post", "  crier posts edit ID --text \"Better\"", func(ctx context.Context, c *client.Client, team, post crier.ID) error {
		in := crier.PostUpdate{}
		if text != "" {
			in.Text = crier.Some(text)
		}
		if title != "" {
			in.Title = crier.Some(title)
		}
		if !in.Text.Set && !in.Title.Set {
			return errors.New("there is nothing to change: give --text or --title")
		}
		if err := s.confirm(ctx, "This changes the post %s, and what is scheduled of it; a longer text may reserve more credits.", post); err != nil {
			return err
		}
		p, err := c.UpdatePost(ctx, team, post, in)
		if err != nil {
			return err
		}
		return s.showPost(p)
	})
	cmd.Flags().StringVar(&text, "text", "", "the new text")
	cmd.Flags().StringVar(&title, "title", "", "the new title")
	return cmd
}

func (s *shell) postsDraft() *cobra.Command {
	return s.onPost("draft", "Stop what is scheduled of a post and move it back to draft", "  crier posts draft ID", func(ctx context.Context, c *client.Client, team, post crier.ID) error {
		if err := s.confirm(ctx, "This cancels what is scheduled of the post %s.", post); err != nil {
			return err
		}
		p, err := c.MovePostToDraft(ctx, team, post)
		if err != nil {
			return err
		}
		return s.showPost(p)
	})
}

func (s *shell) postsDelete() *cobra.Command {
	var platform bool
	cmd := s.onPost("delete", "Delete a post", "  crier posts delete ID\n  crier posts delete ID --from-networks --yes", func(ctx context.Context, c *client.Client, team, post crier.ID) error {
		warning := "This deletes the post %s and cancels what is scheduled of it."
		if platform {
			warning = "This deletes the post %s, and what was published of it from the networks too."
		}
		if err := s.confirm(ctx, warning, post); err != nil {
			return err
		}
		out, err := c.DeletePost(ctx, team, post, platform)
		if err != nil {
			return err
		}
		return s.show(out, "", func(w io.Writer) {
			fmt.Fprintln(w, "Deleted.")
			for _, d := range out.PlatformDeletes {
				row(w, d.Provider, d.Verdict, d.Message)
			}
		})
	})
	cmd.Flags().BoolVar(&platform, "from-networks", false, "also delete what was published")
	return cmd
}
