package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// memberPath is the part of an input that identifies a member.
type memberPath struct {
	organizationPath
	MemberID crier.ID `path:"memberId"`
}

type updateMemberInput struct {
	memberPath
	Body crier.MemberUpdate
}

var updateMemberDoc = doc{
	ID: "updateMember", Tag: "Members", Summary: "Update a member",
	Description: "Only an owner may change an owner. An organization keeps at least one owner or admin.",
}

func (s *Server) updateMember(ctx context.Context, scope access.OrgScope, in *updateMemberInput) (crier.Member,
	error) {
	return s.services.Members.Update(ctx, scope, in.MemberID, in.Body)
}
