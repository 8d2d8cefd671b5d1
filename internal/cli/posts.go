package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) postsCommand() *cobra.Command {
	return Group("posts", "Draft, show, schedule and delete posts",
		"  crier posts list\n  crier posts create \"Hello\"\n  crier posts show POST",
		s.postsList(), s.postsCreate(), s.postsShow(), s.postsEdit(), s.postsSchedule(), s.postsMove(), s.postsCancel(),
		s.postsNow(), s.postsValidate(), s.postsDraft(), s.postsStatus(), s.postsTag(), s.postsDelete(),
		s.postsAttempts(), s.postsRetry(), s.postsResolve())
}

// postFilter are the flags that filter posts.
type postFilter struct {
	status, state, to []string
	tag, search       string
}

func (f *postFilter) add(s *Shell, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.search, "search", "", "words that the posts contain")
	flags.StringSliceVar(&f.status, "status", nil, "draft, approved, …")
	flags.StringSliceVar(&f.state, "state", nil, "scheduled, published, failed, …")
	flags.StringSliceVar(&f.to, "to", nil, "networks or accounts that the posts go to")
	flags.StringVar(&f.tag, "tag", "", "name or id of a tag that the posts carry")
	completes(cmd, "status", settableStatuses())
	completes(cmd, "state", crier.DeliveryStates())
	s.completes(cmd, "to", s.targetWords)
	s.completes(cmd, "tag", s.teamWords(s.tagWords))
}

func (f *postFilter) filter(ctx context.Context, s *Shell, c *client.Client, team crier.ID) (client.PostFilter, error) {
	out := client.PostFilter{Q: f.search}
	for _, v := range f.status {
		if !slices.Contains(crier.PostStatuses(), crier.PostStatus(v)) &&
			slices.Contains(crier.DeliveryStates(), crier.DeliveryState(v)) {
			return out, usagef("%s is a delivery state: use --state %s", v, v)
		}
		out.Status = append(out.Status, crier.PostStatus(v))
	}
	for _, v := range f.state {
		out.DeliveryState = append(out.DeliveryState, crier.DeliveryState(v))
	}
	for _, v := range f.to {
		if slices.Contains(crier.Providers(), network(v)) {
			out.Provider = append(out.Provider, network(v))
			continue
		}
		id, err := s.findAccount(ctx, c, team, v)
		if err != nil {
			return out, err
		}
		out.SocialAccountIDs = append(out.SocialAccountIDs, id)
	}
	if f.tag != "" {
		id, err := s.findTag(ctx, c, team, f.tag)
		if err != nil {
			return out, err
		}
		out.TagID = id
	}
	return out, nil
}

func (s *Shell) postsList() *cobra.Command {
	var f postFilter
	var p paging
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List posts, the newest first",
		Example: "  crier posts list --limit 10\n  crier posts list --state scheduled,failed --to twitter\n" +
			"  crier posts list --search launch --all --json",
		Args: cobra.NoArgs,
	}
	cmd.RunE = s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, _ []string) error {
		filter, err := f.filter(ctx, s, c, team)
		if err != nil {
			return err
		}
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Post], error) {
			filter.ListOptions = o
			return c.ListPosts(ctx, team, filter)
		})
		if err != nil {
			return err
		}
		return s.Show(page, "ID\tSTATUS\tDELIVERY\tTIME\tTEXT", func(w io.Writer) {
			for _, p := range page.Data {
				when := "–"
				if p.LatestScheduledPost != nil && p.LatestScheduledPost.Status != crier.Canceled {
					when = local(p.LatestScheduledPost.ScheduledAt)
				}
				Row(w, p.ID, p.Status, p.DeliveryState, when, shorten(cmp.Or(text(p.Title), p.Text), 60))
			}
			more(w, cmd, page, "post")
		})
	})
	f.add(s, cmd)
	p.add(cmd)
	return cmd
}

