package store

import (
	"context"
	"database/sql"

	"crier"
)

// PostHead holds the fields of a post that scheduling needs besides its content.
type PostHead struct {
	ID        crier.ID
	TeamID    crier.ID
	PostType  crier.PostType
	Status    crier.PostStatus
	PayloadID crier.ID
	Actions   *crier.PostPublishActions
}

// LockPostHead reads and locks a post that is not deleted.
func (tx *Tx) LockPostHead(ctx context.Context, team, id crier.ID) (PostHead, error) {
	var found *PostHead
	err := tx.q.Ask(ctx, tx.headQuestion(&found, team, id))
	if err == nil && found == nil {
		err = sql.ErrNoRows
	}
	if err != nil {
		return PostHead{}, orNotFound(err, "post", id)
	}
	return *found, nil
}

// headQuestion reads and locks a post that is not deleted. Its lock also protects its publications: it is the first
// lock of every transaction that changes publications.
func (tx *Tx) headQuestion(found **PostHead, team, id crier.ID) question {
	return newQuestion(`SELECT p.post_type, p.status, p.content_payload_id, p.publish_actions FROM posts p
		WHERE p.id = $1 AND p.team_id = $2 AND p.deleted_at IS NULL`+tx.forUpdate, []any{id, team},
		func(row scanner) error {
			h := PostHead{ID: id, TeamID: team}
			*found = &h
			return row.Scan(&h.PostType, &h.Status, &h.PayloadID, intoJSON(&h.Actions))
		})
}

// Planning holds the data that scheduling a post is based on.
type Planning struct {
	Post      PostHead
	Content   PostContent
	Accounts  map[crier.ID]Account
	Live      map[crier.ID]Publication // by account
	Published map[crier.ID]bool        // accounts
	Newest    PublicationSums
}

// LockForPlanning reads a post that is to be published on accounts, and its earlier publications, in one round trip. It
// locks the post, then the accounts, then the live publications. Accounts that do not exist are missing from the
// result.
func (tx *Tx) LockForPlanning(ctx context.Context, team, post crier.ID, accounts []crier.ID) (Planning, error) {
	p := Planning{Accounts: map[crier.ID]Account{}, Live: map[crier.ID]Publication{}, Published: map[crier.ID]bool{}}
	var head *PostHead
	newest := map[crier.ID]PublicationSums{post: {}}
	err := tx.q.Ask(ctx,
		tx.headQuestion(&head, team, post),
		tx.accountsQuestion(p.Accounts, team, accounts),
		tx.liveQuestion(p.Live, post),
		publishedQuestion(p.Published, post),
		contentQuestion(&p.Content, post),
		tx.sumsQuestion(newest, post))
	if err == nil && head == nil {
		err = sql.ErrNoRows
	}
	if err != nil {
		return p, orNotFound(err, "post", post)
	}
	p.Post, p.Newest = *head, newest[post]
	return p, nil
}

// contentQuestion reads the current content of a post.
func contentQuestion(c *PostContent, post crier.ID) question {
	return newQuestion(`SELECT p.post_type, v.post_input FROM posts p JOIN payloads v ON v.id = p.content_payload_id
		WHERE p.id = $1`, []any{post}, func(row scanner) error {
		var input *crier.PostInput
		err := row.Scan(&c.PostType, intoJSON(&input))
		if err == nil {
			c.Input = *input
		}
		return err
	})
}

// LockPost takes the same lock without reading, also on deleted posts. SQLite has a single writer and nothing to lock.
func (tx *Tx) LockPost(ctx context.Context, id crier.ID) error {
	if tx.forUpdate == "" {
		return nil
	}
	return tx.queueExec(ctx, changedOne("post", id), `SELECT 1 FROM posts p WHERE p.id = $1`+tx.forUpdate, id)
}

// LockPosts locks posts in id order.
func (tx *Tx) LockPosts(ctx context.Context, ids ...crier.ID) error {
	if tx.forUpdate == "" {
		return nil
	}
	return tx.queueExec(ctx, changed("lock posts"), `SELECT 1 FROM posts p WHERE p.id IN (SELECT v.key
		FROM `+tx.jsonRows("key uuid")+`)
		ORDER BY p.id`+tx.forUpdate, keys(ids))
}
