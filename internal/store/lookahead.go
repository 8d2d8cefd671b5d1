package store

import (
	"context"
	"fmt"

	"crier"
)

// CredentialKind is the kind of a caller's credential.
type CredentialKind int

// The kinds of credentials.
const (
	KeyCredential CredentialKind = iota
	TokenCredential
	SessionCredential
)

// principals select the principal of a credential's hash, $1, and the person behind it.
//
//nolint:gosec // no credentials
var principals = map[CredentialKind]string{
	KeyCredential: `(SELECT k.id AS principal, k.created_by_id AS person FROM api_key_secrets s
		JOIN api_keys k ON k.id = s.api_key_id WHERE s.hash = $1) AS c`,
	TokenCredential: `(SELECT f.user_id AS principal, f.user_id AS person FROM access_tokens a
		JOIN token_families f ON f.id = a.family_id WHERE a.hash = $1) AS c`,
	SessionCredential: `(SELECT s.user_id AS principal, s.user_id AS person FROM sessions s
		WHERE s.token_hash = $1) AS c`,
}

// Lookahead holds what a request needs besides its credential, and the rows found for it: everything is read in one
// round trip. It decides nothing: the lookup of the credential checks whether it is valid.
type Lookahead struct {
	// TeamID or OrganizationID is the target of the request; both are empty if it has none.
	TeamID, OrganizationID crier.ID
	// IdempotencyKey is the request's idempotency key, which may have a stored response; empty for none.
	IdempotencyKey string

	Team         *crier.Team   // nil if there is no such team
	Organization *Organization // nil if there is no such organization
	Access       Access
	Response     *StoredResponse // nil if there is none
}

// LookAhead reads the rows that a request with a credential needs.
func (r reads) LookAhead(ctx context.Context, kind CredentialKind, hash []byte, now crier.Time,
	ahead *Lookahead) error {
	questions := ahead.questions(kind, hash, now)
	if len(questions) == 0 {
		return nil
	}
	if err := r.keyed.Ask(ctx, questions...); err != nil {
		return fmt.Errorf("read what the request needs: %w", err)
	}
	return nil
}

// withCredential reads a credential together with the rows that its request needs.
func (r reads) withCredential(ctx context.Context, credential question, kind CredentialKind, now crier.Time,
	ahead []*Lookahead) error {
	questions := []question{credential}
	for _, a := range ahead {
		questions = append(questions, a.questions(kind, credential.args[0].([]byte), now)...)
	}
	return r.keyed.Ask(ctx, questions...)
}

func (a *Lookahead) questions(kind CredentialKind, hash []byte, now crier.Time) []question {
	caller := principals[kind]
	var list []question
	if a.TeamID != "" {
		list = append(list, newQuestion(`SELECT `+teamAccessColumns+` FROM teams t LEFT JOIN `+caller+` ON TRUE
			LEFT JOIN memberships m ON m.principal_id = c.principal AND m.organization_id = t.organization_id
			LEFT JOIN memberships b ON b.principal_id = c.person AND b.organization_id = t.organization_id
			WHERE t.id = $2 AND t.deleted_at IS NULL`, []any{hash, a.TeamID}, func(row scanner) error {
			t, access, err := scanTeamAccess(row)
			a.Team, a.Access = &t, access
			return err
		}))
	}
	if a.OrganizationID != "" {
		list = append(list, newQuestion(`SELECT `+organizationAccessColumns+`
			FROM organizations o LEFT JOIN `+caller+` ON TRUE
			LEFT JOIN memberships m ON m.principal_id = c.principal AND m.organization_id = o.id
			LEFT JOIN memberships b ON b.principal_id = c.person AND b.organization_id = o.id
			WHERE o.id = $2`, []any{hash, a.OrganizationID}, func(row scanner) error {
			o, access, err := scanOrganizationAccess(row)
			a.Organization, a.Access = &o, access
			return err
		}))
	}
	if a.IdempotencyKey != "" {
		list = append(list, newQuestion(`SELECT `+storedResponseColumns+`
			FROM `+caller+` JOIN idempotency_keys k ON k.principal_id = c.principal
			WHERE k.key = $2 AND k.expires_at > $3`, []any{hash, a.IdempotencyKey, now}, func(row scanner) error {
			stored, err := scanStoredResponse(row)
			a.Response = &stored
			return err
		}))
	}
	return list
}
