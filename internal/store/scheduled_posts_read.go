package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"crier"
)

const scheduledPostColumns = `s.id, s.team_id, s.post_id, s.social_account_id, s.status, s.scheduled_at, s.timezone, s.payload_id,
	s.platform_post_id, s.permalink, s.published_at, s.platform_settings, s.results, s.state, s.error_code, s.error_message,
	s.workflow_id, s.workflow_run_id, s.created_at, s.updated_at`

// scanScheduledPost reads a row of scheduledPostColumns as the wire shows it.
func scanScheduledPost(row scanner) (crier.ScheduledPost, error) {
	var s crier.ScheduledPost
	var platformPostID, permalink, code, message, workflow, run sql.NullString
	var settings *map[string]json.RawMessage
	var results *crier.PublishResults
	var state *crier.ProviderPublishState
	err := row.Scan(&s.ID, &s.TeamID, &s.ContentItemID, &s.SocialAccountID, &s.Status, &s.ScheduledAt, &s.Timezone, &s.ContentPayloadID,
		&platformPostID, &permalink, &s.PublishedAt, intoJSON(&settings), intoJSON(&results), intoJSON(&state), &code, &message,
		&workflow, &run, &s.CreatedAt, &s.UpdatedAt)
	if err != nil {
		return s, fmt.Errorf("read scheduled post: %w", err)
	}
	s.PlatformPostID, s.Permalink, s.ErrorCode, s.ErrorMessage = platformPostID.String, permalink.String, code.String, message.String
	s.WorkflowID, s.WorkflowRunID = workflow.String, run.String
	s.PlatformSettings, s.PublishResults, s.ProviderPublishState = *settings, *results, *state
	if s.PlatformSettings == nil {
		s.PlatformSettings = map[string]json.RawMessage{}
	}
	if s.PublishResults.PlatformPostIDs == nil {
		s.PublishResults.PlatformPostIDs = []string{}
	}
	return s, nil
}

// ScheduledPosts reads scheduled posts by their ids; missing ones are missing in the result.
func (r reads) ScheduledPosts(ctx context.Context, ids []crier.ID) (map[crier.ID]crier.ScheduledPost, error) {
	marks, args := inList(1, ids)
	list, err := r.scheduledPosts(ctx, `s.id IN (`+marks+`)`, args...)
	found := make(map[crier.ID]crier.ScheduledPost, len(list))
	for _, s := range list {
		found[s.ID] = s
	}
	return found, err
}

// latestScheduledPosts reads the newest scheduled post of each post, by post.
func (r reads) latestScheduledPosts(ctx context.Context, posts []crier.ID) (map[crier.ID]crier.ScheduledPost, error) {
	marks, args := inList(1, posts)
	list, err := r.scheduledPosts(ctx, `s.id IN (SELECT (SELECT n.id FROM scheduled_posts n WHERE n.post_id = p.id
		ORDER BY n.created_at DESC, n.id DESC LIMIT 1) FROM posts p WHERE p.id IN (`+marks+`))`, args...)
	latest := make(map[crier.ID]crier.ScheduledPost, len(list))
	for _, s := range list {
		latest[s.ContentItemID] = s
	}
	return latest, err
}

// MaxIncluded bounds the scheduled posts that are shown with their post: a series makes ever more of them.
const MaxIncluded = 100

// includedScheduledPosts reads the newest scheduled posts of each post, by post, the newest first.
func (r reads) includedScheduledPosts(ctx context.Context, posts []crier.ID) (map[crier.ID][]crier.ScheduledPost, error) {
	marks, args := inList(2, posts)
	list, err := r.scheduledPosts(ctx, `s.id IN (SELECT n.id FROM (SELECT i.id, row_number() OVER
		(PARTITION BY i.post_id ORDER BY i.created_at DESC, i.id DESC) AS place FROM scheduled_posts i WHERE i.post_id IN (`+marks+`)) AS n
		WHERE n.place <= $1)`, append([]any{MaxIncluded}, args...)...)
	included := map[crier.ID][]crier.ScheduledPost{}
	for _, s := range list {
		included[s.ContentItemID] = append(included[s.ContentItemID], s)
	}
	return included, err
}

// scheduledPosts reads those that meet a condition, the newest first.
func (r reads) scheduledPosts(ctx context.Context, where string, args ...any) ([]crier.ScheduledPost, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT `+scheduledPostColumns+` FROM scheduled_posts s WHERE `+where+`
		ORDER BY s.created_at DESC, s.id DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("read scheduled posts: %w", err)
	}
	return collect(rows, scanScheduledPost)
}

// destinationStatuses are the states in which an account counts as a destination of a post: live or published.
const destinationStatuses = `('scheduled', 'publishing', 'processing', 'unknown', 'published')`

// destinations reads the accounts that each post goes, or has gone, to, by post, in id order.
func (r reads) destinations(ctx context.Context, posts []crier.ID) (map[crier.ID][]crier.ID, error) {
	marks, args := inList(1, posts)
	rows, err := r.q.QueryContext(ctx, `SELECT DISTINCT s.post_id, s.social_account_id FROM scheduled_posts s
		WHERE s.post_id IN (`+marks+`) AND s.status IN `+destinationStatuses+` ORDER BY s.post_id, s.social_account_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read destinations: %w", err)
	}
	pairs, err := collect(rows, func(row scanner) (pair [2]crier.ID, err error) { return pair, row.Scan(&pair[0], &pair[1]) })
	accounts := map[crier.ID][]crier.ID{}
	for _, pair := range pairs {
		accounts[pair[0]] = append(accounts[pair[0]], pair[1])
	}
	return accounts, err
}

// PublishedPlatformPosts reads where a post, or a part of it, is public, the oldest first.
func (r reads) PublishedPlatformPosts(ctx context.Context, post crier.ID) ([]crier.PlatformDelete, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT s.provider, s.platform_post_id, s.social_account_id, s.id FROM scheduled_posts s
		WHERE s.post_id = $1 AND s.platform_post_id IS NOT NULL ORDER BY s.created_at, s.id`, post)
	if err != nil {
		return nil, fmt.Errorf("read where a post is public: %w", err)
	}
	return collect(rows, func(row scanner) (d crier.PlatformDelete, err error) {
		return d, row.Scan(&d.Provider, &d.PlatformPostID, &d.SocialAccountID, &d.ScheduledPostID)
	})
}
