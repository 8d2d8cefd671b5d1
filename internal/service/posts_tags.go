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
		p, err := tx.PostForUpdate(ctx, scope.Team().ID, id)
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
			p.UpdatedAt = s.clock.Now()
			if err := tx.UpdatePost(ctx, p); err != nil {
				return crier.Post{}, err
			}
		}
		complete, err := tx.Post(ctx, p.TeamID, id, false)
		shown := s.shownPost(complete)
		if err != nil || !changed {
			return shown, err
		}
		return shown, s.recordPost(tx, &p, shown)
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
