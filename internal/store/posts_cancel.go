package store

import (
	"context"
	"fmt"

	"crier"
)

// LockScheduled reads and locks the scheduled publications of a post, including actions unless leaveActions. The post
// must be locked.
func (tx *Tx) LockScheduled(ctx context.Context, post crier.ID, leaveActions bool) ([]Publication, error) {
	if leaveActions {
		return tx.lockLive(ctx, `p.post_id = $1 AND p.kind = 'post' AND p.status = 'scheduled'`, post)
	}
	return tx.lockLive(ctx, `p.post_id = $1 AND p.status = 'scheduled'`, post)
}

// LockUnknown reads and locks the publications of a post whose outcome is unknown, including actions. The post must be
// locked.
func (tx *Tx) LockUnknown(ctx context.Context, post crier.ID) ([]Publication, error) {
	return tx.lockLive(ctx, `p.post_id = $1 AND p.status = 'unknown'`, post)
}

// LockTeamPending is LockScheduled for all posts of a team that is deleted; it locks the posts. It includes the
// publications with an unknown outcome, because nobody can resolve them any more.
func (tx *Tx) LockTeamPending(ctx context.Context, team crier.ID) ([]Publication, error) {
	// Selecting by account uses the index of live publications.
	const ofTeam = `p.social_account_id IN (SELECT a.id FROM social_accounts a WHERE a.team_id = $1)
		AND p.status IN ('scheduled', 'unknown')`
	rows, err := tx.q.QueryContext(ctx, `SELECT DISTINCT p.post_id FROM publications p
		WHERE `+ofTeam+` AND p.live`, team)
	if err != nil {
		return nil, fmt.Errorf("look for scheduled posts: %w", err)
	}
	posts, err := collect(rows, scanID)
	if err != nil {
		return nil, fmt.Errorf("look for scheduled posts: %w", err)
	}
	if err := tx.LockPosts(ctx, posts...); err != nil {
		return nil, err
	}
	return tx.lockLive(ctx, ofTeam, team)
}

func (tx *Tx) lockLive(ctx context.Context, where string, of crier.ID) ([]Publication, error) {
	rows, err := tx.q.QueryContext(ctx, `SELECT `+publicationColumns+` FROM publications p
		WHERE `+where+` AND p.live ORDER BY p.id`+tx.forUpdate, of)
	if err != nil {
		return nil, fmt.Errorf("lock scheduled publications: %w", err)
	}
	list, err := collect(rows, scanPublication)
	if err != nil {
		return nil, fmt.Errorf("lock scheduled publications: %w", err)
	}
	return list, nil
}
