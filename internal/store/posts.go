package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier"
)

// Post is a post with the fields that the API does not show.
type Post struct {
	crier.Post
	// TypeGiven is true if a caller chose the type; otherwise the type follows from the media.
	TypeGiven bool
	// ScheduledAt is the sort key: the earliest pending time, or else the latest time, or else NeverScheduled.
	ScheduledAt crier.Time
	// Thumbnails are the attached assets that have a thumbnail; the service creates their URLs.
	Thumbnails []crier.ID
	titleKey   string // the title for sorting, empty when there is none
	// Set by postRow only:
	latest  *scheduledPost // the newest scheduled post, nil if there is none
	several bool           // there are others
	tagged  bool           // the post has tags
}

// NeverScheduled is the scheduled time of posts that were never scheduled.
var NeverScheduled = crier.Time{}

const postColumns = `p.id, p.team_id, p.post_type, p.type_given, p.title, p.status, p.delivery_state,
	p.save_destination,
	p.content_payload_id, p.publish_actions, p.scheduled_at, p.created_at, p.updated_at, p.sort_title`

// appendTargets appends the targets of postColumns.
func (p *Post) appendTargets(list []any) []any {
	return append(list, textOrEmpty(&p.ID), textOrEmpty(&p.TeamID), textOrEmpty(&p.PostType), &p.TypeGiven, &p.Title,
		textOrEmpty(&p.Status), textOrEmpty(&p.DeliveryState), &p.SaveDestination, textOrEmpty(&p.ContentPayloadID),
		intoJSON(&p.PostPublishActions), &p.ScheduledAt, &p.CreatedAt, &p.UpdatedAt, &p.titleKey)
}

// scanPost scans postColumns.
func scanPost(row scanner) (*Post, error) {
	p := &Post{}
	err := row.Scan(p.appendTargets(nil)...)
	p.SaveMessage = saveMessages[p.SaveDestination]
	return p, err
}

const postsWithContent = `posts p JOIN payloads y ON y.id = p.content_payload_id`

// postRows are posts with their current content and their newest scheduled post, for postRowColumns: read in one
// statement, so that the content is that of the row even if another is written meanwhile.
const postRows = postsWithContent + ` LEFT JOIN publications s ON s.id = ` + newestOf

var postRowColumns = postColumns + `, y.post_input,
	EXISTS (SELECT 1 FROM post_tags x WHERE x.post_id = p.id) AS tagged,
	EXISTS (SELECT 1 FROM publications o WHERE o.post_id = p.id AND o.kind = 'post' AND o.id <> s.id) AS several, ` +
	renamed(ownScheduledPostColumns, "latest_")

// renamed gives columns names with a prefix: those of a list must be unique.
func renamed(columns, prefix string) string {
	list := strings.Split(strings.Join(strings.Fields(columns), " "), ", ")
	for i, column := range list {
		_, name, _ := strings.Cut(column, ".")
		list[i] = column + " AS " + prefix + name
	}
	return strings.Join(list, ", ")
}

// postRow scans postRowColumns. The assets of the content have ids only.
type postRow struct{ targets []any } // reused for every row of a list

func (r *postRow) scan(row scanner) (*Post, error) {
	p, latest := &Post{}, &scheduledPost{}
	r.targets = append(p.appendTargets(r.targets[:0]), intoJSON(&p.PostInput), &p.tagged, &p.several)
	r.targets = latest.appendTargets(r.targets)
	if err := row.Scan(r.targets...); err != nil {
		return nil, err
	}
	if latest.ID != "" {
		latest.TeamID, latest.ContentItemID = p.TeamID, p.ID
		latest.setDefaults()
		p.latest = latest
	}
	p.SaveMessage = saveMessages[p.SaveDestination]
	p.Text, p.AssetIDs = p.PostInput.Text(), p.PostInput.AssetIDs()
	return p, nil
}

var saveMessages = map[string]string{crier.SavedToQueue: "Saved to Queue", crier.SavedToDrafts: "Saved to Drafts"}

