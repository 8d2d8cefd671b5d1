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
	Description: "The old secret also signs for `graceSeconds`, at most 24 hours: deliveries then have two " +
		"signatures. The new secret is only in this response.",
}

func (s *Server) rotateWebhook(ctx context.Context, scope access.OrgScope,
	in *rotateWebhookInput) (crier.WebhookWithSecret, error) {
	return s.services.Webhooks.Rotate(ctx, scope, in.ID, in.Body)
}
