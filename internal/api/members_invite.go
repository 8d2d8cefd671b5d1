package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type inviteMemberInput struct {
	organizationPath
	Body crier.MemberInvite
}

var inviteMemberDoc = doc{
	ID: "inviteMember", Tag: "Members", Summary: "Invite a member", Secret: true, Status: http.StatusCreated,
	Description: "Where this installation can send mail, the person gets a link by mail, and `inviteUrl` is absent: " +
		"who opens it has proved the address. " +
		"Else the answer has the link, once: hand it to the person. Who opens it joins with the address, role and " +
		"teams of the invitation, once, " +
		"within 14 days. A new invitation of an address takes the place of the one before; the address of a member " +
		"is a 409.",
}

func (s *Server) inviteMember(ctx context.Context, scope access.OrgScope, in *inviteMemberInput) (crier.Invitation,
	error) {
	return s.services.Invitations.Create(ctx, scope, in.Body)
}
