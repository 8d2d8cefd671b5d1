package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// accountAttempt is an attempt with where it was made.
type accountAttempt struct {
	ScheduledPostID crier.ID `json:"scheduledPostId"`
	SocialAccountID crier.ID `json:"socialAccountId"`
	crier.Attempt
}

// accountAttempts is what the command prints as JSON.
type accountAttempts struct {
	Data []accountAttempt `json:"data"`
}

func (s *shell) postsAttempts() *cobra.Command {
	return s.onPost("attempts", "See everything that was tried to publish a post, on all its accounts", "  crier posts attempts ID",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			p, err := c.GetPost(ctx, team, post, client.IncludeScheduledPosts)
			if err != nil {
				return err
			}
			if p.ScheduledPosts == nil || len(*p.ScheduledPosts) == 0 {
				return errors.New("the post was never scheduled")
			}
			all := accountAttempts{Data: []accountAttempt{}}
			for _, sp := range *p.ScheduledPosts {
				list, err := c.ListAttempts(ctx, team, sp.ID)
				if err != nil {
					return err
				}
				for _, a := range list.Data {
					all.Data = append(all.Data, accountAttempt{sp.ID, sp.SocialAccountID, a})
				}
			}
			slices.SortStableFunc(all.Data, func(a, b accountAttempt) int { return a.StartedAt.Compare(b.StartedAt.Time) })
			return s.show(all, "WHEN\tSCHEDULED POST\tOPERATION\tPART\tOUTCOME\tMESSAGE\tNEXT", func(w io.Writer) {
				for _, a := range all.Data {
					row(w, local(a.StartedAt), a.ScheduledPostID, a.Operation, a.Part, a.Outcome, shorten(a.Message, 50), a.NextStep)
				}
			})
		})
}

func (s *shell) postsRetry() *cobra.Command {
	return s.onScheduledPost("retry", "Try a failed or missed publication again", "  crier posts retry SCHEDULED-POST",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error) {
			if err := s.confirm(ctx, "This publishes the scheduled post %s again, at once, and costs what it did before.", id); err != nil {
				return crier.ScheduledPost{}, err
			}
			return c.RetryScheduledPost(ctx, team, id)
		})
}

func (s *shell) postsResolve() *cobra.Command {
	var in crier.Resolution
	cmd := s.onScheduledPost("resolve", "Say what became of a publication whose outcome is unknown",
		"  crier posts resolve SCHEDULED-POST --outcome published --platform-post-id 123\n  crier posts resolve SCHEDULED-POST --outcome retry",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error) {
			warning := "This notes the scheduled post %s as %s."
			if in.Outcome == "retry" {
				warning = "This sends the scheduled post %s again (%s). If it is out already, it will be out twice."
			}
			if err := s.confirm(ctx, warning, id, in.Outcome); err != nil {
				return crier.ScheduledPost{}, err
			}
			return c.ResolveScheduledPost(ctx, team, id, in)
		})
	cmd.Flags().StringVar(&in.Outcome, "outcome", "", "published, retry or failed")
	cmd.Flags().StringVar(&in.PlatformPostID, "platform-post-id", "", "id of the post on its network, when it was published")
	completes(cmd, "outcome", []string{"published", "retry", "failed"})
	mustRequire(cmd, "outcome")
	return cmd
}

// onScheduledPost makes a command that changes one scheduled post.
func (s *shell) onScheduledPost(use, short, example string, change func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " SCHEDULED-POST", Short: short, Example: example, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, ok := crier.ParseID(args[0])
			if !ok {
				return fmt.Errorf("%q is not the id of a scheduled post; 'crier posts show POST' lists them", args[0])
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			p, err := change(cmd.Context(), c, team, id)
			if err != nil {
				return err
			}
			return s.show(p, "", func(w io.Writer) { row(w, p.ID, p.Status, local(p.ScheduledAt), p.ErrorMessage) })
		},
	}
}
