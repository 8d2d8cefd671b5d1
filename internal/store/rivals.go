package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"crier"
)

// Rival is another scheduled post of the same account that a post on the network may belong to.
type Rival struct {
	ID     crier.ID
	Status crier.ScheduledPostStatus
	// PlatformPostID is empty if it is not known yet.
	PlatformPostID string
	// SameText is true if its post has the same text.
	SameText bool
	// Publication is set while it is being published.
	Publication *Publication
}

// rivalsFor is how long before a lookup a rival may have been due. Nothing is published this late; what is retried gets
// a new time.
const rivalsFor = 7 * 24 * time.Hour

// Rivals reads the other scheduled posts of a publication's account that have a post on the network, or are being
// published.
func (r reads) Rivals(ctx context.Context, p Publication, now crier.Time) ([]Rival, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT s.id, s.status, s.platform_post_id,
			s.status IN ('publishing', 'processing') AND coalesce((SELECT y.text = own.text
				FROM payloads y CROSS JOIN payloads own WHERE y.id = s.payload_id AND own.id = $5), FALSE)
		FROM publications s WHERE s.team_id = $1 AND s.social_account_id = $2 AND s.kind = 'post' AND s.id <> $6
		AND s.scheduled_at >= $3 AND s.scheduled_at <= $4
		AND (s.platform_post_id IS NOT NULL OR s.status IN ('publishing', 'processing'))`,
		p.TeamID, p.SocialAccountID, crier.TimeOf(now.Add(-rivalsFor)), crier.TimeOf(now.Add(time.Hour)), p.PayloadID,
		p.ScheduledPostID)
	if err != nil {
		return nil, fmt.Errorf("look for rivals: %w", err)
	}
	var begun []crier.ID
	list, err := collect(rows, func(row scanner) (v Rival, err error) {
		var id sql.NullString
		err = row.Scan(&v.ID, &v.Status, &id, &v.SameText)
		v.PlatformPostID = id.String
		if v.Status == crier.Publishing || v.Status == crier.Processing {
			begun = append(begun, v.ID)
		}
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for rivals: %w", err)
	}
	publications, err := r.publications(ctx, begun)
	if err != nil {
		return nil, err
	}
	for i := range list {
		for k := range publications {
			if publications[k].ID == list[i].ID {
				list[i].Publication = &publications[k]
			}
		}
	}
	return list, nil
}
