package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"crier"
)

func scheduledPostPath(team, id crier.ID) string {
	return teamPath(team) + "/scheduled-posts/" + string(id)
}

// ScheduledPostFilter filters a list of scheduled posts; empty fields match everything.
type ScheduledPostFilter struct {
	ListOptions
	Status           []crier.ScheduledPostStatus
	Provider         []crier.Provider
	SocialAccountIDs []crier.ID
	PostID           crier.ID
	From, To         *crier.Time
	// NeedsAttention selects those that need attention, or those that do not.
	NeedsAttention *bool
}

func (f ScheduledPostFilter) query() url.Values {
	q := f.ListOptions.query()
	set(q, "status", joined(f.Status))
	set(q, "provider", joined(f.Provider))
	set(q, "socialAccountId", joined(f.SocialAccountIDs))
	set(q, "postId", string(f.PostID))
	setTime(q, "from", f.From)
	setTime(q, "to", f.To)
	if f.NeedsAttention != nil {
		q.Set("needsAttention", strconv.FormatBool(*f.NeedsAttention))
	}
	return q
}

// ListScheduledPosts returns a page of a team's scheduled posts.
func (c *Client) ListScheduledPosts(ctx context.Context, team crier.ID,
	f ScheduledPostFilter) (crier.Page[crier.ScheduledPost], error) {
	return get[crier.Page[crier.ScheduledPost]](ctx, c, teamPath(team)+"/scheduled-posts", f.query())
}

// UpdateScheduledPost moves a scheduled post or changes its settings and actions; missing fields stay unchanged.
func (c *Client) UpdateScheduledPost(ctx context.Context, team, id crier.ID,
	in crier.ScheduledPostUpdate) (crier.ScheduledPost, error) {
	return change[crier.ScheduledPost](ctx, c, http.MethodPatch, scheduledPostPath(team, id), in)
}

// CancelScheduledPost cancels the publication on one account.
func (c *Client) CancelScheduledPost(ctx context.Context, team, id crier.ID) (crier.ScheduledPost, error) {
	return change[crier.ScheduledPost](ctx, c, http.MethodPost, scheduledPostPath(team, id)+"/cancel", nil)
}

// DismissScheduledPost removes a failure from the list of posts that need attention.
func (c *Client) DismissScheduledPost(ctx context.Context, team, id crier.ID) (crier.ScheduledPost, error) {
	return change[crier.ScheduledPost](ctx, c, http.MethodPost, scheduledPostPath(team, id)+"/dismiss", nil)
}

// GetScheduledPost returns a scheduled post.
func (c *Client) GetScheduledPost(ctx context.Context, team, id crier.ID) (crier.ScheduledPost, error) {
	return get[crier.ScheduledPost](ctx, c, scheduledPostPath(team, id), nil)
}

// ListAttempts returns all attempts of a scheduled post.
func (c *Client) ListAttempts(ctx context.Context, team, id crier.ID) (crier.AttemptList, error) {
	return get[crier.AttemptList](ctx, c, scheduledPostPath(team, id)+"/attempts", nil)
}

// RetryScheduledPost retries a failed or missed publication.
func (c *Client) RetryScheduledPost(ctx context.Context, team, id crier.ID) (crier.ScheduledPost, error) {
	return change[crier.ScheduledPost](ctx, c, http.MethodPost, scheduledPostPath(team, id)+"/retry", nil)
}

// ResolveScheduledPost resolves an unknown outcome.
func (c *Client) ResolveScheduledPost(ctx context.Context, team, id crier.ID, in crier.Resolution) (crier.ScheduledPost,
	error) {
	return change[crier.ScheduledPost](ctx, c, http.MethodPost, scheduledPostPath(team, id)+"/resolve", in)
}
