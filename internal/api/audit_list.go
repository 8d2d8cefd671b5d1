package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type listAuditLogInput struct {
	organizationPath
	listQuery
}

var listAuditLogDoc = doc{
	ID: "listAuditLog", Tag: "Members", Summary: "See who did what", Sorts: service.AuditSorts,
	Description: "Every change made through the interface, with who made it, the request's id and what was asked for, without secrets.",
}

func (in *listAuditLogInput) check(s *Server) []crier.Issue {
	return in.open(s, "audit log of "+string(in.OrganizationID), service.AuditSorts)
}

func (s *Server) listAuditLog(ctx context.Context, scope service.OrgScope, in *listAuditLogInput) (crier.Page[crier.AuditEntry], error) {
	return s.services.AuditLog.List(ctx, scope, in.page)
}
