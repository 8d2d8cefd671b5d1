package store

import (
	"context"
	"fmt"

	"crier"
)

// Payload is one version of a post's content. Attachments name their assets and nothing else about them.
type Payload struct {
	ID        crier.ID
	PostID    crier.ID
	Version   int
	Text      string
	PostInput crier.PostInput
	CreatedAt crier.Time
}

const payloadColumns = `y.id, y.post_id, y.version, y.text, y.post_input, y.created_at`

func scanPayload(row scanner) (Payload, error) {
	var y Payload
	var input *crier.PostInput
	err := row.Scan(&y.ID, &y.PostID, &y.Version, &y.Text, intoJSON(&input), &y.CreatedAt)
	if input != nil {
		y.PostInput = *input
	}
	return y, err
}

// InsertPayload writes the next version of a post's content; the post must be new or locked.
func (tx *Tx) InsertPayload(ctx context.Context, y Payload) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO payloads (id, post_id, version, text, post_input, created_at)
		SELECT $1, $2, coalesce(max(y.version), 0) + 1, $3, $4, $5 FROM payloads y WHERE y.post_id = $2`,
		y.ID, y.PostID, y.Text, asJSON(&y.PostInput), y.CreatedAt)
	if err != nil {
		return fmt.Errorf("insert payload: %w", err)
	}
	return nil
}

// Payloads reads versions by their ids; missing ones are missing in the result.
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

// ReplacePostAssets writes which assets the present content of a post has, in order.
func (tx *Tx) ReplacePostAssets(ctx context.Context, post crier.ID, assets []crier.ID) error {
	if _, err := tx.q.ExecContext(ctx, `DELETE FROM post_assets WHERE post_id = $1`, post); err != nil {
		return fmt.Errorf("remove assets of a post: %w", err)
	}
	rows := make([][]any, len(assets))
	for i, id := range assets {
		rows[i] = []any{post, i, id}
	}
	return tx.insertRows(ctx, `post_assets (post_id, position, asset_id)`, rows)
}
