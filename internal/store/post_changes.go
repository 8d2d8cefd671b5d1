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

// A new post would touch a page of the index for each of its words and facets. Instead it writes one row to
// post_changes, and MergeChanges merges the rows of many posts into post_words, word_counts and facet_counts at once.
// Readers of these indexes also read the pending rows, so that a post is found and counted as soon as it is committed.

const (
	// mergeAt is the number of pending posts at which a team is merged: more make merging cheaper and reads slower.
	mergeAt = 256
	// mergeMost limits the posts that are merged together.
	mergeMost = 1024
	// Transactions of a merge are short, because on SQLite all other writers wait for them.
	mergedWords, mergedFacets = 2000, 128
	// archivedMark is the prefix of the words of archived posts in post_words. Words are letters, digits and emoji.
	archivedMark = "~"
)

// noteChange writes a column of the post_changes row of a post.
func (tx *Tx) noteChange(ctx context.Context, team, post crier.ID, column string, value any) error {
	if looksAt(post) {
		tx.crowded = append(tx.crowded, team)
	}
	return tx.queueExec(ctx, changed("note the change of a post"), `INSERT INTO post_changes (team_id, post_id, `+
		column+`) VALUES ($1, $2, $3) ON CONFLICT (team_id, post_id) DO UPDATE
		SET `+column+` = excluded.`+column+`, revision = post_changes.revision + 1`, team, post, value)
}

// noteArchived marks a post that is archived, restored or deleted for merging. Its words stay.
func (tx *Tx) noteArchived(ctx context.Context, post crier.ID, condition string, args ...any) error {
	return tx.queueExec(ctx, changed("note the change of a post"), `INSERT INTO post_changes (team_id, post_id)
		SELECT p.team_id, p.id FROM posts p WHERE p.id = $1 AND `+condition+` ON CONFLICT (team_id, post_id) DO UPDATE
		SET revision = post_changes.revision + 1`, append([]any{post}, args...)...)
}

// looksAt reports whether the change of a post triggers a check of how many posts of its team are pending: it does for
// one in 32 posts, which avoids counting.
func looksAt(post crier.ID) bool {
	last := post[len(post)-2:]
	return last[1] == '0' && last[0]%2 == 0
}

// CrowdedTeams receives the ids of teams that may have enough changes to merge.
func (s *Store) CrowdedTeams() <-chan crier.ID { return s.crowded }

func (s *Store) tellOfCrowded(teams []crier.ID) {
	for _, team := range teams {
		select {
		case s.crowded <- team:
		default: // a later change sends it again
		}
	}
}

// waitingPost is a row of post_changes.
type waitingPost struct {
	ID       crier.ID `json:"key"`
	Revision int64    `json:"revision"`
	words    *string
	archived bool
	gone     bool
}

// MergeChanges merges the pending changes of a team into the indexes if there are at least least, and returns the
// number of merged posts. It uses short transactions, may be interrupted between any two, and may run on several nodes
// at once: until a row of post_changes is deleted, readers use the row.
func (s *Store) MergeChanges(ctx context.Context, team crier.ID, least int) (merged int, err error) {
	rows, err := s.q.QueryContext(ctx, `SELECT x.post_id FROM post_changes x WHERE x.team_id = $1
		ORDER BY x.post_id LIMIT $2`, team, mergeMost)
	if err != nil {
		return 0, fmt.Errorf("look for changes to merge: %w", err)
	}
	posts, err := collect(rows, scanID)
	if err != nil || len(posts) < max(least, 1) {
		return 0, err
	}
	for batch := range slices.Chunk(posts, mergedFacets) {
		if err := s.WithTx(ctx, func(tx *Tx) error { return tx.mergeFacets(ctx, team, batch) }); err != nil {
			return 0, fmt.Errorf("merge facets: %w", err)
		}
	}
	if err := s.mergeWords(ctx, team, posts); err != nil {
		return 0, fmt.Errorf("merge words: %w", err)
	}
	return len(posts), nil
}

