package store

import (
	"context"
	"fmt"
	"slices"

	"crier"
)

// hydration reads the data of posts that is stored in other tables: the questions, which do not depend on each other,
// and their answers. The contents are read together with the posts.
type hydration struct {
	questions    []question
	hasAssets    bool // set by the caller if the content of any post has assets
	assets       map[crier.ID]AssetFacts
	tags         map[crier.ID][]crier.TagSummary
	destinations map[crier.ID][]crier.ID
	latest       *scheduledPosts
	included     *scheduledPosts // nil if not requested
}

// hydration prepares reading the data of posts that is stored in other tables.
func (r reads) hydration(ids []crier.ID, withScheduled bool) *hydration {
	h := &hydration{assets: map[crier.ID]AssetFacts{}, tags: map[crier.ID][]crier.TagSummary{},
		destinations: map[crier.ID][]crier.ID{}}
	marks, args := inList(1, ids)
	h.questions = []question{
		newQuestion(`SELECT `+assetFactColumns+` FROM assets a WHERE a.id IN (SELECT x.asset_id FROM post_assets x
			WHERE x.post_id IN (`+marks+`))`, args, func(row scanner) error {
			f, err := scanAssetFacts(row)
			h.assets[f.AssetID] = f
			return err
		}).unless(func() bool { return !h.hasAssets }),
		tagsQuestion(h.tags, ids),
	}
	h.latest = r.latestScheduledPosts(ids)
	h.questions = append(h.questions, h.latest.questions...)
	h.questions = append(h.questions, destinationsQuestion(h.destinations, ids).unless(h.latest.empty))
	if withScheduled {
		h.included = r.includedScheduledPosts(ids)
		h.questions = append(h.questions, h.included.questions...)
	}
	return h
}

// hydrate adds the data of posts that is stored in other tables, in one round trip.
func (r reads) hydrate(ctx context.Context, posts []Post, withScheduled bool) error {
	if len(posts) == 0 {
		return nil
	}
	h := r.hydration(idsOf(posts), withScheduled)
	h.hasAssets = slices.ContainsFunc(posts, Post.hasAssets)
	if err := r.q.Ask(ctx, h.questions...); err != nil {
		return fmt.Errorf("read what belongs to posts: %w", err)
	}
	for i := range posts {
		h.complete(&posts[i])
	}
	return nil
}

// complete adds the data that was read to a post.
func (h *hydration) complete(p *Post) {
	p.SetAssets(h.assets)
	p.UserTags = orEmpty(h.tags[p.ID])
	p.ScheduledDestinationAccountIDs = orEmpty(h.destinations[p.ID])
	if latest := h.latest.of(p.ID); len(latest) > 0 {
		p.LatestScheduledPost = &latest[len(latest)-1]
	}
	if h.included != nil {
		included := orEmpty(h.included.of(p.ID))
		p.ScheduledPosts = &included
	}
}

func idsOf(posts []Post) []crier.ID {
	ids := make([]crier.ID, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	return ids
}

func (p Post) hasAssets() bool { return len(p.PostInput.AllAssetIDs()) > 0 }

// SetAssets adds the facts and tags of the attached assets. The attachments must not be shared with content to be
// written.
func (p *Post) SetAssets(facts map[crier.ID]AssetFacts) {
	attached := p.PostInput.AllAssetIDs()
	p.AssetTags = TagsOf(attached, facts)
	for _, id := range attached {
		if f := facts[id]; f.Status == crier.AssetReady && !f.Deleted {
			p.Thumbnails = append(p.Thumbnails, id)
		}
	}
	for _, part := range p.PostInput.AllParts() {
		for _, a := range part.Attachments {
			if a.Media != nil {
				a.Media.Asset = facts[a.Media.Asset.AssetID].attached(a.Media.Asset.AssetID)
			}
		}
	}
}

// New returns a just inserted post as it would be read, with input as its content.
func (p Post) New(input crier.PostInput, facts map[crier.ID]AssetFacts) Post {
	p.Text, p.PostInput, p.AssetIDs = input.Text(), &input, input.AssetIDs()
	p.DeliveryState, p.SaveDestination = crier.DeliveryUnscheduled, crier.SavedToDrafts
	p.SaveMessage = saveMessages[p.SaveDestination]
	p.UserTags, p.ScheduledDestinationAccountIDs = []crier.TagSummary{}, []crier.ID{}
	p.SetAssets(facts)
	return p
}

// TagsOf returns the tags of assets that are not deleted, sorted, without duplicates.
func TagsOf(ids []crier.ID, facts map[crier.ID]AssetFacts) []string {
	tags := []string{}
	for _, id := range ids {
		if f := facts[id]; !f.Deleted {
			tags = append(tags, f.Tags...)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
