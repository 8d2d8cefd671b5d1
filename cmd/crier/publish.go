package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// targetFlags say where and when a command publishes.
type targetFlags struct {
	to       []string
	at       string
	nextSlot bool
	wait     int
}

func (t *targetFlags) add(cmd *cobra.Command, timed bool) {
	cmd.Flags().StringSliceVar(&t.to, "to", nil, "networks or account ids, such as x,linkedin; all connected accounts when absent")
	if timed {
		cmd.Flags().StringVar(&t.at, "at", "", "when: RFC 3339, \"2026-11-15 09:00\" in your zone, or a duration such as 2h")
		cmd.Flags().BoolVar(&t.nextSlot, "next-slot", false, "take the next free slot")
	}
}

// accounts finds the accounts that are meant.
func (t *targetFlags) accounts(ctx context.Context, c *client.Client, team crier.ID) ([]crier.SocialAccount, error) {
	list, err := c.ListAccounts(ctx, team)
	if err != nil {
		return nil, err
	}
	var chosen []crier.SocialAccount
	for _, a := range list.Data {
		if t.means(a) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no connected account fits --to %s; 'crier accounts list' shows what there is", strings.Join(t.to, ","))
	}
	return chosen, nil
}

func (t *targetFlags) means(a crier.SocialAccount) bool {
	if len(t.to) == 0 {
		return a.Status == crier.AccountConnected
	}
	for _, name := range t.to {
		if name == string(a.ID) || name == string(a.Provider) && a.Status == crier.AccountConnected {
			return true
		}
	}
	return false
}

func (t *targetFlags) request(s *shell, accounts []crier.SocialAccount) (crier.ScheduleRequest, error) {
	in := crier.ScheduleRequest{}
	for _, a := range accounts {
		in.SocialAccountIDs = append(in.SocialAccountIDs, a.ID)
	}
	switch {
	case t.nextSlot && t.at != "":
		return in, errors.New("give either --at or --next-slot")
	case t.nextSlot:
		in.UseNextSlot = &t.nextSlot
	case t.at != "":
		at, err := parseWhen(t.at, s.now())
		if err != nil {
			return in, err
		}
		in.ScheduledAt = &at
	default:
		return in, errors.New("say when: --at TIME or --next-slot")
	}
	return in, nil
}

func (s *shell) postsSchedule() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("schedule", "Schedule a post", "  crier posts schedule ID --at \"2026-11-15 09:00\" --to x,linkedin\n  crier posts schedule ID --next-slot",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			return s.schedule(ctx, c, team, post, &t)
		})
	t.add(cmd, true)
	return cmd
}

// schedule previews, asks and schedules.
func (s *shell) schedule(ctx context.Context, c *client.Client, team, post crier.ID, t *targetFlags) error {
	accounts, err := t.accounts(ctx, c, team)
	if err != nil {
		return err
	}
	in, err := t.request(s, accounts)
	if err != nil {
		return err
	}
	preview, err := c.ValidatePost(ctx, team, post, in)
	if err != nil {
		return err
	}
	if err := s.previewed(preview, accounts, localOrDash(preview.ScheduledAt)); err != nil {
		return err
	}
	result, err := c.SchedulePost(ctx, team, post, in)
	if err != nil {
		return err
	}
	return s.showResult(result, accounts)
}

// previewed shows what would happen and what it costs, and asks.
func (s *shell) previewed(v crier.ValidationResult, accounts []crier.SocialAccount, when string) error {
	ok := 0
	var lines []string
	for i, e := range v.Data {
		line := fmt.Sprintf("  %s (%s): ", accounts[i].DisplayName, accounts[i].Provider)
		if e.Error != nil {
			lines = append(lines, line+"refused: "+e.Error.Message)
			continue
		}
		ok++
		lines = append(lines, fmt.Sprintf("%s%d credits", line, e.CreditCost))
		for _, warning := range e.Warnings {
			lines = append(lines, "    note: "+warning.Message)
		}
	}
	if ok == 0 {
		return errors.New("no account accepts this post:\n" + strings.Join(lines, "\n"))
	}
	return s.confirm("This publishes on %d account(s) %s and costs %d of your %d free credits:\n%s",
		ok, when, v.CreditCost, v.AvailableCredits, strings.Join(lines, "\n"))
}

