package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type disconnectAccountInput struct{ accountPath }

var disconnectAccountDoc = doc{
	ID: "disconnectSocialAccount", Tag: "Social accounts", Summary: "Disconnect a social account",
	Description: "Its token is deleted at once. Published posts stay; scheduled ones wait for a new connection " +
		"as long as the team's `publishLateMinutes` allow.",
}

func (s *Server) disconnectAccount(ctx context.Context, scope access.TeamScope,
	in *disconnectAccountInput) (crier.SocialAccount, error) {
	return s.services.Accounts.Disconnect(ctx, scope, in.ID)
}
