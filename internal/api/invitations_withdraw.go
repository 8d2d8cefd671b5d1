package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type withdrawInvitationInput struct {
	organizationPath
	InvitationID crier.ID `path:"invitationId"`
}

var withdrawInvitationDoc = doc{
	ID: "withdrawInvitation", Tag: "Members", Summary: "Withdraw an invitation",
	Description: "Its link stops working at once. An invitation that was accepted, withdrawn or has expired is a " +
		"404.",
}

func (s *Server) withdrawInvitation(ctx context.Context, scope access.OrgScope,
	in *withdrawInvitationInput) (crier.Deleted, error) {
	return s.services.Invitations.Withdraw(ctx, scope, in.InvitationID)
}
