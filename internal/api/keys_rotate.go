package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type rotateKeyInput struct {
	keyPath
	Body crier.APIKeyRotate `body:"optional"`
}

var rotateKeyDoc = doc{
	ID: "rotateApiKey", Tag: "API keys", Summary: "Rotate an API key", Secret: true,
	Description: "The old secret stays valid for `graceSeconds`, at most 24 hours. The new one is only in this " +
		"response.",
}

func (s *Server) rotateKey(ctx context.Context, scope access.OrgScope, in *rotateKeyInput) (crier.APIKeyWithSecret,
	error) {
	return s.services.Keys.Rotate(ctx, scope, in.ID, in.Body)
}
