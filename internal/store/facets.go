package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// facet is one property of a post.
type facet struct {
	field crier.FacetField
	value string
}

// ReplaceFacets writes the facet values of a post for the given fields and updates the team's counts; other fields
// stay. The post must be new or locked.
func (tx *Tx) ReplaceFacets(ctx context.Context, team, post crier.ID, facets map[crier.FacetField][]string) error {
	before, err := tx.facetsOf(ctx, team, post)
	if err != nil {
		return err
	}
	var after []facet
	for _, f := range before {
		if _, given := facets[f.field]; !given {
			after = append(after, f)
		}
	}
	for field, values := range facets {
		for _, value := range values {
			after = append(after, facet{field, value})
		}
	}
	slices.SortFunc(after, func(a, b facet) int {
		return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.value, b.value))
	})
	after = slices.Compact(after)
	if added, removed := difference(before, after); len(added)+len(removed) == 0 {
		return nil
	}
	pairs := make([][2]string, len(after))
	for i, f := range after {
		pairs[i] = [2]string{string(f.field), f.value}
	}
	return tx.noteChange(ctx, team, post, "facets", asJSON(&pairs))
}

func (tx *Tx) facetsOf(ctx context.Context, team, post crier.ID) ([]facet, error) {
	if tx.newPosts[post] {
		return nil, nil
	}
	rows, err := tx.q.QueryContext(ctx, `SELECT e.value ->> 0, e.value ->> 1 FROM post_changes x
			CROSS JOIN `+tx.eachOf("x.facets")+` WHERE x.team_id = $1 AND x.post_id = $2 AND x.facets IS NOT NULL
		UNION ALL SELECT f.field, f.value FROM post_facets f WHERE f.post_id = $2 AND NOT EXISTS (SELECT 1
			FROM post_changes x WHERE x.team_id = $1 AND x.post_id = $2 AND x.facets IS NOT NULL)`, team, post)
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	all, err := collect(rows, func(row scanner) (f facet, err error) { return f, row.Scan(&f.field, &f.value) })
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	return all, nil
}

// facetRow is an input row of statements about facets.
type facetRow struct {
	Place int              `json:"place"`
	Field crier.FacetField `json:"facet"`
	Text  string           `json:"txt"`
	By    int              `json:"change"`
}

// countFacets adds changes to the counts of a team. Counts of zero are deleted.
func (tx *Tx) countFacets(ctx context.Context, team crier.ID, rows []facetRow) error {
	if len(rows) == 0 {
		return nil
	}
	slices.SortFunc(rows, func(a, b facetRow) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text))
	})
	var fewer []facet
	for i := range rows {
		rows[i].Place = i
		if rows[i].By < 0 {
			fewer = append(fewer, facet{rows[i].Field, rows[i].Text})
		}
	}
	if err := tx.queueExec(ctx, changed("count facets"), `INSERT INTO facet_counts (team_id, field, value,
		post_count) SELECT $2, v.facet, v.txt, v.change
		FROM `+tx.jsonRows("place bigint, facet text, txt text, change bigint")+` WHERE true ORDER BY v.place
		ON CONFLICT (team_id, field, value) DO UPDATE
		SET post_count = facet_counts.post_count + excluded.post_count`, asJSON(&rows), team); err != nil {
		return err
	}
	for batch := range batches(fewer) {
		tuples, args := tuples(2, batch)
		err := tx.queueExec(ctx, changed("remove counts of nothing"),
			`DELETE FROM facet_counts WHERE team_id = $1 AND (field, value) IN (`+tuples+`) AND post_count = 0`,
			append([]any{team}, args...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// tuples returns the placeholders ($from, $from+1), … and arguments for facets.
func tuples(from int, list []facet) (marks string, args []any) {
	pairs := make([]string, len(list))
	for i, f := range list {
		pairs[i] = "(" + placeholders(from+2*i, 2) + ")"
		args = append(args, f.field, f.value)
	}
	return strings.Join(pairs, ", "), args
}

// TopFacets reads the most frequent values of a field among a team's posts, by count, then by value.
func (r reads) TopFacets(ctx context.Context, team crier.ID, field crier.FacetField, limit int) ([]crier.FacetValue,
	error) {
	if field == crier.FacetUserTags { // tags count their posts themselves
		return r.facetValues(ctx, `SELECT t.name, t.post_count FROM tags t WHERE t.team_id = $1 AND t.post_count > 0
			ORDER BY t.post_count DESC, t.name LIMIT $2`, team, limit)
	}
	// The top values are among the changed ones and the first limit + n counts, n being the number of pending
	// decreases.
	return r.facetValues(ctx, `WITH change AS MATERIALIZED (SELECT c.value, sum(c.change) AS change
			FROM (`+r.facetChanges("x.team_id = $1")+`) AS c WHERE c.field = $3 GROUP BY c.value)
		SELECT n.value, n.post_count FROM (
			SELECT c.value, c.post_count FROM (SELECT c.value, c.post_count FROM facet_counts c
				WHERE c.team_id = $1 AND c.field = $3 ORDER BY c.post_count DESC, c.value
				LIMIT $2 + (SELECT count(*) FROM change d WHERE d.change < 0)) AS c
			WHERE c.value NOT IN (SELECT d.value FROM change d)
			UNION ALL SELECT d.value, d.change + coalesce((SELECT c.post_count FROM facet_counts c
				WHERE c.team_id = $1 AND c.field = $3 AND c.value = d.value), 0) FROM change d) AS n
		WHERE n.post_count > 0 ORDER BY n.post_count DESC, n.value LIMIT $2`, team, limit, field)
}

func (r reads) facetValues(ctx context.Context, query string, args ...any) ([]crier.FacetValue, error) {
	rows, err := r.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	return collect(rows, func(row scanner) (v crier.FacetValue, err error) {
		return v, row.Scan(&v.Value, &v.PostCount)
	})
}
