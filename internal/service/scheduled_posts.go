package service

import (
	"context"
	"slices"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// maxAttempts bounds the list of attempts.
const maxAttempts = 500

// ScheduledPosts are the rules of single publications: looking at them, trying again, deciding unknown outcomes.
type ScheduledPosts struct {
	*core
	publisher *Publisher
}

// Get returns one scheduled post.
func (s *ScheduledPosts) Get(ctx context.Context, scope TeamScope, id crier.ID) (crier.ScheduledPost, error) {
	if err := scope.check(); err != nil {
		return crier.ScheduledPost{}, err
	}
	p, err := s.store.ScheduledPost(ctx, scope.team.ID, id)
	if err != nil {
		return crier.ScheduledPost{}, err
	}
	return shownPublication(p), nil
}

// Attempts returns everything that was tried for a scheduled post, the oldest first.
func (s *ScheduledPosts) Attempts(ctx context.Context, scope TeamScope, id crier.ID) (crier.AttemptList, error) {
	out := crier.AttemptList{Data: []crier.Attempt{}}
	if err := scope.check(); err != nil {
		return out, err
	}
	if _, err := s.store.ScheduledPost(ctx, scope.team.ID, id); err != nil {
		return out, err
	}
	attempts, err := s.store.Attempts(ctx, id, maxAttempts)
	for _, a := range attempts {
		out.Data = append(out.Data, a.Attempt)
	}
	return out, err
}

// Retry tries a publication again that failed or was missed. What it costs is reserved anew.
func (s *ScheduledPosts) Retry(ctx context.Context, scope TeamScope, id crier.ID) (crier.ScheduledPost, error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		switch p.Status {
		case crier.Failed, crier.Missed:
		case crier.Unknown:
			return crier.Conflict("Whether this was published is not known. Look at the network and resolve it instead.")
		default:
			return crier.Conflict("Only what failed or was missed can be tried again; this is %s.", p.Status)
		}
		return s.revive(ctx, tx, p)
	})
}

// Resolve lets a person say what became of a publication whose outcome is unknown.
func (s *ScheduledPosts) Resolve(ctx context.Context, scope TeamScope, id crier.ID, in crier.Resolution) (crier.ScheduledPost, error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		if p.Status != crier.Unknown {
			return crier.Conflict("Only an unknown outcome can be resolved; this is %s.", p.Status)
		}
		switch in.Outcome {
		case "published":
			return s.resolvePublished(ctx, tx, p, in.PlatformPostID)
		case "retry":
			return s.revive(ctx, tx, p)
		}
		return s.resolveFailed(ctx, tx, p)
	})
}

// decide changes a publication by a person's word, whatever works on it.
func (s *ScheduledPosts) decide(ctx context.Context, scope TeamScope, id crier.ID, apply func(*store.Tx, *store.Publication) error) (crier.ScheduledPost, error) {
	if err := scope.check(); err != nil {
		return crier.ScheduledPost{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.ScheduledPost, error) {
		known, err := tx.ScheduledPost(ctx, scope.team.ID, id)
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		if err := tx.LockPost(ctx, known.PostID); err != nil {
			return crier.ScheduledPost{}, err
		}
		p, err := tx.LockPublication(ctx, store.Ref{ID: id})
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		if err := apply(tx, &p); err != nil {
			return crier.ScheduledPost{}, err
		}
		p.UpdatedAt = s.now()
		return shownPublication(p), tx.RefreshPosts(ctx, p.PostID)
	})
}

// revive makes a publication due now, in a new epoch.
func (s *ScheduledPosts) revive(ctx context.Context, tx *store.Tx, p *store.Publication) error {
	if p.Status != crier.Unknown {
		if err := s.noOther(ctx, tx, *p); err != nil {
			return err
		}
		needed := p.Actions.Total() - p.Captured - p.Reserved
		if err := s.reserve(ctx, tx, p.OrganizationID, needed, &p.ID); err != nil {
			return err
		}
		p.Reserved += needed
	} else if err := s.closeLast(ctx, tx, *p, "absent"); err != nil {
		return err
	}
	st, err := s.loadState(*p)
	if err != nil {
		return err
	}
	st = provider.State{Published: st.Published, PlatformPostID: st.PlatformPostID}
	if err := s.keepState(p, st); err != nil {
		return err
	}
	now := s.now()
	if p.Actions.SeriesStart == nil { // the series goes on from the planned time, not from this one
		planned := p.ScheduledAt
		p.Actions.SeriesStart = &planned
	}
	p.Status, p.ScheduledAt, p.SlotAt, p.WakeAt, p.Tries, p.Epoch = crier.Scheduled, now, nil, &now, 0, p.Epoch+1
	if len(st.Published) > 0 {
		p.Status = crier.Publishing
	}
	p.ErrorCode, p.ErrorMessage = nil, nil
	if err := tx.Overwrite(ctx, *p, now); err != nil {
		return err
	}
	return s.queue.Enqueue(ctx, tx, publishJob(*p, now.Time))
}

