package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

func (d *server) addPublishTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "validate_post", title: "Validate a post", effect: reads,
		description: "A dry run of schedule_post: errors, warnings and cost per account, and the time it would have. " +
			"Writes nothing.",
	}, validatePost)
	addTool(d, s, tool{
		name: "schedule_post", title: "Schedule a post", effect: changes, repeatable: true, outside: true,
		description: "Schedules a post on one or more accounts, at a time or in their next free slot. Does a dry run " +
			"and asks the person first. Each account has its own result; scheduling again moves the publications.",
	}, schedulePost)
	addTool(d, s, tool{
		name: "publish_now", title: "Publish a post at once", effect: changes, repeatable: true, outside: true,
		description: "Publishes a post on one or more accounts at once and waits for the networks. Does a dry run " +
			"and asks the person first. Each account has its own result.",
	}, publishNow)
}

// targetsInput is where and how to publish.
type targetsInput struct {
	postInput
	SocialAccountIDs []crier.ID     `json:"socialAccountIds" jsonschema:"the accounts to publish on; list_accounts has them"`
	PlatformSettings map[string]any `json:"platformSettings,omitempty" jsonschema:"settings of the networks by key, such as tiktokPrivacyLevel or youtubeTitle; validate_post reports missing ones"`
	FirstComment     string         `json:"firstComment,omitempty" jsonschema:"a comment posted right after the post, if the network supports comments"`
	AllowRepublish   bool           `json:"allowRepublish,omitempty" jsonschema:"publish again on accounts where this post was published before"`
}

func (in targetsInput) targets() (crier.Targets, error) {
	t := crier.Targets{SocialAccountIDs: in.SocialAccountIDs, AllowRepublish: in.AllowRepublish}
	if in.FirstComment != "" {
		t.FirstComment = crier.Some(crier.Comment{Text: in.FirstComment})
	}
	for key, value := range in.PlatformSettings {
		data, err := json.Marshal(value)
		if err != nil {
			return t, fmt.Errorf("read the setting %s: %w", key, err)
		}
		if t.PlatformSettings == nil {
			t.PlatformSettings = map[string]json.RawMessage{}
		}
		t.PlatformSettings[key] = data
	}
	return t, nil
}

// scheduleInput adds the time.
type scheduleInput struct {
	targetsInput
	ScheduledAt *crier.Time `json:"scheduledAt,omitempty" jsonschema:"when, at least 60 seconds ahead and within 90 days, such as 2026-11-15T09:00:00Z"`
	UseNextSlot bool        `json:"useNextSlot,omitempty" jsonschema:"take the next free slot of the accounts instead of a time"`
}

func (in scheduleInput) request() (crier.ScheduleRequest, error) {
	targets, err := in.targets()
	request := crier.ScheduleRequest{Targets: targets, ScheduledAt: in.ScheduledAt}
	if in.UseNextSlot {
		request.UseNextSlot = &in.UseNextSlot
	}
	return request, err
}

// dryRun is the short form of a validation.
type dryRun struct {
	Accounts         []dryRunEntry `json:"accounts"`
	ScheduledAt      *crier.Time   `json:"scheduledAt,omitempty"`
	CreditCost       int64         `json:"creditCost"`
	AvailableCredits int64         `json:"availableCredits"`
	AffordableNow    bool          `json:"affordableNow"`
}

type dryRunEntry struct {
	SocialAccountID crier.ID `json:"socialAccountId"`
	Account         string   `json:"account,omitempty"`
	OK              bool     `json:"ok"`
	CreditCost      int64    `json:"creditCost"`
	Errors          []string `json:"errors,omitempty"`
	Warnings        []string `json:"warnings,omitempty"`
}

// tryOut validates a post.
func (c *call) tryOut(ctx context.Context, team, post crier.ID, in crier.ScheduleRequest) (dryRun, error) {
	found, err := c.ValidatePost(ctx, team, post, in)
	if err != nil {
		return dryRun{}, err
	}
	return c.briefDryRun(ctx, team, found)
}