// MergeCrowded merges the changes of a team if there are enough.
func (s *Store) MergeCrowded(ctx context.Context, team crier.ID) error {
	for {
		merged, err := s.MergeChanges(ctx, team, mergeAt)
		if err != nil || merged == 0 {
			return err
		}
	}
}

// mergeWords merges the words in order, for all posts at once: a range of words is one part of the index.
func (s *Store) mergeWords(ctx context.Context, team crier.ID, posts []crier.ID) error {
	var waiting []waitingPost
	err := s.WithTx(ctx, func(tx *Tx) (err error) {
		waiting, err = tx.lockWaiting(ctx, team, posts)
		if err != nil {
			return err
		}
		return tx.fillWords(ctx, team, waiting)
	})
	if err != nil {
		return err
	}
	for _, r := range wordRanges(waiting) {
		err := s.WithTx(ctx, func(tx *Tx) error { return tx.mergeRange(ctx, team, posts, r) })
		if err != nil {
			return err
		}
	}
	return s.WithTx(ctx, func(tx *Tx) error {
		return tx.queueExec(ctx, changed("remove merged changes"), `DELETE FROM post_changes WHERE team_id = $2
			AND facets IS NULL AND (post_id, revision) IN (SELECT v.key, v.revision
				FROM `+tx.jsonRows("key uuid, revision bigint")+`)`, asJSON(&waiting), team)
	})
}

// lockWaiting reads and locks rows of post_changes.
func (tx *Tx) lockWaiting(ctx context.Context, team crier.ID, posts []crier.ID) ([]waitingPost, error) {
	lock := tx.forUpdate
	if lock != "" {
		lock = " ORDER BY x.post_id" + lock + " OF x"
	}
	rows, err := tx.q.QueryContext(ctx, `SELECT x.post_id, x.revision, x.words, coalesce(p.archived, FALSE),
			p.id IS NULL OR p.deleted_at IS NOT NULL
		FROM post_changes x LEFT JOIN posts p ON p.id = x.post_id
		WHERE x.team_id = $2 AND x.post_id IN (SELECT v.key FROM `+tx.jsonRows("key uuid")+`)`+lock, keys(posts), team)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(row scanner) (p waitingPost, err error) {
		return p, row.Scan(&p.ID, &p.Revision, &p.words, &p.archived, &p.gone)
	})
}

// fillWords sets the words of rows that do not change them to the indexed ones.
func (tx *Tx) fillWords(ctx context.Context, team crier.ID, waiting []waitingPost) error {
	indexed := map[crier.ID][]string{}
	for _, p := range waiting {
		if p.words == nil {
			indexed[p.ID] = nil
		}
	}
	if len(indexed) == 0 {
		return nil
	}
	entries, err := tx.indexedWords(ctx, slices.Collect(maps.Keys(indexed)), wordRange{})
	if err != nil {
		return err
	}
	for _, e := range entries {
		indexed[e.Post] = append(indexed[e.Post], strings.TrimPrefix(e.Word, archivedMark))
	}
	for i, p := range waiting {
		if p.words != nil {
			continue
		}
		words := wordList(indexed[p.ID])
		waiting[i].words = &words
		if err := tx.queueExec(ctx, changed("note the words of a post"), `UPDATE post_changes SET words = $3
			WHERE team_id = $1 AND post_id = $2`, team, p.ID, words); err != nil {
			return err
		}
	}
	return nil
}

// wordEntry is a row of post_words.
type wordEntry struct {
	Word string   `json:"word"`
	Post crier.ID `json:"key"`
}

func inWordOrder(a, b wordEntry) int {
	return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Post, b.Post))
}

