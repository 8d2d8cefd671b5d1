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
	// Publication and Content are set while it is being published.
	Publication *Publication
	Content     PostContent
}

// rivalsFor is how long before a lookup a rival may have been due. Nothing is published this late; what is retried gets
// a new time.
const rivalsFor = 7 * 24 * time.Hour

// Rivals reads the other scheduled posts of a publication's account that have a post on the network, or are being
// published.
func (r reads) Rivals(ctx context.Context, p Publication, now crier.Time) ([]Rival, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT s.id, s.status, s.platform_post_id
		FROM publications s WHERE s.team_id = $1 AND s.social_account_id = $2 AND s.kind = 'post' AND s.id <> $5
		AND s.scheduled_at >= $3 AND s.scheduled_at <= $4
		AND (s.platform_post_id IS NOT NULL OR s.status IN ('publishing', 'processing'))`,
		p.TeamID, p.SocialAccountID, crier.TimeOf(now.Add(-rivalsFor)), crier.TimeOf(now.Add(time.Hour)),
		p.ScheduledPostID)
	if err != nil {
		return nil, fmt.Errorf("look for rivals: %w", err)
	}
	var begun []crier.ID
	list, err := collect(rows, func(row scanner) (v Rival, err error) {
		var id sql.NullString
		err = row.Scan(&v.ID, &v.Status, &id)
		v.PlatformPostID = id.String
		if v.Status == crier.Publishing || v.Status == crier.Processing {
			begun = append(begun, v.ID)
		}
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for rivals: %w", err)
	}
	return list, r.addPublications(ctx, list, begun)
}

// addPublications sets the publications of rivals, and what they publish.
func (r reads) addPublications(ctx context.Context, list []Rival, ids []crier.ID) error {
	publications, err := r.publications(ctx, ids)
	if err != nil || len(publications) == 0 {
		return err
	}
	contexts, err := r.publishContexts(ctx, publications)
	if err != nil {
		return err
	}
	found := map[crier.ID]*Publication{}
	for i, p := range publications {
		found[p.ID] = &publications[i]
	}
	for i := range list {
		list[i].Publication = found[list[i].ID]
		if around := contexts[list[i].ID]; around != nil {
			list[i].Content = around.Content
		}
	}
	return nil
}
