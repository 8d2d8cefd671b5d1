package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// Post is a post with what the wire does not show.
type Post struct {
	crier.Post
	// TypeGiven is true when a caller has chosen the type; otherwise it follows the media.
	TypeGiven bool
	// ScheduledAt is what posts are sorted by: the earliest pending time, else the last one, else NeverScheduled.
	ScheduledAt crier.Time
	// Thumbnails are the attached assets that have one; their addresses are the rules' to make.
	Thumbnails []crier.ID
	titleKey   string // the title for sorting, empty when there is none
}

// NeverScheduled stands for the time of posts that have none.
var NeverScheduled = crier.Time{}

const postColumns = `p.id, p.team_id, p.post_type, p.type_given, p.title, p.status, p.delivery_state, p.save_destination,
	p.content_payload_id, p.publish_actions, p.scheduled_at, p.created_at, p.updated_at, p.title_key`

func scanPost(row scanner) (Post, error) {
	var p Post
	err := row.Scan(&p.ID, &p.TeamID, &p.PostType, &p.TypeGiven, &p.Title, &p.Status, &p.DeliveryState, &p.SaveDestination,
		&p.ContentPayloadID, intoJSON(&p.PostPublishActions), &p.ScheduledAt, &p.CreatedAt, &p.UpdatedAt, &p.titleKey)
	p.SaveMessage = saveMessages[p.SaveDestination]
	return p, err
}

var saveMessages = map[string]string{crier.SavedToQueue: "Saved to Queue", crier.SavedToDrafts: "Saved to Drafts"}

// Post reads a post that is not deleted, complete, with its scheduled posts when they are asked for.
func (r reads) Post(ctx context.Context, team, id crier.ID, withScheduled bool) (Post, error) {
	p, err := r.postRow(ctx, team, id, "")
	if err != nil {
		return p, err
	}
	one := []Post{p}
	err = r.complete(ctx, one, withScheduled)
	return one[0], err
}

// PostForUpdate reads a post that is not deleted, with its content alone, and keeps others from changing it until the
// transaction ends. Whoever locks more takes the post first, then its publications, assets, tags and counters.
func (tx *Tx) PostForUpdate(ctx context.Context, team, id crier.ID) (Post, error) {
	p, err := tx.postRow(ctx, team, id, tx.forUpdate)
	if err != nil {
		return p, err
	}
	one := []Post{p}
	err = tx.addContent(ctx, one)
	return one[0], err
}

// PresentPost is PostForUpdate by the id alone, for jobs; it is nil when the post is gone.
func (tx *Tx) PresentPost(ctx context.Context, id crier.ID) (*Post, error) {
	p, err := scanPost(tx.q.QueryRowContext(ctx, `SELECT `+postColumns+` FROM posts p WHERE p.id = $1 AND p.deleted_at IS NULL`+tx.forUpdate, id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read post: %w", err)
	}
	one := []Post{p}
	err = tx.addContent(ctx, one)
	return &one[0], err
}

// PostsWithAsset reads the ids of posts whose present content has an asset, in order, behind the given one.
func (r reads) PostsWithAsset(ctx context.Context, asset, after crier.ID, limit int) ([]crier.ID, error) {
	query, args := `SELECT DISTINCT x.post_id FROM post_assets x WHERE x.asset_id = $1`, []any{asset, limit}
	if after != "" {
		query, args = query+` AND x.post_id > $3`, append(args, after)
	}
	rows, err := r.q.QueryContext(ctx, query+` ORDER BY x.post_id LIMIT $2`, args...)
	if err != nil {
		return nil, fmt.Errorf("look for posts with an asset: %w", err)
	}
	return collect(rows, scanID)
}

func (r reads) postRow(ctx context.Context, team, id crier.ID, lock string) (Post, error) {
	p, err := scanPost(r.q.QueryRowContext(ctx,
		`SELECT `+postColumns+` FROM posts p WHERE p.id = $1 AND p.team_id = $2 AND p.deleted_at IS NULL`+lock, id, team))
	return p, orNotFound(err, "post", id)
}

// InsertPost writes a new post that is scheduled nowhere. Its content and counters are written by methods of their own.
func (tx *Tx) InsertPost(ctx context.Context, p Post) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO posts (id, team_id, post_type, type_given, title, status, delivery_state, save_destination,
		content_payload_id, publish_actions, scheduled_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
		p.ID, p.TeamID, p.PostType, p.TypeGiven, p.Title, p.Status, crier.DeliveryUnscheduled, crier.SavedToDrafts,
		p.ContentPayloadID, asJSON(p.PostPublishActions), NeverScheduled, p.CreatedAt)
	if err != nil {
		return fmt.Errorf("insert post: %w", err)
	}
	return nil
}

