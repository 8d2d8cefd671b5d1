package service

import (
	"context"
	"hash/fnv"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// maxTags bounds the tags of a team.
const maxTags = 500

// tagColours are what tags without a colour of their own get: distinct, and readable on light and dark ground.
var tagColours = []string{
	"#e5484d", "#e54666", "#d6409f", "#ab4aba", "#8e4ec6", "#6e56cf", "#5b5bd6", "#3e63dd",
	"#0090ff", "#00a2c7", "#12a594", "#30a46c", "#46a758", "#bd8e00", "#f76b15", "#a18072",
}

// TagSorts are the orders that tags can be listed in; the first is the default.
var TagSorts = []string{"createdAt", "name"}

// Tags implements tags.
type Tags struct {
	store  *store.Store
	writes *access.Idempotency
	clock  crier.Clock
	pages  *pagination.Cursors
}

// List returns one page of a team's tags.
func (s *Tags) List(ctx context.Context, scope access.TeamScope, q pagination.Query) (crier.Page[crier.Tag], error) {
	var none crier.Page[crier.Tag]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.Tags(ctx, scope.Team().ID, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.TagCount(ctx, scope.Team().ID)
	if err != nil {
		return none, err
	}
	return pagination.Page(s.pages, q, rows, total), nil
}

// Create creates a tag.
func (s *Tags) Create(ctx context.Context, scope access.TeamScope, in crier.TagCreate) (crier.Tag, error) {
	if err := scope.Check(); err != nil {
		return crier.Tag{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Tag, error) {
		if _, err := tx.LockTeam(ctx, scope.Team().ID); err != nil {
			return crier.Tag{}, err
		}
		n, err := tx.TagCount(ctx, scope.Team().ID)
		if err != nil {
			return crier.Tag{}, err
		}
		if n >= maxTags {
			return crier.Tag{}, crier.Conflict("A team has at most %d tags.", maxTags)
		}
		now := s.clock.Now()
		t := crier.Tag{ID: crier.NewID(), TeamID: scope.Team().ID, Name: in.Name.Trimmed(), CreatedAt: now,
			UpdatedAt: now}
		t.Colour = colourOf(t.Name)
		if in.Colour != nil {
			t.Colour = string(*in.Colour)
		}
		return t, tx.InsertTag(ctx, t, store.FoldName(t.Name))
	})
}

// Update changes the name or the colour of a tag.
func (s *Tags) Update(ctx context.Context, scope access.TeamScope, id crier.ID, in crier.TagUpdate) (crier.Tag, error) {
	if err := scope.Check(); err != nil {
		return crier.Tag{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Tag, error) {
		t, err := tx.LockTag(ctx, scope.Team().ID, id)
		if err != nil {
			return t, err
		}
		if in.Name.Set {
			t.Name = in.Name.Value.Trimmed()
		}
		if in.Colour.Set {
			t.Colour = string(in.Colour.Value)
		}
		t.UpdatedAt = s.clock.Now()
		return t, tx.UpdateTag(ctx, t, store.FoldName(t.Name))
	})
}

// Delete removes a tag, from all posts too.
func (s *Tags) Delete(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.Check(); err != nil {
		return crier.Deleted{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.Deleted, error) {
		if _, err := tx.LockTag(ctx, scope.Team().ID, id); err != nil {
			return crier.Deleted{}, err
		}
		return crier.Deleted{Deleted: true}, tx.DeleteTag(ctx, id)
	})
}

// colourOf returns the same colour for the same name, always.
func colourOf(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(store.FoldName(name))) // a hash takes everything
	return tagColours[int(h.Sum32()&0xffff)%len(tagColours)]
}
