package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type listAccountsInput struct{ teamPath }

var listAccountsDoc = doc{ID: "listSocialAccounts", Tag: "Social accounts", Summary: "List social accounts"}

func (s *Server) listAccounts(ctx context.Context, scope access.TeamScope,
	_ *listAccountsInput) (crier.SocialAccountList, error) {
	return s.services.Accounts.List(ctx, scope)
}