// Post reads a post that is not deleted, hydrated, with its scheduled posts if withScheduled.
func (r reads) Post(ctx context.Context, team, id crier.ID, withScheduled bool) (Post, error) {
	var p *Post
	h := r.hydration([]crier.ID{id}, `SELECT `+newestOf+` FROM posts p WHERE p.id = $1`, []any{id}, withScheduled)
	row := newQuestion(`SELECT `+postRowColumns+` FROM `+postRows+`
		WHERE p.id = $1 AND p.team_id = $2 AND p.deleted_at IS NULL`, []any{id, team}, func(row scanner) (err error) {
		if p, err = (&postRow{}).scan(row); err == nil {
			h.add(p)
		}
		return err
	})
	if err := r.keyed.Ask(ctx, append([]question{row}, h.questions...)...); err != nil {
		return Post{}, fmt.Errorf("read post: %w", err)
	}
	if p == nil {
		return Post{}, orNotFound(sql.ErrNoRows, "post", id)
	}
	h.complete()
	return *p, nil
}

// PostForUpdate is Post that also locks it, in the same round trip. The order of locks is: post, publications, assets,
// tags, counters.
func (tx *Tx) PostForUpdate(ctx context.Context, team, id crier.ID) (Post, error) {
	if err := tx.LockPosts(ctx, id); err != nil { // one that is missing is reported by Post
		return Post{}, err
	}
	return tx.Post(ctx, team, id, false)
}

// PostForJob reads and locks a post that is not deleted, and then its content, which can no longer change, for jobs;
// nil if the post is gone.
func (tx *Tx) PostForJob(ctx context.Context, id crier.ID) (*Post, error) {
	var found *Post
	var input *crier.PostInput
	err := tx.q.Ask(ctx,
		newQuestion(`SELECT `+postColumns+` FROM posts p WHERE p.id = $1 AND p.deleted_at IS NULL`+tx.forUpdate,
			[]any{id}, func(row scanner) (err error) {
				found, err = scanPost(row)
				return err
			}),
		newQuestion(`SELECT y.post_input FROM `+postsWithContent+` WHERE p.id = $1`, []any{id},
			func(row scanner) error { return row.Scan(intoJSON(&input)) }))
	if err != nil {
		return nil, fmt.Errorf("read post: %w", err)
	}
	if found == nil {
		return nil, nil
	}
	if input == nil {
		return nil, fmt.Errorf("post %s has lost its content %s", found.ID, found.ContentPayloadID)
	}
	found.PostInput, found.Text, found.AssetIDs = input, input.Text(), input.AssetIDs()
	return found, nil
}

// PostsWithAsset returns the ids after a given one of the posts whose current content has an asset, in order.
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

// InsertPost inserts a post that is not scheduled; content has its own methods. It fails if the team is deleted, and
// the team cannot be deleted until the transaction ends.
func (tx *Tx) InsertPost(ctx context.Context, p Post) error {
	if tx.newPosts == nil {
		tx.newPosts = map[crier.ID]bool{}
	}
	tx.newPosts[p.ID] = true
	return tx.queueExec(ctx, changedOne("team", p.TeamID), `INSERT INTO posts (id, team_id, post_type, type_given,
		title, status, delivery_state, save_destination,
		content_payload_id, publish_actions, scheduled_at, created_at, updated_at, sort_title, words_version)
		SELECT $1, t.id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, 2
		FROM teams t WHERE t.id = $2 AND t.deleted_at IS NULL`+tx.forShare(),
		p.ID, p.TeamID, p.PostType, p.TypeGiven, p.Title, p.Status, crier.DeliveryUnscheduled, crier.SavedToDrafts,
		p.ContentPayloadID, asJSON(p.PostPublishActions), NeverScheduled, p.CreatedAt, titleKey(p.Title))
}

// UpdatePost writes the fields of a post that users can change.
func (tx *Tx) UpdatePost(ctx context.Context, p Post) error {
	if err := tx.noteArchived(ctx, p.ID, `p.archived <> $2`, p.Status == crier.PostArchived); err != nil {
		return err
	}
	res, err := tx.q.ExecContext(ctx, `UPDATE posts SET post_type = $2, type_given = $3, title = $4, status = $5,
		content_payload_id = $6,
		publish_actions = $7, updated_at = $8, sort_title = $9 WHERE id = $1 AND deleted_at IS NULL`,
		p.ID, p.PostType, p.TypeGiven, p.Title, p.Status, p.ContentPayloadID, asJSON(p.PostPublishActions), p.UpdatedAt,
		titleKey(p.Title))
	return affectedOne(res, err, "post", p.ID)
}

