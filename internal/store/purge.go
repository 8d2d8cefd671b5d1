package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// purgedWithPosts deletes posts and everything that refers to them; %s is a list of posts.
var purgedWithPosts = []string{
	`DELETE FROM attempts WHERE scheduled_post_id IN (SELECT p.id FROM publications p WHERE p.post_id IN (%s))`,
	`DELETE FROM post_metrics WHERE scheduled_post_id IN (SELECT p.id FROM publications p WHERE p.post_id IN (%s))`,
	`DELETE FROM publication_stats WHERE post_id IN (%s)`,
	`DELETE FROM publications WHERE post_id IN (%s)`,
	`DELETE FROM post_words WHERE post_id IN (%s)`,
	`DELETE FROM post_facets WHERE post_id IN (%s)`,
	`DELETE FROM post_tags WHERE post_id IN (%s)`,
	`DELETE FROM post_assets WHERE post_id IN (%s)`,
	`DELETE FROM payloads WHERE post_id IN (%s)`,
	`DELETE FROM posts WHERE id IN (%s)`,
}

// purgedInBatches deletes up to $2 rows of a team from each of the tables in which it may have very many. Those of
// events are found by an index of those with a sequence; purgedWithTeam deletes the others.
func (tx *Tx) purgedInBatches() []string {
	return []string{
		`DELETE FROM events WHERE id IN (SELECT e.id FROM events e` + tx.indexed("events_by_team") + `
			WHERE e.team_id = $1 AND e.sequence > 0 LIMIT $2)`,
		`DELETE FROM analytics_days WHERE team_id = $1 AND (gained, day, social_account_id, post_type) IN
			(SELECT d.gained, d.day, d.social_account_id, d.post_type FROM analytics_days d WHERE d.team_id = $1
			LIMIT $2)`,
		`DELETE FROM account_days WHERE (social_account_id, day) IN
			(SELECT d.social_account_id, d.day FROM account_days d WHERE d.team_id = $1 LIMIT $2)`,
		`DELETE FROM facet_counts WHERE team_id = $1 AND (field, value) IN
			(SELECT c.field, c.value FROM facet_counts c WHERE c.team_id = $1 LIMIT $2)`,
		`DELETE FROM word_counts WHERE team_id = $1 AND word IN
			(SELECT c.word FROM word_counts c WHERE c.team_id = $1 LIMIT $2)`,
		`DELETE FROM assets WHERE id IN
			(SELECT a.id FROM assets a WHERE a.team_id = $1 AND a.deleted_at IS NULL LIMIT $2)`,
		`DELETE FROM assets WHERE id IN
			(SELECT a.id FROM assets a WHERE a.team_id = $1 AND a.deleted_at IS NOT NULL LIMIT $2)`,
	}
}

// purgedWithTeam deletes the rest of a team. The files of its assets are orphaned and swept later.
var purgedWithTeam = []string{
	`DELETE FROM events WHERE team_id = $1`,
	`DELETE FROM analytics_days WHERE team_id = $1`,
	`DELETE FROM account_days WHERE team_id = $1`,
	`DELETE FROM tags WHERE team_id = $1`,
	`DELETE FROM facet_counts WHERE team_id = $1`,
	`DELETE FROM word_counts WHERE team_id = $1`,
	`DELETE FROM post_changes WHERE team_id = $1`,
	`DELETE FROM list_counts WHERE team_id = $1`,
	`DELETE FROM scheduling_slots WHERE team_id = $1`,
	`DELETE FROM connections WHERE team_id = $1`,
	`DELETE FROM social_accounts WHERE team_id = $1`,
	`DELETE FROM uploads WHERE team_id = $1`,
	`DELETE FROM assets WHERE team_id = $1`,
	`DELETE FROM folders WHERE team_id = $1`,
	`DELETE FROM membership_teams WHERE team_id = $1`,
	`DELETE FROM teams WHERE id = $1`,
}

// PurgeTeam deletes a batch of rows of a team that was soft-deleted before a time; more is true until nothing is left.
// Other teams are not touched.
func (tx *Tx) PurgeTeam(ctx context.Context, id crier.ID, deletedBefore crier.Time) (more bool, err error) {
	if gone, err := tx.TeamDeletedBefore(ctx, id, deletedBefore); err != nil || !gone {
		return false, err
	}
	if err := tx.merges(ctx); err != nil {
		return false, err
	}
	posts, err := tx.somePosts(ctx, id)
	if err != nil {
		return false, err
	}
	if len(posts) == 0 {
		if more, err := tx.purgeBatches(ctx, id); err != nil || more {
			return more, err
		}
		queries := purgedWithTeam
		if tx.pipe != nil { // only PostgreSQL has it
			queries = append([]string{`DELETE FROM list_changes WHERE team_id = $1`}, queries...)
		}
		return false, tx.purge(ctx, queries, id)
	}
	marks, args := inList(1, posts)
	queries := make([]string, len(purgedWithPosts))
	for i, query := range purgedWithPosts {
		queries[i] = fmt.Sprintf(query, marks)
	}
	return true, tx.purge(ctx, queries, args...)
}

// TeamDeletedBefore reports whether a team exists and was soft-deleted before a time.
func (r reads) TeamDeletedBefore(ctx context.Context, id crier.ID, before crier.Time) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM teams WHERE id = $1 AND deleted_at < $2`, id, before).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the team to purge: %w", err)
	}
	return true, nil
}

func (tx *Tx) purge(ctx context.Context, queries []string, args ...any) error {
	for _, query := range queries {
		if _, err := tx.q.ExecContext(ctx, query, args...); err != nil {
			return fmt.Errorf("purge: %.60s: %w", query, err)
		}
	}
	return nil
}

// purgeBatches deletes a batch of the rows of a team; more is true if others may be left. On SQLite, every writer waits
// for the transaction.
func (tx *Tx) purgeBatches(ctx context.Context, team crier.ID) (more bool, err error) {
	for _, query := range tx.purgedInBatches() {
		res, err := tx.q.ExecContext(ctx, query, team, batchSize)
		if err != nil {
			return false, fmt.Errorf("purge: %.60s: %w", query, err)
		}
		if deleted, err := res.RowsAffected(); err != nil || deleted == batchSize {
			return err == nil, err
		}
	}
	return false, nil
}

// somePosts returns a batch of posts of a team, deleted or not, for one transaction to remove.
func (tx *Tx) somePosts(ctx context.Context, team crier.ID) ([]crier.ID, error) {
	for _, state := range []string{"IS NULL", "IS NOT NULL"} { // each has its own indexes
		rows, err := tx.q.QueryContext(ctx,
			`SELECT p.id FROM posts p WHERE p.team_id = $1 AND p.deleted_at `+state+` LIMIT $2`, team, batchSize)
		if err != nil {
			return nil, fmt.Errorf("look for posts to purge: %w", err)
		}
		ids, err := collect(rows, scanID)
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return nil, nil
}