// briefDryRun returns the short form of a validation, with the account names.
func (c *call) briefDryRun(ctx context.Context, team crier.ID, found crier.ValidationResult) (dryRun, error) {
	names, err := c.accountNames(ctx, team)
	if err != nil {
		return dryRun{}, err
	}
	return dryRun{
		CreditCost: found.CreditCost, AvailableCredits: found.AvailableCredits, AffordableNow: found.AffordableNow,
		ScheduledAt: found.ScheduledAt,
		Accounts: each(found.Data, func(e crier.ValidationEntry) dryRunEntry {
			return dryRunEntry{
				SocialAccountID: e.SocialAccountID, Account: names[e.SocialAccountID], OK: e.OK,
				CreditCost: e.CreditCost,
				Errors:     reasons(e.Error), Warnings: each(e.Warnings, located),
			}
		}),
	}, nil
}

// accountNames returns the labels of a team's accounts.
func (c *call) accountNames(ctx context.Context, team crier.ID) (map[crier.ID]string, error) {
	accounts, err := c.ListAccounts(ctx, team)
	names := make(map[crier.ID]string, len(accounts.Data))
	for _, a := range accounts.Data {
		names[a.ID] = fmt.Sprintf("%s (%s)", a.DisplayName, a.Provider)
	}
	return names, err
}

// reasons returns why an account was rejected: the broken rules, or only the message.
func reasons(e *crier.EntryError) []string {
	switch {
	case e == nil:
		return nil
	case len(e.Issues) == 0:
		return []string{e.Message}
	}
	return each(e.Issues, func(i crier.Issue) string { return located(inToolWords(i)) })
}

// problem returns an error if nothing could be published.
func (r dryRun) problem() error {
	var reasons []string
	for _, a := range r.Accounts {
		if a.OK {
			continue
		}
		reasons = append(reasons, a.complaint())
	}
	if len(reasons) == len(r.Accounts) {
		return refused(crier.KindInvalid, "No account accepts this post, so nothing was changed:\n%s",
			strings.Join(reasons, "\n"))
	}
	return r.unaffordable()
}

// unaffordable returns an error if there are not enough credits.
func (r dryRun) unaffordable() error {
	if r.AffordableNow {
		return nil
	}
	return refused(crier.KindPaymentRequired, "This costs %d credits and %d are available, so nothing was changed.",
		r.CreditCost, r.AvailableCredits)
}

