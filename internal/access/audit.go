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

// maxAuditChanges bounds how much of a request the log stores.
const maxAuditChanges = 16 << 10

// Action is a requested change, as the HTTP layer knows it.
type Action struct {
	// Operation is its id in the OpenAPI document, Target the request's path and query.
	Operation, Target string
	// Body is the request's JSON.
	Body      []byte
	RequestID string
	// Creates is true if the operation responds with what it created.
	Creates bool
}

type actionKey struct{}

type auditedAction struct {
	Action
	caller       Caller
	organization crier.ID
	team         *crier.ID
}

// WithAction writes the change that is made under the context to the audit log, in the same transaction.
func WithAction(ctx context.Context, caller Caller, a Action) context.Context {
	return context.WithValue(ctx, actionKey{}, &auditedAction{Action: a, caller: caller})
}

// AuditPerson sets the actor of a change that needed no token.
func AuditPerson(ctx context.Context, person crier.User) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.caller = Caller{kind: store.UserPrincipal, id: person.ID, person: person}
	}
}

// AuditPrincipal sets the actor of a change without a token, and its changes.
func AuditPrincipal(ctx context.Context, p Principal, changes []byte) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.caller, a.Body = Caller{kind: p.Kind, id: p.ID, person: crier.User{ID: p.PersonID}}, changes
	}
}

// AuditIn sets the organization and team of the change.
func AuditIn(ctx context.Context, organization crier.ID, team *crier.ID) {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		a.organization, a.team = organization, team
	}
}

// organizationOf returns the organization of the current action, if any.
func organizationOf(ctx context.Context) crier.ID {
	if a, ok := ctx.Value(actionKey{}).(*auditedAction); ok {
		return a.organization
	}
	return ""
}

// Audit writes the current action to the log of its organization; one that creates an organization is logged in the new
// one.
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

// created returns the id of what an action created, or nil.
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

// auditChanges returns the part of a request's body that may be stored.
func auditChanges(body []byte) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if len(body) == 0 || decoder.Decode(&value) != nil {
		return nil
	}
	encoded, err := json.Marshal(withoutSecrets(value))
	if err != nil {
		return nil
	}
	if len(encoded) > maxAuditChanges {
		return json.RawMessage(`{"omitted":"the request was too large to keep"}`)
	}
	return encoded
}

// withoutSecrets removes secrets: values whose names suggest one, and in URLs the query, the fragment and the password,
// which hold signatures and tokens.
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
