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
	Description: "If this installation can send mail, the person gets the link by mail, which verifies the " +
		"address, and `inviteUrl` is absent. Otherwise only this response has the link: pass it on to the " +
		"person. The link works once, within 14 days, for the address, role and teams of the invitation. A new " +
		"invitation of an address replaces the previous one; the address of a member is a 409.",
}

func (s *Server) inviteMember(ctx context.Context, scope access.OrgScope, in *inviteMemberInput) (crier.Invitation,
	error) {
	return s.services.Invitations.Create(ctx, scope, in.Body)
}
