package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type listAccountsInput struct{ teamPath }

var listAccountsDoc = doc{ID: "listSocialAccounts", Tag: "Social accounts", Summary: "List a team's social accounts"}

func (s *Server) listAccounts(ctx context.Context, scope service.TeamScope, _ *listAccountsInput) (crier.SocialAccountList, error) {
	return s.services.Accounts.List(ctx, scope)
}
