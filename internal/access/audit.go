package access

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"crier"
	"crier/internal/store"
)

// maxAuditChanges bounds what the log keeps of a request.
const maxAuditChanges = 16 << 10

// Action is a change that somebody asked for, as the door knows it.
type Action struct {
	// Operation is its id in the OpenAPI document, Target the path it was made to, with what its query asked for.
	Operation, Target string
	// Body is the request's JSON.
	Body      []byte
	RequestID string
	// Creates is true when the operation answers with what it made.
	Creates bool
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

// AuditPerson tells the audit log who made a change for which no token was needed.
func AuditPerson(ctx context.Context, person crier.User) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.caller = Caller{kind: store.UserPrincipal, id: person.ID, person: person}
	}
}

// AuditPrincipal tells the audit log who asked for a change that comes without a token, and what it changed.
func AuditPrincipal(ctx context.Context, p Principal, changes []byte) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.caller, a.Body = Caller{kind: p.Kind, id: p.ID, person: crier.User{ID: p.PersonID}}, changes
	}
}

// AuditIn tells the audit log in which organization and team the change is made.
func AuditIn(ctx context.Context, organization crier.ID, team *crier.ID) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.organization, a.team = organization, team
	}
}

// organizationOf returns whose the running action is, or nobody's.
func organizationOf(ctx context.Context) crier.ID {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		return a.organization
	}
	return ""
}

// Audit writes the running action into the log of its organization; one that creates an organization goes into the new
// one's.
func (s *Idempotency) Audit(ctx context.Context, tx *store.Tx, result any) error {
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
		ID: crier.NewID(), OrganizationID: organization, TeamID: a.team, PrincipalKind: string(a.caller.kind),
		PrincipalID: a.caller.id,
		PersonID:    a.caller.person.ID, Action: a.Operation, Target: a.Target, Changes: auditChanges(a.Body),
		RequestID: a.RequestID, CreatedAt: s.clock.Now(), CreatedID: a.created(result),
	})
}

// created returns the id of what an action made, or nil.
func (a *auditedAction) created(result any) *crier.ID {
	value := reflect.ValueOf(result)
	if !a.Creates || value.Kind() != reflect.Struct {
		return nil
	}
	field := value.FieldByName("ID")
	if !field.IsValid() {
		return nil
	}
	if id, ok := reflect.TypeAssert[crier.ID](field); ok && id != "" {
		return &id
	}
	return nil
}

// auditChanges returns what may be kept of a request's body.
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

// withoutSecrets leaves out what gives access: values under names that say so, and in addresses the query, the fragment
// and the password, where signatures and tokens are.
func withoutSecrets(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if v[name] = withoutSecrets(inner); namesSecret(name) {
				v[name] = crier.LeftOut
			}
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutSecrets(inner)
		}
	case string:
		return crier.BareURL(v)
	}
	return value
}

func namesSecret(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "password") || strings.Contains(name, "secret") || strings.Contains(name, "token")
}
