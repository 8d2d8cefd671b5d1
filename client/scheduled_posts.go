package client

import (
	"context"
	"net/http"

	"crier"
)

func scheduledPostPath(team, id crier.ID) string {
	return teamPath(team) + "/scheduled-posts/" + string(id)
}

// GetScheduledPost reads a scheduled post.
func (c *Client) GetScheduledPost(ctx context.Context, team, id crier.ID) (crier.ScheduledPost, error) {
	return get[crier.ScheduledPost](ctx, c, scheduledPostPath(team, id), nil)
}

// ListAttempts reads everything that was tried for a scheduled post.
func (c *Client) ListAttempts(ctx context.Context, team, id crier.ID) (crier.AttemptList, error) {
	return get[crier.AttemptList](ctx, c, scheduledPostPath(team, id)+"/attempts", nil)
}

// RetryScheduledPost tries a failed or missed publication again.
func (c *Client) RetryScheduledPost(ctx context.Context, team, id crier.ID) (crier.ScheduledPost, error) {
	return change[crier.ScheduledPost](ctx, c, http.MethodPost, scheduledPostPath(team, id)+"/retry", nil)
}

// ResolveScheduledPost decides an unknown outcome.
func (c *Client) ResolveScheduledPost(ctx context.Context, team, id crier.ID, in crier.Resolution) (crier.ScheduledPost, error) {
	return change[crier.ScheduledPost](ctx, c, http.MethodPost, scheduledPostPath(team, id)+"/resolve", in)
}
