package store

import (
	"context"
	"fmt"

	"crier"
)

// ReplaceWords writes by which words a post is found, changing only what differs.
func (tx *Tx) ReplaceWords(ctx context.Context, team, post crier.ID, words []string) error {
	rows, err := tx.q.QueryContext(ctx, `SELECT w.word FROM post_words w WHERE w.post_id = $1`, post)
	if err != nil {
		return fmt.Errorf("read the words of a post: %w", err)
	}
	before, err := collect(rows, func(row scanner) (word string, err error) { return word, row.Scan(&word) })
	if err != nil {
		return fmt.Errorf("read the words of a post: %w", err)
	}
	added, removed := difference(before, words)
	for batch := range batches(removed) {
		_, err := tx.q.ExecContext(ctx, `DELETE FROM post_words WHERE team_id = $1 AND post_id = $2 AND word IN (`+
			placeholders(3, len(batch))+`)`, append([]any{team, post}, anys(batch)...)...)
		if err != nil {
			return fmt.Errorf("remove words of a post: %w", err)
		}
	}
	rowsToAdd := make([][]any, len(added))
	for i, word := range added {
		rowsToAdd[i] = []any{team, word, post}
	}
	return tx.insertRows(ctx, `post_words (team_id, word, post_id)`, rowsToAdd)
}
