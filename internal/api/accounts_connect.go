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
	Description: "Returns the URL of the network's consent page; send the person there. Afterwards their browser " +
		"returns to crier, which shows the organization and the team and asks for confirmation, unless the " +
		"person who started this is signed in there; a connection started with an API key always asks. Then it " +
		"redirects to `returnUrl`. If the connection fails, because the person or the network refuses, the event " +
		"`social_account.connection_failed` is recorded. An account that the team had before keeps its id, and " +
		"its waiting posts are published.",
}

func (s *Server) connectAccount(ctx context.Context, scope access.TeamScope,
	in *connectAccountInput) (crier.ConnectResponse, error) {
	return s.services.Connections.Start(ctx, scope, in.Body)
}
