package client

import (
	"context"
	"net/http"

	"crier"
)

func tagsPath(team crier.ID) string { return teamPath(team) + "/tags" }

// ListTags returns a page of a team's tags.
func (c *Client) ListTags(ctx context.Context, team crier.ID, o ListOptions) (crier.Page[crier.Tag], error) {
	return get[crier.Page[crier.Tag]](ctx, c, tagsPath(team), o.query())
}

// CreateTag creates a tag.
func (c *Client) CreateTag(ctx context.Context, team crier.ID, in crier.TagCreate) (crier.Tag, error) {
	return change[crier.Tag](ctx, c, http.MethodPost, tagsPath(team), in)
}

// UpdateTag changes a tag.
func (c *Client) UpdateTag(ctx context.Context, team, id crier.ID, in crier.TagUpdate) (crier.Tag, error) {
	return change[crier.Tag](ctx, c, http.MethodPatch, tagsPath(team)+"/"+string(id), in)
}

// DeleteTag deletes a tag and removes it from all posts.
func (c *Client) DeleteTag(ctx context.Context, team, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, tagsPath(team)+"/"+string(id), nil)
}
