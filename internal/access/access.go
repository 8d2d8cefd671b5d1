// Package access holds the checks of every request: authentication and authorization (access.go), idempotency
// (idempotency.go), and the audit log (audit.go).
package access

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

// Caller is an authenticated principal. Only Control creates one.
type Caller struct {
	kind       store.PrincipalKind
	id         crier.ID
	person     crier.User
	credential crier.Credential
	resource   string
	// ahead was read with the credential, at readAt.
	ahead  *Lookahead
	readAt crier.Time
}

// CredentialID returns the id of the token, for rate limits and logs.
func (c Caller) CredentialID() crier.ID { return c.credential.ID }

// Credential returns the caller's token.
func (c Caller) Credential() crier.Credential { return c.credential }

// Resource returns the resource that the token is limited to (RFC 8707); empty means the whole API.
func (c Caller) Resource() string { return c.resource }

// Kind returns whether the caller is a person or an API key.
func (c Caller) Kind() store.PrincipalKind { return c.kind }

// ID returns the id of the person or key.
func (c Caller) ID() crier.ID { return c.id }

// Person returns the caller or, for a key, its creator.
func (c Caller) Person() crier.User { return c.person }

// Principals returns the caller and, for a key, its creator.
func (c Caller) Principals() []store.Membership {
	list := []store.Membership{{Kind: c.kind, PrincipalID: c.id}}
	if c.kind != store.UserPrincipal {
		list = append(list, store.Membership{Kind: store.UserPrincipal, PrincipalID: c.person.ID})
	}
	return list
}

// Holds reports whether the credential includes a permission.
func (c Caller) Holds(p crier.Permission) bool {
	return c.credential.Permissions == nil || slices.Contains(c.credential.Permissions, p)
}

// CallerScope proves that the caller is authenticated; it grants access to the caller's own data only.
type CallerScope struct{ caller Caller }

// Caller returns the caller of the scope.
func (s CallerScope) Caller() Caller { return s.caller }

// OrgScope proves that the caller has a permission in an organization.
type OrgScope struct {
	caller       Caller
	organization store.Organization
	access       store.Access
}

// Caller returns the caller of the scope.
func (s OrgScope) Caller() Caller { return s.caller }

// Organization returns the organization of the scope.
func (s OrgScope) Organization() store.Organization { return s.organization }

// Access returns the access of the caller and, for a key, its creator to the organization.
func (s OrgScope) Access() store.Access { return s.access }

// TeamScope proves that the caller has a permission in a team.
type TeamScope struct {
	caller Caller
	team   crier.Team
	access store.Access
}

// Caller returns the caller of the scope.
func (s TeamScope) Caller() Caller { return s.caller }

// Team returns the team of the scope.
func (s TeamScope) Team() crier.Team { return s.team }

// Can reports whether the caller has another permission in the team, for rules that need one under some conditions.
func (s TeamScope) Can(p crier.Permission) bool { return s.caller.May(p, s.access, "team") == nil }

// ErrNoScope means that a rule was called without a scope of Control.
var ErrNoScope = errors.New("called without a scope")

// Check returns ErrNoScope for a scope that Control did not create.
func (s CallerScope) Check() error { return scopeError(s.caller) }

// Check returns ErrNoScope for a scope that Control did not create.
func (s OrgScope) Check() error { return scopeError(s.caller) }

// Check returns ErrNoScope for a scope that Control did not create.
func (s TeamScope) Check() error { return scopeError(s.caller) }

// MayRead is for lists across organizations: every role may read, so only the restrictions of the key matter.
func (s CallerScope) MayRead() error {
	if !s.caller.Holds(crier.Read) {
		return crier.Forbidden("The caller lacks the permission %s.", crier.Read)
	}
	return nil
}

func scopeError(c Caller) error {
	if c.id == "" {
		return ErrNoScope
	}
	return nil
}

// Control authenticates callers and checks their permissions.
type Control struct {
	store *store.Store
	clock crier.Clock
	log   *slog.Logger
	used  chan credentialUse
	seen  recentUses
	known callerCache
}

// credentialUse is a use of a credential to record.
type credentialUse struct {
	kind string
	id   crier.ID
	at   crier.Time
}

// New returns the access control of a store.
func New(st *store.Store, clock crier.Clock, log *slog.Logger) *Control {
	return &Control{store: st, clock: clock, log: log, used: make(chan credentialUse, 1024)}
}

// Authenticate returns the caller of a bearer token.
func (a *Control) Authenticate(ctx context.Context, token string) (Caller, error) {
	return a.AuthenticateAhead(ctx, token, Lookahead{})
}

