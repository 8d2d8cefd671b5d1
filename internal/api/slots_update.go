package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// slotPath is the part of an input that identifies a slot.
type slotPath struct {
	teamPath
	SlotID crier.ID `path:"slotId"`
}

type updateSlotInput struct {
	slotPath
	Body crier.SlotUpdate
}

var updateSlotDoc = doc{
	ID: "updateSchedulingSlot", Tag: "Scheduling slots", Summary: "Update a scheduling slot",
	Description: "Omitted fields keep their value. Scheduled posts do not move.",
}

func (s *Server) updateSlot(ctx context.Context, scope access.TeamScope, in *updateSlotInput) (crier.SchedulingSlot,
	error) {
	return s.services.Slots.Update(ctx, scope, in.SlotID, in.Body)
}
