package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crier"
)

// PostHead is what scheduling needs to know of a post besides its content.
type PostHead struct {
	ID        crier.ID
	TeamID    crier.ID
	PostType  crier.PostType
	Status    crier.PostStatus
	PayloadID crier.ID
	Actions   *crier.PostPublishActions
}

// LockPostHead reads a post that is not deleted and keeps others from changing it, or anything that is published of it,
// until the transaction ends. It is the first lock of every transaction that changes publications.
func (tx *Tx) LockPostHead(ctx context.Context, team, id crier.ID) (PostHead, error) {
	h := PostHead{ID: id, TeamID: team}
	err := tx.q.QueryRowContext(ctx, `SELECT p.post_type, p.status, p.content_payload_id, p.publish_actions FROM posts p
		WHERE p.id = $1 AND p.team_id = $2 AND p.deleted_at IS NULL`+tx.forUpdate, id, team).
		Scan(&h.PostType, &h.Status, &h.PayloadID, intoJSON(&h.Actions))
	return h, orNotFound(err, "post", id)
}

// LockPost takes the same lock without reading; deleted posts have it too. SQLite has one writer at a time: there is nothing to
// lock.
func (tx *Tx) LockPost(ctx context.Context, id crier.ID) error {
	if tx.forUpdate == "" {
		return nil
	}
	return tx.later(ctx, changedOne("post", id), `SELECT 1 FROM posts p WHERE p.id = $1`+tx.forUpdate, id)
}

// LockPosts takes the locks of posts, in one order.
func (tx *Tx) LockPosts(ctx context.Context, ids ...crier.ID) error {
	if tx.forUpdate == "" {
		return nil
	}
	return tx.later(ctx, changed("lock posts"), `SELECT 1 FROM posts p WHERE p.id IN (SELECT v.key FROM `+tx.given("key uuid")+`)
		ORDER BY p.id`+tx.forUpdate, keys(ids))
}

// Around is what a worker needs to know of everything around a publication.
type Around struct {
	// Gone is true when the post or its team was deleted.
	Gone bool
	// LateMinutes is how late the team lets its posts go out.
	LateMinutes int
	Account     Account
	Content     PostContent
}

// aroundRow is a row of the statement that reads what is around publications.
type aroundRow struct {
	Key     crier.ID `json:"key"`
	Payload crier.ID `json:"payload"`
	Account crier.ID `json:"account"`
}

// around reads what is around publications, by their ids.
func (r reads) around(ctx context.Context, list []Publication) (map[crier.ID]*Around, error) {
	given := make([]aroundRow, len(list))
	for i, p := range list {
		given[i] = aroundRow{p.ID, p.PayloadID, p.SocialAccountID}
	}
	rows, err := r.q.QueryContext(ctx, `SELECT v.key, t.deleted_at IS NOT NULL OR o.deleted_at IS NOT NULL, t.publish_late_minutes, o.post_type, y.post_input, `+accountColumns+`
		FROM `+r.given(`key uuid, payload uuid, account uuid`)+` JOIN payloads y ON y.id = v.payload JOIN posts o ON o.id = y.post_id
		JOIN teams t ON t.id = o.team_id JOIN social_accounts a ON a.id = v.account`, asJSON(&given))
	if err != nil {
		return nil, fmt.Errorf("read what is around publications: %w", err)
	}
	found := map[crier.ID]*Around{}
	_, err = collect(rows, func(row scanner) (*Around, error) {
		id, a, err := scanAround(row)
		found[id] = a
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what is around publications: %w", err)
	}
	return found, nil
}

func scanAround(row scanner) (id crier.ID, a *Around, err error) {
	a = &Around{}
	var input *crier.PostInput
	targets, finish := accountTargets(&a.Account)
	err = row.Scan(append([]any{&id, &a.Gone, &a.LateMinutes, &a.Content.PostType, intoJSON(&input)}, targets...)...)
	if err == nil {
		a.Content.Input = *input
		finish()
	}
	return id, a, err
}

// PostContent is the content of one version of a post.
type PostContent struct {
	PostType crier.PostType
	Input    crier.PostInput
}

// PostContent reads the content of a version.
func (r reads) PostContent(ctx context.Context, payload crier.ID) (PostContent, error) {
	var c PostContent
	var input *crier.PostInput
	err := r.q.QueryRowContext(ctx, `SELECT p.post_type, v.post_input FROM payloads v JOIN posts p ON p.id = v.post_id WHERE v.id = $1`, payload).
		Scan(&c.PostType, intoJSON(&input))
	if err == nil {
		c.Input = *input
	}
	return c, orNotFound(err, "content", payload)
}

// Approve marks a post as approved, which scheduling it does.
func (tx *Tx) Approve(ctx context.Context, id crier.ID, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE posts SET status = 'approved', updated_at = $2 WHERE id = $1`, id, at)
	return affectedOne(res, err, "post", id)
}

// Account reads an account by its id alone, for jobs.
func (r reads) Account(ctx context.Context, id crier.ID) (Account, error) {
	a, err := scanAccount(r.keyed.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM social_accounts a WHERE a.id = $1`, id))
	return a, orNotFound(err, "social account", id)
}

// ScheduledPost reads one publication of a team's post.
func (r reads) ScheduledPost(ctx context.Context, team, id crier.ID) (Publication, error) {
	p, err := scanPostPublication(r.q.QueryRowContext(ctx,
		`SELECT `+postPublicationColumns+` FROM scheduled_posts p WHERE p.id = $1 AND p.team_id = $2`, id, team))
	return p, orNotFound(err, "scheduled post", id)
}

