package client

import (
	"context"
	"net/http"

	"crier"
)

func keysPath(organization crier.ID) string { return organizationPath(organization) + "/api-keys" }

// ListKeys returns a page of an organization's API keys.
func (c *Client) ListKeys(ctx context.Context, organization crier.ID, o ListOptions) (crier.Page[crier.APIKey], error) {
	return get[crier.Page[crier.APIKey]](ctx, c, keysPath(organization), o.query())
}

// CreateKey creates an API key; its secret is in this response only.
func (c *Client) CreateKey(ctx context.Context, organization crier.ID, in crier.APIKeyCreate) (crier.APIKeyWithSecret,
	error) {
	return change[crier.APIKeyWithSecret](ctx, c, http.MethodPost, keysPath(organization), in)
}

// RotateKey replaces the secret of an API key.
func (c *Client) RotateKey(ctx context.Context, organization, id crier.ID,
	in crier.APIKeyRotate) (crier.APIKeyWithSecret, error) {
	return change[crier.APIKeyWithSecret](ctx, c, http.MethodPost, keysPath(organization)+"/"+string(id)+"/rotate", in)
}

// RevokeKey revokes an API key.
func (c *Client) RevokeKey(ctx context.Context, organization, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, keysPath(organization)+"/"+string(id), nil)
}
