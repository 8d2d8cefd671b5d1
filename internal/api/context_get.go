package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getAgentContextInput struct{}

var getAgentContextDoc = doc{
	ID: "getAgentContext", Tag: "Agents", Summary: "Get the caller's context",
	Description: "Start here: the caller, its credential, its organizations and teams (at most 100 each, oldest " +
		"first), and the default ids.",
}

func (s *Server) getAgentContext(ctx context.Context, scope access.CallerScope,
	_ *getAgentContextInput) (crier.AgentContext, error) {
	return s.services.Contexts.Get(ctx, scope)
}
