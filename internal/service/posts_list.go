package service

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"crier"
	"crier/internal/access"
	"crier/internal/enrich"
	"crier/internal/pagination"
	"crier/internal/store"
)

// MaxQueryLength bounds a text search, in characters.
const MaxQueryLength = 200

// PostSorts are the orders that posts can be listed in; the first is the default.
var PostSorts = []string{"createdAt", "updatedAt", "title", "status", "scheduledAt"}

// PostFilter says which posts a list shows.
type PostFilter struct {
	store.PostFilter
	// Query is a text search: posts that have all its words.
	Query string
	// WithScheduled adds the scheduled posts of each post.
	WithScheduled bool
}

// ListName names the list of a team's posts that a filter makes: cursors of one do not fit another. What is only shown
// beside the posts does not matter.
func (f PostFilter) ListName(team crier.ID) string {
	f.TeamID, f.WithScheduled = team, false
	f.Statuses, f.DeliveryStates, f.PostTypes = sorted(f.Statuses), sorted(f.DeliveryStates), sorted(f.PostTypes)
	f.Providers, f.SocialAccountIDs = sorted(f.Providers), sorted(f.SocialAccountIDs)
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // texts and times always encode
	}
	sum := sha256.Sum256(data)
	return "posts " + hex.EncodeToString(sum[:12])
}

func sorted[T cmp.Ordered](list []T) []T { return slices.Sorted(slices.Values(list)) }

// List returns one page of a team's posts.
func (s *Posts) List(ctx context.Context, scope access.TeamScope, f PostFilter,
	q pagination.Query) (crier.Page[crier.Post], error) {
	var none crier.Page[crier.Post]
	if err := scope.Check(); err != nil {
		return none, err
	}
	f.TeamID = scope.Team().ID
	if f.Query != "" {
		if f.Words = enrich.QueryTokens(f.Query); len(f.Words) == 0 {
			none.Data = []crier.Post{}
			return none, nil // nothing to search for finds nothing
		}
	}
	rows, total, err := s.store.Posts(ctx, f.PostFilter, q.Rows(), f.WithScheduled)
	if err != nil {
		return none, err
	}
	return pagination.CappedPageOf(s.pages, q, rows, total, func(p *store.Post) crier.Post {
		return s.shownPost(*p)
	}), nil
}
