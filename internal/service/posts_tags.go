package service

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"crier"
	"crier/internal/access"
	"crier/internal/store"
)

// SetTags sets the tags of a post.
func (s *Posts) SetTags(ctx context.Context, scope access.TeamScope, id crier.ID, in crier.PostTagsUpdate) (crier.Post,
	error) {
	if err := scope.Check(); err != nil {
		return crier.Post{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Post, error) {
		before, err := tx.PostForUpdate(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.Post{}, err
		}
		has, missing, err := tx.LockPostTags(ctx, before.TeamID, id, in.TagIDs)
		if err != nil {
			return crier.Post{}, err
		}
		if issues := unknownTags(in.TagIDs, missing); len(issues) > 0 {
			return crier.Post{}, crier.Invalid(issues...)
		}
		changed, err := tx.ReplacePostTags(ctx, id, has, in.TagIDs)
		if err != nil {
			return crier.Post{}, err
		}
		if !changed {
			return s.shownPost(before), nil
		}
		after := before
		after.UpdatedAt = s.clock.Now()
		if err := tx.UpdatePost(ctx, after); err != nil {
			return crier.Post{}, err
		}
		if after, err = tx.Post(ctx, after.TeamID, id, false); err != nil {
			return crier.Post{}, err
		}
		shown := s.shownPost(after)
		return shown, s.recordPost(tx, &before, shown)
	})
}

func unknownTags(wanted, missing []crier.ID) []crier.Issue {
	var issues []crier.Issue
	for i, id := range wanted {
		if slices.Contains(missing, id) {
			issues = append(issues, crier.At(fmt.Sprintf("there is no tag %s in this team", id), "tagIds",
				strconv.Itoa(i)))
		}
	}
	return issues
}
