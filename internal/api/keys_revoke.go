package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// keyPath is the part of an input that identifies a key.
type keyPath struct {
	organizationPath
	ID crier.ID `path:"id"`
}

type revokeKeyInput struct{ keyPath }

var revokeKeyDoc = doc{
	ID: "revokeApiKey", Tag: "API keys", Summary: "Revoke an API key", Description: "All its secrets stop " +
		"working at once.",
}

func (s *Server) revokeKey(ctx context.Context, scope access.OrgScope, in *revokeKeyInput) (crier.Deleted, error) {
	return s.services.Keys.Revoke(ctx, scope, in.ID)
}
