package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type listProvidersInput struct{}

var listProvidersDoc = doc{
	ID: "listProviders", Tag: "Social accounts", Summary: "List providers",
	Description: "Each network's post types, limits, publish settings, abilities and costs as data: build forms from " +
		"it.",
}

func (s *Server) listProviders(ctx context.Context, scope access.CallerScope,
	_ *listProvidersInput) (crier.ProviderList, error) {
	return s.services.Accounts.Providers(ctx, scope)
}
