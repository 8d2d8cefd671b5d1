package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteSlotInput struct{ slotPath }

var deleteSlotDoc = doc{
	ID: "deleteSchedulingSlot", Tag: "Scheduling slots", Summary: "Delete a scheduling slot",
	Description: "Scheduled posts stay. Deleting the last one restores the implicit defaults.",
}

func (s *Server) deleteSlot(ctx context.Context, scope access.TeamScope, in *deleteSlotInput) (crier.Deleted, error) {
	return s.services.Slots.Delete(ctx, scope, in.SlotID)
}
