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
	Description: "Events are sent to the address as POST requests, signed as Standard Webhooks 1.0 has it: the " +
		"headers " +
		"`webhook-id` (the event's id, the same for every attempt), `webhook-timestamp` and `webhook-signature`. The " +
		"body " +
		"is the event, as in the list of events. The secret (`whsec_…`) is in this answer and never again.\n\nAn " +
		"answer " +
		"of 2xx within 10 seconds means that the event has arrived. Else it is sent again after 5 s, 30 s, 2 min, 10 " +
		"min, " +
		"1 h, 3 h, 6 h, 12 h, and then every 12 h up to 3 days. Events may arrive twice and out of order: keep the " +
		"`webhook-id` of what you have handled, and compare `sequence`. 410 disables the webhook at once, and so do " +
		"three " +
		"days without a success. Redirects are not followed.",
}

func (in *createWebhookInput) check(s *Server) []crier.Issue {
	return append(s.services.Webhooks.CheckURL(in.Body.URL), crier.CheckEventTypes(in.Body.Types, "types")...)
}

func (s *Server) createWebhook(ctx context.Context, scope access.OrgScope,
	in *createWebhookInput) (crier.WebhookWithSecret, error) {
	return s.services.Webhooks.Create(ctx, scope, in.Body)
}
