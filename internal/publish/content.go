package publish

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// Content converts stored posts and assets for the networks' clients.
type Content struct {
	blobs     media.Blobs
	addresses *media.Addresses
}

// contentReader reads versions of posts and assets, inside or outside a transaction.
type contentReader interface {
	assetReader
	PostContent(ctx context.Context, payload crier.ID) (store.PostContent, error)
}

// Post returns a version of a post as provider content; settings are added per account.
func (c *Content) Post(ctx context.Context, r contentReader, team, payload crier.ID) (PostContent, error) {
	stored, err := r.PostContent(ctx, payload)
	if err != nil {
		return PostContent{}, err
	}
	return c.Stored(ctx, r, team, stored)
}

// Unstored returns the provider content of a post that was never stored.
func (c *Content) Unstored(ctx context.Context, r assetReader, team crier.ID, postType crier.PostType,
	input crier.PostInput) (PostContent, error) {
	return c.Stored(ctx, r, team, store.PostContent{PostType: postType, Input: input})
}

// Stored returns stored content as provider content; settings are added per account.
func (c *Content) Stored(ctx context.Context, r assetReader, team crier.ID,
	stored store.PostContent) (PostContent, error) {
	found, err := c.Media(ctx, r, team, stored.Input.AllAssetIDs())
	return PostContent{stored: stored, media: found}, err
}

// PostContent is a version of a post with its media: the post itself, and its variants.
type PostContent struct {
	stored store.PostContent
	media  map[crier.ID]provider.Media
}

// For returns the content an account publishes: its own variant, else that of its network, else the post.
func (p PostContent) For(network crier.Provider, account crier.ID) provider.Content {
	variant := p.stored.Input.VariantFor(network, account)
	content := provider.Content{Action: provider.Post, PostType: string(p.stored.PostType)}
	if variant >= 0 {
		content.PostType = string(p.stored.Input.Variants[variant].PostType)
	}
	for _, part := range p.stored.Input.Variant(variant).Parts() {
		content.Parts = append(content.Parts, networkPart(part, p.media))
	}
	return content
}

// Path translates a path in the content that an account publishes into the path in the request.
func (p PostContent) Path(network crier.Provider, account crier.ID, path []string) []string {
	return p.stored.Input.VariantPath(p.stored.Input.VariantFor(network, account), path)
}

func networkPart(part crier.AtomicPost, found map[crier.ID]provider.Media) provider.Part {
	out := provider.Part{Text: part.Text}
	for i, a := range part.Attachments {
		switch {
		case a.Link != nil:
			out.Links = append(out.Links, provider.Link{URL: string(a.Link.URL), Title: a.Link.Title,
				Description: a.Link.Description, Position: i})
		case a.Media != nil:
			m, ok := found[a.Media.Asset.AssetID]
			if !ok {
				m = provider.Media{ID: a.Media.Asset.AssetID} // without a type: every network rejects it
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

// assetReader reads assets, inside or outside a transaction.
type assetReader interface {
	AssetsByID(ctx context.Context, team crier.ID, ids []crier.ID) ([]store.Asset, error)
}

// Media returns assets of a team as provider media, without those that are unknown, deleted or not ready.
func (c *Content) Media(ctx context.Context, r assetReader, team crier.ID, ids []crier.ID) (map[crier.ID]provider.Media,
	error) {
	assets, err := r.AssetsByID(ctx, team, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[crier.ID]provider.Media, len(assets))
	for _, a := range assets {
		if a.Status != crier.AssetReady {
			continue
		}
		facts, err := media.DecodeFacts(a.Facts)
		if err != nil {
			return nil, err
		}
		found[a.ID] = c.NetworkMedia(a, facts)
	}
	return found, nil
}

// WithSettings adds the settings of one account and the assets they refer to.
func (c *Content) WithSettings(ctx context.Context, r assetReader, team crier.ID, p provider.Provider,
	content provider.Content, settings provider.Settings) (provider.Content, error) {
	content.Settings = settings
	var ids []crier.ID
	for id := range p.Info().AssetIDs(settings) {
		ids = append(ids, id)
	}
	var err error
	content.Assets, err = c.Media(ctx, r, team, ids)
	return content, err
}

// action returns the content that an action publishes.
func (c *Content) action(ctx context.Context, r contentReader, p store.Publication,
	parent store.Publication) (provider.Content, error) {
	content := provider.Content{Target: provider.Target{PlatformPostID: crier.Text(parent.PlatformPostID),
		Permalink: crier.Text(parent.Permalink)}}
	switch p.Kind {
	case store.RepostPublication:
		var spec crier.RepostAfter
		if err := json.Unmarshal(p.Spec, &spec); err != nil {
			return content, fmt.Errorf("decode the repost: %w", err)
		}
		return RepostContent(content, spec), nil
	case store.EngagementComment:
		var spec crier.EngagementTrigger
		if err := json.Unmarshal(p.Spec, &spec); err != nil {
			return content, fmt.Errorf("decode the trigger: %w", err)
		}
		return c.comment(ctx, r, p.TeamID, content, spec.Comment)
	case store.FirstComment:
		var spec crier.Comment
		if err := json.Unmarshal(p.Spec, &spec); err != nil {
			return content, fmt.Errorf("decode the comment: %w", err)
		}
		return c.comment(ctx, r, p.TeamID, content, spec)
	}
	return content, fmt.Errorf("unknown action %q", p.Kind)
}

// RepostContent returns the content of a repost or quote of published content.
func RepostContent(content provider.Content, spec crier.RepostAfter) provider.Content {
	content.Action, content.Parts = provider.Repost, []provider.Part{{}}
	if spec.Quotes() {
		content.Action, content.Parts = provider.Quote, []provider.Part{{Text: spec.Text}}
	}
	return content
}

func (c *Content) comment(ctx context.Context, r assetReader, team crier.ID, content provider.Content,
	spec crier.Comment) (provider.Content, error) {
	found, err := c.Media(ctx, r, team, spec.MediaIDs)
	if err != nil {
		return content, err
	}
	part := provider.Part{Text: spec.Text}
	for i, id := range spec.MediaIDs {
		m, ok := found[id]
		if !ok {
			m = provider.Media{ID: id}
		}
		m.Position = i
		part.Media = append(part.Media, m)
	}
	content.Action, content.Parts = provider.Comment, []provider.Part{part}
	return content, nil
}
