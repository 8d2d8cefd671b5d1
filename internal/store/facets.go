package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier"
)

// facet is one property of a post.
type facet struct {
	field crier.FacetField
	value string
}

func inFacetOrder(a, b facet) int {
	return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.value, b.value))
}

// ReplaceFacets writes what a post has of the given fields, and keeps the team's counts. Fields that are not given stay.
// The post must be new or locked. Counts are busy rows, so this comes late in a transaction; they are always locked in
// the same order.
func (tx *Tx) ReplaceFacets(ctx context.Context, team, post crier.ID, facets map[crier.FacetField][]string) error {
	before, err := tx.facetsOf(ctx, post, facets)
	if err != nil {
		return err
	}
	var after []facet
	for field, values := range facets {
		for _, value := range values {
			after = append(after, facet{field, value})
		}
	}
	added, removed := difference(before, after)
	if err := tx.writeFacets(ctx, post, added, removed); err != nil {
		return err
	}
	return tx.countFacets(ctx, team, added, removed)
}

func (tx *Tx) facetsOf(ctx context.Context, post crier.ID, fields map[crier.FacetField][]string) ([]facet, error) {
	rows, err := tx.q.QueryContext(ctx, `SELECT f.field, f.value FROM post_facets f WHERE f.post_id = $1`, post)
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	all, err := collect(rows, func(row scanner) (f facet, err error) { return f, row.Scan(&f.field, &f.value) })
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	return slices.DeleteFunc(all, func(f facet) bool { _, given := fields[f.field]; return !given }), nil
}

func (tx *Tx) writeFacets(ctx context.Context, post crier.ID, added, removed []facet) error {
	for batch := range batches(removed) {
		tuples, args := tuples(2, batch)
		_, err := tx.q.ExecContext(ctx, `DELETE FROM post_facets WHERE post_id = $1 AND (field, value) IN (`+tuples+`)`, append([]any{post}, args...)...)
		if err != nil {
			return fmt.Errorf("remove facets: %w", err)
		}
	}
	rows := make([][]any, len(added))
	for i, f := range added {
		rows[i] = []any{post, f.field, f.value}
	}
	return tx.insertRows(ctx, `post_facets (post_id, field, value)`, rows)
}

// countFacets counts one post more or less for each property. Counts that reach zero vanish.
func (tx *Tx) countFacets(ctx context.Context, team crier.ID, added, removed []facet) error {
	change := map[facet]int{}
	for _, f := range added {
		change[f]++
	}
	for _, f := range removed {
		change[f]--
	}
	changed := slices.SortedFunc(maps.Keys(change), inFacetOrder)
	for batch := range batches(changed) {
		rows := make([][]any, len(batch))
		for i, f := range batch {
			rows[i] = []any{team, f.field, f.value, change[f]}
		}
		values, args := valueList(rows)
		_, err := tx.q.ExecContext(ctx, `INSERT INTO facet_counts (team_id, field, value, post_count) VALUES `+values+`
			ON CONFLICT (team_id, field, value) DO UPDATE SET post_count = facet_counts.post_count + excluded.post_count`, args...)
		if err != nil {
			return fmt.Errorf("count facets: %w", err)
		}
	}
	for batch := range batches(removed) {
		tuples, args := tuples(2, batch)
		_, err := tx.q.ExecContext(ctx, `DELETE FROM facet_counts WHERE team_id = $1 AND (field, value) IN (`+tuples+`) AND post_count = 0`,
			append([]any{team}, args...)...)
		if err != nil {
			return fmt.Errorf("remove counts of nothing: %w", err)
		}
	}
	return nil
}

// tuples writes ($from, $from+1), … for properties.
func tuples(from int, list []facet) (marks string, args []any) {
	pairs := make([]string, len(list))
	for i, f := range list {
		pairs[i] = "(" + placeholders(from+2*i, 2) + ")"
		args = append(args, f.field, f.value)
	}
	return strings.Join(pairs, ", "), args
}

// TopFacets reads the most frequent values of a field among a team's posts: by count, then by value.
func (r reads) TopFacets(ctx context.Context, team crier.ID, field crier.FacetField, limit int) ([]crier.FacetValue, error) {
	query, args := `SELECT c.value, c.post_count FROM facet_counts c WHERE c.team_id = $1 AND c.field = $3
		ORDER BY c.post_count DESC, c.value LIMIT $2`, []any{team, limit, field}
	if field == crier.FacetUserTags { // tags count their posts themselves
		query, args = `SELECT t.name, t.post_count FROM tags t WHERE t.team_id = $1 AND t.post_count > 0
			ORDER BY t.post_count DESC, t.name LIMIT $2`, args[:2]
	}
	rows, err := r.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	return collect(rows, func(row scanner) (v crier.FacetValue, err error) { return v, row.Scan(&v.Value, &v.PostCount) })
}
