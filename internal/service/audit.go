package service

import (
	"bytes"
	"context"
	"encoding/json"

	"crier"
	"crier/internal/store"
)

// maxAuditChanges bounds what the log keeps of a request.
const maxAuditChanges = 16 << 10

// Action is a change that somebody asked for, as the door knows it.
type Action struct {
	// Operation is its id in the interface's description, Target the path it was made to.
	Operation, Target string
	// Body is the request's JSON.
	Body      []byte
	RequestID string
}

type actionKey struct{}

type auditedAction struct {
	Action
	caller       Caller
	organization crier.ID
	team         *crier.ID
}

// WithAction has the change that is made under the context written into the audit log, in the same transaction.
func WithAction(ctx context.Context, caller Caller, a Action) context.Context {
	return context.WithValue(ctx, actionKey{}, &auditedAction{Action: a, caller: caller})
}

// about tells the audit log whose log it is.
func about(ctx context.Context, organization crier.ID, team *crier.ID) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.organization, a.team = organization, team
	}
}

// audit writes the running action into the log of its organization; one that creates an organization goes into the new
// one's.
func (c *core) audit(ctx context.Context, tx *store.Tx, result any) error {
	a, ok := ctx.Value(actionKey{}).(*auditedAction)
	if !ok {
		return nil
	}
	organization := a.organization
	if o, created := result.(crier.Organization); created && organization == "" {
		organization = o.ID
	}
	if organization == "" {
		return nil
	}
	return tx.InsertAudit(ctx, crier.AuditEntry{
		ID: crier.NewID(), OrganizationID: organization, TeamID: a.team, PrincipalKind: string(a.caller.kind), PrincipalID: a.caller.id,
		PersonID: a.caller.person.ID, Action: a.Operation, Target: a.Target, Changes: auditChanges(a.Body), RequestID: a.RequestID, CreatedAt: c.now(),
	})
}

func auditChanges(body []byte) json.RawMessage {
	var compact bytes.Buffer
	if len(body) == 0 || json.Compact(&compact, body) != nil {
		return nil
	}
	if compact.Len() > maxAuditChanges {
		return json.RawMessage(`{"omitted":"the request was too large to keep"}`)
	}
	return compact.Bytes()
}

// AuditLog shows who did what.
type AuditLog struct {
	*core
	pages *Pages
}

// List returns one page of an organization's log.
func (s *AuditLog) List(ctx context.Context, scope OrgScope, q PageQuery) (crier.Page[crier.AuditEntry], error) {
	var none crier.Page[crier.AuditEntry]
	if err := scope.check(); err != nil {
		return none, err
	}
	rows, err := s.store.AuditLog(ctx, scope.organization.ID, q.query)
	if err != nil {
		return none, err
	}
	total, err := s.store.AuditCount(ctx, scope.organization.ID)
	if err != nil {
		return none, err
	}
	return pageOf(s.pages, q, rows, total, same), nil
}
