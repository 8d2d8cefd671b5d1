package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type connectAccountInput struct {
	teamPath
	Body crier.ConnectRequest
}

var connectAccountDoc = doc{
	ID: "connectSocialAccount", Tag: "Social accounts", Summary: "Start connecting a social account",
	Status: http.StatusOK,
	Description: "Answers with the address of the network's consent page; send the person there. Afterwards their " +
		"browser comes back to crier, which names the organization and the team and asks for a confirmation, " +
		"unless the person who began this is signed in there; a connection that an API key began always asks. " +
		"From there it goes to `returnUrl`. When nothing comes of it, because the person refuses or the network does, the " +
		"event `social_account.connection_failed` says so. An account that the team had before keeps its id, and what waits for it " +
		"goes out.",
}

func (s *Server) connectAccount(ctx context.Context, scope access.TeamScope,
	in *connectAccountInput) (crier.ConnectResponse, error) {
	return s.services.Connections.Begin(ctx, scope, in.Body)
}