func (s *Shell) postsCreate() *cobra.Command {
	var f contentFlags
	cmd := &cobra.Command{
		Use:   "create [TEXT]",
		Short: "Create a draft",
		Example: "  crier posts create \"Hello\"\n  crier posts create -f launch.md --thread --media chart.png\n" +
			"  echo \"Hello\" | crier posts create --title \"Greeting\"",
		Args: oneText,
		RunE: func(cmd *cobra.Command, args []string) error { return s.createDraft(cmd.Context(), args, &f) },
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	f.add(cmd)
	cmd.Flags().StringVar(&f.title, "title", "", "a title for display, never published")
	return cmd
}

// createDraft reads and stores a draft. If it is refused, its files are removed from the media library.
func (s *Shell) createDraft(ctx context.Context, args []string, f *contentFlags) error {
	if _, err := s.Connect(ctx); err != nil { // fail before the person writes a text
		return err
	}
	draft, err := f.read(ctx, s, args)
	defer func() { s.finishEdit(false) }()
	if err != nil {
		return err
	}
	c, team, err := s.inTeam(ctx)
	if err != nil {
		return err
	}
	undo, err := f.attach(ctx, s, c, team, &draft)
	if err != nil {
		return errors.Join(err, undo())
	}
	in := crier.PostCreate{PostInput: draft.input()}
	if draft.title != "" {
		in.Title = &draft.title
	}
	p, err := c.CreatePost(ctx, team, in)
	switch {
	case err != nil && wasRefused(err):
		return errors.Join(err, undo())
	case err != nil: // the draft may be stored, and would be without its files
		return fmt.Errorf("%w\nIt is not known whether the draft was saved: crier posts list", err)
	}
	s.finishEdit(true)
	return s.showPost(ctx, c, team, p)
}

// showPost prints a post and its publications: network, account, state, time, lateness and link of each.
func (s *Shell) showPost(ctx context.Context, c *client.Client, team crier.ID, p crier.Post) error {
	var accounts map[crier.ID]crier.SocialAccount
	scheduled := p.ScheduledPosts != nil && len(*p.ScheduledPosts) > 0
	if variants := p.PostInput != nil && len(p.PostInput.Variants) > 0; (scheduled || variants) && !s.asJSON {
		var err error
		if accounts, err = accountsByID(ctx, c, team); err != nil {
			return err
		}
	}
	body, err := s.namedContent(ctx, c, team, p)
	if err != nil {
		return err
	}
	return s.Show(p, "", func(w io.Writer) {
		Row(w, "Post", p.ID)
		Row(w, "Status", fmt.Sprintf("%s, %s", p.Status, p.DeliveryState))
		if p.Title != nil {
			Row(w, "Title", *p.Title)
		}
		for _, tag := range p.UserTags {
			Row(w, "Tag", tag.Name)
		}
		if scheduled {
			fmt.Fprintln(w)
			fmt.Fprintln(w, "NETWORK\tACCOUNT\tSTATE\tTIME\tLATE\tLINK\tSCHEDULED POST")
			for _, sp := range *p.ScheduledPosts {
				a := accounts[sp.SocialAccountID]
				Row(w, networkName(a.Provider), a.DisplayName, sp.Status, local(sp.ScheduledAt),
					lateness(sp.LateMillis),
					cmp.Or(sp.Permalink, "–"), sp.ID)
			}
			writeProblems(w, *p.ScheduledPosts, accounts)
		}
		fmt.Fprintln(w)
		body.write(w, accounts)
	})
}

// writeProblems prints errors, and the actions that follow a post.
func writeProblems(w io.Writer, list []crier.ScheduledPost, accounts map[crier.ID]crier.SocialAccount) {
	for _, sp := range list {
		label := accountLabel(accounts[sp.SocialAccountID])
		if sp.ErrorMessage != "" {
			fmt.Fprintf(w, "%s: %s\n", label, oneLine(sp.ErrorMessage))
		}
		if sp.ReplacedBy != nil {
			fmt.Fprintf(w, "%s: the %s one was replaced by %s\n", label, sp.Status, *sp.ReplacedBy)
		}
		if comment := sp.FirstComment; comment != nil {
			fmt.Fprintf(w, "%s: first comment %s%s: %s\n", label, comment.Status,
				prefixed(", ", oneLine(comment.ErrorMessage)),
				shorten(comment.Text, 60))
		}
		for _, kind := range []crier.FollowUpKind{crier.FollowUpEngagementComment, crier.FollowUpRepost} {
			if f := sp.FollowUp(kind); f != nil {
				fmt.Fprintf(w, "%s: %s %s%s\n", label, followUpName(kind), f.Status,
					prefixed(", ", oneLine(f.ErrorMessage)))
			}
		}
		if r := sp.Recurrence; r != nil {
			fmt.Fprintf(w, "%s: repeats every %s, %s\n", label, counted(r.RecurrenceIntervalDays, "day"), r.Status)
		}
	}
}

// followUpName is the name of a follow-up action in a sentence.
func followUpName(kind crier.FollowUpKind) string { return strings.ReplaceAll(string(kind), "_", " ") }

// lateness returns how late a post was published.
func lateness(millis *int64) string {
	if millis == nil {
		return "–"
	}
	return span(milliseconds(*millis))
}

// onPost returns a command for one post.
func (s *Shell) onPost(use, short, example string,
	run func(ctx context.Context, c *client.Client, team, post crier.ID) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " POST", Short: short, Example: example, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			post, err := postID("post", args[0], "crier posts list")
			if err != nil {
				return err
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			return run(cmd.Context(), c, team, post)
		},
	}
	return completesFirst(cmd, s.teamWords(s.postWords))
}

