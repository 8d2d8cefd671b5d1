package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// SetStatus moves a post between the states that people give it. Leaving approved cancels its scheduled posts. Of a
// post that is archived or rejected, nothing is published any more: its follow-up actions are canceled too, on whatever
// way it gets there.
func (s *Posts) SetStatus(ctx context.Context, scope access.TeamScope, id crier.ID,
	in crier.PostStatusUpdate) (crier.Post, error) {
	return s.SetStatusMatching(ctx, scope, id, crier.VersionMatch{}, in)
}

// SetStatusMatching is SetStatus that fails unless the content is the version that match asks for.
func (s *Posts) SetStatusMatching(ctx context.Context, scope access.TeamScope, id crier.ID, match crier.VersionMatch,
	in crier.PostStatusUpdate) (crier.Post, error) {
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
		if in.Status == crier.PostApproved && scope.Team().RequireApproval && !scope.Can(crier.ApprovePosts) {
			return crier.Post{}, crier.Forbidden("This team requires approval, and approving needs the permission %s.",
				crier.ApprovePosts)
		}
		if !before.Status.CanMoveTo(in.Status) {
			return crier.Post{}, crier.Conflict("A post cannot move from %s to %s.", before.Status, in.Status)
		}
		if before.Status == crier.PostApproved || setAside(in.Status) {
			if err := s.stopPending(ctx, tx, id, !setAside(in.Status)); err != nil {
				return crier.Post{}, err
			}
		}
		return s.move(ctx, tx, before, in.Status)
	})
}

// setAside reports whether nothing of a post in a state is published, not even what follows its published ones.
func setAside(status crier.PostStatus) bool {
	return status == crier.PostArchived || status == crier.PostRejected || status == crier.PostDeleted
}

// MoveToDraft cancels the scheduled posts and keeps the post. Follow-up actions of published ones continue.
func (s *Posts) MoveToDraft(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Post, error) {
	if err := scope.Check(); err != nil {
		return crier.Post{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Post, error) {
		before, err := tx.PostForUpdate(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.Post{}, err
		}
		if before.Status != crier.PostDraft && before.DeliveryState == crier.DeliveryPublished {
			return crier.Post{}, crier.Conflict("Everything of this post is published; there is nothing to stop.")
		}
		if err := s.stopPending(ctx, tx, id, true); err != nil {
			return crier.Post{}, err
		}
		if before.Status == crier.PostDraft {
			unchanged, err := tx.Post(ctx, before.TeamID, id, false)
			return s.shownPost(unchanged), err
		}
		return s.move(ctx, tx, before, crier.PostDraft)
	})
}

// stopPending cancels the scheduled posts of a post, unless one is being published right now. With keepActions,
// follow-up actions of published ones continue.
func (s *Posts) stopPending(ctx context.Context, tx *store.Tx, id crier.ID, keepActions bool) error {
	live, err := tx.LivePublications(ctx, id)
	if err != nil {
		return err
	}
	for _, p := range live {
		if p.Status.Running() {
			return crier.Conflict("The publication %s is %s right now; wait until it has ended.", p.ID, p.Status)
		}
	}
	if len(live) == 0 && keepActions {
		return nil
	}
	return s.cancelPending(ctx, tx, id, keepActions)
}

func (s *Posts) move(ctx context.Context, tx *store.Tx, before store.Post, to crier.PostStatus) (crier.Post, error) {
	after := before
	after.Status, after.UpdatedAt = to, s.clock.Now()
	if err := tx.UpdatePost(ctx, after); err != nil {
		return crier.Post{}, err
	}
	complete, err := tx.Post(ctx, after.TeamID, after.ID, false)
	if err != nil {
		return crier.Post{}, err
	}
	shown := s.shownPost(complete)
	return shown, s.recordPostStatus(tx, s.shownPost(before), shown)
}
