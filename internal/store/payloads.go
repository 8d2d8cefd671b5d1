package store

import (
	"context"
	"fmt"

	"crier"
)

// Payload is one version of a post's content. Attachments hold only the ids of their assets.
type Payload struct {
	ID        crier.ID
	PostID    crier.ID
	Version   int
	Text      string
	PostInput crier.PostInput
	CreatedAt crier.Time
	// CredentialID is the credential that wrote it; nil for versions from before it was recorded.
	CredentialID *crier.ID
}

const payloadColumns = `y.id, y.post_id, y.version, y.text, y.post_input, y.created_at, y.credential_id`

func scanPayload(row scanner) (Payload, error) {
	var y Payload
	var input *crier.PostInput
	err := row.Scan(&y.ID, &y.PostID, &y.Version, &y.Text, intoJSON(&input), &y.CreatedAt, &y.CredentialID)
	if input != nil {
		y.PostInput = *input
	}
	return y, err
}

// InsertPayload inserts the next version of a post's content. The post must be new or locked.
func (tx *Tx) InsertPayload(ctx context.Context, y Payload) error {
	return tx.queueExec(ctx, changed("insert payload"), `INSERT INTO payloads (id, post_id, version, text, post_input,
		created_at, credential_id, has_variants)
		SELECT $1, $2, coalesce(max(y.version), 0) + 1, $3, $4, $5, $6, $7 FROM payloads y WHERE y.post_id = $2`,
		y.ID, y.PostID, y.Text, asJSON(&y.PostInput), y.CreatedAt, y.CredentialID, len(y.PostInput.Variants) > 0)
}

// ReplacePayload replaces an earlier version of the same post, which is deleted. The version number and the time when
// it was started stay. The post must be locked.
func (tx *Tx) ReplacePayload(ctx context.Context, earlier crier.ID, y Payload) error {
	return tx.queueExec(ctx, changedOne("content", earlier), `UPDATE payloads SET id = $2, text = $3, post_input = $4,
		has_variants = $5 WHERE id = $1`, earlier, y.ID, y.Text, asJSON(&y.PostInput), len(y.PostInput.Variants) > 0)
}

// Replaceable reports whether a version of a post may be replaced: the credential started it after a time, and no
// publication refers to it.
func (r reads) Replaceable(ctx context.Context, post, payload, credential crier.ID, after crier.Time) (bool, error) {
	var ok bool
	err := r.q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM payloads y WHERE y.id = $1 AND y.credential_id = $2
			AND y.created_at > $3)
		AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.post_id = $4 AND p.payload_id = $1)`,
		payload, credential, after, post).Scan(&ok)
	if err != nil {
		return false, fmt.Errorf("look whether content may be replaced: %w", err)
	}
	return ok, nil
}

// PayloadPage reads one page of the versions of a post.
func (r reads) PayloadPage(ctx context.Context, post crier.ID, q PageQuery) (PageRows[Payload], error) {
	list := listing[Payload]{
		columns:  payloadColumns,
		from:     "payloads y",
		id:       "y.id",
		sorts:    map[string]string{"createdAt": "y.created_at"},
		branches: []branch{{where: "y.post_id = ?", args: []any{post}}},
		scan:     scanPayload,
		key:      func(y Payload, _ string) Key { return Key{Value: y.CreatedAt, ID: y.ID} },
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list versions: %w", err)
	}
	return page, nil
}

// PayloadCount returns the number of versions of a post.
func (r reads) PayloadCount(ctx context.Context, post crier.ID) (int64, error) {
	var n int64
	if err := r.q.QueryRowContext(ctx, `SELECT count(*) FROM payloads WHERE post_id = $1`, post).Scan(&n); err != nil {
		return 0, fmt.Errorf("count versions: %w", err)
	}
	return n, nil
}

// AddAssetFacts completes the attachments of posts with the facts of their assets.
func (r reads) AddAssetFacts(ctx context.Context, posts []Post) error {
	if len(posts) == 0 {
		return nil
	}
	var ids []crier.ID
	for _, p := range posts {
		ids = append(ids, p.PostInput.AllAssetIDs()...)
	}
	facts, err := r.AssetFacts(ctx, posts[0].TeamID, ids)
	if err != nil {
		return err
	}
	for i := range posts {
		posts[i].SetAssets(facts)
	}
	return nil
}

// Payloads reads versions by id. Ids that do not exist are missing from the result.
func (r reads) Payloads(ctx context.Context, ids []crier.ID) (map[crier.ID]Payload, error) {
	marks, args := inList(1, ids)
	rows, err := r.q.QueryContext(ctx, `SELECT `+payloadColumns+` FROM payloads y WHERE y.id IN (`+marks+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("read payloads: %w", err)
	}
	list, err := collect(rows, scanPayload)
	if err != nil {
		return nil, fmt.Errorf("read payloads: %w", err)
	}
	found := make(map[crier.ID]Payload, len(list))
	for _, y := range list {
		found[y.ID] = y
	}
	return found, nil
}

// ReplacePostAssets writes the assets of a post's current content, in order.
func (tx *Tx) ReplacePostAssets(ctx context.Context, post crier.ID, assets []crier.ID) error {
	if !tx.newPosts[post] {
		if err := tx.queueExec(ctx, changed("remove assets of a post"), `DELETE FROM post_assets WHERE post_id = $1`,
			post); err != nil {
			return err
		}
	}
	if len(assets) == 0 {
		return nil
	}
	rows := make([]postAssetRow, len(assets))
	for i, id := range assets {
		rows[i] = postAssetRow{Place: i, Asset: id}
	}
	return tx.queueExec(ctx, changed("add assets of a post"), `INSERT INTO post_assets (post_id, position, asset_id)
		SELECT $2, v.place, v.asset FROM `+tx.jsonRows("place bigint, asset uuid"), asJSON(&rows), post)
}

// postAssetRow is an input row of ReplacePostAssets.
type postAssetRow struct {
	Place int      `json:"place"`
	Asset crier.ID `json:"asset"`
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
	err := r.q.QueryRowContext(ctx,
		`SELECT p.post_type, v.post_input FROM payloads v JOIN posts p ON p.id = v.post_id WHERE v.id = $1`, payload).
		Scan(&c.PostType, intoJSON(&input))
	if err == nil {
		c.Input = *input
	}
	return c, orNotFound(err, "content", payload)
}

// CurrentPayload returns the id of a post's current version.
func (r reads) CurrentPayload(ctx context.Context, post crier.ID) (crier.ID, error) {
	var payload crier.ID
	err := r.q.QueryRowContext(ctx, `SELECT p.content_payload_id FROM posts p WHERE p.id = $1`, post).Scan(&payload)
	return payload, orNotFound(err, "post", post)
}
