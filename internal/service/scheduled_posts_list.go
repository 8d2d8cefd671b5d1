package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// ScheduledPostSorts are what a list of scheduled posts can be sorted by; the first is the default.
var ScheduledPostSorts = []string{"scheduledAt"}

// ScheduledPostFilter says which scheduled posts a list shows.
type ScheduledPostFilter struct{ store.ScheduledPostFilter }

// ListName names the list that a filter makes: cursors of one do not fit another.
func (f ScheduledPostFilter) ListName(team crier.ID) string {
	f.TeamID = team
	f.Statuses, f.Providers, f.SocialAccountIDs = sorted(f.Statuses), sorted(f.Providers), sorted(f.SocialAccountIDs)
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // texts and times always encode
	}
	sum := sha256.Sum256(data)
	return "scheduled posts " + hex.EncodeToString(sum[:12])
}

// List returns one page of a team's scheduled posts.
func (s *ScheduledPosts) List(ctx context.Context, scope access.TeamScope, f ScheduledPostFilter,
	q pagination.Query) (crier.Page[crier.ScheduledPost], error) {
	var none crier.Page[crier.ScheduledPost]
	if err := scope.Check(); err != nil {
		return none, err
	}
	f.TeamID = scope.Team().ID
	rows, total, err := s.store.ScheduledPostPage(ctx, f.ScheduledPostFilter, q.Rows())
	if err != nil {
		return none, err
	}
	return pagination.CappedPage(s.pages, q, rows, total), nil
}
