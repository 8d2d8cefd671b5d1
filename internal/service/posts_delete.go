package service

import (
	"context"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/publish"
	"crier/internal/store"
)

// Delete removes a post from the API and cancels what is pending of it. With fromPlatform, what was published is
// removed from the networks too.
func (s *Posts) Delete(ctx context.Context, scope access.TeamScope, id crier.ID, fromPlatform bool) (crier.PostDeletion,
	error) {
	if err := scope.Check(); err != nil {
		return crier.PostDeletion{}, err
	}
	out, err := access.Write(ctx, s.writes, func(tx *store.Tx) (crier.PostDeletion, error) {
		out := crier.PostDeletion{Deleted: true}
		before, err := tx.PostForUpdate(ctx, scope.Team().ID, id)
		if err != nil {
			return out, err
		}
		if err := s.stopPending(ctx, tx, id, false); err != nil {
			return out, err
		}
		if fromPlatform {
			if out.PlatformDeletes, err = s.platformDeletes(ctx, tx, before); err != nil {
				return out, err
			}
		}
		if err := s.dismissProblems(ctx, tx, before); err != nil {
			return out, err
		}
		if err := s.recordDeleted(ctx, tx, before); err != nil {
			return out, err
		}
		return out, s.remove(ctx, tx, before)
	})
	if err != nil {
		return out, err
	}
	return s.awaitDeletes(ctx, out)
}

// dismissProblems dismisses the failures of a post that is deleted: nothing can be done about them any more. An unknown
// outcome still needs a person, who looks at the network.
func (s *Posts) dismissProblems(ctx context.Context, tx *store.Tx, post store.Post) error {
	whole, err := tx.Post(ctx, post.TeamID, post.ID, true)
	if err != nil || whole.ScheduledPosts == nil {
		return err
	}
	now := s.clock.Now()
	for _, p := range *whole.ScheduledPosts {
		if !p.NeedsAttention || p.Status == crier.Unknown {
			continue
		}
		if err := dismissProblem(ctx, tx, now, p); err != nil {
			return err
		}
	}
	return nil
}

// dismissProblem dismisses the failure of a scheduled post.
func dismissProblem(ctx context.Context, tx *store.Tx, now crier.Time, p crier.ScheduledPost) error {
	if _, _, err := tx.Dismiss(ctx, p.ID, now); err != nil {
		return err
	}
	return recordDismissed(tx, now, p)
}

// recordDeleted records the deletion of a post before it is removed: its event shows what will be gone.
func (s *Posts) recordDeleted(ctx context.Context, tx *store.Tx, before store.Post) error {
	last, err := tx.Post(ctx, before.TeamID, before.ID, false)
	if err != nil {
		return err
	}
	now, shown := s.clock.Now(), s.shownPost(last)
	shown.Status, shown.UpdatedAt = crier.PostDeleted, now
	return events.Record(tx, now, events.Fact{Type: crier.PostDeletedEvent, TeamID: &shown.TeamID, Object: shown,
		Before: s.shownPost(before)})
}

// remove hides the post and removes it from all counters.
func (s *Posts) remove(ctx context.Context, tx *store.Tx, p store.Post) error {
	if err := tx.DeletePost(ctx, p.ID, s.clock.Now()); err != nil {
		return err
	}
	tags, _, err := tx.LockPostTags(ctx, p.TeamID, p.ID, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ReplacePostTags(ctx, p.ID, tags, nil); err != nil {
		return err
	}
	none := map[crier.FacetField][]string{}
	for _, field := range crier.FacetFields() {
		none[field] = nil
	}
	return tx.ReplaceFacets(ctx, p.TeamID, p.ID, none)
}

// platformDeletes returns the published posts to delete from their networks, and enqueues the deletions. Those whose
// outcome is unknown follow: their deletion waits until a person tells that they are public.
func (s *Posts) platformDeletes(ctx context.Context, tx *store.Tx, p store.Post) ([]crier.PlatformDelete, error) {
	list, err := tx.PublishedPlatformPosts(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Verdict, list[i].Message = deletePending, "The network has not answered yet; it is tried again."
	}
	unknown, err := tx.LockUnknown(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	for _, u := range unknown {
		if err := s.engine.Publisher.RequestDeletion(ctx, tx, u); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(d crier.PlatformDelete) bool {
			return d.ScheduledPostID == u.ScheduledPostID
		}) {
			list = append(list, crier.PlatformDelete{Provider: u.Provider, SocialAccountID: u.SocialAccountID,
				ScheduledPostID: u.ScheduledPostID, Verdict: deletePending, Message: publish.DeletionWaits})
		}
	}
	for _, d := range list {
		job := job.Job{Args: job.Unpublish{ScheduledPostID: d.ScheduledPostID, Provider: d.Provider, TeamID: p.TeamID}}
		if err := s.queue.Enqueue(ctx, tx, job); err != nil {
			return nil, err
		}
	}
	return list, nil
}
