package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/pagination"
	"crier/internal/store"
)

// AuditFilter narrows the audit log.
type AuditFilter = store.AuditFilter

// AuditSorts are the orders that the audit log can be listed in; the first is the default.
var AuditSorts = []string{"createdAt"}

// AuditLog shows who did what.
type AuditLog struct {
	store *store.Store
	pages *pagination.Cursors
}

// List returns one page of an organization's log.
func (s *AuditLog) List(ctx context.Context, scope access.OrgScope, f AuditFilter,
	q pagination.Query) (crier.Page[crier.AuditEntry], error) {
	var none crier.Page[crier.AuditEntry]
	if err := scope.Check(); err != nil {
		return none, err
	}
	rows, err := s.store.AuditLog(ctx, scope.Organization().ID, f, q.Rows())
	if err != nil {
		return none, err
	}
	total, err := s.store.AuditCount(ctx, scope.Organization().ID, f)
	if err != nil {
		return none, err
	}
	return pagination.CappedPage(s.pages, q, rows, total), nil
}
