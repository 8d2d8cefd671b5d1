package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listInvitationsInput struct {
	organizationPath
	listQuery
}

var listInvitationsDoc = doc{
	ID: "listInvitations", Tag: "Members", Summary: "List open invitations",
	Sorts:       service.InvitationSorts,
	Description: "Invitations that can still be accepted, without their links.",
}

func (in *listInvitationsInput) check(s *Server) []crier.Issue {
	return in.open(s, "invitations of "+string(in.OrganizationID), service.InvitationSorts)
}

func (s *Server) listInvitations(ctx context.Context, scope access.OrgScope,
	in *listInvitationsInput) (crier.Page[crier.Invitation], error) {
	return s.services.Invitations.List(ctx, scope, in.page)
}
