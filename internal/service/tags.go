package service

import (
	"context"
	"hash/fnv"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"crier"
	"crier/internal/store"
)

// maxTags bounds the tags of a team.
const maxTags = 500

// tagColours are what tags without a colour of their own get: distinct, and readable on light and dark ground.
var tagColours = []string{
	"#e5484d", "#e54666", "#d6409f", "#ab4aba", "#8e4ec6", "#6e56cf", "#5b5bd6", "#3e63dd",
	"#0090ff", "#00a2c7", "#12a594", "#30a46c", "#46a758", "#bd8e00", "#f76b15", "#a18072",
}

// Tags are the rules of tags.
type Tags struct {
	*core
	pages *Pages
}

// List returns one page of a team's tags.
func (s *Tags) List(ctx context.Context, scope TeamScope, q PageQuery) (crier.Page[crier.Tag], error) {
	var none crier.Page[crier.Tag]
	if err := scope.check(); err != nil {
		return none, err
	}
	rows, err := s.store.Tags(ctx, scope.team.ID, q.query)
	if err != nil {
		return none, err
	}
	total, err := s.store.TagCount(ctx, scope.team.ID)
	if err != nil {
		return none, err
	}
	return pageOf(s.pages, q, rows, total, same), nil
}

// Create makes a tag.
func (s *Tags) Create(ctx context.Context, scope TeamScope, in crier.TagCreate) (crier.Tag, error) {
	if err := scope.check(); err != nil {
		return crier.Tag{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Tag, error) {
		if _, err := tx.LockTeam(ctx, scope.team.ID); err != nil {
			return crier.Tag{}, err
		}
		n, err := tx.TagCount(ctx, scope.team.ID)
		if err != nil {
			return crier.Tag{}, err
		}
		if n >= maxTags {
			return crier.Tag{}, crier.Conflict("A team has at most %d tags.", maxTags)
		}
		now := s.now()
		t := crier.Tag{ID: crier.NewID(), TeamID: scope.team.ID, Name: in.Name.Trimmed(), CreatedAt: now, UpdatedAt: now}
		t.Colour = colourOf(t.Name)
		if in.Colour != nil {
			t.Colour = string(*in.Colour)
		}
		return t, tx.InsertTag(ctx, t, foldName(t.Name))
	})
}

// Update changes the name or the colour of a tag.
func (s *Tags) Update(ctx context.Context, scope TeamScope, id crier.ID, in crier.TagUpdate) (crier.Tag, error) {
	if err := scope.check(); err != nil {
		return crier.Tag{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Tag, error) {
		t, err := tx.LockTag(ctx, scope.team.ID, id)
		if err != nil {
			return t, err
		}
		if in.Name.Set {
			t.Name = in.Name.Value.Trimmed()
		}
		if in.Colour.Set {
			t.Colour = string(in.Colour.Value)
		}
		t.UpdatedAt = s.now()
		return t, tx.UpdateTag(ctx, t, foldName(t.Name))
	})
}

// Delete removes a tag, from all posts too.
func (s *Tags) Delete(ctx context.Context, scope TeamScope, id crier.ID) (crier.Deleted, error) {
	if err := scope.check(); err != nil {
		return crier.Deleted{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.Deleted, error) {
		if _, err := tx.LockTag(ctx, scope.team.ID, id); err != nil {
			return crier.Deleted{}, err
		}
		return crier.Deleted{Deleted: true}, tx.DeleteTag(ctx, id)
	})
}

// foldName is the form of a name in which spellings that people take for the same are the same.
func foldName(name string) string { return cases.Fold().String(norm.NFKC.String(name)) }

// colourOf is the same colour for the same name, always.
func colourOf(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(foldName(name))) // a hash takes everything
	return tagColours[int(h.Sum32()&0xffff)%len(tagColours)]
}
