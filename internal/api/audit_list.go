package api

import (
	"context"
	"fmt"

	"crier"
	"crier/internal/access"
	"crier/internal/service"
)

type listAuditLogInput struct {
	organizationPath
	listQuery
	From        crier.Time `query:"from" doc:"Only entries from this time on."`
	To          crier.Time `query:"to" doc:"Only entries before this time."`
	Action      string     `query:"action" maxLength:"100" doc:"Only entries of this operation, by its id in this document."`
	PrincipalID crier.ID   `query:"principalId" doc:"Only changes by this person or API key."`
}

var listAuditLogDoc = doc{
	ID: "listAuditLog", Tag: "Members", Summary: "List audit log entries", Sorts: service.AuditSorts,
	Description: "Every change made through the API, with its author, the request's id and the requested change, " +
		"without secrets.",
}

func (in *listAuditLogInput) check(s *Server) []crier.Issue {
	name := fmt.Sprintf("audit log of %s from %s to %s action %q by %s", in.OrganizationID, in.From, in.To, in.Action,
		in.PrincipalID)
	return append(in.open(s, name, service.AuditSorts), rangeIssues("from", "to", orNil(in.From), orNil(in.To))...)
}

func (s *Server) listAuditLog(ctx context.Context, scope access.OrgScope,
	in *listAuditLogInput) (crier.Page[crier.AuditEntry], error) {
	return s.services.AuditLog.List(ctx, scope, service.AuditFilter{From: orNil(in.From), To: orNil(in.To),
		Action: in.Action, PrincipalID: in.PrincipalID}, in.page)
}
