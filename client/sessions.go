package client

import (
	"context"
	"net/http"

	"crier"
)

// Instance returns the public description of an installation. It needs no token.
func (c *Client) Instance(ctx context.Context) (crier.Instance, error) {
	return get[crier.Instance](ctx, c, "/v1/instance", nil)
}

// ListSessions returns the browsers and devices on which the person is signed in. It needs a person's own login.
func (c *Client) ListSessions(ctx context.Context) (crier.SessionList, error) {
	return get[crier.SessionList](ctx, c, "/v1/me/sessions", nil)
}

// EndSession signs the person out on a browser or device.
func (c *Client) EndSession(ctx context.Context, id crier.ID) (crier.SessionEnded, error) {
	return change[crier.SessionEnded](ctx, c, http.MethodDelete, "/v1/me/sessions/"+string(id), nil)
}
