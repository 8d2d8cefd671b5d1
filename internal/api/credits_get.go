package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type getCreditsInput struct{ organizationPath }

var getCreditsDoc = doc{
	ID: "getCredits", Tag: "Credits", Summary: "Get the credit balance and prices",
	Description: "1 credit is 0.001 USD. Scheduling on a costed network reserves its price; publishing captures it.",
}

func (s *Server) getCredits(ctx context.Context, scope access.OrgScope, _ *getCreditsInput) (crier.Credits, error) {
	return s.services.Credits.Get(ctx, scope)
}
