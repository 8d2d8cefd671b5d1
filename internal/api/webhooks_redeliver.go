package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type redeliverInput struct {
	webhookPath
	DeliveryID crier.ID `path:"deliveryId"`
}

var redeliverDoc = doc{
	ID: "redeliverWebhook", Tag: "Webhooks", Summary: "Redeliver an event",
	Description: "Sends the event again at once, with the same `webhook-id`, and retries it like a new one.",
}

func (s *Server) redeliver(ctx context.Context, scope access.OrgScope, in *redeliverInput) (crier.WebhookDelivery,
	error) {
	return s.services.Webhooks.Redeliver(ctx, scope, in.ID, in.DeliveryID)
}
