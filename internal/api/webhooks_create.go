package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type createWebhookInput struct {
	organizationPath
	Body crier.WebhookCreate
}

var createWebhookDoc = doc{
	ID: "createWebhook", Tag: "Webhooks", Summary: "Create a webhook", Secret: true, Status: http.StatusCreated,
	Description: "Events are sent to the URL as POST requests, signed according to Standard Webhooks 1.0: the " +
		"headers `webhook-id` (the event's id, the same for every attempt), `webhook-timestamp` and " +
		"`webhook-signature`. The body is the event, as in the list of events. The secret (`whsec_…`) is only in " +
		"this response.\n" +
		"\n" +
		"A 2xx response within 10 seconds acknowledges the event. Otherwise it is sent again after 5 s, 30 s, 2 " +
		"min, 10 min, 1 h, 3 h, 6 h, 12 h, and then every 12 h up to 3 days. Events may arrive twice and out of " +
		"order: remember the `webhook-id` of handled events, and compare `sequence`. A 410 disables the webhook " +
		"at once, as do three days without a success. Redirects are not followed.",
}

func (in *createWebhookInput) check(s *Server) []crier.Issue {
	return append(s.services.Webhooks.CheckURL(in.Body.URL), crier.CheckEventTypes(in.Body.Types, "types")...)
}

func (s *Server) createWebhook(ctx context.Context, scope access.OrgScope,
	in *createWebhookInput) (crier.WebhookWithSecret, error) {
	return s.services.Webhooks.Create(ctx, scope, in.Body)
}