// complaint says why an account rejects a post.
func (e dryRunEntry) complaint() string {
	return fmt.Sprintf("- %s: %s", firstOf(e.Account, string(e.SocialAccountID)), strings.Join(e.Errors, "; "))
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// question describes to a person what publishing will do: the whole text, attachments and actions, and each account.
func (r dryRun) question(post crier.Post, targets crier.Targets, when string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Publish %q %s?", post.Text, when)
	for _, v := range briefVariants(post) {
		fmt.Fprintf(&b, "\nInstead on %s: %s.", v.target(), v.content())
	}
	if n := len(post.AssetIDs); n > 0 {
		fmt.Fprintf(&b, "\nMedia: %d.", n)
	}
	if c := firstCommentOf(post, targets); c != nil {
		fmt.Fprintf(&b, "\nFirst comment: %q.", c.Text)
	}
	for _, a := range r.Accounts {
		line := fmt.Sprintf("%d credits", a.CreditCost)
		if !a.OK {
			line = "left out: " + strings.Join(a.Errors, "; ")
		}
		fmt.Fprintf(&b, "\n- %s: %s", firstOf(a.Account, string(a.SocialAccountID)), line)
		for _, w := range a.Warnings {
			b.WriteString("\n  note: " + w)
		}
	}
	return b.String()
}

// firstCommentOf returns the comment that follows a post: the call's, or the one stored with the post.
func firstCommentOf(post crier.Post, targets crier.Targets) *crier.Comment {
	if targets.FirstComment.Set || post.PostPublishActions == nil {
		return targets.FirstComment.Ptr()
	}
	return post.PostPublishActions.FirstComment
}

func (scheduleInput) sentAs() any { return crier.ScheduleRequest{} }

func validatePost(ctx context.Context, c *call, in scheduleInput) (any, error) {
	request, err := in.request()
	if err != nil {
		return nil, err
	}
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	return c.tryOut(ctx, team, in.PostID, request)
}

// results is the result for each account.
type results struct {
	Outcome  string        `json:"outcome"`
	Accounts []resultEntry `json:"accounts"`
}

type resultEntry struct {
	SocialAccountID crier.ID          `json:"socialAccountId"`
	Publication     *publicationBrief `json:"publication,omitempty"`
	Errors          []string          `json:"errors,omitempty"`
	Warnings        []string          `json:"warnings,omitempty"`
}

func briefResult(r crier.ScheduleResult) results {
	return results{Outcome: r.Outcome.Kind, Accounts: each(r.Data, func(e crier.ScheduleEntry) resultEntry {
		entry := resultEntry{SocialAccountID: e.SocialAccountID, Errors: reasons(e.Error),
			Warnings: each(e.Warnings, located)}
		if e.ScheduledPost != nil {
			brief := briefPublication(*e.ScheduledPost)
			entry.Publication = &brief
		}
		return entry
	})}
}

type schedulePostInput struct {
	scheduleInput
	confirmable
}

func schedulePost(ctx context.Context, c *call, in schedulePostInput) (any, error) {
	request, err := in.request()
	if err != nil {
		return nil, err
	}
	team, post, err := c.post(ctx, in.postInput)
	if err != nil {
		return nil, err
	}
	e, err := c.effect(team, string(post.ID), ended(post))
	if err != nil {
		return nil, err
	}
	if !e.done {
		if err := c.agreeToDryRun(ctx, in.confirmable, team, post, request, false); err != nil {
			return nil, err
		}
	}
	var result crier.ScheduleResult
	err = e.apply(ctx, func(ctx context.Context) (err error) {
		result, err = c.SchedulePost(ctx, team, post.ID, request)
		return err
	})
	return briefResult(result), err
}

// agreeToDryRun validates a publication and asks the person.
func (c *call) agreeToDryRun(ctx context.Context, in confirmable, team crier.ID, post crier.Post,
	request crier.ScheduleRequest, now bool) error {
	found, err := c.tryOut(ctx, team, post.ID, request)
	if err != nil {
		return err
	}
	if err := found.problem(); err != nil {
		return err
	}
	when := "now, for everybody to see"
	switch {
	case now:
		found.ScheduledAt = nil // the time was only for the dry run
	case found.ScheduledAt == nil:
		when = "in the next free slot"
	default:
		when = found.ScheduledAt.UTC().Format("on Mon 2 Jan 2006 at 15:04:05 UTC")
	}
	return c.agree(in, proposal{question: found.question(post, request.Targets, when), cost: found.CreditCost,
		bound: []any{post.ContentPayloadID, post.PostPublishActions}, preview: found})
}

// ended returns the failed publication if it is the post's latest: after it, an identical call is a new one.
func ended(p crier.Post) string {
	latest := p.LatestScheduledPost
	if latest == nil {
		return ""
	}
	switch latest.Status {
	case crier.Failed, crier.Canceled, crier.Missed:
		return fmt.Sprintf("%s %s %s", latest.ID, latest.Status, latest.UpdatedAt)
	}
	return ""
}

type publishNowInput struct {
	targetsInput
	confirmable
	WaitSeconds *int `json:"waitSeconds,omitempty" jsonschema:"how many seconds to wait for the networks, 0 to 30; 10 when absent"`
}

func (publishNowInput) sentAs() any { return crier.PostNowRequest{} }

// tryOutLead is the lead of the dry run of publishing at once: validation requires a time in the future.
const tryOutLead = 5 * time.Minute

func publishNow(ctx context.Context, c *call, in publishNowInput) (any, error) {
	targets, err := in.targets()
	if err != nil {
		return nil, err
	}
	team, post, err := c.post(ctx, in.postInput)
	if err != nil {
		return nil, err
	}
	e, err := c.effect(team, string(post.ID), ended(post))
	if err != nil {
		return nil, err
	}
	if !e.done {
		if err := c.agreeToPublish(ctx, in.confirmable, team, post, targets); err != nil {
			return nil, err
		}
	}
	var result crier.ScheduleResult
	err = e.apply(ctx, func(ctx context.Context) (err error) {
		result, err = c.PostNow(ctx, team, post.ID, crier.PostNowRequest{Targets: targets, WaitSeconds: in.WaitSeconds})
		return err
	})
	return briefResult(result), err
}

func (c *call) agreeToPublish(ctx context.Context, in confirmable, team crier.ID, post crier.Post,
	targets crier.Targets) error {
	overview, err := c.AgentContext(ctx)
	if err != nil {
		return err
	}
	soon := crier.TimeOf(overview.ServerTime.Add(tryOutLead))
	return c.agreeToDryRun(ctx, in, team, post, crier.ScheduleRequest{Targets: targets, ScheduledAt: &soon}, true)
}
