package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updateWebhookInput struct {
	webhookPath
	Body crier.WebhookUpdate
}

var updateWebhookDoc = doc{
	ID: "updateWebhook", Tag: "Webhooks", Summary: "Update a webhook",
	Description: "Disabling a webhook gives up its pending deliveries. After it is enabled again, it receives " +
		"new events only.",
}

func (in *updateWebhookInput) check(s *Server) []crier.Issue {
	var issues []crier.Issue
	if in.Body.URL.Set {
		issues = s.services.Webhooks.CheckURL(in.Body.URL.Value)
	}
	return append(issues, crier.CheckEventTypes(in.Body.Types.Value, "types")...)
}

func (s *Server) updateWebhook(ctx context.Context, scope access.OrgScope, in *updateWebhookInput) (crier.Webhook,
	error) {
	return s.services.Webhooks.Update(ctx, scope, in.ID, in.Body)
}
