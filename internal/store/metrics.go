package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

// InsertMetrics inserts a snapshot of a publication's metrics.
func (tx *Tx) InsertMetrics(ctx context.Context, scheduledPost crier.ID, at crier.Time, metrics json.RawMessage) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO post_metrics (scheduled_post_id, taken_at, metrics) VALUES ($1, $2, $3)
		ON CONFLICT (scheduled_post_id, taken_at) DO NOTHING`, scheduledPost, at, string(metrics))
	if err != nil {
		return fmt.Errorf("insert metrics: %w", err)
	}
	return nil
}

// PublishedOf reads the published publications of a post, oldest first.
func (r reads) PublishedOf(ctx context.Context, team, post crier.ID) ([]Publication, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+publicationColumns+` FROM publications p WHERE p.post_id = $1
		AND p.team_id = $2 AND p.kind = 'post' AND p.status = 'published' ORDER BY p.created_at, p.id LIMIT 1000`,
		post, team)
	if err != nil {
		return nil, fmt.Errorf("read publications: %w", err)
	}
	return collect(rows, scanPublication)
}

// Metrics reads the newest snapshots of a publication.
func (r reads) Metrics(ctx context.Context, scheduledPost crier.ID, limit int) ([]crier.MetricsSnapshot, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT m.taken_at, m.metrics FROM post_metrics m WHERE m.scheduled_post_id = $1
		ORDER BY m.taken_at DESC LIMIT $2`, scheduledPost, limit)
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	return collect(rows, func(row scanner) (s crier.MetricsSnapshot, err error) {
		var metrics *json.RawMessage
		err = row.Scan(&s.TakenAt, intoJSON(&metrics))
		if metrics != nil {
			s.Metrics = crier.RawJSON[crier.Metrics](*metrics)
		}
		return s, err
	})
}
