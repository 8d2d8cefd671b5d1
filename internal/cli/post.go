package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// postCommand returns the command that does the whole flow in one line.
func (s *Shell) postCommand() *cobra.Command {
	var t targetFlags
	var f contentFlags
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "post [TEXT]",
		Short: "Create a post and publish or schedule it",
		Long: "Publishes a post at once, or schedules it with --at or --next-slot. First it shows the whole " +
			"post, the verdict for each account, the time in your time zone and the cost, and asks for " +
			"confirmation; if you decline, nothing is stored.\n" +
			"It exits with 1 if an account rejected the post, and says which.",
		Example: "  crier post \"Hello, world\" --to twitter,linkedin\n" +
			"  crier post -f launch.md --thread --media chart.png --alt \"Sales by month\" --at \"tomorrow 9:00\"\n" +
			"  crier post --edit --to @acme --next-slot\n" +
			"  crier post \"Good morning\" --at \"monday 8:00\" --repeat weekly --first-comment \"And you?\"\n" +
			"  crier post \"New video\" --media clip.mp4 --to tiktok --set tiktokPrivacyLevel=SELF_ONLY --dry-run\n" +
			"  echo \"Hello\" | crier post --to x --next-slot --yes --json",
		Args: oneText,
		RunE: func(cmd *cobra.Command, args []string) error { return s.post(cmd.Context(), args, &f, &t, dryRun) },
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	f.add(cmd)
	t.add(s, cmd, true)
	t.addWait(cmd)
	cmd.Flags().StringVar(&f.title, "title", "", "a title for display, never published")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would happen and store nothing")
	return cmd
}

// post reads, validates, asks and publishes. Unless the person agrees, nothing is stored.
func (s *Shell) post(ctx context.Context, args []string, f *contentFlags, t *targetFlags, dryRun bool) (err error) {
	atOnce := t.at == "" && !t.nextSlot
	if _, err := t.request(s, atOnce); err != nil { // before an editor is opened
		return err
	}
	if _, err := s.Connect(ctx); err != nil { // fail before the person writes a text
		return err
	}
	post, err := f.read(ctx, s, args)
	defer func() { s.finishEdit(false) }()
	if err != nil {
		return err
	}
	if !dryRun {
		if err := s.requirePerson(); err != nil {
			return err
		}
	}
	c, team, err := s.inTeam(ctx)
	if err != nil {
		return err
	}
	if err := refuseUnapproved(ctx, c, team); err != nil {
		return err
	}
	plan, err := t.plan(ctx, s, c, team, atOnce)
	if err != nil {
		return err
	}
	undo, err := f.attach(ctx, s, c, team, &post)
	agreed := false
	defer func() {
		if !agreed {
			err = errors.Join(err, undo())
		}
	}()
	if err != nil {
		return err
	}
	found, err := c.ValidateContent(ctx, team,
		crier.ContentValidation{PostInput: post.input(), ScheduleRequest: plan.in})
	if err != nil {
		return err
	}
	p := preview{content: post, plan: plan, found: found}
	if dryRun {
		return s.showDryRun(p)
	}
	if err := s.agree(ctx, p); err != nil {
		return err
	}
	agreed = true
	return s.createAndPublish(ctx, c, team, p)
}

// refuseUnapproved fails in a team that publishes only what was approved: a new post never is, so the server would
// reject it after the person has agreed.
func refuseUnapproved(ctx context.Context, c *client.Client, team crier.ID) error {
	t, err := c.GetTeam(ctx, team)
	if err != nil || !t.RequireApproval {
		return err
	}
	return &client.Error{Kind: crier.KindConflict, Message: fmt.Sprintf("The team %s requires approval, so a post "+
		"cannot go out in one step. Use 'crier posts create', 'crier posts status POST approved', and then 'crier "+
		"posts schedule POST' or 'crier posts now POST'.", t.Name)}
}

// showDryRun prints what would happen; an account that rejects the post is a failure.
func (s *Shell) showDryRun(p preview) error {
	var err error
	if s.asJSON {
		err = s.Show(p.found, "", nil)
	} else {
		err = p.write(s, s.stdout)
	}
	if err != nil {
		return err
	}
	if refused := p.refused(); len(refused) > 0 {
		return &partialError{refused: refused, total: len(p.found.Data), untried: true, undone: p.undone()}
	}
	return p.problem()
}

