package store

import (
	"context"
	"fmt"

	"crier"
)

const tagColumns = `t.id, t.team_id, t.name, t.colour, t.post_count, t.created_at, t.updated_at`

func scanTag(row scanner) (crier.Tag, error) {
	var t crier.Tag
	err := row.Scan(&t.ID, &t.TeamID, &t.Name, &t.Colour, &t.PostCount, &t.CreatedAt, &t.UpdatedAt)
	return t, err
}

var tagSorts = map[string]string{"createdAt": "t.created_at", "name": "t.name_key"}

// Tags reads one page of a team's tags.
func (r reads) Tags(ctx context.Context, team crier.ID, q PageQuery) (PageRows[crier.Tag], error) {
	list := listing[crier.Tag]{
		columns:  tagColumns,
		from:     "tags t",
		id:       "t.id",
		sorts:    tagSorts,
		branches: []branch{{where: "t.team_id = ?", args: []any{team}}},
		scan:     scanTag,
		key: func(t crier.Tag, sort string) Key {
			return Key{Value: sortValue(sort, t.CreatedAt, t.UpdatedAt, t.Name), ID: t.ID}
		},
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list tags: %w", err)
	}
	return page, nil
}

// TagCount counts the tags of a team.
func (r reads) TagCount(ctx context.Context, team crier.ID) (int64, error) {
	var n int64
	if err := r.q.QueryRowContext(ctx, `SELECT count(*) FROM tags WHERE team_id = $1`, team).Scan(&n); err != nil {
		return 0, fmt.Errorf("count tags: %w", err)
	}
	return n, nil
}

// LockTag reads and locks a tag of a team.
func (tx *Tx) LockTag(ctx context.Context, team, id crier.ID) (crier.Tag, error) {
	t, err := scanTag(tx.q.QueryRowContext(ctx,
		`SELECT `+tagColumns+` FROM tags t WHERE t.id = $1 AND t.team_id = $2`+tx.forUpdate, id, team))
	return t, orNotFound(err, "tag", id)
}

// InsertTag inserts a tag. folded is the case-folded name, unique in the team.
func (tx *Tx) InsertTag(ctx context.Context, t crier.Tag, folded string) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO tags (id, team_id, name, folded, colour, created_at, updated_at,
		name_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, t.ID, t.TeamID, t.Name, folded, t.Colour, t.CreatedAt,
		t.UpdatedAt, sortKey(t.Name))
	return tagError(err, "insert tag", t.Name)
}

// UpdateTag writes the name and the color of a tag.
func (tx *Tx) UpdateTag(ctx context.Context, t crier.Tag, folded string) error {
	_, err := tx.q.ExecContext(ctx,
		`UPDATE tags SET name = $2, folded = $3, colour = $4, updated_at = $5, name_key = $6 WHERE id = $1`,
		t.ID, t.Name, folded, t.Colour, t.UpdatedAt, sortKey(t.Name))
	return tagError(err, "update tag", t.Name)
}

func tagError(err error, doing, name string) error {
	if isUniqueViolation(err) {
		return crier.Conflict("The team has a tag named %q already; upper and lower case count as the same.", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// DeleteTag deletes a tag and removes it from all posts. The tag must be locked.
func (tx *Tx) DeleteTag(ctx context.Context, id crier.ID) error {
	for _, query := range []string{`DELETE FROM post_tags WHERE tag_id = $1`, `DELETE FROM tags WHERE id = $1`} {
		if _, err := tx.q.ExecContext(ctx, query, id); err != nil {
			return fmt.Errorf("delete tag: %w", err)
		}
	}
	return nil
}

// LockPostTags reads and locks, in id order, the tags that a post has and those that it should have. missing are wanted
// tags that the team does not have.
func (tx *Tx) LockPostTags(ctx context.Context, team, post crier.ID, wanted []crier.ID) (has, missing []crier.ID,
	err error) {
	marks, args := inList(3, wanted)
	rows, err := tx.q.QueryContext(ctx, `SELECT t.id, EXISTS (SELECT 1 FROM post_tags x WHERE x.post_id = $2
		AND x.tag_id = t.id)
		FROM tags t WHERE t.team_id = $1 AND (t.id IN (`+marks+`) OR t.id IN (SELECT x.tag_id FROM post_tags x
			WHERE x.post_id = $2))
		ORDER BY t.id`+tx.forUpdate, append([]any{team, post}, args...)...)
	if err != nil {
		return nil, nil, fmt.Errorf("lock tags: %w", err)
	}
	type tagOfPost struct {
		id  crier.ID
		has bool
	}
	list, err := collect(rows, func(row scanner) (t tagOfPost, err error) { return t, row.Scan(&t.id, &t.has) })
	if err != nil {
		return nil, nil, fmt.Errorf("lock tags: %w", err)
	}
	known := map[crier.ID]bool{}
	for _, t := range list {
		known[t.id] = true
		if t.has {
			has = append(has, t.id)
		}
	}
	for _, id := range wanted {
		if !known[id] {
			missing = append(missing, id)
		}
	}
	return has, missing, nil
}

// ReplacePostTags writes the tags of a post and updates their counters. has and wanted come from LockPostTags.
func (tx *Tx) ReplacePostTags(ctx context.Context, post crier.ID, has, wanted []crier.ID) (changed bool, err error) {
	added, removed := difference(has, wanted)
	for _, id := range added {
		if err := tx.tagPost(ctx, `INSERT INTO post_tags (post_id, tag_id) VALUES ($1, $2)`, post, id, 1); err != nil {
			return false, err
		}
	}
	for _, id := range removed {
		if err := tx.tagPost(ctx, `DELETE FROM post_tags WHERE post_id = $1 AND tag_id = $2`, post, id,
			-1); err != nil {
			return false, err
		}
	}
	return len(added)+len(removed) > 0, nil
}

func (tx *Tx) tagPost(ctx context.Context, query string, post, tag crier.ID, by int) error {
	if _, err := tx.q.ExecContext(ctx, query, post, tag); err != nil {
		return fmt.Errorf("tag post: %w", err)
	}
	if _, err := tx.q.ExecContext(ctx, `UPDATE tags SET post_count = post_count + $2 WHERE id = $1`, tag,
		by); err != nil {
		return fmt.Errorf("count posts of a tag: %w", err)
	}
	return nil
}

// tagsQuestion reads the tags of posts, by post, sorted by name.
func tagsQuestion(tags map[crier.ID][]crier.TagSummary, posts []crier.ID) question {
	marks, args := inList(1, posts)
	return newQuestion(`SELECT x.post_id, t.id, t.name, t.colour FROM post_tags x
		JOIN tags t ON t.id = x.tag_id
		WHERE x.post_id IN (`+marks+`) ORDER BY t.name, t.id`, args, func(row scanner) error {
		var post crier.ID
		var tag crier.TagSummary
		err := row.Scan(&post, &tag.ID, &tag.Name, &tag.Colour)
		tags[post] = append(tags[post], tag)
		return err
	})
}
