package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteSlotInput struct{ slotPath }

var deleteSlotDoc = doc{
	ID: "deleteSchedulingSlot", Tag: "Scheduling slots", Summary: "Delete a scheduling slot",
	Description: "What is scheduled stays. Deleting the last one brings the implicit defaults back.",
}

func (s *Server) deleteSlot(ctx context.Context, scope access.TeamScope, in *deleteSlotInput) (crier.Deleted, error) {
	return s.services.Slots.Delete(ctx, scope, in.SlotID)
}
