package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"crier"
	"crier/client"
)

type updateDraftInput struct {
	postInput
	confirmable
	Text     *string     `json:"text,omitempty" jsonschema:"the new text"`
	Parts    []part      `json:"parts,omitempty" jsonschema:"the new parts of a thread"`
	AssetIDs *[]crier.ID `json:"assetIds,omitempty" jsonschema:"the new assets; an empty list removes all"`
	Title    *string     `json:"title,omitempty" jsonschema:"the new title"`
	Variants *[]variant  `json:"variants,omitempty" jsonschema:"different content for some networks or accounts; replaces all existing variants; an empty list removes them"`
}

// body returns the change as the API accepts it: threads and variants as a whole, with the rest of the content.
func (in updateDraftInput) body(post crier.Post) (crier.PostUpdate, error) {
	body := crier.PostUpdate{}
	if in.Title != nil {
		body.Title = crier.Some(*in.Title)
	}
	if in.Variants != nil || len(in.Parts) > 0 {
		content, err := in.content(post)
		body.PostInput = crier.Some(content)
		return body, err
	}
	if contentOf(post).Thread != nil && (in.Text != nil || in.AssetIDs != nil) {
		return body, errPartsOfAThread
	}
	if in.Text != nil {
		body.Text = crier.Some(*in.Text)
	}
	if in.AssetIDs != nil {
		body.AssetIDs = crier.Some(*in.AssetIDs)
	}
	return body, nil
}

var errPartsOfAThread = invalid(crier.At("the post is a thread, which has no text and assets of its own: give all its "+
	"parts", "parts"))

// content returns the whole content of a post after the change.
func (in updateDraftInput) content(post crier.Post) (crier.PostInput, error) {
	content := contentOf(post)
	variants := content.Variants
	flat := in.Text != nil || in.AssetIDs != nil
	switch {
	case len(in.Parts) > 0 && flat:
		return content, errTextAndParts
	case len(in.Parts) > 0:
		content = *threadOf(in.Parts)
	case content.Thread != nil && flat:
		return content, errPartsOfAThread
	case content.Atomic != nil:
		atomic := *content.Atomic
		if in.Text != nil {
			atomic.Text = *in.Text
		}
		if in.AssetIDs != nil {
			atomic.Attachments = withAssets(atomic.Attachments, *in.AssetIDs)
		}
		content.Atomic = &atomic
	}
	content.Variants = variants
	if in.Variants != nil {
		content.Variants = each(*in.Variants, variant.content)
	}
	return content, nil
}

// withAssets returns attachments with other assets, as the API replaces them: links and alternative texts stay.
func withAssets(attachments []crier.Attachment, assets []crier.ID) []crier.Attachment {
	out := attached(assets)
	for _, a := range attachments {
		if a.Media == nil {
			out = append(out, a)
		} else if i := slices.Index(assets, a.Media.Asset.AssetID); i >= 0 {
			out[i].Media.AltText = a.Media.AltText
		}
	}
	return out
}

func contentOf(post crier.Post) crier.PostInput {
	if post.PostInput == nil {
		return crier.PostInput{Atomic: &crier.AtomicPost{Text: post.Text}}
	}
	return *post.PostInput
}

// edits reports whether the content changes, and not only the title.
func (in updateDraftInput) edits() bool {
	return in.Text != nil || in.AssetIDs != nil || in.Variants != nil || len(in.Parts) > 0
}

func updateDraft(ctx context.Context, c *call, in updateDraftInput) (any, error) {
	if !in.edits() && in.Title == nil {
		return nil, invalid(crier.At("there is nothing to change: give text, parts, assetIds, variants or title"))
	}
	team, post, err := c.post(ctx, in.postInput)
	if err != nil {
		return nil, err
	}
	body, err := in.body(post)
	if err != nil {
		return nil, err
	}
	if waits(post) {
		if err := c.agreeToChange(ctx, in, team, post); err != nil {
			return nil, err
		}
	}
	// The content is what was read here, and what the person was shown.
	changed, err := c.UpdatePostVersion(ctx, team, post.ID, post.ContentPayloadID, body)
	if err != nil {
		return nil, err
	}
	c.changed(string(post.ID))
	return listedPost(changed), nil
}

// waits reports whether a post has scheduled publications, whatever the state of the others.
func waits(post crier.Post) bool {
	return post.DeliveryState == crier.DeliveryScheduled || post.ScheduledPosts != nil &&
		slices.ContainsFunc(*post.ScheduledPosts,
			func(p crier.ScheduledPost) bool { return p.Status == crier.Scheduled })
}

