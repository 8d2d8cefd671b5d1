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
	Description: "Sends the webhook's events of a period again, including those already delivered, each with its " +
		"original `webhook-id`.",
}

func (in *replayWebhookInput) check(*Server) []crier.Issue {
	if !in.Body.From.Before(in.Body.To.Time) {
		return []crier.Issue{crier.At("must be after from", "to")}
	}
	return nil
}

func (s *Server) replayWebhook(ctx context.Context, scope access.OrgScope,
	in *replayWebhookInput) (crier.WebhookReplayed, error) {
	return s.services.Webhooks.Replay(ctx, scope, in.ID, in.Body)
}
