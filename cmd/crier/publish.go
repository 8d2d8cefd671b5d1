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

// outgoing is what a command is about to publish a post with.
type outgoing struct {
	accounts []crier.SocialAccount
	in       crier.ScheduleRequest
	// atOnce means that the time in the request is for the dry run alone.
	atOnce bool
	wait   int
}

func (t *targetFlags) add(cmd *cobra.Command, timed bool) {
	cmd.Flags().StringSliceVar(&t.to, "to", nil, "networks or account ids, such as x,linkedin; all connected accounts when absent")
	completes(cmd, "to", crier.Providers())
	if timed {
		cmd.Flags().StringVar(&t.at, "at", "", "when: RFC 3339, \"2026-11-15 09:00\" in your zone, or a duration such as 2h")
		cmd.Flags().BoolVar(&t.nextSlot, "next-slot", false, "take the next free slot")
	}
}

func (t *targetFlags) addWait(cmd *cobra.Command) {
	cmd.Flags().IntVar(&t.wait, "wait", crier.DefaultPostNowWait, "how many seconds to wait for the networks when publishing at once, 0 to 30")
}

// accounts finds the accounts that are meant.
func (t *targetFlags) accounts(ctx context.Context, c *client.Client, team crier.ID) ([]crier.SocialAccount, error) {
	list, err := c.ListAccounts(ctx, team)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	var chosen []crier.SocialAccount
	for _, a := range list.Data {
		if t.means(a, used) {
			chosen = append(chosen, a)
		}
	}
	for _, name := range t.to { // a name that means nothing is a mistake, not a wish for less
		if !used[name] {
			return nil, fmt.Errorf("no connected account fits --to %s; 'crier accounts list' shows what there is", name)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no account is connected; connect one with 'crier accounts connect NETWORK'")
	}
	return chosen, nil
}

// means is true when an account is one of those asked for; it notes the names that lead to it.
func (t *targetFlags) means(a crier.SocialAccount, used map[string]bool) bool {
	if len(t.to) == 0 {
		return a.Status == crier.AccountConnected
	}
	meant := false
	for _, name := range t.to {
		if name == string(a.ID) || name == string(a.Provider) && a.Status == crier.AccountConnected {
			meant, used[name] = true, true
		}
	}
	return meant
}

// previewLead is far enough ahead for a dry run of what is to go out at once: the interface has one for schedules only.
const previewLead = 5 * time.Minute

// plan finds out what the flags mean. It changes nothing.
func (t *targetFlags) plan(ctx context.Context, s *shell, c *client.Client, team crier.ID, atOnce bool) (outgoing, error) {
	p := outgoing{atOnce: atOnce, wait: t.wait}
	when, err := t.when(s, atOnce)
	if err != nil {
		return p, err
	}
	if p.accounts, err = t.accounts(ctx, c, team); err != nil {
		return p, err
	}
	p.in = when
	for _, a := range p.accounts {
		p.in.SocialAccountIDs = append(p.in.SocialAccountIDs, a.ID)
	}
	return p, nil
}

// when is the time of a request.
func (t *targetFlags) when(s *shell, atOnce bool) (crier.ScheduleRequest, error) {
	in := crier.ScheduleRequest{}
	switch {
	case atOnce:
		soon := crier.TimeOf(s.now().Add(previewLead))
		in.ScheduledAt = &soon
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

// agree shows what would happen and what it costs, and asks.
func (s *shell) agree(ctx context.Context, c *client.Client, team, post crier.ID, p outgoing) error {
	v, err := c.ValidatePost(ctx, team, post, p.in)
	if err != nil {
		return err
	}
	ok := 0
	var lines []string
	for i, e := range v.Data {
		line := fmt.Sprintf("  %s (%s): ", p.accounts[i].DisplayName, p.accounts[i].Provider)
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
	when := localOrDash(v.ScheduledAt)
	if p.atOnce {
		when = "at once, which cannot be taken back everywhere,"
	}
	return s.confirm(ctx, "This publishes on %s %s and costs %d of your %d free credits:\n%s",
		counted(ok, "account"), when, v.CreditCost, v.AvailableCredits, strings.Join(lines, "\n"))
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// carryOut does what was agreed.
func (s *shell) carryOut(ctx context.Context, c *client.Client, team, post crier.ID, p outgoing) error {
	var result crier.ScheduleResult
	var err error
	if p.atOnce {
		in := crier.PostNowRequest{WaitSeconds: &p.wait}
		in.SocialAccountIDs = p.in.SocialAccountIDs
		result, err = c.PostNow(ctx, team, post, in)
	} else {
		result, err = c.SchedulePost(ctx, team, post, p.in)
	}
	if err != nil {
		return err
	}
	return s.showResult(result, p.accounts)
}

// publish previews, asks and publishes or schedules a post that exists.
func (s *shell) publish(ctx context.Context, c *client.Client, team, post crier.ID, t *targetFlags, atOnce bool) error {
	p, err := t.plan(ctx, s, c, team, atOnce)
	if err != nil {
		return err
	}
	if err := s.agree(ctx, c, team, post, p); err != nil {
		return err
	}
	return s.carryOut(ctx, c, team, post, p)
}

func (s *shell) showResult(r crier.ScheduleResult, accounts []crier.SocialAccount) error {
	err := s.show(r, "ACCOUNT\tNETWORK\tSTATUS\tTIME\tWHERE", func(w io.Writer) {
		for i, e := range r.Data {
			name, network := accounts[i].DisplayName, accounts[i].Provider
			switch {
			case e.Error != nil:
				row(w, name, network, "refused", "", e.Error.Message)
			case e.ScheduledPost != nil:
				row(w, name, network, e.ScheduledPost.Status, local(e.ScheduledPost.ScheduledAt), e.ScheduledPost.Permalink)
			}
		}
	})
	if err == nil && r.Outcome.SuccessCount == 0 {
		return errors.New("no account took the post")
	}
	return err
}

func (s *shell) postsSchedule() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("schedule", "Schedule a post", "  crier posts schedule ID --at \"2026-11-15 09:00\" --to x,linkedin\n  crier posts schedule ID --next-slot",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			return s.publish(ctx, c, team, post, &t, false)
		})
	t.add(cmd, true)
	return cmd
}

func (s *shell) postsNow() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("now", "Publish a post at once", "  crier posts now ID --to x --yes", func(ctx context.Context, c *client.Client, team, post crier.ID) error {
		return s.publish(ctx, c, team, post, &t, true)
	})
	t.add(cmd, false)
	t.addWait(cmd)
	return cmd
}

func (s *shell) postsValidate() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("validate", "Try out how a post would be scheduled, without writing anything", "  crier posts validate ID --next-slot",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			p, err := t.plan(ctx, s, c, team, false)
			if err != nil {
				return err
			}
			v, err := c.ValidatePost(ctx, team, post, p.in)
			if err != nil {
				return err
			}
			return s.show(v, "ACCOUNT\tNETWORK\tOK\tCREDITS\tPROBLEM", func(w io.Writer) {
				for i, e := range v.Data {
					problem := ""
					if e.Error != nil {
						problem = e.Error.Message
					}
					row(w, p.accounts[i].DisplayName, p.accounts[i].Provider, e.OK, e.CreditCost, problem)
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
			if err := s.somebody(); err != nil {
				return err
			}
			body, err := s.postText(text)
			if err != nil {
				return err
			}
			return s.writeAndPublish(cmd.Context(), body, &t)
		},
	}
	t.add(cmd, true)
	t.addWait(cmd)
	cmd.Flags().StringVar(&text, "text", "", "the text; without it, what is piped in")
	return cmd
}

// writeAndPublish makes a draft, because a dry run needs one. As long as nobody has agreed, nothing of it stays behind.
func (s *shell) writeAndPublish(ctx context.Context, text string, t *targetFlags) error {
	c, team, err := s.inTeam(ctx)
	if err != nil {
		return err
	}
	p, err := t.plan(ctx, s, c, team, t.at == "" && !t.nextSlot)
	if err != nil {
		return err
	}
	draft, err := c.CreatePost(ctx, team, crier.PostCreate{Text: &text})
	if err != nil {
		return err
	}
	if err := s.agree(ctx, c, team, draft.ID, p); err != nil {
		return errors.Join(err, undo(ctx, c, team, draft.ID))
	}
	if !s.asJSON {
		fmt.Fprintln(s.stderr, "Post", draft.ID)
	}
	if err := s.carryOut(ctx, c, team, draft.ID, p); err != nil {
		return fmt.Errorf("%w (the draft is kept: %s)", err, draft.ID)
	}
	return nil
}

// undoTime is how long an interrupted command takes at most to tidy up.
const undoTime = 10 * time.Second

// undo removes a draft, also when the command was interrupted.
func undo(ctx context.Context, c *client.Client, team, draft crier.ID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	if _, err := c.DeletePost(ctx, team, draft, false); err != nil {
		return fmt.Errorf("the draft %s could not be removed: %w", draft, err)
	}
	return nil
}
