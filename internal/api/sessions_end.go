package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type endSessionInput struct {
	ID crier.ID `path:"id"`
}

var endSessionDoc = doc{
	ID: "endSession", Tag: "Sessions", Summary: "End a session",
	Description: "Signs the caller out of a browser or device. The session of this request can be ended too.",
}

func (s *Server) endSession(ctx context.Context, scope access.CallerScope, in *endSessionInput) (crier.SessionEnded,
	error) {
	return s.services.People.EndSession(ctx, scope, in.ID)
}