// UpdatePost writes what people change about a post. Its counters are written by methods of their own.
func (tx *Tx) UpdatePost(ctx context.Context, p Post) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE posts SET post_type = $2, type_given = $3, title = $4, status = $5, content_payload_id = $6,
		publish_actions = $7, updated_at = $8 WHERE id = $1 AND deleted_at IS NULL`,
		p.ID, p.PostType, p.TypeGiven, p.Title, p.Status, p.ContentPayloadID, asJSON(p.PostPublishActions), p.UpdatedAt)
	return affectedOne(res, err, "post", p.ID)
}

// DeletePost hides a post and removes what lists and searches find it by; its versions and publications stay.
func (tx *Tx) DeletePost(ctx context.Context, id crier.ID, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE posts SET status = 'deleted', deleted_at = $2, updated_at = $2
		WHERE id = $1 AND deleted_at IS NULL`, id, at)
	if err := affectedOne(res, err, "post", id); err != nil {
		return err
	}
	for _, table := range []string{"post_words", "post_assets"} {
		if _, err := tx.q.ExecContext(ctx, `DELETE FROM `+table+` WHERE post_id = $1`, id); err != nil {
			return fmt.Errorf("remove %s of a post: %w", table, err)
		}
	}
	return nil
}

// CountPosts changes the number of posts that a team's plain list shows: those that are neither deleted nor archived. The
// row is the team's busiest, so this is the last thing that a transaction does. It fails when the team is deleted.
func (tx *Tx) CountPosts(ctx context.Context, team crier.ID, by int) error {
	if by == 0 {
		return nil
	}
	res, err := tx.q.ExecContext(ctx, `UPDATE teams SET post_count = post_count + $2 WHERE id = $1 AND deleted_at IS NULL`, team, by)
	return affectedOne(res, err, "team", team)
}

// PostCount is how many posts a team's plain list shows, from its counter.
func (r reads) PostCount(ctx context.Context, team crier.ID) (int64, error) {
	var n int64
	if err := r.q.QueryRowContext(ctx, `SELECT post_count FROM teams WHERE id = $1`, team).Scan(&n); err != nil {
		return 0, fmt.Errorf("count posts: %w", err)
	}
	return n, nil
}

// RefreshPosts brings the columns of posts that sum up their scheduled posts up to date: delivery state, destination and
// time. Every transaction that changes a scheduled post ends with it. The posts' updatedAt stays.
//
// Of each account the newest scheduled post that is not canceled counts (crier.DeliveryOf says how); the destination is
// the queue when any is live or published; the time is the earliest of those that are live, else the last of all.
func (tx *Tx) RefreshPosts(ctx context.Context, ids ...crier.ID) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := tx.q.QueryContext(ctx, `SELECT n.post_id, n.status, n.scheduled_at, n.queued = 1 FROM (
			SELECT s.post_id, s.status, s.scheduled_at, max(CASE WHEN s.status IN `+destinationStatuses+` THEN 1 ELSE 0 END) OVER (PARTITION BY s.post_id) AS queued,
				row_number() OVER (PARTITION BY s.post_id, s.social_account_id ORDER BY s.created_at DESC, s.id DESC) AS place
			FROM scheduled_posts s WHERE s.post_id IN (SELECT v.key FROM `+tx.given("key uuid")+`) AND NOT s.canceled) AS n
		WHERE n.place = 1`, keys(ids))
	if err != nil {
		return fmt.Errorf("sum up scheduled posts: %w", err)
	}
	newest := map[crier.ID][]publicationSum{}
	_, err = collect(found, func(row scanner) (p publicationSum, err error) {
		var post crier.ID
		err = row.Scan(&post, &p.status, &p.at, &p.queued)
		newest[post] = append(newest[post], p)
		return p, err
	})
	if err != nil {
		return fmt.Errorf("sum up scheduled posts: %w", err)
	}
	rows := make([]postSumRow, len(ids))
	for i, id := range ids {
		state, destination, at := sumUp(newest[id])
		rows[i] = postSumRow{id, string(state), destination, givenTime(at)}
	}
	return tx.later(ctx, changed("refresh posts"), `UPDATE posts AS p SET delivery_state = v.state, save_destination = v.destination, scheduled_at = v.at
		FROM `+tx.given(`key uuid, state text, destination text, at timestamptz`)+` WHERE p.id = v.key
		AND (p.delivery_state <> v.state OR p.save_destination <> v.destination OR p.scheduled_at <> v.at)`, asJSON(&rows))
}

// postSumRow is a row of the statement that refreshes posts.
type postSumRow struct {
	Key         crier.ID  `json:"key"`
	State       string    `json:"state"`
	Destination string    `json:"destination"`
	At          givenTime `json:"at"`
}

// publicationSum is what counts of the newest scheduled post of an account.
type publicationSum struct {
	status crier.ScheduledPostStatus
	at     crier.Time
	queued bool // some scheduled post of the post is live or published
}

func sumUp(newest []publicationSum) (state crier.DeliveryState, destination string, at crier.Time) {
	destination, at = crier.SavedToDrafts, NeverScheduled
	statuses := make([]crier.ScheduledPostStatus, len(newest))
	pending := false
	for i, p := range newest {
		statuses[i] = p.status
		if p.queued {
			destination = crier.SavedToQueue
		}
		live := p.status.Live()
		switch {
		case live && (!pending || p.at.Before(at.Time)), !live && !pending && p.at.After(at.Time):
			at = p.at
		}
		pending = pending || live
	}
	return crier.DeliveryOf(statuses), destination, at
}
