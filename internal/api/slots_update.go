package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

// slotPath is the part of an input that names one slot.
type slotPath struct {
	teamPath
	SlotID crier.ID `path:"slotId"`
}

type updateSlotInput struct {
	slotPath
	Body crier.SlotUpdate
}

var updateSlotDoc = doc{
	ID: "updateSchedulingSlot", Tag: "Scheduling slots", Summary: "Change a slot",
	Description: "What is absent stays. What is scheduled stays where it is.",
}

func (s *Server) updateSlot(ctx context.Context, scope service.TeamScope, in *updateSlotInput) (crier.SchedulingSlot, error) {
	return s.services.Slots.Update(ctx, scope, in.SlotID, in.Body)
}
