package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type getAgentContextInput struct{}

var getAgentContextDoc = doc{
	ID: "getAgentContext", Tag: "Agents", Summary: "Who am I, and what can I reach?",
	Description: "The place to begin: the caller, its credential, its organizations and teams (at most 100 each, the oldest first), and the ids to use when nothing else was said.",
}

func (s *Server) getAgentContext(ctx context.Context, scope service.CallerScope, _ *getAgentContextInput) (crier.AgentContext, error) {
	return s.services.Contexts.Get(ctx, scope)
}
