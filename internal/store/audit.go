package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

// InsertAudit writes who did what, and counts it.
func (tx *Tx) InsertAudit(ctx context.Context, e crier.AuditEntry) error {
	_, err := tx.q.ExecContext(ctx, `INSERT INTO audit_log (id, organization_id, team_id, principal_kind, principal_id, person_id, action, target,
		changes, request_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		e.ID, e.OrganizationID, e.TeamID, e.PrincipalKind, e.PrincipalID, e.PersonID, e.Action, e.Target, rawOrNull(e.Changes), e.RequestID, e.CreatedAt)
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	_, err = tx.q.ExecContext(ctx, `UPDATE organizations SET audit_count = audit_count + 1 WHERE id = $1`, e.OrganizationID)
	if err != nil {
		return fmt.Errorf("count the audit log: %w", err)
	}
	return nil
}

// AuditLog reads one page of who did what.
func (r reads) AuditLog(ctx context.Context, organization crier.ID, q PageQuery) (PageRows[crier.AuditEntry], error) {
	list := listing[crier.AuditEntry]{
		columns:  "a.id, a.organization_id, a.team_id, a.principal_kind, a.principal_id, a.person_id, a.action, a.target, a.changes, a.request_id, a.created_at",
		from:     "audit_log a",
		id:       "a.id",
		sorts:    map[string]string{"createdAt": "a.created_at"},
		branches: []branch{{where: "a.organization_id = ?", args: []any{organization}}},
		scan:     scanAudit,
		key:      func(e crier.AuditEntry, _ string) Key { return Key{Value: e.CreatedAt, ID: e.ID} },
	}
	page, err := list.page(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("list the audit log: %w", err)
	}
	return page, nil
}

func scanAudit(row scanner) (crier.AuditEntry, error) {
	var e crier.AuditEntry
	var changes *json.RawMessage
	err := row.Scan(&e.ID, &e.OrganizationID, &e.TeamID, &e.PrincipalKind, &e.PrincipalID, &e.PersonID, &e.Action, &e.Target, intoJSON(&changes),
		&e.RequestID, &e.CreatedAt)
	e.Changes = json.RawMessage(`{}`)
	if changes != nil {
		e.Changes = *changes
	}
	return e, err
}

// AuditCount is how many entries an organization's log has, from its counter.
func (r reads) AuditCount(ctx context.Context, organization crier.ID) (int64, error) {
	var n int64
	if err := r.q.QueryRowContext(ctx, `SELECT audit_count FROM organizations WHERE id = $1`, organization).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the audit log: %w", err)
	}
	return n, nil
}
