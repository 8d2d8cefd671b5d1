package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// webhookPath is the part of an input that identifies a webhook.
type webhookPath struct {
	organizationPath
	ID crier.ID `path:"id"`
}

type getWebhookInput struct{ webhookPath }

var getWebhookDoc = doc{ID: "getWebhook", Tag: "Webhooks", Summary: "Get a webhook"}

func (s *Server) getWebhook(ctx context.Context, scope access.OrgScope, in *getWebhookInput) (crier.Webhook, error) {
	return s.services.Webhooks.Get(ctx, scope, in.ID)
}