// entries returns the rows that post_words should have for a post.
func (p waitingPost) entries() []wordEntry {
	if p.gone || p.words == nil {
		return nil
	}
	mark := ""
	if p.archived {
		mark = archivedMark
	}
	words := strings.Fields(*p.words)
	out := make([]wordEntry, len(words))
	for i, word := range words {
		out[i] = wordEntry{Word: mark + word, Post: p.ID}
	}
	return out
}

// wordRange is a half-open range of words; an empty end has no bound.
type wordRange struct{ from, to string }

func (r wordRange) has(word string) bool { return word >= r.from && (r.to == "" || word < r.to) }

// wordRanges splits all words into ranges of about mergedWords entries of the pending posts.
func wordRanges(waiting []waitingPost) []wordRange {
	var all []wordEntry
	for _, p := range waiting {
		all = append(all, p.entries()...)
	}
	slices.SortFunc(all, inWordOrder)
	ranges := []wordRange{{}}
	for i := mergedWords; i < len(all); i += mergedWords {
		if word := all[i].Word; word > ranges[len(ranges)-1].from {
			ranges[len(ranges)-1].to = word
			ranges = append(ranges, wordRange{from: word})
		}
	}
	return ranges
}

// indexedWords reads the rows of post_words of posts within a range.
func (tx *Tx) indexedWords(ctx context.Context, posts []crier.ID, r wordRange) ([]wordEntry, error) {
	query, args := `SELECT w.word, w.post_id FROM `+tx.jsonRows("key uuid")+` JOIN post_words w ON w.post_id = v.key
		WHERE w.word >= $2`, []any{keys(posts), r.from}
	if r.to != "" {
		query, args = query+` AND w.word < $3`, append(args, r.to)
	}
	rows, err := tx.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(row scanner) (e wordEntry, err error) { return e, row.Scan(&e.Word, &e.Post) })
}

// mergeRange replaces the rows of post_words within a range with those of the pending posts and updates the counts.
func (tx *Tx) mergeRange(ctx context.Context, team crier.ID, posts []crier.ID, r wordRange) error {
	if err := tx.merges(ctx); err != nil {
		return err
	}
	waiting, err := tx.lockWaiting(ctx, team, posts)
	if err != nil {
		return err
	}
	before, err := tx.indexedWords(ctx, posts, r)
	if err != nil {
		return err
	}
	waits := map[crier.ID]bool{}
	var after []wordEntry
	for _, p := range waiting {
		if p.words == nil { // changed meanwhile
			continue
		}
		waits[p.ID] = true
		for _, e := range p.entries() {
			if r.has(e.Word) {
				after = append(after, e)
			}
		}
	}
	before = slices.DeleteFunc(before, func(e wordEntry) bool { return !waits[e.Post] })
	added, removed := difference(before, after)
	return tx.writeWords(ctx, team, added, removed)
}

// merges disables the triggers for nodes of the previous version in this transaction.
func (tx *Tx) merges(ctx context.Context) error {
	if tx.pipe == nil {
		return nil
	}
	return tx.queueExec(ctx, changed("begin to merge"), `SELECT set_config('crier.merges', 'on', true)`)
}

