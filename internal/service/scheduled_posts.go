package service

import (
	"context"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// maxAttempts bounds the list of attempts.
const maxAttempts = 500

// ScheduledPosts are the rules of single publications: looking at them, trying again, deciding unknown outcomes.
type ScheduledPosts struct {
	store     *store.Store
	writes    *access.Idempotency
	providers *provider.Registry
	engine    *publish.Engine
	clock     crier.Clock
	pages     *pagination.Cursors
	schedules *Schedules
}

// Get returns one scheduled post.
func (s *ScheduledPosts) Get(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.ScheduledPost, error) {
	if err := scope.Check(); err != nil {
		return crier.ScheduledPost{}, err
	}
	if _, err := s.store.ScheduledPost(ctx, scope.Team().ID, id); err != nil {
		return crier.ScheduledPost{}, err
	}
	return s.read(ctx, s.store, id)
}

// scheduledPostReader is a store or a transaction.
type scheduledPostReader interface {
	ScheduledPosts(ctx context.Context, ids []crier.ID) (map[crier.ID]crier.ScheduledPost, error)
}

// read returns a scheduled post that is known to exist, with what follows it.
func (s *ScheduledPosts) read(ctx context.Context, from scheduledPostReader, id crier.ID) (crier.ScheduledPost, error) {
	found, err := from.ScheduledPosts(ctx, []crier.ID{id})
	if err != nil {
		return crier.ScheduledPost{}, err
	}
	p, ok := found[id]
	if !ok {
		return p, crier.NotFound("There is no scheduled post %s.", id)
	}
	return p, nil
}

// Attempts returns everything that was tried for a scheduled post, the oldest first.
func (s *ScheduledPosts) Attempts(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.AttemptList, error) {
	out := crier.AttemptList{Data: []crier.Attempt{}}
	if err := scope.Check(); err != nil {
		return out, err
	}
	if _, err := s.store.ScheduledPost(ctx, scope.Team().ID, id); err != nil {
		return out, err
	}
	attempts, err := s.store.Attempts(ctx, id, maxAttempts)
	for _, a := range attempts {
		out.Data = append(out.Data, a.Attempt)
	}
	return out, err
}

// decide changes a publication by a person's word, whatever works on it.
func (s *ScheduledPosts) decide(ctx context.Context, scope access.TeamScope, id crier.ID,
	apply func(*store.Tx, *store.Publication) error) (crier.ScheduledPost, error) {
	if err := scope.Check(); err != nil {
		return crier.ScheduledPost{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.ScheduledPost, error) {
		known, err := tx.ScheduledPost(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		if err := tx.LockPost(ctx, known.PostID); err != nil {
			return crier.ScheduledPost{}, err
		}
		p, err := tx.LockPublication(ctx, id)
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		if err := apply(tx, &p); err != nil {
			return crier.ScheduledPost{}, err
		}
		return s.read(ctx, tx, id)
	})
}

func sortedIDs(m map[crier.ID]store.Publication) []crier.ID {
	ids := make([]crier.ID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
