package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

var listSessionsDoc = doc{
	ID: "listSessions", Tag: "Sessions", Summary: "List your sessions",
	Description: "The browsers and devices on which the caller is signed in, newest first.",
}

func (s *Server) listSessions(ctx context.Context, scope access.CallerScope, _ *struct{}) (crier.SessionList, error) {
	return s.services.People.Sessions(ctx, scope)
}
