package service

import (
	"context"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// Posts implements posts.
type Posts struct {
	store     *store.Store
	writes    *access.Idempotency
	providers *provider.Registry
	engine    *publish.Engine
	queue     job.Queue
	addresses *media.Addresses
	clock     crier.Clock
	pages     *pagination.Cursors
	facets    *Facets
}

// Get returns one post, with its scheduled posts when they are asked for.
func (s *Posts) Get(ctx context.Context, scope access.TeamScope, id crier.ID, withScheduled bool) (crier.Post, error) {
	if err := scope.Check(); err != nil {
		return crier.Post{}, err
	}
	p, err := s.store.Post(ctx, scope.Team().ID, id, withScheduled)
	return s.shownPost(p), err
}

// shownPost returns a post as the API shows it.
func (s *Posts) shownPost(p store.Post) crier.Post {
	if p.PostInput == nil || len(p.Thumbnails) == 0 {
		return p.Post
	}
	for _, part := range p.PostInput.AllParts() {
		for _, a := range part.Attachments {
			if a.Media != nil && slices.Contains(p.Thumbnails, a.Media.Asset.AssetID) {
				a.Media.Asset.ThumbnailURL = s.addresses.Thumbnail(a.Media.Asset.AssetID)
			}
		}
	}
	return p.Post
}

// Create creates a draft.
func (s *Posts) Create(ctx context.Context, scope access.TeamScope, in crier.PostCreate) (crier.Post, error) {
	if err := scope.Check(); err != nil {
		return crier.Post{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Post, error) {
		now := s.clock.Now()
		p := store.Post{TypeGiven: in.PostType != nil}
		p.ID, p.TeamID, p.Title, p.Status = crier.NewID(), scope.Team().ID, in.Title, crier.PostDraft
		p.ContentPayloadID, p.PostPublishActions, p.CreatedAt, p.UpdatedAt = crier.NewID(), in.PostPublishActions, now,
			now
		if in.PostType != nil {
			p.PostType = *in.PostType
		}
		input := createInput(in)
		p.PostInput = &input
		facts, issues, err := settleContent(ctx, tx, &p, contentRefs(input, in.PostInput == nil), nil)
		if err != nil {
			return crier.Post{}, err
		}
		if len(issues) > 0 {
			return crier.Post{}, crier.Invalid(issues...)
		}
		if err := tx.InsertPost(ctx, p); err != nil {
			return crier.Post{}, err
		}
		if err := s.saveContent(ctx, tx, scope, p, now, nil); err != nil {
			return crier.Post{}, err
		}
		return s.finish(ctx, tx, nil, p, facts)
	})
}

// settleContent looks up the assets that a post names, completes its type, and finds every issue that only stored data
// can tell. had are the assets that the post has had before: they may stay after their deletion.
func settleContent(ctx context.Context, tx *store.Tx, p *store.Post, refs [][]assetRef,
	had []crier.ID) (map[crier.ID]store.AssetFacts, []crier.Issue, error) {
	named := slices.Concat(slices.Concat(refs...), actionRefs(p.PostPublishActions))
	for i, v := range p.PostInput.Variants {
		if v.Posts != nil || v.Attachments != nil {
			named = append(named, slices.Concat(variantRefs(*p.PostInput, i)...)...)
		}
	}
	facts, err := tx.LockAssetFacts(ctx, p.TeamID, idsOf(named))
	if err != nil {
		return nil, nil, err
	}
	issues := unknownAssets(named, facts, had)
	if len(issues) > 0 {
		return facts, issues, nil
	}
	media := mediaOf(refs, facts)
	if p.TypeGiven {
		issues = wrongMedia(&p.PostType, media)
	} else {
		p.PostType = inferType(media)
		issues = wrongMedia(nil, media)
	}
	more, err := settleVariants(ctx, tx, p, facts)
	return facts, append(issues, more...), err
}

// finish writes what follows from a new or changed post, reads it for the answer, and counts it: the counters are rows
// that everybody waits for, so they come last.
func (s *Posts) finish(ctx context.Context, tx *store.Tx, before *store.Post, p store.Post,
	facts map[crier.ID]store.AssetFacts) (crier.Post, error) {
	if err := tx.ReplaceWords(ctx, p.TeamID, p.ID, searchWords(p.Post)); err != nil {
		return crier.Post{}, err
	}
	complete, err := p.New(bare(*p.PostInput), facts), error(nil) // nothing refers to a new post yet
	if before != nil {
		complete, err = tx.Post(ctx, p.TeamID, p.ID, false)
	}
	if err != nil {
		return crier.Post{}, err
	}
	facets := map[crier.FacetField][]string{}
	if s.facets.local() && (before == nil || before.ContentPayloadID != p.ContentPayloadID) {
		facets = s.facets.contentFacets(ctx, *p.PostInput)
	}
	facets[crier.FacetPostType] = []string{string(p.PostType)}
	facets[crier.FacetAssetTags] = store.TagsOf(p.PostInput.AllAssetIDs(), facts)
	if err := tx.ReplaceFacets(ctx, p.TeamID, p.ID, facets); err != nil {
		return crier.Post{}, err
	}
	shown := s.shownPost(complete)
	return shown, s.recordPost(tx, before, shown)
}
