package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteWebhookInput struct{ webhookPath }

var deleteWebhookDoc = doc{
	ID: "deleteWebhook", Tag: "Webhooks", Summary: "Delete a webhook", Description: "Its deliveries are deleted " +
		"too.",
}

func (s *Server) deleteWebhook(ctx context.Context, scope access.OrgScope, in *deleteWebhookInput) (crier.Deleted,
	error) {
	return s.services.Webhooks.Delete(ctx, scope, in.ID)
}
