package store

import (
	"context"
	"encoding/json"
	"fmt"

	"crier"
)

// InsertAudit appends an entry to the audit log. It takes no lock that other writers of the organization need; SumAudit
// and MarkAudit count the log.
func (tx *Tx) InsertAudit(ctx context.Context, e crier.AuditEntry) error {
	return tx.queueExec(ctx, changed("write the audit log"), `INSERT INTO audit_log (id, organization_id, team_id,
		principal_kind, principal_id, person_id, action, target, changes, request_id, created_at, created_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		e.ID, e.OrganizationID, e.TeamID, e.PrincipalKind, e.PrincipalID, e.PersonID, e.Action, e.Target,
		rawOrNull(e.Changes), e.RequestID, e.CreatedAt, e.CreatedID)
}

// AuditFilter filters an audit log. Empty fields do not filter.
type AuditFilter struct {
	From, To    *crier.Time
	Action      string
	PrincipalID crier.ID
}

func (f AuditFilter) conditions(organization crier.ID) *conditions {
	c := &conditions{}
	c.add("a.organization_id = ?", organization)
	if f.Action != "" {
		c.add("a.action = ?", f.Action)
	}
	if f.PrincipalID != "" {
		c.add("a.principal_id = ?", f.PrincipalID)
	}
	c.between("a.created_at", f.From, f.To)
	return c
}

// AuditCount counts the entries of an organization's audit log that pass a filter.
func (r reads) AuditCount(ctx context.Context, organization crier.ID, f AuditFilter) (Total, error) {
	if f == (AuditFilter{}) {
		n, err := r.wholeAuditCount(ctx, organization)
		return Total{Count: n}, err
	}
	if query, args, ok := f.marked(organization); ok {
		return r.markedAuditCount(ctx, query, args)
	}
	return f.conditions(organization).count(ctx, r, "audit_log a")
}

// AuditLog reads one page of the entries of an organization's audit log that pass a filter.
func (r reads) AuditLog(ctx context.Context, organization crier.ID, f AuditFilter,
	q PageQuery) (PageRows[crier.AuditEntry], error) {
	c := f.conditions(organization)
	list := listing[crier.AuditEntry]{
		columns: "a.id, a.organization_id, a.team_id, a.principal_kind, a.principal_id, a.person_id, a.action, " +
			"a.target, a.changes, a.request_id, a.created_at, a.created_id",
		from:     "audit_log a",
		id:       "a.id",
		sorts:    map[string]string{"createdAt": "a.created_at"},
		branches: []branch{{where: c.where, args: c.args}},
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
	err := row.Scan(&e.ID, &e.OrganizationID, &e.TeamID, &e.PrincipalKind, &e.PrincipalID, &e.PersonID, &e.Action,
		&e.Target, intoJSON(&changes),
		&e.RequestID, &e.CreatedAt, &e.CreatedID)
	e.Changes = json.RawMessage(`{}`)
	if changes != nil {
		e.Changes = *changes
	}
	return e, err
}

// wholeAuditCount returns the number of entries in an organization's audit log: those counted by SumAudit plus those
// after them.
func (r reads) wholeAuditCount(ctx context.Context, organization crier.ID) (int64, error) {
	var n int64
	if err := r.q.QueryRowContext(ctx, `SELECT o.audit_total + (SELECT count(*) FROM audit_log a
			WHERE a.organization_id = o.id AND a.created_at > o.audit_counted_to)
		FROM organizations o WHERE o.id = $1`, organization).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the audit log: %w", err)
	}
	return n, nil
}

// auditSumRow is an input row of SumAudit.
type auditSumRow struct {
	Key     crier.ID `json:"key"`
	Before  jsonTime `json:"before"`
	Until   jsonTime `json:"until"`
	Entries int64    `json:"entries"`
}

// SumAudit adds audit log entries up to a time to the totals of their organizations, for a batch of organizations; more
// is true if others are left. The time must be long enough ago that no transaction with an older entry is open. Entries
// are counted before any row is locked; if another node was faster, nothing is counted twice.
func (s *Store) SumAudit(ctx context.Context, until crier.Time) (more bool, err error) {
	rows, err := s.q.QueryContext(ctx, `SELECT o.id, o.audit_counted_to, (SELECT count(*) FROM audit_log a
			WHERE a.organization_id = o.id AND a.created_at > o.audit_counted_to AND a.created_at <= $1)
		FROM organizations o WHERE EXISTS (SELECT 1 FROM audit_log a
			WHERE a.organization_id = o.id AND a.created_at > o.audit_counted_to AND a.created_at <= $1)
		ORDER BY o.id LIMIT $2`, until, batchSize)
	if err != nil {
		return false, fmt.Errorf("count new entries of the audit log: %w", err)
	}
	sums, err := collect(rows, func(row scanner) (r auditSumRow, err error) {
		var before crier.Time
		err = row.Scan(&r.Key, &before, &r.Entries)
		r.Before, r.Until = jsonTime(before), jsonTime(until)
		return r, err
	})
	if err != nil {
		return false, fmt.Errorf("count new entries of the audit log: %w", err)
	}
	if len(sums) == 0 {
		return false, nil
	}
	return len(sums) == batchSize, s.WithTx(ctx, func(tx *Tx) error {
		return tx.queueExec(ctx, changed("sum up the audit log"), `UPDATE organizations AS o
			SET audit_total = o.audit_total + v.entries, audit_counted_to = v.until
			FROM `+tx.jsonRows(`key uuid, before timestamptz, until timestamptz, entries bigint`)+`
			WHERE o.id = v.key AND o.audit_counted_to = v.before`, asJSON(&sums))
	})
}
