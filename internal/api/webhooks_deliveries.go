package api

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listDeliveriesInput struct {
	webhookPath
	listQuery
	EventID crier.ID                    `query:"eventId" doc:"Only deliveries of this event."`
	Status  crier.WebhookDeliveryStatus `query:"status" doc:"Only deliveries in this state."`
}

var listDeliveriesDoc = doc{
	ID: "listWebhookDeliveries", Tag: "Webhooks", Summary: "List deliveries of a webhook", Sorts: service.WebhookSorts,
	Description: "The requests, the responses, how long they took, and the time of the next attempt. Deliveries " +
		"are kept as long as their events. `total` is counted up to 10,000.",
}

func (in *listDeliveriesInput) check(s *Server) []crier.Issue {
	return in.open(s, fmt.Sprintf("deliveries of %s event %s status %s", in.ID, in.EventID, in.Status),
		service.WebhookSorts)
}

func (s *Server) listDeliveries(ctx context.Context, scope access.OrgScope,
	in *listDeliveriesInput) (crier.Page[crier.WebhookDelivery], error) {
	return s.services.Webhooks.Deliveries(ctx, scope, in.ID,
		service.DeliveryQuery{EventID: in.EventID, Status: in.Status}, in.page)
}
