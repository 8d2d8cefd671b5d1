package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type replayWebhookInput struct {
	webhookPath
	Body crier.WebhookReplay
}

var replayWebhookDoc = doc{
	ID: "replayWebhook", Tag: "Webhooks", Summary: "Replay events to a webhook",
	Description: "Sends the events of a time again that the webhook is told of, those included that have arrived, " +
		"each " +
		"with the `webhook-id` it had.",
}

func (in *replayWebhookInput) check(*Server) []crier.Issue {
	if !in.Body.From.Before(in.Body.To.Time) {
		return []crier.Issue{crier.At("must lie behind from", "to")}
	}
	return nil
}

func (s *Server) replayWebhook(ctx context.Context, scope access.OrgScope,
	in *replayWebhookInput) (crier.WebhookReplayed, error) {
	return s.services.Webhooks.Replay(ctx, scope, in.ID, in.Body)
}
