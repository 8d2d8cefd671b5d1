package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// accountAttempt is an attempt with its account.
type accountAttempt struct {
	ScheduledPostID crier.ID `json:"scheduledPostId"`
	SocialAccountID crier.ID `json:"socialAccountId"`
	crier.Attempt
}

// accountAttempts is the JSON output of the command.
type accountAttempts struct {
	Data []accountAttempt `json:"data"`
}

func (s *Shell) postsAttempts() *cobra.Command {
	return s.onPost("attempts", "Show all attempts to publish a post, on all its accounts",
		"  crier posts attempts POST",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			p, err := fullPost(ctx, c, team, post)
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
					all.Data = append(all.Data, accountAttempt{ScheduledPostID: sp.ID,
						SocialAccountID: sp.SocialAccountID, Attempt: a})
				}
			}
			slices.SortStableFunc(all.Data, func(a,
				b accountAttempt) int {
				return a.StartedAt.Compare(b.StartedAt.Time)
			})
			accounts, err := accountsByID(ctx, c, team)
			if err != nil {
				return err
			}
			return s.Show(all, "WHEN\tNETWORK\tACCOUNT\tOPERATION\tPART\tOUTCOME\tMESSAGE\tNEXT", func(w io.Writer) {
				for _, a := range all.Data {
					account := accounts[a.SocialAccountID]
					Row(w, local(a.StartedAt), networkName(account.Provider), account.DisplayName, a.Operation,
						a.Part+1, // shown counting from one
						a.Outcome, a.Message, a.NextStep)
				}
			})
		})
}

// onScheduledPost returns a command that changes one scheduled post.
func (s *Shell) onScheduledPost(use, short, example string,
	change func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " SCHEDULED-POST", Short: short, Example: example, Args: cobra.ExactArgs(1),
		Long: short + ".\nThe id is what 'crier posts show POST' and 'crier attention' have under SCHEDULED POST.",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := postID("scheduled post", args[0], "crier posts show POST")
			if err != nil {
				return err
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			p, err := change(cmd.Context(), c, team, id)
			if err != nil {
				return orPostItself(cmd.Context(), c, team, id, err)
			}
			return s.Show(p, "ID\tSTATE\tTIME\tERROR", func(w io.Writer) {
				Row(w, p.ID, p.Status, local(p.ScheduledAt), p.ErrorMessage)
			})
		},
	}
	return completesFirst(cmd, s.teamWords(s.scheduledWords))
}

// confirmAbout asks about one scheduled post, and shows its account, time and text, because nobody knows its id by
// heart.
func (s *Shell) confirmAbout(ctx context.Context, c *client.Client, team, id crier.ID, what string) error {
	if s.yes {
		return nil
	}
	p, err := c.GetScheduledPost(ctx, team, id)
	if err != nil {
		return err
	}
	account, err := c.GetAccount(ctx, team, p.SocialAccountID)
	if err != nil {
		return err
	}
	post, err := c.GetPost(ctx, team, p.ContentItemID)
	if err != nil {
		return err
	}
	return s.confirm(ctx, "%s\n  %s, %s, %s\n%s", what, accountLabel(account), p.Status, local(p.ScheduledAt),
		indented(post.Text))
}

// orPostItself explains why a scheduled post was not found if the id is that of a post, which is a common mistake.
func orPostItself(ctx context.Context, c *client.Client, team, id crier.ID, err error) error {
	if !client.IsKind(err, crier.KindNotFound) {
		return err
	}
	if _, missing := c.GetPost(ctx, team, id); missing != nil {
		return err
	}
	return &missingError{text: fmt.Sprintf("%s is the id of the post; 'crier posts show %s' lists the ids of its "+
		"scheduled posts, under SCHEDULED POST", id, id)}
}

func (s *Shell) postsRetry() *cobra.Command {
	return s.onScheduledPost("retry", "Try a failed or missed publication again", "  crier posts retry SCHEDULED-POST",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error) {
			if err := s.refuseReplaced(ctx, c, team, id); err != nil {
				return crier.ScheduledPost{}, err
			}
			if err := s.confirmAbout(ctx, c, team, id,
				"This publishes the post as it is now, at once, and costs credits again:"); err != nil {
				return crier.ScheduledPost{}, err
			}
			return c.RetryScheduledPost(ctx, team, id)
		})
}

