package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// The ways a post or action is known to go wrong that no network causes.
const (
	codeCreditsExhausted = "credits_exhausted"
	codeOutcomeUnknown   = "outcome_unknown"
)

// shownPublication is a publication as the interface shows it.
func shownPublication(p store.Publication) crier.ScheduledPost {
	out := crier.ScheduledPost{
		ID: p.ID, TeamID: p.TeamID, ContentItemID: p.PostID, SocialAccountID: p.SocialAccountID, Status: p.Status,
		ScheduledAt: p.ScheduledAt, Timezone: p.Timezone, ContentPayloadID: p.PayloadID, PublishedAt: p.PublishedAt,
		PlatformSettings: p.Settings, PublishResults: p.Results, PlatformPostID: text(p.PlatformPostID), Permalink: text(p.Permalink),
		ErrorCode: text(p.ErrorCode), ErrorMessage: text(p.ErrorMessage), WorkflowID: p.WorkflowID, WorkflowRunID: p.WorkflowRunID,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
	if out.PlatformSettings == nil {
		out.PlatformSettings = map[string]json.RawMessage{}
	}
	if out.PublishResults.PlatformPostIDs == nil {
		out.PublishResults.PlatformPostIDs = []string{}
	}
	_ = json.Unmarshal(p.State, &out.ProviderPublishState) // the state is the engine's own JSON
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// loadState reads how far the network is, with the secrets that belong to it.
func (c *core) loadState(p store.Publication) (provider.State, error) {
	var st provider.State
	if err := json.Unmarshal(p.State, &st); err != nil {
		return st, fmt.Errorf("decode the state of %s: %w", p.ID, err)
	}
	if p.StateSecrets == nil {
		return st, nil
	}
	data, err := c.keys.Open(p.StateSecrets, stateContext(p))
	if err != nil {
		return st, err
	}
	plain := map[string]string{}
	if err := json.Unmarshal(data, &plain); err != nil {
		return st, fmt.Errorf("decode the secrets of %s: %w", p.ID, err)
	}
	for key, secret := range plain {
		st.Hide(key, provider.Secret(secret))
	}
	return st, nil
}

// keepState puts the state into the row, its secrets sealed.
func (c *core) keepState(p *store.Publication, st provider.State) error {
	data, err := json.Marshal(st)
	if err != nil {
		return fmt.Errorf("encode the state of %s: %w", p.ID, err)
	}
	p.State, p.StateSecrets = data, nil
	if len(st.Secrets) == 0 {
		return nil
	}
	plain := map[string]string{}
	for key, secret := range st.Secrets {
		plain[key] = secret.Reveal()
	}
	if data, err = json.Marshal(plain); err != nil {
		return fmt.Errorf("encode the secrets of %s: %w", p.ID, err)
	}
	p.StateSecrets, err = c.keys.Seal(data, stateContext(*p))
	return err
}

func stateContext(p store.Publication) string { return "state of " + string(p.ID) }

// contentReader reads versions of posts and assets, inside or outside a transaction.
type contentReader interface {
	assetReader
	PostContent(ctx context.Context, payload crier.ID) (store.PostContent, error)
}

// postContent is what a version of a post looks like to networks; settings are added per account.
func (c *core) postContent(ctx context.Context, r contentReader, team, payload crier.ID) (provider.Content, error) {
	stored, err := r.PostContent(ctx, payload)
	if err != nil {
		return provider.Content{}, err
	}
	return c.contentOf(ctx, r, team, stored)
}

func (c *core) contentOf(ctx context.Context, r assetReader, team crier.ID, stored store.PostContent) (provider.Content, error) {
	media, err := c.media(ctx, r, team, stored.Input.AssetIDs())
	if err != nil {
		return provider.Content{}, err
	}
	content := provider.Content{Action: provider.Post, PostType: string(stored.PostType)}
	for _, part := range stored.Input.Parts() {
		content.Parts = append(content.Parts, networkPart(part, media))
	}
	return content, nil
}

func networkPart(part crier.AtomicPost, media map[crier.ID]provider.Media) provider.Part {
	out := provider.Part{Text: part.Text}
	for i, a := range part.Attachments {
		switch {
		case a.Link != nil:
			out.Links = append(out.Links, provider.Link{URL: string(a.Link.URL), Title: a.Link.Title, Description: a.Link.Description, Position: i})
		case a.Media != nil:
			m, ok := media[a.Media.Asset.AssetID]
			if !ok {
				m = provider.Media{ID: a.Media.Asset.AssetID} // of no type: every network refuses it
			}
			m.Position = i
			if a.Media.AltText != "" {
				m.AltText = a.Media.AltText
			}
			out.Media = append(out.Media, m)
		}
	}
	return out
}

// withSettings adds the settings of one account, and the assets that they name.
func (c *core) withSettings(ctx context.Context, r assetReader, team crier.ID, p provider.Provider, content provider.Content, settings provider.Settings) (provider.Content, error) {
	content.Settings = settings
	var ids []crier.ID
	for id := range p.Info().AssetIDs(settings) {
		ids = append(ids, id)
	}
	var err error
	content.Assets, err = c.media(ctx, r, team, ids)
	return content, err
}

// actionContent is what an action makes public.
func (c *core) actionContent(ctx context.Context, r contentReader, p store.Publication, parent store.Publication) (provider.Content, error) {
	content := provider.Content{Target: provider.Target{PlatformPostID: text(parent.PlatformPostID), Permalink: text(parent.Permalink)}}
	switch p.Kind {
	case store.RepostPublication:
		var spec crier.RepostAfter
		if err := json.Unmarshal(p.Spec, &spec); err != nil {
			return content, fmt.Errorf("decode the repost: %w", err)
		}
		return repostContent(content, spec), nil
	case store.EngagementComment:
		var spec crier.EngagementTrigger
		if err := json.Unmarshal(p.Spec, &spec); err != nil {
			return content, fmt.Errorf("decode the trigger: %w", err)
		}
		return c.commentContent(ctx, r, p.TeamID, content, spec.Comment)
	case store.FirstComment:
		var spec crier.Comment
		if err := json.Unmarshal(p.Spec, &spec); err != nil {
			return content, fmt.Errorf("decode the comment: %w", err)
		}
		return c.commentContent(ctx, r, p.TeamID, content, spec)
	}
	return content, fmt.Errorf("unknown action %q", p.Kind)
}

func repostContent(content provider.Content, spec crier.RepostAfter) provider.Content {
	content.Action, content.Parts = provider.Repost, []provider.Part{{}}
	if spec.Quotes() {
		content.Action, content.Parts = provider.Quote, []provider.Part{{Text: spec.Text}}
	}
	return content
}

func (c *core) commentContent(ctx context.Context, r assetReader, team crier.ID, content provider.Content, spec crier.Comment) (provider.Content, error) {
	media, err := c.media(ctx, r, team, spec.MediaIDs)
	if err != nil {
		return content, err
	}
	part := provider.Part{Text: spec.Text}
	for i, id := range spec.MediaIDs {
		m, ok := media[id]
		if !ok {
			m = provider.Media{ID: id}
		}
		m.Position = i
		part.Media = append(part.Media, m)
	}
	content.Action, content.Parts = provider.Comment, []provider.Part{part}
	return content, nil
}

const (
	// settleLead is how long before its time a publication that needs no preparation is taken up. It is longer than the
	// job engine's poll, so that the worker waits for the second, not the second for the worker.
	settleLead = 2500 * time.Millisecond
	// uploadLead and uploadSpeed (bytes a second) say how long before its time the uploads of a publication begin.
	uploadLead    = 45 * time.Second
	uploadSpeed   = 2 << 20
	maxUploadLead = 30 * time.Minute
)

// wakeTime is when work on a publication has to begin.
func wakeTime(at time.Time, content provider.Content) time.Time {
	var bytes int64
	for _, part := range content.Parts {
		for _, m := range part.Media {
			bytes += m.Size
		}
	}
	lead := settleLead
	if bytes > 0 {
		lead = min(maxUploadLead, uploadLead+time.Duration(bytes/uploadSpeed)*time.Second)
	}
	return at.Add(-lead)
}

// publishJob wakes a publication at its wake-up time.
func publishJob(p store.Publication, now time.Time) Job {
	return wakeUp(store.Overdue{Ref: p.Ref, Epoch: p.Epoch, Provider: p.Provider, SocialAccountID: p.SocialAccountID}, jobTime(p.WakeAt.Time, now))
}

func wakeUp(o store.Overdue, at time.Time) Job {
	return Job{Args: PublishJob{ID: o.ID, Action: o.Action, Epoch: o.Epoch, Provider: o.Provider, SocialAccountID: o.SocialAccountID}, At: at}
}

// isNotFound is true for errors that say that something does not exist.
func isNotFound(err error) bool {
	var known *crier.Error
	return errors.As(err, &known) && known.Kind == crier.KindNotFound
}
