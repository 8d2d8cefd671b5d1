package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// Update changes a post. What is scheduled of it publishes the new content; while something is being published, or its
// outcome is unknown, only the title can change. In a team that requires approval, an edit takes the approval back.
func (s *Posts) Update(ctx context.Context, scope access.TeamScope, id crier.ID, in crier.PostUpdate) (crier.Post,
	error) {
	return s.UpdateMatching(ctx, scope, id, crier.VersionMatch{}, in)
}

// UpdateMatching is Update that fails unless the content is the version that match asks for.
func (s *Posts) UpdateMatching(ctx context.Context, scope access.TeamScope, id crier.ID, match crier.VersionMatch,
	in crier.PostUpdate) (crier.Post, error) {
	if err := scope.Check(); err != nil {
		return crier.Post{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Post, error) {
		before, err := tx.PostForUpdate(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.Post{}, err
		}
		if err := match.Check(before.ContentPayloadID); err != nil {
			return crier.Post{}, err
		}
		after, facts, err := s.change(ctx, tx, before, in)
		if err != nil {
			return crier.Post{}, err
		}
		edited := !sameContent(before, after)
		if !edited && sameJSON(before.Title, after.Title) && before.TypeGiven == after.TypeGiven {
			return s.shownPost(before), nil
		}
		after.UpdatedAt = s.clock.Now()
		if edited {
			if err := s.edit(ctx, tx, scope, before, &after); err != nil {
				return crier.Post{}, err
			}
		}
		if err := s.saveUpdate(ctx, tx, scope, before, after, in, edited); err != nil {
			return crier.Post{}, err
		}
		return s.finish(ctx, tx, &before, after, facts)
	})
}

// saveUpdate writes the post, a new version of its content, and what that means for what is scheduled.
func (s *Posts) saveUpdate(ctx context.Context, tx *store.Tx, scope access.TeamScope, before, after store.Post,
	in crier.PostUpdate, edited bool) error {
	if err := tx.UpdatePost(ctx, after); err != nil {
		return err
	}
	if before.ContentPayloadID != after.ContentPayloadID {
		var earlier *crier.ID
		replaces, err := s.autosaves(ctx, tx, scope, before, after.UpdatedAt)
		if err != nil {
			return err
		}
		if replaces {
			earlier = &before.ContentPayloadID
		}
		if err := s.saveContent(ctx, tx, scope, after, after.UpdatedAt, earlier); err != nil {
			return err
		}
	}
	if !edited {
		return nil
	}
	return s.replan(ctx, tx, before, after, in)
}

// change applies the request and returns every issue.
func (s *Posts) change(ctx context.Context, tx *store.Tx, before store.Post, in crier.PostUpdate) (store.Post,
	map[crier.ID]store.AssetFacts, error) {
	after := before
	if in.Title.Set {
		after.Title = in.Title.Ptr()
	}
	if in.PostType.Set {
		after.TypeGiven = in.PostType.HasValue()
	}
	if in.PostType.HasValue() {
		after.PostType = in.PostType.Value
	}
	if in.PostPublishActions.Set {
		after.PostPublishActions = in.PostPublishActions.Ptr()
	}
	input, issues := updateInput(*before.PostInput, in)
	after.PostInput = &input
	refs := contentRefs(input, !in.PostInput.HasValue())
	if !in.PostInput.Set && !in.AssetIDs.Set {
		refs = at(refs, "postType")
	}
	had := append(before.PostInput.AllAssetIDs(), idsOf(actionRefs(before.PostPublishActions))...)
	facts, more, err := settleContent(ctx, tx, &after, refs, had)
	if err != nil {
		return after, nil, err
	}
	if issues = append(issues, more...); len(issues) > 0 {
		return after, nil, crier.Invalid(issues...)
	}
	return after, facts, nil
}

// sameContent reports whether two versions of a post differ in the title at most.
func sameContent(a, b store.Post) bool {
	return a.PostType == b.PostType && sameJSON(bare(*a.PostInput), bare(*b.PostInput)) &&
		sameJSON(a.PostPublishActions, b.PostPublishActions)
}

// edit makes a content change of a post that may have publications: pending ones follow it, or are cancelled when it
// needs a new approval.
func (s *Posts) edit(ctx context.Context, tx *store.Tx, scope access.TeamScope, before store.Post,
	after *store.Post) error {
	live, err := tx.LivePublications(ctx, before.ID)
	if err != nil {
		return err
	}
	for _, p := range live {
		if p.Status != crier.Scheduled {
			return crier.Conflict("The content cannot change now: the publication %s is %s. The title and the tags "+
				"can.", p.ID, p.Status)
		}
	}
	if before.PostType != after.PostType || !sameJSON(bare(*before.PostInput), bare(*after.PostInput)) {
		after.ContentPayloadID = crier.NewID()
	}
	if scope.Team().RequireApproval && before.Status == crier.PostApproved {
		after.Status = crier.PostDraft
		return s.cancelPending(ctx, tx, before.ID, false)
	}
	return nil
}