// AuthenticateAhead is Authenticate that also reads other data of the request in the same round trip.
func (a *Control) AuthenticateAhead(ctx context.Context, token string, ahead Lookahead) (Caller, error) {
	if strings.HasPrefix(token, auth.AccessPrefix) {
		return a.authenticate(ctx, store.TokenCredential, token, &ahead, a.personByToken)
	}
	if !auth.ValidKeySecret(token) {
		return Caller{}, crier.Unauthorized("The token is not valid: it is not an API key of crier. Keys begin "+
			"with %s.", auth.KeyPrefix)
	}
	return a.authenticate(ctx, store.KeyCredential, token, &ahead, a.key)
}

// AuthenticateSession returns the caller of a browser session: the person. The HTTP layer must have verified that the
// request comes from a page of this installation.
func (a *Control) AuthenticateSession(ctx context.Context, token string) (Caller, error) {
	return a.AuthenticateSessionAhead(ctx, token, Lookahead{})
}

// AuthenticateSessionAhead is AuthenticateSession that also reads other data of the request in the same round trip.
func (a *Control) AuthenticateSessionAhead(ctx context.Context, token string, ahead Lookahead) (Caller, error) {
	return a.authenticate(ctx, store.SessionCredential, token, &ahead, a.personBySession)
}

// credentialLookup returns the caller of a token's hash and when the credential was last used.
type credentialLookup func(ctx context.Context, hash []byte, now crier.Time, ahead *Lookahead) (Caller,
	*crier.Time, error)

// authenticate returns the cached caller of a token, or looks it up.
func (a *Control) authenticate(ctx context.Context, kind store.CredentialKind, token string, ahead *Lookahead,
	lookUp credentialLookup) (Caller, error) {
	now, hash, changes := a.clock.Now(), auth.Hash(token), a.store.CredentialChanges()
	found, known := a.known.get(hash, now, changes)
	if known {
		if err := a.store.LookAhead(ctx, kind, hash, now, ahead); err != nil {
			return Caller{}, err
		}
	} else {
		var err error
		if found.Caller, found.lastUsed, err = lookUp(ctx, hash, now, ahead); err != nil {
			return Caller{}, err
		}
		found.at, found.changes = now, changes
		a.known.put(hash, found)
	}
	a.recordUse(found.credential, found.lastUsed, now)
	found.ahead, found.readAt = ahead, now
	return found.Caller, nil
}

// key returns the caller of an API key.
func (a *Control) key(ctx context.Context, hash []byte, now crier.Time, ahead *Lookahead) (Caller, *crier.Time,
	error) {
	key, err := a.store.KeyBySecret(ctx, hash, now, ahead)
	if err != nil {
		return Caller{}, nil, err
	}
	credential := crier.Credential{Kind: crier.CredentialKey, ID: key.ID, Name: key.Name, ExpiresAt: key.ExpiresAt}
	if key.Permissions != nil {
		credential.Permissions = *key.Permissions
	}
	return Caller{kind: store.KeyPrincipal, id: key.ID, person: key.Person, credential: credential}, key.LastUsedAt, nil
}

// personByToken returns the caller of a device login's token: the person.
func (a *Control) personByToken(ctx context.Context, hash []byte, now crier.Time, ahead *Lookahead) (Caller,
	*crier.Time, error) {
	t, err := a.store.AccessToken(ctx, hash, now, ahead)
	if err != nil {
		return Caller{}, nil, err
	}
	credential := crier.Credential{Kind: crier.CredentialToken, ID: t.FamilyID, Name: t.Name, ExpiresAt: &t.ExpiresAt}
	return Caller{kind: store.UserPrincipal, id: t.Person.ID, person: t.Person, credential: credential,
		resource: t.Resource}, t.LastUsedAt, nil
}

// personBySession returns the caller of a browser session: the person.
func (a *Control) personBySession(ctx context.Context, hash []byte, now crier.Time, ahead *Lookahead) (Caller,
	*crier.Time, error) {
	session, err := a.store.SessionByToken(ctx, hash, now, ahead)
	if err != nil {
		return Caller{}, nil, err
	}
	if session == nil {
		return Caller{}, nil, crier.Unauthorized("The session has ended. Sign in again.")
	}
	credential := crier.Credential{Kind: crier.CredentialSession, ID: session.ID, Name: session.Browser,
		ExpiresAt: &session.ExpiresAt}
	return Caller{kind: store.UserPrincipal, id: session.User.ID, person: session.User, credential: credential},
		session.LastUsedAt, nil
}

// useResolution is the resolution of a credential's last use: a hot key costs one write per minute, not one per
// request.
const useResolution = time.Minute