// agreeToChange validates a change of a scheduled post and asks the person.
func (c *call) agreeToChange(ctx context.Context, in updateDraftInput, team crier.ID, post crier.Post) error {
	p := proposal{bound: []any{post.ContentPayloadID}, question: fmt.Sprintf("Change the post %q, which is scheduled? "+
		"The new content will be published instead; if it costs more, the difference is reserved. Where posts need "+
		"approval, it returns to draft and is not published.%s%s", post.Text, in.changes(), in.removes(post))}
	if in.edits() {
		content, err := in.content(post)
		if err != nil {
			return err
		}
		found, err := c.tryChange(ctx, team, post, content)
		if err != nil {
			return err
		}
		p.cost, p.preview = found.CreditCost, found
	}
	return c.agree(in.confirmable, p)
}

// tryChange validates new content of a post on the accounts that it is scheduled on, each with its settings there. The
// result has what the change costs. An error means that the API would refuse the change.
func (c *call) tryChange(ctx context.Context, team crier.ID, post crier.Post, content crier.PostInput) (dryRun, error) {
	targets := crier.Targets{PlatformSettingsBySocialAccountID: map[crier.ID]map[string]json.RawMessage{}}
	if post.ScheduledPosts != nil {
		for _, p := range *post.ScheduledPosts {
			if p.Status == crier.Scheduled {
				targets.SocialAccountIDs = append(targets.SocialAccountIDs, p.SocialAccountID)
				targets.PlatformSettingsBySocialAccountID[p.SocialAccountID] = p.PlatformSettings
			}
		}
	}
	if len(targets.SocialAccountIDs) == 0 {
		return dryRun{Accounts: []dryRunEntry{}, AffordableNow: true}, nil // a network has it by now; the API decides
	}
	validate := func(content crier.PostInput) (crier.ValidationResult, error) {
		return c.ValidateContent(ctx, team,
			crier.ContentValidation{PostInput: &content, ScheduleRequest: crier.ScheduleRequest{Targets: targets}})
	}
	found, err := validate(content)
	if err != nil {
		return dryRun{}, err
	}
	if found.ApprovalRequired { // nothing is published of it, whatever the accounts say
		return dryRun{Accounts: []dryRunEntry{}, AvailableCredits: found.AvailableCredits, AffordableNow: true}, nil
	}
	if found.CreditCost > 0 {
		before, err := validate(contentOf(post))
		if err != nil && !client.IsKind(err, crier.KindInvalid) { // what was valid once may not be so any more
			return dryRun{}, err
		}
		found.CreditCost = max(0, found.CreditCost-before.CreditCost)
		found.AffordableNow = found.CreditCost <= found.AvailableCredits
	}
	out, err := c.briefDryRun(ctx, team, found)
	if err != nil {
		return out, err
	}
	out.ScheduledAt = nil // the dry run is one of publishing now
	return out, out.misfit(found)
}

// misfit returns an error if an account does not accept a change, or it cannot be paid. That an account cannot publish
// at present does not matter.
func (r dryRun) misfit(found crier.ValidationResult) error {
	var reasons []string
	for i, e := range found.Data {
		if e.Error != nil && len(e.Error.Issues) > 0 {
			reasons = append(reasons, r.Accounts[i].complaint())
		}
	}
	if len(reasons) > 0 {
		return refused(crier.KindInvalid, "The post is scheduled on accounts that do not accept this change, so "+
			"nothing was changed:\n%s", strings.Join(reasons, "\n"))
	}
	return r.unaffordable()
}

// changes returns what a person agrees to, a line each: all new content.
func (in updateDraftInput) changes() string {
	var b strings.Builder
	if in.Text != nil {
		fmt.Fprintf(&b, "\nNew text: %q.", *in.Text)
	}
	for i, p := range in.Parts {
		fmt.Fprintf(&b, "\nNew part %d: %q", i+1, p.Text)
		if n := len(p.AssetIDs); n > 0 {
			fmt.Fprintf(&b, ", media: %d", n)
		}
		b.WriteByte('.')
	}
	if in.AssetIDs != nil {
		fmt.Fprintf(&b, "\nNew media: %d.", len(*in.AssetIDs))
	}
	if in.Variants != nil {
		variants := crier.PostInput{Variants: each(*in.Variants, variant.content)}
		for _, v := range briefVariants(crier.Post{PostInput: &variants}) {
			fmt.Fprintf(&b, "\nInstead on %s: %s.", v.target(), v.content())
		}
		if len(*in.Variants) == 0 {
			b.WriteString("\nThe same is published everywhere.")
		}
	}
	if in.Title != nil {
		fmt.Fprintf(&b, "\nNew title, which is not published: %q.", *in.Title)
	}
	return b.String()
}

// removes returns the variants of a post that new ones leave out, a line each.
func (in updateDraftInput) removes(post crier.Post) string {
	if in.Variants == nil || len(*in.Variants) == 0 {
		return ""
	}
	var b strings.Builder
	kept := crier.PostInput{Variants: each(*in.Variants, variant.content)}
	targets := each(briefVariants(crier.Post{PostInput: &kept}), variantBrief.target)
	for _, v := range briefVariants(post) {
		if !slices.Contains(targets, v.target()) {
			fmt.Fprintf(&b, "\nNo longer different on %s.", v.target())
		}
	}
	return b.String()
}
