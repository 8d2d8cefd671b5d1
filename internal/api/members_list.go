package api

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listMembersInput struct {
	organizationPath
	listQuery
}

var listMembersDoc = doc{ID: "listMembers", Tag: "Members", Summary: "List members",
	Sorts: service.MemberSorts}

func (in *listMembersInput) check(s *Server) []crier.Issue {
	return in.open(s, "members of "+string(in.OrganizationID), service.MemberSorts)
}

func (s *Server) listMembers(ctx context.Context, scope access.OrgScope,
	in *listMembersInput) (crier.Page[crier.Member], error) {
	return s.services.Members.List(ctx, scope, in.page)
}