// agree shows what would happen and asks, unless --yes was given.
func (s *Shell) agree(ctx context.Context, p preview) error {
	if !s.yes {
		if err := p.write(s, s.stderr); err != nil {
			return err
		}
	}
	if err := p.problem(); err != nil {
		return err
	}
	return s.askPerson(ctx, p.question())
}

// createAndPublish does what the person agreed to.
func (s *Shell) createAndPublish(ctx context.Context, c *client.Client, team crier.ID, p preview) error {
	in := crier.PostCreate{PostInput: p.content.input()}
	if p.content.title != "" {
		in.Title = &p.content.title
	}
	post, err := c.CreatePost(ctx, team, in)
	if err != nil {
		return err
	}
	s.finishEdit(true)
	if !s.asJSON {
		fmt.Fprintln(s.stderr, "Post", post.ID)
	}
	result, err := send(ctx, c, team, post, p.plan)
	if err != nil && wasRefused(err) {
		err = fmt.Errorf("%w (the draft was saved: crier posts show %s)", err, post.ID)
	}
	if err != nil {
		return err
	}
	return s.showSent(post.ID, p.plan, result)
}

// send publishes or schedules a post as the person has seen it: not if somebody has changed its content since. An error
// says so if it may have happened nevertheless.
func send(ctx context.Context, c *client.Client, team crier.ID, post crier.Post, p outgoing) (
	result crier.ScheduleResult, err error) {
	state := "scheduled"
	if p.atOnce {
		state = "public"
		result, err = c.PostNowVersion(ctx, team, post.ID, post.ContentPayloadID,
			crier.PostNowRequest{Targets: p.in.Targets, WaitSeconds: &p.wait})
	} else {
		result, err = c.SchedulePostVersion(ctx, team, post.ID, post.ContentPayloadID, p.in)
	}
	if err != nil && !wasRefused(err) {
		err = fmt.Errorf("%w\nIt is not known whether this was carried out: the post may be %s already. Look before "+
			"you try again: crier posts show %s", err, state, post.ID)
	}
	return result, err
}

// wasRefused reports whether the server has refused a request, so that nothing happened.
func wasRefused(err error) bool {
	answer, ok := errors.AsType[*client.Error](err)
	return ok && !answer.Uncertain
}

// showSent prints what became of a post that was published or scheduled.
func (s *Shell) showSent(post crier.ID, p outgoing, result crier.ScheduleResult) error {
	if err := s.showResult(result, p.accounts); err != nil {
		return err
	}
	if onItsWay := func(e crier.ScheduleEntry) bool {
		return e.ScheduledPost != nil && e.ScheduledPost.Status != crier.Published
	}; p.atOnce && !s.asJSON && slices.ContainsFunc(result.Data, onItsWay) {
		fmt.Fprintf(s.stderr, "Not everything is published yet: 'crier posts show %s' shows the progress.\n", post)
		s.reportErrors(result, p.accounts)
	}
	return nil
}

// reportErrors prints what unpublished posts are waiting for, such as an account that has to be reconnected.
func (s *Shell) reportErrors(result crier.ScheduleResult, accounts []crier.SocialAccount) {
	w := sanitizer{s.stderr}
	for i, e := range result.Data {
		if p := e.ScheduledPost; p != nil && p.Status != crier.Published && p.ErrorMessage != "" {
			fmt.Fprintf(w, "  %s: %s\n", oneLine(accountLabel(accounts[i])), oneLine(p.ErrorMessage))
		}
	}
}

// publish previews, asks, and publishes or schedules an existing post.
func (s *Shell) publish(ctx context.Context, c *client.Client, team, post crier.ID, t *targetFlags, atOnce bool) error {
	p, err := s.validatePost(ctx, c, team, post, t, atOnce)
	if err != nil {
		return err
	}
	if err := s.agree(ctx, p); err != nil {
		return err
	}
	result, err := send(ctx, c, team, *p.stored, p.plan)
	if err != nil {
		return err
	}
	return s.showSent(post, p.plan, result)
}

