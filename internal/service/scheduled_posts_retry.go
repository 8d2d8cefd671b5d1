package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// Retry tries a publication again that failed or was missed. What it costs is reserved anew.
func (s *ScheduledPosts) Retry(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.ScheduledPost, error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		if err := s.engine.Publisher.MayRetry(ctx, tx, *p); err != nil {
			return err
		}
		if err := s.approveAgain(ctx, tx, scope, *p); err != nil {
			return err
		}
		return s.engine.Publisher.Retry(ctx, tx, p)
	})
}

// Resolve lets a person say what became of a publication whose outcome is unknown.
func (s *ScheduledPosts) Resolve(ctx context.Context, scope access.TeamScope, id crier.ID,
	in crier.Resolution) (crier.ScheduledPost, error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		if p.Status == crier.Unknown && in.Outcome == "retry" {
			if err := s.approveAgain(ctx, tx, scope, *p); err != nil {
				return err
			}
		}
		return s.engine.Publisher.Resolve(ctx, tx, p, in)
	})
}

// approveAgain lets a publication begin once more if its post may be scheduled: the post may have been rejected,
// archived or deleted since. Like scheduling, it approves a draft.
func (s *ScheduledPosts) approveAgain(ctx context.Context, tx *store.Tx, scope access.TeamScope,
	p store.Publication) error {
	head, err := tx.LockPostHead(ctx, scope.Team().ID, p.PostID)
	if err != nil {
		return err
	}
	if err := mayPublish(scope.Team(), head); err != nil || head.Status == crier.PostApproved {
		return err
	}
	return tx.Approve(ctx, head.ID, s.clock.Now())
}