// noOther refuses when the post has meanwhile been scheduled on the account again.
func (s *ScheduledPosts) noOther(ctx context.Context, tx *store.Tx, p store.Publication) error {
	live, err := tx.HasLive(ctx, p.PostID, p.SocialAccountID)
	if err != nil {
		return err
	}
	if live {
		return crier.Conflict("The post is scheduled on this account again already.")
	}
	return nil
}

// closeLast completes the attempt whose outcome was unknown.
func (s *ScheduledPosts) closeLast(ctx context.Context, tx *store.Tx, p store.Publication, outcome string) error {
	last, err := tx.LastSend(ctx, p)
	if err != nil || last == nil {
		return err
	}
	return tx.ResolveAttempt(ctx, last.ID, outcome, s.now())
}

// resolvePublished takes a person's word that the part in question is public.
func (s *ScheduledPosts) resolvePublished(ctx context.Context, tx *store.Tx, p *store.Publication, platformPostID string) error {
	st, err := s.loadState(*p)
	if err != nil {
		return err
	}
	if err := s.closeLast(ctx, tx, *p, "published"); err != nil {
		return err
	}
	st.Data = nil
	st.Publish(provider.Published{PlatformPostID: platformPostID, PublishedAt: s.clock()}, max(1, len(p.Actions.PartCosts)))
	w := &publishing{Publisher: s.publisher, p: *p, state: st}
	if err := s.keepState(p, st); err != nil {
		return err
	}
	w.p = *p
	if !st.Done {
		captured := owed(*p, st)
		p.Reserved, p.Captured = p.Reserved-captured, p.Captured+captured
		if err := s.capture(ctx, tx, p.OrganizationID, captured, p.ID); err != nil {
			return err
		}
		return s.revivePublishing(ctx, tx, p)
	}
	return s.settleByHand(ctx, tx, w, p, w.published)
}

// revivePublishing goes on with the next part of a thread.
func (s *ScheduledPosts) revivePublishing(ctx context.Context, tx *store.Tx, p *store.Publication) error {
	now := s.now()
	p.Status, p.WakeAt, p.Epoch, p.ErrorCode, p.ErrorMessage = crier.Publishing, &now, p.Epoch+1, nil, nil
	if err := tx.Overwrite(ctx, *p, now); err != nil {
		return err
	}
	return s.queue.Enqueue(ctx, tx, publishJob(*p, now.Time))
}

// resolveFailed takes a person's word that nothing became public.
func (s *ScheduledPosts) resolveFailed(ctx context.Context, tx *store.Tx, p *store.Publication) error {
	st, err := s.loadState(*p)
	if err != nil {
		return err
	}
	if err := s.closeLast(ctx, tx, *p, "absent"); err != nil {
		return err
	}
	w := &publishing{Publisher: s.publisher, p: *p, state: st}
	return s.settleByHand(ctx, tx, w, p, func(p *store.Publication) {
		p.Status = crier.Failed
		w.noteParts(p)
	})
}

// settleByHand ends a publication by a person's word, with all that an end brings.
func (s *ScheduledPosts) settleByHand(ctx context.Context, tx *store.Tx, w *publishing, p *store.Publication, change func(*store.Publication)) error {
	change(p)
	captured := owed(*p, w.state)
	p.Reserved, p.Captured = p.Reserved-captured, p.Captured+captured
	released := p.Reserved - handedOn(*p)
	p.Reserved, p.WakeAt, p.Epoch = 0, nil, p.Epoch+1
	if err := tx.Overwrite(ctx, *p, s.now()); err != nil {
		return err
	}
	if err := s.capture(ctx, tx, p.OrganizationID, captured, p.ID); err != nil {
		return err
	}
	if err := s.reserve(ctx, tx, p.OrganizationID, -released, &p.ID); err != nil {
		return err
	}
	if p.Status == crier.Published {
		if err := w.followUp(ctx, tx, p); err != nil {
			return err
		}
	}
	return s.recur(ctx, tx, *p)
}

func sortedIDs(m map[crier.ID]store.Publication) []crier.ID {
	ids := make([]crier.ID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
