package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type listSlotsInput struct{ teamPath }

var listSlotsDoc = doc{
	ID: "listSchedulingSlots", Tag: "Scheduling slots", Summary: "List scheduling slots",
	Description: "The team's own slots when it has any, otherwise the implicit morning, afternoon and evening " +
		"(`usingDefaults`).",
}

func (s *Server) listSlots(ctx context.Context, scope access.TeamScope, _ *listSlotsInput) (crier.SchedulingSlots,
	error) {
	return s.services.Slots.List(ctx, scope)
}