func (s *Shell) postsShow() *cobra.Command {
	return s.onPost("show", "Show a post, its accounts and their results",
		"  crier posts show 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			p, err := fullPost(ctx, c, team, post)
			if err != nil {
				return err
			}
			return s.showPost(ctx, c, team, p)
		})
}

// fullPost reads a post with all its scheduled posts. It also accepts the id of a scheduled post, because that is what
// 'crier attention' shows.
func fullPost(ctx context.Context, c *client.Client, team, id crier.ID) (crier.Post, error) {
	p, err := c.GetPost(ctx, team, id, client.IncludeScheduledPosts)
	if !client.IsKind(err, crier.KindNotFound) {
		return p, err
	}
	scheduled, missing := c.GetScheduledPost(ctx, team, id)
	if missing != nil {
		return p, err
	}
	return c.GetPost(ctx, team, scheduled.ContentItemID, client.IncludeScheduledPosts)
}

func (s *Shell) postsEdit() *cobra.Command {
	var f contentFlags
	var cmd *cobra.Command
	cmd = s.onPost("edit", "Change the text, the media or the title of a post",
		"  crier posts edit POST --text \"Better\"\n  crier posts edit POST --edit\n  crier posts edit POST --title "+
			"Launch",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			f.retitled = cmd.Flags().Changed("title")
			return s.editPost(ctx, c, team, post, &f)
		})
	f.add(cmd)
	cmd.Flags().StringVar(&f.title, "title", "", "the new title; empty: none")
	return cmd
}

// editPost changes a post. If that is declined or fails, its new files are removed from the media library.
func (s *Shell) editPost(ctx context.Context, c *client.Client, team, post crier.ID, f *contentFlags) error {
	p, err := c.GetPost(ctx, team, post, client.IncludeScheduledPosts)
	if err != nil {
		return err
	}
	defer func() { s.finishEdit(false) }()
	in, undo, err := f.update(ctx, s, c, team, p)
	planned := in.PostInput.Set && waits(p)
	if err == nil && planned {
		err = s.confirmEdit(ctx, c, team, p)
	}
	if err != nil {
		return errors.Join(err, undo())
	}
	if p, err = s.storeEdit(ctx, c, team, p, in); err != nil {
		if wasRefused(err) { // otherwise the post may have them by now
			err = errors.Join(err, undo())
		}
		return err
	}
	s.finishEdit(true)
	if planned { // the answer does not show what became of the scheduled posts
		if p, err = c.GetPost(ctx, team, post, client.IncludeScheduledPosts); err != nil {
			return err
		}
	}
	return s.showPost(ctx, c, team, p)
}

// storeEdit stores a change of a post. New content replaces the content that it was made from, and no other: somebody
// may have changed the post while the person was writing.
func (s *Shell) storeEdit(ctx context.Context, c *client.Client, team crier.ID, p crier.Post,
	in crier.PostUpdate) (crier.Post, error) {
	if !in.PostInput.Set {
		return c.UpdatePost(ctx, team, p.ID, in)
	}
	changed, err := c.UpdatePostVersion(ctx, team, p.ID, p.ContentPayloadID, in)
	if client.IsKind(err, crier.KindPreconditionFailed) {
		err = fmt.Errorf("%w\nNothing was changed: 'crier posts show %s' shows the post as it is now", err, p.ID)
	}
	return changed, err
}

// confirmEdit asks before the content of a scheduled post changes. Where posts need approval, the change takes the
// approval back, and with it everything that is scheduled.
func (s *Shell) confirmEdit(ctx context.Context, c *client.Client, team crier.ID, p crier.Post) error {
	if s.yes {
		return nil
	}
	t, err := c.GetTeam(ctx, team)
	if err != nil {
		return err
	}
	if t.RequireApproval && p.Status == crier.PostApproved {
		return s.confirm(ctx, "This team requires approval: the post returns to draft, and this cancels %s.",
			counted(waiting(p), "scheduled publication"))
	}
	return s.confirm(ctx, "This post is scheduled: the new content will be published, and a longer text may cost more.")
}

