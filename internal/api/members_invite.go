package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/service"
)

type inviteMemberInput struct {
	organizationPath
	Body crier.MemberInvite
}

var inviteMemberDoc = doc{
	ID: "inviteMember", Tag: "Members", Summary: "Invite a person", Status: http.StatusCreated,
	Description: "Answers with a link, once: hand it to the person. Whoever opens it joins with the role and teams of the invitation.",
}

func (s *Server) inviteMember(ctx context.Context, scope service.OrgScope, in *inviteMemberInput) (crier.Invitation, error) {
	return s.services.Members.Invite(ctx, scope, in.Body)
}
