package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createSlotInput struct {
	teamPath
	Body crier.SlotCreate
}

var createSlotDoc = doc{
	ID: "createSchedulingSlot", Tag: "Scheduling slots", Summary: "Create a scheduling slot",
	Status: http.StatusCreated,
	Description: "The first one replaces the implicit defaults. Two slots at the same time with a day in common are " +
		"a conflict.",
}

func (s *Server) createSlot(ctx context.Context, scope access.TeamScope, in *createSlotInput) (crier.SchedulingSlot,
	error) {
	return s.services.Slots.Create(ctx, scope, in.Body)
}
