package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// accountPath is the part of an input that identifies an account.
type accountPath struct {
	teamPath
	ID crier.ID `path:"id"`
}

type getAccountInput struct{ accountPath }

var getAccountDoc = doc{ID: "getSocialAccount", Tag: "Social accounts", Summary: "Get a social account"}

func (s *Server) getAccount(ctx context.Context, scope access.TeamScope, in *getAccountInput) (crier.SocialAccount,
	error) {
	return s.services.Accounts.Get(ctx, scope, in.ID)
}