// DeletePost soft-deletes a post and removes its assets. Versions and publications stay; search words are removed by
// the next merge.
func (tx *Tx) DeletePost(ctx context.Context, id crier.ID, at crier.Time) error {
	if err := tx.noteArchived(ctx, id, `p.deleted_at IS NULL`); err != nil {
		return err
	}
	res, err := tx.q.ExecContext(ctx, `UPDATE posts SET status = 'deleted', deleted_at = $2, updated_at = $2
		WHERE id = $1 AND deleted_at IS NULL`, id, at)
	if err := affectedOne(res, err, "post", id); err != nil {
		return err
	}
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM post_assets WHERE post_id = $1`, id); err != nil {
		return fmt.Errorf("remove assets of a post: %w", err)
	}
	return nil
}

// RefreshPosts updates the columns of posts that summarize their publications: delivery state, destination and time.
// Every transaction that changes a publication ends with it. updatedAt stays.
//
// The newest publication of each account that is not canceled counts, see crier.DeliveryOf. The destination is the
// queue if any publication is live or published. The time is the earliest of the live ones, or else the latest of all.
func (tx *Tx) RefreshPosts(ctx context.Context, now crier.Time, ids ...crier.ID) error {
	if len(ids) == 0 {
		return nil
	}
	newest := map[crier.ID]PublicationSums{}
	if err := tx.q.Ask(ctx, tx.sumsQuestion(newest, ids...)); err != nil {
		return fmt.Errorf("sum up scheduled posts: %w", err)
	}
	rows := postSumRows(now, newest, ids...)
	if written, err := tx.writeStates(ctx, rows); err != nil || written == int64(len(rows)) {
		return err
	}
	return tx.writeSums(ctx, rows)
}

// RefreshPost is RefreshPosts for a locked post whose newest publications are known.
func (tx *Tx) RefreshPost(ctx context.Context, now crier.Time, id crier.ID, newest PublicationSums) error {
	return tx.writeSums(ctx, postSumRows(now, map[crier.ID]PublicationSums{id: newest}, id))
}

// sumsQuestion reads the newest publications of posts, by post and account.
func (r reads) sumsQuestion(newest map[crier.ID]PublicationSums, ids ...crier.ID) question {
	return newQuestion(`SELECT n.post_id, n.social_account_id, n.status, n.scheduled_at, n.queued = 1 FROM (
			SELECT s.post_id, s.social_account_id, s.status, s.scheduled_at,
			max(CASE WHEN s.status IN `+destinationStatuses+` THEN 1 ELSE 0 END)
				OVER (PARTITION BY s.post_id) AS queued,
			row_number() OVER (PARTITION BY s.post_id, s.social_account_id
				ORDER BY s.created_at DESC, s.id DESC) AS place
			FROM `+r.jsonRows("key uuid")+` `+r.driven("publications", "s", "post_id", "v.key")+`
			WHERE s.kind = 'post' AND NOT s.canceled) AS n
		WHERE n.place = 1`, []any{keys(ids)}, func(row scanner) error {
		var post, account crier.ID
		var p publicationSum
		err := row.Scan(&post, &account, &p.status, &p.at, &p.queued)
		if newest[post] == nil {
			newest[post] = PublicationSums{}
		}
		newest[post][account] = p
		return err
	})
}

// postSumRow is an input row of writeStates and writeSums.
type postSumRow struct {
	Key         crier.ID `json:"key"`
	State       string   `json:"state"`
	Destination string   `json:"destination"`
	At          jsonTime `json:"at"`
	Now         jsonTime `json:"now"`
}

const postSumColumns = `key uuid, state text, destination text, at timestamptz, now timestamptz`

func postSumRows(now crier.Time, newest map[crier.ID]PublicationSums, ids ...crier.ID) []postSumRow {
	rows := make([]postSumRow, len(ids))
	for i, id := range ids {
		state, destination, at := sumUp(slices.Collect(maps.Values(newest[id])))
		rows[i] = postSumRow{Key: id, State: string(state), Destination: destination, At: jsonTime(at),
			Now: jsonTime(now)}
	}
	return rows
}

// writeStates updates posts of which only the delivery state changes, as when they are published, and returns how many.
// SQLite updates the indexes of every column that a statement sets; on PostgreSQL, writeSums does it all.
func (tx *Tx) writeStates(ctx context.Context, rows []postSumRow) (written int64, err error) {
	if tx.pipe != nil {
		return 0, nil
	}
	res, err := tx.q.ExecContext(ctx, `UPDATE posts AS p SET delivery_state = v.state,
		updated_at = CASE WHEN p.updated_at < v.now THEN v.now ELSE p.updated_at END
		FROM `+tx.jsonRows(postSumColumns)+` WHERE p.id = v.key AND p.delivery_state <> v.state
		AND p.save_destination = v.destination AND p.scheduled_at = v.at`, asJSON(&rows))
	if err != nil {
		return 0, fmt.Errorf("refresh the states of posts: %w", err)
	}
	return res.RowsAffected()
}

func (tx *Tx) writeSums(ctx context.Context, rows []postSumRow) error {
	return tx.queueExec(ctx, changed("refresh posts"), `UPDATE posts AS p SET delivery_state = v.state,
		save_destination = v.destination, scheduled_at = v.at,
		updated_at = CASE WHEN p.delivery_state <> v.state AND p.updated_at < v.now THEN v.now ELSE p.updated_at END
		FROM `+tx.jsonRows(postSumColumns)+` WHERE p.id = v.key
		AND (p.delivery_state <> v.state OR p.save_destination <> v.destination OR p.scheduled_at <> v.at)`,
		asJSON(&rows))
}

// PublicationSums are the newest publications of a post that count, by account.
type PublicationSums map[crier.ID]publicationSum

// Plan records that a publication on an account is scheduled at a time.
func (s PublicationSums) Plan(account crier.ID, at crier.Time) {
	s[account] = publicationSum{status: crier.Scheduled, at: at, queued: true}
}

// publicationSum is the newest publication of an account, as far as it counts.
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

// Approve marks a post as approved, as scheduling does.
func (tx *Tx) Approve(ctx context.Context, id crier.ID, at crier.Time) error {
	return tx.queueExec(ctx, changedOne("post", id),
		`UPDATE posts SET status = 'approved', updated_at = $2 WHERE id = $1`, id, at)
}

// PostGone reports whether a post or its team was deleted.
func (r reads) PostGone(ctx context.Context, id crier.ID) (bool, error) {
	var gone bool
	err := r.q.QueryRowContext(ctx, `SELECT p.deleted_at IS NOT NULL OR t.deleted_at IS NOT NULL
		FROM posts p JOIN teams t ON t.id = p.team_id WHERE p.id = $1`, id).Scan(&gone)
	return gone, orNotFound(err, "post", id)
}

// PostStatus returns the status of a post; deleted if it was deleted.
func (tx *Tx) PostStatus(ctx context.Context, id crier.ID) (status crier.PostStatus, err error) {
	err = tx.q.QueryRowContext(ctx, `SELECT CASE WHEN p.deleted_at IS NULL THEN p.status ELSE 'deleted' END
		FROM posts p WHERE p.id = $1`, id).Scan(&status)
	return status, orNotFound(err, "post", id)
}

// postApproved reports whether a post is approved, and neither it nor its team was deleted.
func (tx *Tx) postApproved(ctx context.Context, id crier.ID) (bool, error) {
	var approved bool
	err := tx.q.QueryRowContext(ctx, `SELECT p.status = 'approved' AND p.deleted_at IS NULL AND t.deleted_at IS NULL
		FROM posts p JOIN teams t ON t.id = p.team_id WHERE p.id = $1`, id).Scan(&approved)
	return approved, orNotFound(err, "post", id)
}
