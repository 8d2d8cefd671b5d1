package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"crier"
)

// Triggers count the rows of a team's lists by the values that the lists are filtered by: in list_counts on SQLite,
// which has one writer. On PostgreSQL they append to list_changes, so that writers do not wait for each other, and
// MergeListCounts adds the changes to list_counts.

// countedList is a list whose rows are counted, see the table list_counts.
type countedList string

const (
	countedPosts           countedList = "posts"
	countedPostsByProvider countedList = "posts_by_provider"
	countedPostsByAccount  countedList = "posts_by_account"
	countedScheduledPosts  countedList = "scheduled_posts"
	// repeatsByState is how many more scheduled posts are in a state than listed posts have one in it.
	repeatsByState countedList = "repeats_by_state"
)

// countQuestion reads the counts of a list. add is called with values and the number of rows that have them, which may
// be a change and negative: only sums mean something.
func (r reads) countQuestion(team crier.ID, list countedList, add func(values []string, n int64)) question {
	return newQuestion(r.listCounts, []any{team, list}, func(row scanner) error {
		var value string
		var n int64
		if err := row.Scan(&value, &n); err != nil {
			return err
		}
		add(strings.Fields(value), n)
		return nil
	})
}

// passes reports whether a value is one of those that a filter selects; an empty filter selects all.
func passes[T ~string](filter []T, value string) bool {
	return len(filter) == 0 || slices.Contains(filter, T(value))
}

// maxMergedCounts limits the changes that one transaction adds to list_counts.
const maxMergedCounts = 10_000

// MergeListCounts adds the changes of counts to list_counts. Several nodes may call it at once.
func (s *Store) MergeListCounts(ctx context.Context) error {
	if s.dialect == SQLite {
		return nil
	}
	for merged := maxMergedCounts; merged == maxMergedCounts; {
		err := s.WithTx(ctx, func(tx *Tx) error {
			return tx.q.QueryRowContext(ctx, `WITH seen AS (DELETE FROM list_changes WHERE ctid = ANY (ARRAY(
					SELECT x.ctid FROM list_changes x LIMIT $1 FOR UPDATE SKIP LOCKED))
				RETURNING team_id, list, value, change),
			counted AS (INSERT INTO list_counts (team_id, list, value, row_count)
				SELECT s.team_id, s.list, s.value, sum(s.change) FROM seen s
				GROUP BY s.team_id, s.list, s.value HAVING sum(s.change) <> 0 ORDER BY s.team_id, s.list, s.value
				ON CONFLICT (team_id, list, value) DO UPDATE
				SET row_count = list_counts.row_count + excluded.row_count)
			SELECT count(*) FROM seen`, maxMergedCounts).Scan(&merged)
		})
		if err != nil {
			return fmt.Errorf("merge the counts of lists: %w", err)
		}
	}
	return nil
}
