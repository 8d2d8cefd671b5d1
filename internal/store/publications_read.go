package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

const scheduledPostColumns = `s.team_id, s.post_id, ` + ownScheduledPostColumns

// ownScheduledPostColumns are scheduledPostColumns without those that follow from the post.
const ownScheduledPostColumns = `s.id, s.social_account_id, s.status, s.scheduled_at, s.timezone, s.payload_id,
	s.platform_post_id, s.permalink, s.published_at, s.platform_settings, s.results, s.state, s.error_code,
	s.error_message, s.workflow_id, s.workflow_run_id, s.created_at, s.updated_at, s.actions`

// scheduledPost is a scheduled post whose follow-ups are not read yet.
type scheduledPost struct {
	crier.ScheduledPost
	actions crier.PlannedActions
}

// appendTargets appends the targets of ownScheduledPostColumns. If all columns are NULL, as in an outer join, the id
// stays empty.
func (s *scheduledPost) appendTargets(list []any) []any {
	return append(list, textOrEmpty(&s.ID), textOrEmpty(&s.SocialAccountID), textOrEmpty(&s.Status),
		timeOrZero(&s.ScheduledAt), textOrEmpty(&s.Timezone), textOrEmpty(&s.ContentPayloadID),
		textOrEmpty(&s.PlatformPostID), textOrEmpty(&s.Permalink), &s.PublishedAt, jsonOrZero(&s.PlatformSettings),
		jsonOrZero(&s.PublishResults), jsonOrZero(&s.ProviderPublishState), textOrEmpty(&s.ErrorCode),
		textOrEmpty(&s.ErrorMessage), textOrEmpty(&s.WorkflowID), textOrEmpty(&s.WorkflowRunID),
		timeOrZero(&s.CreatedAt), timeOrZero(&s.UpdatedAt), jsonOrZero(&s.actions))
}

// setDefaults sets what the API shows instead of null.
func (s *scheduledPost) setDefaults() {
	if s.PlatformSettings == nil {
		s.PlatformSettings = map[string]json.RawMessage{}
	}
	if s.PublishResults.PlatformPostIDs == nil {
		s.PublishResults.PlatformPostIDs = []string{}
	}
}

// scanScheduledPost scans scheduledPostColumns.
func scanScheduledPost(row scanner) (*scheduledPost, error) {
	s := &scheduledPost{}
	if err := row.Scan(s.appendTargets([]any{&s.TeamID, &s.ContentItemID})...); err != nil {
		return nil, fmt.Errorf("read scheduled post: %w", err)
	}
	s.setDefaults()
	return s, nil
}

// ScheduledPosts reads scheduled posts by id. Ids that do not exist are missing from the result.
func (r reads) ScheduledPosts(ctx context.Context, ids []crier.ID) (map[crier.ID]crier.ScheduledPost, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	s := r.scheduledPosts(r.ofKeys(ids))
	if err := r.q.Ask(ctx, s.questions...); err != nil {
		return nil, fmt.Errorf("read scheduled posts: %w", err)
	}
	found := make(map[crier.ID]crier.ScheduledPost, len(s.found))
	for _, p := range s.list() {
		found[p.ID] = p
	}
	return found, nil
}

// newestOf selects the id of the newest scheduled post of a post p.
const newestOf = `(SELECT n.id FROM publications n WHERE n.post_id = p.id AND n.kind = 'post'
	ORDER BY n.created_at DESC, n.id DESC LIMIT 1)`

// MaxIncluded limits the scheduled posts that are shown with their post: a series keeps adding to them.
const MaxIncluded = 100

// includedScheduledPosts prepares reading the newest scheduled posts of each post.
func (r reads) includedScheduledPosts(posts []crier.ID) *scheduledPosts {
	marks, args := inList(2, posts)
	return r.scheduledPosts(`SELECT n.id FROM (SELECT i.id, row_number() OVER
		(PARTITION BY i.post_id ORDER BY i.created_at DESC, i.id DESC) AS place FROM publications i
		WHERE i.post_id IN (`+marks+`) AND i.kind = 'post') AS n
		WHERE n.place <= $1`, append([]any{MaxIncluded}, args...))
}

// liveStatuses are the statuses of publications that have not ended.
const liveStatuses = `('scheduled', 'publishing', 'processing', 'unknown')`

// destinationStatuses are the statuses that make an account a destination of a post: live or published.
const destinationStatuses = `('scheduled', 'publishing', 'processing', 'unknown', 'published')`

// destinationsQuestion reads the accounts to which each post is or was sent, by post, in id order, and which posts a
// network has now.
func destinationsQuestion(accounts map[crier.ID][]crier.ID, runs map[crier.ID]bool, posts []crier.ID) question {
	marks, args := inList(1, posts)
	return newQuestion(`SELECT s.post_id, s.social_account_id,
		max(CASE WHEN s.status IN ('publishing', 'processing') THEN 1 ELSE 0 END)
		FROM publications s
		WHERE s.post_id IN (`+marks+`) AND s.kind = 'post' AND s.status IN `+destinationStatuses+`
		GROUP BY s.post_id, s.social_account_id
		ORDER BY s.post_id, s.social_account_id`, args, func(row scanner) error {
		var post, account crier.ID
		var running int
		err := row.Scan(&post, &account, &running)
		accounts[post] = append(accounts[post], account)
		if running > 0 {
			runs[post] = true
		}
		return err
	})
}

// PublishedPlatformPosts reads the platform posts of a post and its parts that are public, oldest first.
func (r reads) PublishedPlatformPosts(ctx context.Context, post crier.ID) ([]crier.PlatformDelete, error) {
	rows, err := r.q.QueryContext(ctx, `SELECT s.provider, coalesce(s.platform_post_id, ''),
		s.social_account_id, s.id FROM publications s
		WHERE s.post_id = $1 AND s.kind = 'post' AND (s.platform_post_id IS NOT NULL OR s.status = 'published')
		ORDER BY s.created_at, s.id`, post)
	if err != nil {
		return nil, fmt.Errorf("read where a post is public: %w", err)
	}
	return collect(rows, func(row scanner) (d crier.PlatformDelete, err error) {
		return d, row.Scan(&d.Provider, &d.PlatformPostID, &d.SocialAccountID, &d.ScheduledPostID)
	})
}