// ScheduledPostsByID reads publications of a team by their ids; missing ones are missing in the result.
func (r reads) ScheduledPostsByID(ctx context.Context, ids []crier.ID) (map[crier.ID]Publication, error) {
	list, err := r.publications(ctx, Ref{}, ids)
	if err != nil {
		return nil, err
	}
	found := map[crier.ID]Publication{}
	for _, p := range list {
		found[p.ID] = p
	}
	return found, nil
}

// NotePublished enters what an action brought into the results of the publication it follows.
func (tx *Tx) NotePublished(ctx context.Context, id crier.ID, results crier.PublishResults, at crier.Time) error {
	res, err := tx.q.ExecContext(ctx, `UPDATE scheduled_posts SET results = $2, updated_at = $3 WHERE id = $1`, id, asJSON(&results), at)
	return affectedOne(res, err, "scheduled post", id)
}

// ClaimRefresh takes the right to refresh an account's token until a time. ok is false while another node has it.
func (s *Store) ClaimRefresh(ctx context.Context, account, owner crier.ID, now, until crier.Time) (ok bool, err error) {
	res, err := s.writer.ExecContext(ctx, `UPDATE social_accounts SET refresh_owner = $2, refresh_until = $4
		WHERE id = $1 AND (refresh_until IS NULL OR refresh_until <= $3)`, account, owner, now, until)
	if err != nil {
		return false, fmt.Errorf("claim the refresh: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// ReleaseRefresh ends the right that ClaimRefresh gave.
func (tx *Tx) ReleaseRefresh(ctx context.Context, account, owner crier.ID) error {
	_, err := tx.q.ExecContext(ctx, `UPDATE social_accounts SET refresh_owner = NULL, refresh_until = NULL WHERE id = $1 AND refresh_owner = $2`, account, owner)
	if err != nil {
		return fmt.Errorf("release the refresh: %w", err)
	}
	return nil
}

// WakeAccount puts everything that waits for an account up for work now, and tells what that is.
func (tx *Tx) WakeAccount(ctx context.Context, account crier.ID, now crier.Time) ([]Overdue, error) {
	var woken []Overdue
	for _, action := range []bool{false, true} {
		ref := Ref{Action: action}
		rows, err := tx.q.QueryContext(ctx, `UPDATE `+ref.table()+` SET wake_at = $2 WHERE social_account_id = $1
			AND `+ref.live()+` AND status <> 'unknown' AND error_code IN ('auth_expired', 'account_disconnected', 'permission_missing') AND wake_at IS NOT NULL
			RETURNING id, epoch, provider, social_account_id`, account, now)
		if err != nil {
			return nil, fmt.Errorf("wake what waits for the account: %w", err)
		}
		list, err := collect(rows, scanOverdue(action))
		if err != nil {
			return nil, fmt.Errorf("wake what waits for the account: %w", err)
		}
		woken = append(woken, list...)
	}
	return woken, nil
}

// Credits are an organization's credits, read under a lock.
type Credits struct{ Balance, Reserved int64 }

// LockCredits reads the credits and keeps others from changing them until the transaction ends.
func (tx *Tx) LockCredits(ctx context.Context, organization crier.ID) (Credits, error) {
	var c Credits
	err := tx.q.QueryRowContext(ctx, `SELECT credits_balance, reserved_credits FROM organizations WHERE id = $1`+tx.forUpdate, organization).
		Scan(&c.Balance, &c.Reserved)
	if errors.Is(err, sql.ErrNoRows) {
		return c, crier.NotFound("There is no organization %s.", organization)
	}
	if err != nil {
		return c, fmt.Errorf("read credits: %w", err)
	}
	return c, nil
}

// SetReserved notes what was reserved for a publication, while its worker holds the lease. ok is false when it was lost.
func (tx *Tx) SetReserved(ctx context.Context, p Publication, owner crier.ID, amount int64) (ok bool, err error) {
	res, err := tx.q.ExecContext(ctx, `UPDATE `+p.table()+` SET reserved_credits = $4
		WHERE id = $1 AND epoch = $2 AND lease_owner = $3`, p.ID, p.Epoch, owner, amount)
	if err != nil {
		return false, fmt.Errorf("note reserved credits: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// PostGone is true when a post or its team was deleted.
func (r reads) PostGone(ctx context.Context, id crier.ID) (bool, error) {
	var gone bool
	err := r.q.QueryRowContext(ctx, `SELECT p.deleted_at IS NOT NULL OR t.deleted_at IS NOT NULL
		FROM posts p JOIN teams t ON t.id = p.team_id WHERE p.id = $1`, id).Scan(&gone)
	return gone, orNotFound(err, "post", id)
}

// CurrentPayload is the version that a post has now.
func (r reads) CurrentPayload(ctx context.Context, post crier.ID) (crier.ID, error) {
	var payload crier.ID
	err := r.q.QueryRowContext(ctx, `SELECT p.content_payload_id FROM posts p WHERE p.id = $1`, post).Scan(&payload)
	return payload, orNotFound(err, "post", post)
}

// HasLive is true when a post has a live publication on an account.
func (r reads) HasLive(ctx context.Context, post, account crier.ID) (bool, error) {
	var one int
	err := r.q.QueryRowContext(ctx, `SELECT 1 FROM scheduled_posts p WHERE p.post_id = $1 AND p.social_account_id = $2
		AND p.live`, post, account).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a live publication: %w", err)
	}
	return true, nil
}