// waits reports whether a post has scheduled publications.
func waits(p crier.Post) bool { return waiting(p) > 0 }

// waiting counts the scheduled publications of a post.
func waiting(p crier.Post) (n int) {
	if p.ScheduledPosts == nil {
		return 0
	}
	for _, sp := range *p.ScheduledPosts {
		if sp.Status == crier.Scheduled {
			n++
		}
	}
	return n
}

// isOut reports whether a post has been published anywhere.
func isOut(p crier.Post) bool {
	return p.ScheduledPosts != nil &&
		slices.ContainsFunc(*p.ScheduledPosts,
			func(sp crier.ScheduledPost) bool { return sp.Status == crier.Published })
}

// update returns the change requested by the flags. Everything else stays unchanged. undo removes the uploads.
func (f *contentFlags) update(ctx context.Context, s *Shell, c *client.Client, team crier.ID,
	p crier.Post) (in crier.PostUpdate, undo func() error, err error) {
	undo = func() error { return nil }
	if f.retitled {
		in.Title = crier.Optional[string]{Set: true, Null: f.title == "", Value: f.title}
	}
	written := f.text != "" || f.file != "" || f.edit
	if !written && len(f.media) == 0 && len(f.variants) == 0 {
		if !f.retitled {
			return in, undo, usagef("there is nothing to change: give --text, --file, --edit, --media, --variant or " +
				"--title")
		}
		return in, undo, nil
	}
	present := contentOf(p)
	if f.edit && f.text == "" && f.file == "" {
		f.text = threadText(present.parts)
		f.thread = f.thread || len(present.parts) > 1
	}
	next := present
	if written {
		read, err := f.read(ctx, s, nil)
		if err != nil {
			return in, undo, err
		}
		next.rewrite(read.parts)
	}
	if len(f.media) > 0 {
		for i := range next.parts {
			next.parts[i].media = nil
		}
	}
	if len(f.media) > 0 || len(f.variants) > 0 {
		if undo, err = f.attach(ctx, s, c, team, &next); err != nil {
			return in, undo, err
		}
	}
	in.PostInput = crier.Some(*next.input())
	return in, undo, nil
}

func (s *Shell) postsDraft() *cobra.Command {
	return s.onPost("draft", "Cancel a post's scheduled posts and move it back to draft", "  crier posts draft POST",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			p, err := c.GetPost(ctx, team, post, client.IncludeScheduledPosts)
			if err != nil {
				return err
			}
			if waits(p) {
				if err := s.confirm(ctx, "This cancels what is scheduled of the post:\n%s",
					indented(p.Text)); err != nil {
					return err
				}
			}
			if p, err = c.MovePostToDraft(ctx, team, post); err != nil {
				return err
			}
			return s.showPost(ctx, c, team, p)
		})
}

// settableStatuses returns the statuses that a person can set; the other one is that of a deleted post.
func settableStatuses() []crier.PostStatus {
	return slices.DeleteFunc(crier.PostStatuses(), func(st crier.PostStatus) bool { return st == crier.PostDeleted })
}

func (s *Shell) postsStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use: "status POST STATUS", Short: "Approve, reject or archive a post, or turn it into an idea",
		Example: "  crier posts status POST approved\n  crier posts status POST archived", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			post, err := postID("post", args[0], "crier posts list")
			if err != nil {
				return err
			}
			status := crier.PostStatus(args[1])
			if status == crier.PostDeleted {
				return usagef("delete the post with 'crier posts delete %s'", post)
			}
			if !slices.Contains(settableStatuses(), status) {
				return usagef("%q is not a status: use %s", args[1], joined(settableStatuses()))
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.confirmStatus(cmd.Context(), c, team, post, status); err != nil {
				return err
			}
			p, err := c.SetPostStatus(cmd.Context(), team, post, status)
			if err != nil {
				return err
			}
			return s.Show(p, "", func(w io.Writer) { fmt.Fprintf(w, "The post is %s.\n", p.Status) })
		},
	}
	posts := completion(s.teamWords(s.postWords))
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string,
		prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return posts(cmd, args, prefix)
		}
		states, _ := completed(settableStatuses(), nil,
			func(st crier.PostStatus) cobra.Completion { return string(st) })
		return states, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// confirmStatus asks before a status that cancels what is scheduled of a post, or the comments and reposts that are to