// refuseReplaced fails before asking about a retry that the server would reject.
func (s *Shell) refuseReplaced(ctx context.Context, c *client.Client, team, id crier.ID) error {
	if s.yes {
		return nil
	}
	p, err := c.GetScheduledPost(ctx, team, id)
	if err != nil || p.ReplacedBy == nil {
		return err
	}
	return &client.Error{Kind: crier.KindConflict, Message: fmt.Sprintf("The scheduled post %s has replaced this one "+
		"on its account, so a retry would publish the post twice. 'crier posts show %s' shows its state; "+
		"'crier attention dismiss %s' removes this one from the list.", *p.ReplacedBy, p.ContentItemID, id)}
}

func (s *Shell) postsMove() *cobra.Command {
	var at string
	cmd := s.onScheduledPost("move", "Move a scheduled post on one account to another time",
		"  crier posts move SCHEDULED-POST --at \"friday 17:30\"",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error) {
			when, zone, err := parseWhenAndZone(at, s.now().Local(), nil)
			if err != nil {
				return crier.ScheduledPost{}, err
			}
			in := crier.ScheduledPostUpdate{ScheduledAt: crier.Some(when)}
			if zone != nil {
				in.Timezone = crier.Some(*zone)
			}
			return c.UpdateScheduledPost(ctx, team, id, in)
		})
	cmd.Flags().StringVar(&at, "at", "",
		"when: \"tomorrow 9:00\", \"friday 17:30 Europe/Berlin\", \"2026-11-15 09:00\" in your zone, +3h, or RFC 3339")
	Require(cmd, "at")
	return cmd
}

func (s *Shell) postsCancel() *cobra.Command {
	return s.onScheduledPost("cancel", "Cancel a scheduled post on one account", "  crier posts cancel SCHEDULED-POST",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error) {
			if err := s.confirmAbout(ctx, c, team, id, "This cancels, on this account alone:"); err != nil {
				return crier.ScheduledPost{}, err
			}
			return c.CancelScheduledPost(ctx, team, id)
		})
}

func (s *Shell) postsResolve() *cobra.Command {
	var in crier.Resolution
	cmd := s.onScheduledPost("resolve", "Resolve a publication whose outcome is unknown",
		"  crier posts resolve SCHEDULED-POST --outcome published --platform-post-id 123\n  crier posts resolve "+
			"SCHEDULED-POST --outcome retry\n  crier posts resolve SCHEDULED-POST --action first_comment "+
			"--outcome failed",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error) {
			if in.Outcome == "retry" {
				if err := s.confirmAbout(ctx, c, team, id,
					"This publishes again; if it is already published, it will be there twice:"); err != nil {
					return crier.ScheduledPost{}, err
				}
			}
			return c.ResolveScheduledPost(ctx, team, id, in)
		})
	cmd.Flags().StringVar(&in.Outcome, "outcome", "", "published, retry or failed")
	cmd.Flags().StringVar((*string)(&in.Action), "action", "",
		"resolve a follow-up of the publication instead: "+strings.Join(in.Action.Enum(), ", "))
	cmd.Flags().StringVar(&in.PlatformPostID, "platform-post-id", "",
		"id of the post on its network, if it was published")
	completes(cmd, "outcome", []string{"published", "retry", "failed"})
	completes(cmd, "action", in.Action.Enum())
	Require(cmd, "outcome")
	return cmd
}

func (s *Shell) attentionCommand() *cobra.Command {
	cmd := s.attentionList("attention")
	cmd.AddCommand(s.attentionDismiss())
	return cmd
}

// attention is everything that needs a person's attention.
type attention struct {
	ScheduledPosts crier.Page[crier.ScheduledPost] `json:"scheduledPosts"`
	SocialAccounts []crier.SocialAccount           `json:"socialAccounts"`
}

