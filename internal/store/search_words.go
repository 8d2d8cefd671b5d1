package store

import (
	"context"
	"fmt"
	"strings"

	"crier"
)

// ReplaceWords writes the search words of a post, which can be found by them at once.
func (tx *Tx) ReplaceWords(ctx context.Context, team, post crier.ID, words []string) error {
	return tx.noteChange(ctx, team, post, "words", wordList(words))
}

// wordList encloses each word in spaces, which no word contains, so that it can be searched for.
func wordList(words []string) string { return " " + strings.Join(words, " ") + " " }

// wordTotal returns the exact number of posts of a team with a word that are neither deleted nor archived: those in the
// index, without outdated entries, plus pending ones. posts is the number of all such posts of the team.
func (r reads) wordTotal(ctx context.Context, team crier.ID, word string) (total, posts int64, err error) {
	const indexed = `(SELECT count(*) FROM post_words w WHERE w.team_id = x.team_id AND w.post_id = x.post_id
		AND w.word IN `
	err = r.q.QueryRowContext(ctx, `SELECT
		coalesce((SELECT c.post_count FROM word_counts c WHERE c.team_id = $1 AND c.word = $2), 0)
		+ CAST(coalesce((SELECT sum(CASE WHEN coalesce(`+r.position+`(x.words, $3), `+indexed+`($2, $4))) > 0
				AND (SELECT p.deleted_at IS NULL AND NOT p.archived FROM posts p WHERE p.id = x.post_id)
				THEN 1 ELSE 0 END - `+indexed+`($2)))
			FROM post_changes x WHERE x.team_id = $1), 0) AS bigint),
		`+r.postCount,
		team, word, wordList([]string{word}), archivedMark+word).Scan(&total, &posts)
	if err != nil {
		return 0, 0, fmt.Errorf("count the posts with a word: %w", err)
	}
	return total, posts, nil
}

// PostsToIndex returns the ids after a given one of posts whose words were extracted by an older version, in order.
func (r reads) PostsToIndex(ctx context.Context, after crier.ID, limit int) ([]crier.ID, error) {
	query, args := `SELECT p.id FROM posts p WHERE p.words_version < 2 AND p.deleted_at IS NULL`, []any{limit}
	if after != "" {
		query, args = query+` AND p.id > $2`, append(args, after)
	}
	rows, err := r.q.QueryContext(ctx, query+` ORDER BY p.id LIMIT $1`, args...)
	if err != nil {
		return nil, fmt.Errorf("look for posts to index: %w", err)
	}
	return collect(rows, scanID)
}

// MarkIndexed records that the words of a post were extracted by the current version.
func (tx *Tx) MarkIndexed(ctx context.Context, post crier.ID) error {
	if _, err := tx.q.ExecContext(ctx, `UPDATE posts SET words_version = 2 WHERE id = $1`, post); err != nil {
		return fmt.Errorf("mark a post as indexed: %w", err)
	}
	return nil
}
