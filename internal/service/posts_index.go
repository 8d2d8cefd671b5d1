package service

import (
	"context"

	"crier"
	"crier/internal/store"
)

// indexBatch bounds the posts that one look at the database finds.
const indexBatch = 200

// IndexAll rebuilds the search tokens of posts that an earlier version indexed. It works in batches, can be
// interrupted, and may run on several nodes at once.
func (s *Posts) IndexAll(ctx context.Context) error {
	after := crier.ID("")
	for {
		posts, err := s.store.PostsToIndex(ctx, after, indexBatch)
		if err != nil || len(posts) == 0 {
			return err
		}
		for _, id := range posts {
			if err := s.store.WithTx(ctx, func(tx *store.Tx) error { return s.index(ctx, tx, id) }); err != nil {
				return err
			}
		}
		after = posts[len(posts)-1]
	}
}

func (s *Posts) index(ctx context.Context, tx *store.Tx, id crier.ID) error {
	p, err := tx.PostForJob(ctx, id)
	if err != nil || p == nil {
		return err
	}
	if err := tx.ReplaceWords(ctx, p.TeamID, p.ID, searchWords(p.Post)); err != nil {
		return err
	}
	return tx.MarkIndexed(ctx, id)
}
