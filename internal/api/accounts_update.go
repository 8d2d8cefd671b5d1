package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updateAccountInput struct {
	accountPath
	Body crier.SocialAccountUpdate
}

var updateAccountDoc = doc{
	ID: "updateSocialAccount", Tag: "Social accounts", Summary: "Enable or disable a social account",
	Description: "An account that is `refresh_needed` or `disconnected` must be reconnected; enabling or " +
		"disabling it is a conflict.",
}

func (s *Server) updateAccount(ctx context.Context, scope access.TeamScope,
	in *updateAccountInput) (crier.SocialAccount, error) {
	return s.services.Accounts.Update(ctx, scope, in.ID, in.Body)
}
