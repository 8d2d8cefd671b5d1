package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/publish"
	"crier/internal/store"
)

// Retry tries a publication again that failed or was missed, with what the post says now. What it costs is reserved
// anew.
func (s *ScheduledPosts) Retry(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.ScheduledPost, error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		if err := s.engine.Publisher.MayRetry(ctx, tx, *p); err != nil {
			return err
		}
		head, err := s.approveAgain(ctx, tx, scope, *p)
		if err != nil {
			return err
		}
		renewed, err := s.renew(ctx, tx, scope, head, p)
		if err != nil {
			return err
		}
		if err := s.engine.Publisher.Retry(ctx, tx, p); err != nil || !renewed {
			return err
		}
		p.State = publish.EmptyState()
		return tx.MovePublication(ctx, *p, s.clock.Now())
	})
}

// Resolve lets a person say what became of a publication whose outcome is unknown. If more of it is published then, its
// post must be one that may be: it may have been rejected meanwhile. What would follow a post that is set aside is
// canceled.
func (s *ScheduledPosts) Resolve(ctx context.Context, scope access.TeamScope, id crier.ID,
	in crier.Resolution) (crier.ScheduledPost, error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		if in.Action != "" {
			return s.resolveAction(ctx, tx, scope, *p, in)
		}
		status, err := tx.PostStatus(ctx, p.PostID)
		if err != nil {
			return err
		}
		continues, err := s.engine.Publisher.Continues(*p, in)
		if err != nil {
			return err
		}
		// The rest of a thread whose post was deleted is not published, so what is there can still be told.
		if continues && (status != crier.PostDeleted || in.Outcome == "retry") {
			if _, err := s.approveAgain(ctx, tx, scope, *p); err != nil {
				return err
			}
		}
		if err := s.engine.Publisher.Resolve(ctx, tx, p, in); err != nil {
			return err
		}
		return s.endSetAside(ctx, tx, *p)
	})
}

// resolveAction applies a person's decision about an action that follows a publication.
func (s *ScheduledPosts) resolveAction(ctx context.Context, tx *store.Tx, scope access.TeamScope, p store.Publication,
	in crier.Resolution) error {
	action, err := tx.LockAction(ctx, p.ID, store.PublicationKind(in.Action))
	if err != nil {
		return err
	}
	if action == nil {
		return crier.Invalid(crier.At("this scheduled post has no such action, or it has not begun", "action"))
	}
	if action.Status == crier.Unknown && in.Outcome == "retry" {
		head, err := tx.LockPostHead(ctx, scope.Team().ID, p.PostID)
		if err != nil {
			return err
		}
		if setAside(head.Status) {
			return crier.Conflict("Nothing follows a post that is %s. Resolve it as published or failed.", head.Status)
		}
	}
	return s.engine.Publisher.Resolve(ctx, tx, action, in)
}

// endSetAside cancels what is pending of a post that is set aside. Nothing can be done about the failure of one that
// was deleted.
func (s *ScheduledPosts) endSetAside(ctx context.Context, tx *store.Tx, p store.Publication) error {
	status, err := tx.PostStatus(ctx, p.PostID)
	if err != nil || !setAside(status) {
		return err
	}
	pending, err := tx.LockScheduled(ctx, p.PostID, false)
	if err != nil {
		return err
	}
	if err := s.engine.Publisher.Cancel(ctx, tx, pending); err != nil || status != crier.PostDeleted {
		return err
	}
	shown, err := s.read(ctx, tx, p.ID)
	if err != nil || !shown.NeedsAttention || shown.Status != crier.Failed {
		return err
	}
	return dismissProblem(ctx, tx, s.clock.Now(), shown)
}

// approveAgain lets a publication begin once more if its post may be scheduled: the post may have been rejected,
// archived or deleted since. Like scheduling, it approves a draft.
func (s *ScheduledPosts) approveAgain(ctx context.Context, tx *store.Tx, scope access.TeamScope,
	p store.Publication) (store.PostHead, error) {
	head, err := tx.LockPostHead(ctx, scope.Team().ID, p.PostID)
	if err != nil {
		return head, err
	}
	if err := mayPublish(scope.Team(), head); err != nil || head.Status == crier.PostApproved {
		return head, err
	}
	return head, tx.Approve(ctx, head.ID, s.clock.Now())
}

// renew gives a publication the present content of its post, which may have been edited since it failed; false if it
// has it already. A thread of which a part is public continues as it began.
func (s *ScheduledPosts) renew(ctx context.Context, tx *store.Tx, scope access.TeamScope, head store.PostHead,
	p *store.Publication) (bool, error) {
	if head.PayloadID == p.PayloadID || p.Results.PublishedAt != nil {
		return false, nil
	}
	d := delivery{accountID: p.SocialAccountID, moves: p, actions: p.Actions}
	d.content.Settings = p.Settings
	var ok bool
	if d.provider, ok = s.providers.Get(string(p.Provider)); !ok {
		return false, crier.Conflict("This installation has no client for %s.", p.Provider)
	}
	var err error
	if d.account, err = tx.Account(ctx, p.SocialAccountID); err != nil {
		return false, err
	}
	f := fanOut{providers: s.providers, saved: head.Actions,
		targets:  crier.Targets{SocialAccountIDs: []crier.ID{p.SocialAccountID}},
		accounts: map[crier.ID]store.Account{p.SocialAccountID: d.account},
		live:     map[crier.ID]store.Publication{p.SocialAccountID: *p}}
	if f.content, err = s.engine.Content.Post(ctx, tx, scope.Team().ID, head.PayloadID); err != nil {
		return false, err
	}
	if err := s.schedules.mayPlan(ctx, tx, scope, head, f); err != nil {
		return false, err
	}
	if f.assets, err = s.engine.Content.Media(ctx, tx, scope.Team().ID, f.requestedAssets()); err != nil {
		return false, err
	}
	if found := f.check(&d); !found.OK() {
		return false, crier.Conflict("%s does not accept the post as it is now: %s", d.provider.Info().DisplayName,
			sentence(found.Issues))
	}
	p.PayloadID, p.Actions = head.PayloadID, d.actions
	return true, nil
}
