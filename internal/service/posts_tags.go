package service

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"crier"
	"crier/internal/store"
)

// SetTags says which tags a post has.
func (s *Posts) SetTags(ctx context.Context, scope TeamScope, id crier.ID, in crier.PostTagsUpdate) (crier.Post, error) {
	if err := scope.check(); err != nil {
		return crier.Post{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Post, error) {
		p, err := tx.PostForUpdate(ctx, scope.team.ID, id)
		if err != nil {
			return crier.Post{}, err
		}
		has, missing, err := tx.LockPostTags(ctx, p.TeamID, id, in.TagIDs)
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
		if changed {
			p.UpdatedAt = s.now()
			if err := tx.UpdatePost(ctx, p); err != nil {
				return crier.Post{}, err
			}
		}
		complete, err := tx.Post(ctx, p.TeamID, id, false)
		return s.shownPost(complete), err
	})
}

func unknownTags(wanted, missing []crier.ID) []crier.Issue {
	var issues []crier.Issue
	for i, id := range wanted {
		if slices.Contains(missing, id) {
			issues = append(issues, crier.At(fmt.Sprintf("there is no tag %s in this team", id), "tagIds", strconv.Itoa(i)))
		}
	}
	return issues
}