// follow it.
func (s *Shell) confirmStatus(ctx context.Context, c *client.Client, team, post crier.ID,
	status crier.PostStatus) error {
	if s.yes || status == crier.PostApproved {
		return nil
	}
	p, err := c.GetPost(ctx, team, post, client.IncludeScheduledPosts)
	if err != nil {
		return err
	}
	ends := status == crier.PostArchived || status == crier.PostRejected
	if !waits(p) && !(ends && followed(p)) {
		return nil
	}
	return s.confirm(ctx, "This cancels what is scheduled of the post:\n%s", indented(p.Text))
}

// followed reports whether comments or reposts are still to follow a post.
func followed(p crier.Post) bool {
	if p.ScheduledPosts == nil {
		return false
	}
	for _, sp := range *p.ScheduledPosts {
		var states []crier.FollowUpStatus
		if c := sp.FirstComment; c != nil {
			states = append(states, c.Status)
		}
		if e := sp.PostPublishActions.EngagementCommentTrigger; e != nil {
			states = append(states, e.Status)
		}
		if r := sp.PostPublishActions.RepostAfter; r != nil {
			states = append(states, r.Status)
		}
		if slices.Contains(states, crier.FollowUpStatus(crier.Scheduled)) {
			return true
		}
	}
	return false
}

func (s *Shell) postsTag() *cobra.Command {
	cmd := &cobra.Command{
		Use: "tag POST [TAG...]", Short: "Set a post's tags; without any, all are removed",
		Example: "  crier posts tag POST launch summer\n  crier posts tag POST", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			post, err := postID("post", args[0], "crier posts list")
			if err != nil {
				return err
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			tags := []crier.ID{}
			for _, name := range args[1:] {
				id, err := s.findTag(cmd.Context(), c, team, name)
				if err != nil {
					return err
				}
				tags = append(tags, id)
			}
			p, err := c.SetPostTags(cmd.Context(), team, post, tags)
			if err != nil {
				return err
			}
			return s.Show(p, "", func(w io.Writer) {
				fmt.Fprintf(w, "The post has %s.\n", counted(len(p.UserTags), "tag"))
			})
		},
	}
	return completesFirst(cmd, s.teamWords(s.postWords))
}

func (s *Shell) postsDelete() *cobra.Command {
	var platform bool
	cmd := s.onPost("delete", "Delete a post",
		"  crier posts delete POST\n  crier posts delete POST --from-networks --yes",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			p, err := c.GetPost(ctx, team, post, client.IncludeScheduledPosts)
			if err != nil {
				return err
			}
			warning := "This deletes the post and cancels what is scheduled of it:\n%s"
			if isOut(p) {
				warning += "\nWhat was published stays on the networks; --from-networks deletes it there too."
			}
			if platform {
				warning = "This deletes the post, and what was published of it from the networks too:\n%s"
			}
			if err := s.confirm(ctx, warning, indented(p.Text)); err != nil {
				return err
			}
			out, err := c.DeletePost(ctx, team, post, platform)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) {
				fmt.Fprintln(w, "Deleted.")
				for _, d := range out.PlatformDeletes {
					Row(w, networkName(d.Provider), d.Verdict, d.Message)
				}
			})
		})
	cmd.Flags().BoolVar(&platform, "from-networks", false, "also delete the published posts from the networks")
	return cmd
}

func (s *Shell) postsSchedule() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("schedule", "Schedule a post",
		"  crier posts schedule POST --at \"tomorrow 9:00\" --to twitter,linkedin\n  crier posts schedule POST "+
			"--next-slot",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			return s.publish(ctx, c, team, post, &t, false)
		})
	t.add(s, cmd, true)
	return cmd
}

func (s *Shell) postsNow() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("now", "Publish a post at once", "  crier posts now POST --to twitter --yes",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			return s.publish(ctx, c, team, post, &t, true)
		})
	t.add(s, cmd, false)
	t.addWait(cmd)
	return cmd
}

func (s *Shell) postsValidate() *cobra.Command {
	var t targetFlags
	cmd := s.onPost("validate", "Try out how a post would be published or scheduled, without writing anything",
		"  crier posts validate POST --next-slot\n  crier posts validate POST --to instagram",
		func(ctx context.Context, c *client.Client, team, post crier.ID) error {
			p, err := s.validatePost(ctx, c, team, post, &t, t.at == "" && !t.nextSlot)
			if err != nil {
				return err
			}
			return s.showDryRun(p)
		})
	t.add(s, cmd, true)
	return cmd
}