func (s *shell) showResult(r crier.ScheduleResult, accounts []crier.SocialAccount) error {
	err := s.show(r, "ACCOUNT\tNETWORK\tSTATUS\tTIME\tWHERE", func(w io.Writer) {
		for i, e := range r.Data {
			name, network := accounts[i].DisplayName, accounts[i].Provider
			switch {
			case e.Error != nil:
				fmt.Fprintf(w, "%s\t%s\trefused\t\t%s\n", name, network, e.Error.Message)
			case e.ScheduledPost != nil:
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, network, e.ScheduledPost.Status, local(e.ScheduledPost.ScheduledAt), e.ScheduledPost.Permalink)
			}
		}
	})
	if err == nil && r.Outcome.SuccessCount == 0 {
		return errors.New("no account took the post")
	}
	return err
}

func (s *shell) postsNow() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("now", "Publish a post at once", "  crier posts now ID --to x --yes", func(ctx context.Context, c *client.Client, team, post crier.ID) error {
		return s.publishNow(ctx, c, team, post, &t)
	})
	t.add(cmd, false)
	cmd.Flags().IntVar(&t.wait, "wait", crier.DefaultPostNowWait, "how many seconds to wait for the networks, 0 to 30")
	return cmd
}

// previewLead is far enough ahead for a dry run of what is to go out at once: the interface has one for schedules only.
const previewLead = 5 * time.Minute

func (s *shell) publishNow(ctx context.Context, c *client.Client, team, post crier.ID, t *targetFlags) error {
	accounts, err := t.accounts(ctx, c, team)
	if err != nil {
		return err
	}
	in := crier.PostNowRequest{WaitSeconds: &t.wait}
	soon := crier.TimeOf(s.now().Add(previewLead))
	trial := crier.ScheduleRequest{ScheduledAt: &soon}
	for _, a := range accounts {
		in.SocialAccountIDs = append(in.SocialAccountIDs, a.ID)
	}
	trial.SocialAccountIDs = in.SocialAccountIDs
	preview, err := c.ValidatePost(ctx, team, post, trial)
	if err != nil {
		return err
	}
	if err := s.previewed(preview, accounts, "at once, which cannot be taken back everywhere,"); err != nil {
		return err
	}
	result, err := c.PostNow(ctx, team, post, in)
	if err != nil {
		return err
	}
	return s.showResult(result, accounts)
}

func (s *shell) postsValidate() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("validate", "Try out how a post would be scheduled, without writing anything", "  crier posts validate ID --next-slot",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			accounts, err := t.accounts(ctx, c, team)
			if err != nil {
				return err
			}
			in, err := t.request(s, accounts)
			if err != nil {
				return err
			}
			v, err := c.ValidatePost(ctx, team, post, in)
			if err != nil {
				return err
			}
			return s.show(v, "ACCOUNT\tNETWORK\tOK\tCREDITS\tPROBLEM", func(w io.Writer) {
				for i, e := range v.Data {
					problem := ""
					if e.Error != nil {
						problem = e.Error.Message
					}
					fmt.Fprintf(w, "%s\t%s\t%v\t%d\t%s\n", accounts[i].DisplayName, accounts[i].Provider, e.OK, e.CreditCost, problem)
				}
			})
		})
	t.add(cmd, true)
	return cmd
}

// postCommand is the whole flow in one line.
func (s *shell) postCommand() *cobra.Command {
	var t targetFlags
	var text string
	cmd := &cobra.Command{
		Use:     "post",
		Short:   "Write and publish or schedule a post in one line",
		Long:    "Creates a post from --text or from what is piped in, then publishes it at once, or schedules it with --at or --next-slot.",
		Example: "  echo \"Hello\" | crier post --to x,linkedin --next-slot --yes\n  crier post --text \"Hello\" --at 2h --to x",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			body, err := s.postText(text)
			if err != nil {
				return err
			}
			c, team, err := s.inTeam(ctx)
			if err != nil {
				return err
			}
			p, err := c.CreatePost(ctx, team, crier.PostCreate{Text: &body})
			if err != nil {
				return err
			}
			if t.at == "" && !t.nextSlot {
				err = s.publishNow(ctx, c, team, p.ID, &t)
			} else {
				err = s.schedule(ctx, c, team, p.ID, &t)
			}
			if errors.Is(err, errRefused) || errors.Is(err, errNobody) { // then nothing may stay behind
				_, undone := c.DeletePost(ctx, team, p.ID, false)
				return errors.Join(err, undone)
			}
			if err != nil {
				return fmt.Errorf("%w (the draft is kept: %s)", err, p.ID)
			}
			return nil
		},
	}
	t.add(cmd, true)
	cmd.Flags().StringVar(&text, "text", "", "the text; without it, what is piped in")
	cmd.Flags().IntVar(&t.wait, "wait", crier.DefaultPostNowWait, "how many seconds to wait for the networks when publishing at once")
	return cmd
}
