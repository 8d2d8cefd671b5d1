package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listWebhooksInput struct {
	organizationPath
	listQuery
}

var listWebhooksDoc = doc{ID: "listWebhooks", Tag: "Webhooks", Summary: "List webhooks", Sorts: service.WebhookSorts}

func (in *listWebhooksInput) check(s *Server) []crier.Issue {
	return in.open(s, "webhooks of "+string(in.OrganizationID), service.WebhookSorts)
}

func (s *Server) listWebhooks(ctx context.Context, scope access.OrgScope,
	in *listWebhooksInput) (crier.Page[crier.Webhook], error) {
	return s.services.Webhooks.List(ctx, scope, in.page)
}
