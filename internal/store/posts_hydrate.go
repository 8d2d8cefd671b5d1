package store

import (
	"context"
	"fmt"
	"slices"

	"crier"
)

// hydration reads the data of posts that is stored in other tables: the questions, which do not depend on each other,
// and their answers. Contents and newest scheduled posts are read together with the posts.
type hydration struct {
	posts        []*Post
	questions    []question
	assets       map[crier.ID]AssetFacts
	tags         map[crier.ID][]crier.TagSummary
	destinations map[crier.ID][]crier.ID
	running      map[crier.ID]bool // a network has the post, of those with several scheduled posts
	latest       *scheduledPosts
	included     *scheduledPosts // nil if not requested
}

// hydration prepares reading the data of posts that is stored in other tables. newest selects the ids of their newest
// scheduled posts. The posts are added when they are read.
func (r reads) hydration(ids []crier.ID, newest string, args []any, withScheduled bool) *hydration {
	h := &hydration{posts: make([]*Post, 0, len(ids)), assets: map[crier.ID]AssetFacts{},
		tags: map[crier.ID][]crier.TagSummary{}, destinations: map[crier.ID][]crier.ID{}, running: map[crier.ID]bool{},
		latest: newFollowUps(newest, args)}
	h.questions = append([]question{
		assetsQuestion(h.assets, ids).unless(h.none((*Post).hasAssets)),
		tagsQuestion(h.tags, ids).unless(h.none(func(p *Post) bool { return p.tagged })),
		destinationsQuestion(h.destinations, h.running, ids).unless(h.none(func(p *Post) bool { return p.several })),
	}, h.latest.questions...)
	if withScheduled {
		h.included = r.includedScheduledPosts(ids)
		h.questions = append(h.questions, h.included.questions...)
	}
	return h
}

// none returns a function that reports whether no post satisfies a condition.
func (h *hydration) none(of func(*Post) bool) func() bool {
	return func() bool { return !slices.ContainsFunc(h.posts, of) }
}

// add adds a post, before the questions are asked.
func (h *hydration) add(p *Post) {
	h.posts = append(h.posts, p)
	if p.latest != nil {
		h.latest.found = append(h.latest.found, p.latest)
	}
}

// hydrate adds the data of posts that is stored in other tables, in one round trip, or none if there is no such data.
func (r reads) hydrate(ctx context.Context, posts []*Post, withScheduled bool) error {
	if len(posts) == 0 || !withScheduled && !slices.ContainsFunc(posts, (*Post).hasMore) {
		(&hydration{posts: posts, latest: &scheduledPosts{}}).complete()
		return nil
	}
	ids, newest := make([]crier.ID, len(posts)), make([]crier.ID, 0, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
		if p.latest != nil {
			newest = append(newest, p.latest.ID)
		}
	}
	marks, args := inList(1, newest)
	h := r.hydration(ids, marks, args, withScheduled)
	for _, p := range posts {
		h.add(p)
	}
	if err := r.askNeeded(ctx, h.questions); err != nil {
		return fmt.Errorf("read what belongs to posts: %w", err)
	}
	h.complete()
	return nil
}

func (p *Post) hasAssets() bool { return len(p.PostInput.AllAssetIDs()) > 0 }

// hasMore reports whether a post may have data in other tables.
func (p *Post) hasMore() bool {
	return p.hasAssets() || p.tagged || p.several || p.latest != nil && p.latest.hasMore()
}

// complete adds the answers of the questions to the posts.
func (h *hydration) complete() {
	var included map[crier.ID][]crier.ScheduledPost
	if h.included != nil {
		included = h.included.byPost()
	}
	for _, p := range h.posts {
		p.SetAssets(h.assets)
		p.UserTags = orEmpty(h.tags[p.ID])
		p.ScheduledDestinationAccountIDs = orEmpty(h.destinations[p.ID])
		if p.latest != nil {
			h.latest.complete(p.latest)
			p.LatestScheduledPost = &p.latest.ScheduledPost
			if status := p.latest.Status; !p.several && (status.Live() || status == crier.Published) {
				p.ScheduledDestinationAccountIDs = []crier.ID{p.latest.SocialAccountID}
			}
		}
		// The start of a call does not write the post: in a burst, its write would come on top of those that must
		// precede the calls.
		if h.running[p.ID] || p.latest != nil && p.latest.Status.Running() {
			p.DeliveryState = crier.DeliveryPublishing
		}
		if h.included != nil {
			list := orEmpty(included[p.ID])
			p.ScheduledPosts = &list
		}
	}
}

// assetsQuestion reads the assets of posts.
func assetsQuestion(found map[crier.ID]AssetFacts, posts []crier.ID) question {
	marks, args := inList(1, posts)
	return newQuestion(`SELECT `+assetFactColumns+` FROM assets a WHERE a.id IN (SELECT x.asset_id FROM post_assets x
		WHERE x.post_id IN (`+marks+`))`, args, func(row scanner) error {
		f, err := scanAssetFacts(row)
		found[f.AssetID] = f
		return err
	})
}

// SetAssets adds the facts and tags of the attached assets. The attachments must not be shared with content to be
// written.
func (p *Post) SetAssets(facts map[crier.ID]AssetFacts) {
	attached := p.PostInput.AllAssetIDs()
	p.AssetTags = TagsOf(attached, facts)
	if len(attached) == 0 {
		return
	}
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