func (s *Shell) attentionList(use string) *cobra.Command {
	var p paging
	cmd := &cobra.Command{
		Use: use, Short: "List posts and accounts that need attention",
		Example: "  crier attention\n  crier attention dismiss SCHEDULED-POST", Args: cobra.NoArgs,
	}
	cmd.RunE = s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, _ []string) error {
		yes := true
		page, err := fetch(ctx, p,
			func(ctx context.Context, o client.ListOptions) (crier.Page[crier.ScheduledPost], error) {
				return c.ListScheduledPosts(ctx, team, client.ScheduledPostFilter{ListOptions: o, NeedsAttention: &yes})
			})
		if err != nil {
			return err
		}
		list, err := c.ListAccounts(ctx, team)
		if err != nil {
			return err
		}
		out := attention{ScheduledPosts: page, SocialAccounts: []crier.SocialAccount{}}
		byID := map[crier.ID]crier.SocialAccount{}
		for _, a := range list.Data {
			byID[a.ID] = a
			if a.AccountHealthIssue != nil || a.Status == crier.AccountRefreshNeeded || a.PostsAtRisk > 0 {
				out.SocialAccounts = append(out.SocialAccounts, a)
			}
		}
		return s.Show(out, "", func(w io.Writer) { writeAttention(w, cmd, out, byID) })
	})
	p.add(cmd)
	return cmd
}

func writeAttention(w io.Writer, cmd *cobra.Command, out attention, byID map[crier.ID]crier.SocialAccount) {
	if len(out.ScheduledPosts.Data) == 0 && len(out.SocialAccounts) == 0 {
		fmt.Fprintln(w, "Nothing needs attention.")
		return
	}
	if len(out.ScheduledPosts.Data) > 0 {
		fmt.Fprintln(w, "SCHEDULED POST\tNETWORK\tACCOUNT\tSTATE\tTIME\tWHY\tWHAT TO DO")
		for _, p := range out.ScheduledPosts.Data {
			a := byID[p.SocialAccountID]
			Row(w, p.ID, networkName(a.Provider), a.DisplayName, p.Status, local(p.ScheduledAt),
				cmp.Or(p.ErrorMessage, followUpProblem(p)), remedy(p))
		}
		more(w, cmd, out.ScheduledPosts, "scheduled post")
	}
	for _, a := range out.SocialAccounts {
		why := strings.TrimSuffix(cmp.Or(oneLine(text(a.AccountHealthMessage)), string(a.Status)), ".")
		if a.PostsAtRisk > 0 && !strings.Contains(why, "at risk") { // the message may say so
			why += ", " + counted(int(a.PostsAtRisk), "post") + " at risk"
		}
		fmt.Fprintf(w, "%s: %s; %s\n", oneLine(accountLabel(a)), why, accountRemedy(a))
	}
}

// accountRemedy returns the command that lets an account publish again.
func accountRemedy(a crier.SocialAccount) string {
	if a.Status == crier.AccountDisabled {
		return fmt.Sprintf("'crier accounts enable %s' enables it again", a.ID)
	}
	return fmt.Sprintf("'crier accounts connect %s' connects it again", a.Provider)
}

// remedy returns the command that solves the problem.
func remedy(p crier.ScheduledPost) string {
	switch p.Status {
	case crier.Unknown:
		return "check the network, then 'crier posts resolve'"
	case crier.Failed, crier.Missed:
		if p.ReplacedBy != nil {
			return "'crier attention dismiss': a newer one has replaced it"
		}
		return "'crier posts retry' or 'crier attention dismiss'"
	}
	if kind := unknownFollowUp(p); kind != "" {
		return fmt.Sprintf("check the network, then 'crier posts resolve --action %s'", kind)
	}
	return "'crier attention dismiss'"
}

// followUpProblem returns why a published post needs attention.
func followUpProblem(p crier.ScheduledPost) string {
	if kind := unknownFollowUp(p); kind != "" {
		return "whether the " + followUpName(kind) + " was published is not known"
	}
	return "a follow-up action failed"
}

// unknownFollowUp returns the first follow-up whose outcome is unknown; empty if there is none.
func unknownFollowUp(p crier.ScheduledPost) crier.FollowUpKind {
	for _, kind := range crier.FollowUpKinds() {
		if f := p.FollowUp(kind); f != nil && f.Status == crier.FollowUpStatus(crier.Unknown) {
			return kind
		}
	}
	return ""
}

func (s *Shell) attentionDismiss() *cobra.Command {
	return s.onScheduledPost("dismiss", "Remove a failure from the list; its record stays",
		"  crier attention dismiss SCHEDULED-POST",
		func(ctx context.Context, c *client.Client, team, id crier.ID) (crier.ScheduledPost, error) {
			return c.DismissScheduledPost(ctx, team, id)
		})
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
