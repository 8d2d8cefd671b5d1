package service

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"crier"
	"crier/internal/store"
)

// maxAuditChanges bounds what the log keeps of a request.
const maxAuditChanges = 16 << 10

// Action is a change that somebody asked for, as the door knows it.
type Action struct {
	// Operation is its id in the interface's description, Target the path it was made to, with what its query asked for.
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

// byPerson tells the audit log who made a change for which no token was needed.
func byPerson(ctx context.Context, person crier.User) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.caller = Caller{kind: store.UserPrincipal, id: person.ID, person: person}
	}
}

// byCaller tells the audit log who asked for a change that comes without a token, and what it changed.
func byCaller(ctx context.Context, caller Caller, changes []byte) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.caller, a.Body = caller, changes
	}
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

// auditChanges is what may be kept of a request's body.
func auditChanges(body []byte) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if len(body) == 0 || decoder.Decode(&value) != nil {
		return nil
	}
	kept, err := json.Marshal(withoutSecrets(value))
	if err != nil {
		return nil
	}
	if len(kept) > maxAuditChanges {
		return json.RawMessage(`{"omitted":"the request was too large to keep"}`)
	}
	return kept
}

// withoutSecrets leaves out what gives access: values under names that say so, and in addresses the query, the fragment and
// the password, where signatures and tokens are.
func withoutSecrets(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if v[name] = withoutSecrets(inner); namesSecret(name) {
				v[name] = leftOut
			}
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutSecrets(inner)
		}
	case string:
		return bareAddress(v)
	}
	return value
}

// leftOut stands for what is not kept.
const leftOut = "…"

func namesSecret(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "password") || strings.Contains(name, "secret") || strings.Contains(name, "token")
}

// bareAddress cuts an address behind its path; a text that is none stays as it is.
func bareAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.RawQuery == "" && u.Fragment == "" && u.User == nil {
		return text
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String() + leftOut
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