func (tx *Tx) writeWords(ctx context.Context, team crier.ID, added, removed []wordEntry) error {
	counts := map[string]int{}
	for _, e := range added {
		counts[e.Word]++
	}
	for _, e := range removed {
		counts[e.Word]--
	}
	if len(removed) > 0 {
		slices.SortFunc(removed, inWordOrder)
		if err := tx.queueExec(ctx, changed("remove words"), `DELETE FROM post_words WHERE team_id = $2
			AND (word, post_id) IN (SELECT v.word, v.key FROM `+tx.jsonRows("word text, key uuid")+`)`,
			asJSON(&removed), team); err != nil {
			return err
		}
	}
	if len(added) > 0 {
		slices.SortFunc(added, inWordOrder)
		if err := tx.queueExec(ctx, changed("add words"), `INSERT INTO post_words (team_id, word, post_id)
			SELECT $2, v.word, v.key FROM `+tx.jsonRows("word text, key uuid"), asJSON(&added), team); err != nil {
			return err
		}
	}
	rows := []wordCountRow{}
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		if counts[word] != 0 {
			rows = append(rows, wordCountRow{Word: word, By: counts[word]})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.queueExec(ctx, changed("count words"), `INSERT INTO word_counts (team_id, word, post_count)
		SELECT $2, v.word, v.change FROM `+tx.jsonRows("word text, change bigint")+` WHERE true ORDER BY v.word
		ON CONFLICT (team_id, word) DO UPDATE SET post_count = word_counts.post_count + excluded.post_count`,
		asJSON(&rows), team)
}

// wordCountRow is an input row of writeWords.
type wordCountRow struct {
	Word string `json:"word"`
	By   int    `json:"change"`
}

// AddWordChanges counts the changes made by nodes of the previous version. SQLite has no other nodes.
func (s *Store) AddWordChanges(ctx context.Context) error {
	if s.dialect == SQLite {
		return nil
	}
	return s.WithTx(ctx, func(tx *Tx) error {
		return tx.queueExec(ctx, changed("count words"), `WITH seen AS (DELETE FROM word_changes
				RETURNING team_id, word, change)
			INSERT INTO word_counts (team_id, word, post_count) SELECT s.team_id, s.word, sum(s.change) FROM seen s
			GROUP BY s.team_id, s.word ORDER BY s.team_id, s.word
			ON CONFLICT (team_id, word) DO UPDATE SET post_count = word_counts.post_count + excluded.post_count`)
	})
}

// mergeFacets writes the facets of pending posts and updates the counts.
func (tx *Tx) mergeFacets(ctx context.Context, team crier.ID, posts []crier.ID) error {
	if err := tx.merges(ctx); err != nil {
		return err
	}
	if _, err := tx.lockWaiting(ctx, team, posts); err != nil {
		return err
	}
	waiting := `x.team_id = $2 AND x.facets IS NOT NULL AND x.post_id IN (SELECT v.key FROM ` +
		tx.jsonRows("key uuid") + `)`
	rows, err := tx.q.QueryContext(ctx, `SELECT c.field, c.value, sum(c.change) FROM (`+tx.facetChanges(waiting)+`) AS c
		GROUP BY c.field, c.value HAVING sum(c.change) <> 0`, keys(posts), team)
	if err != nil {
		return err
	}
	counts, err := collect(rows, func(row scanner) (r facetRow, err error) {
		return r, row.Scan(&r.Field, &r.Text, &r.By)
	})
	if err != nil {
		return err
	}
	if err := tx.countFacets(ctx, team, counts); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM post_facets WHERE post_id IN (SELECT x.post_id FROM post_changes x WHERE ` + waiting + `)`,
		`INSERT INTO post_facets (post_id, field, value) SELECT x.post_id, e.value ->> 0, e.value ->> 1
			FROM post_changes x JOIN posts p ON p.id = x.post_id CROSS JOIN ` + tx.eachOf("x.facets") + `
			WHERE ` + waiting + ` ORDER BY 1, 2, 3`,
		`UPDATE post_changes AS x SET facets = NULL WHERE ` + waiting,
	} {
		if err := tx.queueExec(ctx, changed("keep facets"), statement, keys(posts), team); err != nil {
			return err
		}
	}
	return nil
}

// facetChanges selects by how much pending posts change the counts: field, value and change. where limits post_changes
// x.
func (r reads) facetChanges(where string) string {
	return `SELECT e.value ->> 0 AS field, e.value ->> 1 AS value, 1 AS change
			FROM post_changes x CROSS JOIN ` + r.eachOf("x.facets") + ` WHERE x.facets IS NOT NULL AND ` + where + `
		UNION ALL SELECT f.field, f.value, -1 FROM post_changes x JOIN post_facets f ON f.post_id = x.post_id
			WHERE x.facets IS NOT NULL AND ` + where
}
