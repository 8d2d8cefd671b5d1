package store

import (
	"context"
	"fmt"
	"slices"

	"crier"
)

// complete adds to the rows of posts what is kept beside them, in a fixed number of queries.
func (r reads) complete(ctx context.Context, posts []Post, withScheduled bool) error {
	if len(posts) == 0 {
		return nil
	}
	for _, add := range []func(context.Context, []Post) error{r.addContent, r.addAssets, r.addTags, r.addDestinations} {
		if err := add(ctx, posts); err != nil {
			return err
		}
	}
	if withScheduled {
		return r.addScheduledPosts(ctx, posts)
	}
	return nil
}

func idsOf(posts []Post) []crier.ID {
	ids := make([]crier.ID, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	return ids
}

// addContent adds the present version of the content, its assets by their ids alone.
func (r reads) addContent(ctx context.Context, posts []Post) error {
	ids := make([]crier.ID, len(posts))
	for i, p := range posts {
		ids[i] = p.ContentPayloadID
	}
	payloads, err := r.Payloads(ctx, ids)
	if err != nil {
		return err
	}
	for i := range posts {
		p := &posts[i]
		payload, ok := payloads[p.ContentPayloadID]
		if !ok {
			return fmt.Errorf("post %s has lost its content %s", p.ID, p.ContentPayloadID)
		}
		p.Text, p.PostInput, p.AssetIDs = payload.Text, &payload.PostInput, payload.PostInput.AssetIDs()
	}
	return nil
}

// addAssets fills in what the library knows about the attached assets, and their tags.
func (r reads) addAssets(ctx context.Context, posts []Post) error {
	var ids []crier.ID
	for _, p := range posts {
		ids = append(ids, p.AssetIDs...)
	}
	facts, err := r.AssetFacts(ctx, posts[0].TeamID, ids)
	if err != nil {
		return err
	}
	for i := range posts {
		p := &posts[i]
		p.AssetTags = TagsOf(p.AssetIDs, facts)
		for _, id := range p.AssetIDs {
			if f := facts[id]; f.Status == crier.AssetReady && !f.Deleted {
				p.Thumbnails = append(p.Thumbnails, id)
			}
		}
		for _, part := range p.PostInput.Parts() {
			for _, a := range part.Attachments {
				if a.Media != nil {
					a.Media.Asset = facts[a.Media.Asset.AssetID].attached(a.Media.Asset.AssetID)
				}
			}
		}
	}
	return nil
}

// TagsOf is the union of the tags of the given assets that are not deleted, sorted, without repetitions.
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

func (r reads) addTags(ctx context.Context, posts []Post) error {
	tags, err := r.tagsOfPosts(ctx, idsOf(posts))
	for i := range posts {
		posts[i].UserTags = orEmpty(tags[posts[i].ID])
	}
	return err
}

func (r reads) addDestinations(ctx context.Context, posts []Post) error {
	ids := idsOf(posts)
	latest, err := r.latestScheduledPosts(ctx, ids)
	if err != nil {
		return err
	}
	accounts, err := r.destinations(ctx, ids)
	for i := range posts {
		p := &posts[i]
		p.ScheduledDestinationAccountIDs = orEmpty(accounts[p.ID])
		if s, ok := latest[p.ID]; ok {
			p.LatestScheduledPost = &s
		}
	}
	return err
}

func (r reads) addScheduledPosts(ctx context.Context, posts []Post) error {
	included, err := r.includedScheduledPosts(ctx, idsOf(posts))
	for i := range posts {
		list := orEmpty(included[posts[i].ID])
		posts[i].ScheduledPosts = &list
	}
	return err
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
