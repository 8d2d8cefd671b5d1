package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/service"
)

type connectAccountInput struct {
	teamPath
	Body crier.ConnectRequest
}

var connectAccountDoc = doc{
	ID: "connectSocialAccount", Tag: "Social accounts", Summary: "Begin to connect a social account", Status: http.StatusOK,
	Description: "Answers with the address of the network's consent page; send the person there. Afterwards their browser comes back to crier, and " +
		"from there to `returnUrl`. An account that the team had before keeps its id, and what waits for it goes out.",
}

func (s *Server) connectAccount(ctx context.Context, scope service.TeamScope, in *connectAccountInput) (crier.ConnectResponse, error) {
	return s.services.Connections.Begin(ctx, scope, in.Body)
}
