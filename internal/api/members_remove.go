package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type removeMemberInput struct{ memberPath }

var removeMemberDoc = doc{
	ID: "removeMember", Tag: "Members", Summary: "Remove a member or leave an organization",
	Description: "Removing somebody else needs `manage_members`; everybody may leave. The API keys that the " +
		"person created here are revoked.",
}

func (s *Server) removeMember(ctx context.Context, scope access.OrgScope, in *removeMemberInput) (crier.Deleted,
	error) {
	return s.services.Members.Remove(ctx, scope, in.MemberID)
}
