package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createKeyInput struct {
	organizationPath
	Body crier.APIKeyCreate
}

var createKeyDoc = doc{
	ID: "createApiKey", Tag: "API keys", Summary: "Create an API key", Secret: true, Status: http.StatusCreated,
	Description: "The secret is only in this response; a replayed response does not contain it. A key can be " +
		"restricted to some permissions and teams, and never exceeds the current rights of its creator.",
}

func (s *Server) createKey(ctx context.Context, scope access.OrgScope, in *createKeyInput) (crier.APIKeyWithSecret,
	error) {
	return s.services.Keys.Create(ctx, scope, in.Body)
}
