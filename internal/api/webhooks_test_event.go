package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type testWebhookInput struct{ webhookPath }

var testWebhookDoc = doc{
	ID: "testWebhook", Tag: "Webhooks", Summary: "Send a test event",
	Description: "Sends a `webhook.test` event to this webhook only. To see the result, list its deliveries with " +
		"`eventId`.",
}

func (s *Server) testWebhook(ctx context.Context, scope access.OrgScope, in *testWebhookInput) (crier.WebhookTested,
	error) {
	return s.services.Webhooks.Test(ctx, scope, in.ID)
}