// validatePost validates an existing post.
func (s *Shell) validatePost(ctx context.Context, c *client.Client, team, post crier.ID, t *targetFlags,
	atOnce bool) (preview,
	error) {
	plan, err := t.plan(ctx, s, c, team, atOnce)
	if err != nil {
		return preview{}, err
	}
	stored, err := c.GetPost(ctx, team, post, client.IncludeScheduledPosts)
	if err != nil {
		return preview{}, err
	}
	in := plan.in
	if atOnce { // a dry run of a stored post needs a time
		soon := crier.TimeOf(s.now().Add(previewLead))
		in.ScheduledAt = &soon
	}
	found, err := c.ValidatePost(ctx, team, post, in)
	if err != nil {
		return preview{}, err
	}
	body, err := s.namedContent(ctx, c, team, stored)
	return preview{content: body, plan: plan, found: found, stored: &stored}, err
}

// previewLead is the lead of the dry run of a stored post that is to be published at once: it needs a time in the
// future.
const previewLead = 5 * time.Minute

// contentOf returns the content of an existing post.
func contentOf(p crier.Post) content {
	if p.PostInput == nil {
		return content{parts: []part{{text: p.Text}}}
	}
	c := content{variants: p.PostInput.Variants}
	for _, stored := range p.PostInput.Parts() {
		piece := part{text: stored.Text}
		for _, a := range stored.Attachments {
			if a.Media != nil {
				piece.media = append(piece.media, attachedMedium(*a.Media))
			} else {
				piece.links = append(piece.links, a)
			}
		}
		c.parts = append(c.parts, piece)
	}
	return c
}

// namedContent returns the content of an existing post, with the names of its files.
func (s *Shell) namedContent(ctx context.Context, c *client.Client, team crier.ID, p crier.Post) (content, error) {
	body := contentOf(p)
	if s.asJSON {
		return body, nil
	}
	for _, piece := range body.parts {
		for i := range piece.media {
			m := &piece.media[i]
			asset, err := c.GetAsset(ctx, team, m.asset.ID)
			switch {
			case client.IsKind(err, crier.KindNotFound):
				m.asset.FileName = fmt.Sprintf("%s, deleted from the media library", m.asset.ID)
			case err != nil:
				return body, err
			default:
				m.asset = asset
			}
		}
	}
	return body, nil
}

func attachedMedium(m crier.MediaAttachment) medium {
	asset := crier.Asset{ID: m.Asset.AssetID, FileName: string(m.Asset.AssetID), MimeType: m.Asset.MimeType,
		ByteSize: m.Asset.ByteSize}
	if m.Asset.Width > 0 {
		asset.Width, asset.Height = &m.Asset.Width, &m.Asset.Height
	}
	if m.Asset.DurationSeconds > 0 {
		asset.DurationSeconds = &m.Asset.DurationSeconds
	}
	return medium{asset: asset, alt: cmp.Or(m.AltText, m.Asset.AltText)}
}

// showResult prints the result for each account. A rejection or failure makes the command fail.
func (s *Shell) showResult(r crier.ScheduleResult, accounts []crier.SocialAccount) error {
	var refused []string
	for i, e := range r.Data {
		if e.Error != nil {
			refused = append(refused, "  "+accountLabel(accounts[i])+": "+reasons(*e.Error))
		}
	}
	err := s.Show(r, "NETWORK\tACCOUNT\tSTATE\tTIME\tLINK", func(w io.Writer) {
		for i, e := range r.Data {
			network, name := networkName(accounts[i].Provider), accounts[i].DisplayName
			switch {
			case e.ScheduledPost != nil:
				Row(w, network, name, e.ScheduledPost.Status, local(e.ScheduledPost.ScheduledAt),
					e.ScheduledPost.Permalink)
			case e.Error != nil:
				Row(w, network, name, "refused", "", "")
			}
		}
	})
	if err == nil && len(refused) > 0 {
		return &partialError{refused: refused, total: len(r.Data)}
	}
	return err
}
