package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type rotateWebhookInput struct {
	webhookPath
	Body crier.WebhookRotate `body:"optional"`
}

var rotateWebhookDoc = doc{
	ID: "rotateWebhook", Tag: "Webhooks", Summary: "Rotate the secret of a webhook", Secret: true,
	Description: "The old secret signs beside the new one for `graceSeconds`, at most 24 hours: a delivery then has " +
		"two " +
		"signatures. The new secret is in this answer and never again.",
}

func (s *Server) rotateWebhook(ctx context.Context, scope access.OrgScope,
	in *rotateWebhookInput) (crier.WebhookWithSecret, error) {
	return s.services.Webhooks.Rotate(ctx, scope, in.ID, in.Body)
}