func (a *Control) recordUse(c crier.Credential, last *crier.Time, now crier.Time) {
	if last != nil && now.Sub(last.Time) < useResolution || !a.seen.add(c.ID, now) {
		return
	}
	select {
	case a.used <- credentialUse{kind: c.Kind, id: c.ID, at: now}:
	default: // a full queue loses a recorded use, nothing else
	}
}

// RecordUses records when credentials were used, until ctx ends.
func (a *Control) RecordUses(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case use := <-a.used:
			if err := a.store.CredentialUsed(ctx, use.kind, use.id, use.at); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "could not record the use of a credential", "credential", use.id, "error", err)
			}
		}
	}
}

// Caller returns the scope of a caller.
func (a *Control) Caller(caller Caller) CallerScope { return CallerScope{caller} }

// Person proves that the caller is a person with their own login: an API key may not act on its creator's account.
func (a *Control) Person(caller Caller) (CallerScope, error) {
	if caller.kind != store.UserPrincipal {
		return CallerScope{}, crier.Forbidden("This needs a person's own login, not an API key.")
	}
	return CallerScope{caller}, nil
}

// Organization proves that the caller has a permission in an organization: 404 if there is no such organization, 403 if
// the caller does not belong to it or lacks the permission.
func (a *Control) Organization(ctx context.Context, caller Caller, id crier.ID, p crier.Permission) (OrgScope, error) {
	o, access, err := a.organizationAccess(ctx, caller, id)
	if err != nil {
		return OrgScope{}, err
	}
	if err := caller.May(p, access, "organization"); err != nil {
		return OrgScope{}, err
	}
	AuditIn(ctx, o.ID, nil)
	return OrgScope{caller: caller, organization: o, access: access}, nil
}

func (a *Control) organizationAccess(ctx context.Context, caller Caller, id crier.ID) (store.Organization, store.Access,
	error) {
	if ahead := caller.aheadAt(a.clock.Now()); ahead != nil && ahead.OrganizationID == id && ahead.Organization != nil {
		return *ahead.Organization, ahead.Access, nil
	}
	return a.store.OrganizationAccess(ctx, id, caller.id, caller.person.ID)
}

func (a *Control) teamAccess(ctx context.Context, caller Caller, id crier.ID) (crier.Team, store.Access, error) {
	if ahead := caller.aheadAt(a.clock.Now()); ahead != nil && ahead.TeamID == id && ahead.Team != nil {
		return *ahead.Team, ahead.Access, nil
	}
	return a.store.TeamAccess(ctx, id, caller.id, caller.person.ID)
}

// IsOrganizationWide reports whether a permission cannot be limited to some teams.
func IsOrganizationWide(p crier.Permission) bool {
	switch p {
	case crier.ManageOrganization, crier.ManageMembers, crier.ManageAPIKeys, crier.ManageBilling, crier.ManageWebhooks,
		crier.CreateTeams:
		return true
	}
	return false
}

// Team proves that the caller has a permission in a team: 404 if there is no such team, 403 if the caller cannot access
// it or lacks the permission.
func (a *Control) Team(ctx context.Context, caller Caller, id crier.ID, p crier.Permission) (TeamScope, error) {
	t, access, err := a.teamAccess(ctx, caller, id)
	if err != nil {
		return TeamScope{}, err
	}
	if err := caller.May(p, access, "team"); err != nil {
		return TeamScope{}, err
	}
	if !reachesTeam(access) {
		return TeamScope{}, crier.Forbidden("The caller does not have access to this team.")
	}
	AuditIn(ctx, t.OrganizationID, &t.ID)
	return TeamScope{caller: caller, team: t, access: access}, nil
}

// reachesTeam reports whether neither the caller nor its creator is limited to other teams.
func reachesTeam(a store.Access) bool {
	return (a.Own.AllTeams || a.Own.InTeam) && (a.Behind.AllTeams || a.Behind.InTeam)
}

// May checks a permission against the caller's own membership, the key's creator, and the restrictions of the key: a
// key never exceeds the current rights of its creator.
func (c Caller) May(p crier.Permission, access store.Access, resource string) error {
	if access.Own == nil || access.Behind == nil {
		if resource == "organization" {
			return crier.Forbidden("The caller does not belong to this organization.")
		}
		return crier.Forbidden("The caller does not belong to the organization of this %s.", resource)
	}
	if !access.Own.Role.Can(p) || !access.Behind.Role.Can(p) || !c.Holds(p) {
		return crier.Forbidden("The caller lacks the permission %s.", p)
	}
	if IsOrganizationWide(p) && !(access.Own.AllTeams && access.Behind.AllTeams) {
		return crier.Forbidden("This needs the permission %s in the whole organization; the caller is narrowed to "+
			"some teams.", p)
	}
	return nil
}
