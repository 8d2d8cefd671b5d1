package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

// Caller is an authenticated principal. Only Access makes one.
type Caller struct {
	kind       store.PrincipalKind
	id         crier.ID
	person     crier.User
	credential crier.Credential
}

// CredentialID names the token, for rate limits and logs.
func (c Caller) CredentialID() crier.ID { return c.credential.ID }

// holds is true unless the credential is narrowed to other permissions.
func (c Caller) holds(p crier.Permission) bool {
	return c.credential.Permissions == nil || slices.Contains(c.credential.Permissions, p)
}

// CallerScope proves that the caller is known; it gives no right to anything but the caller's own things.
type CallerScope struct{ caller Caller }

// OrgScope proves that the caller has a permission in an organization.
type OrgScope struct {
	caller       Caller
	organization store.Organization
	access       store.Access
}

// TeamScope proves that the caller has a permission in a team.
type TeamScope struct {
	caller Caller
	team   crier.Team
	access store.Access
}

// can is true when the caller has a further permission in the team, for rules that need one under some conditions.
func (s TeamScope) can(p crier.Permission) bool { return s.caller.may(p, s.access, "team") == nil }

// errNoScope means that a door called a rule without asking Access first.
var errNoScope = errors.New("called without a scope")

func (s CallerScope) check() error { return scopeError(s.caller) }
func (s OrgScope) check() error    { return scopeError(s.caller) }
func (s TeamScope) check() error   { return scopeError(s.caller) }

// mayRead is for lists across organizations: every role may read, so what counts is what the key is narrowed to.
func (s CallerScope) mayRead() error {
	if !s.caller.holds(crier.Read) {
		return crier.Forbidden("The caller lacks the permission %s.", crier.Read)
	}
	return nil
}

func scopeError(c Caller) error {
	if c.id == "" {
		return errNoScope
	}
	return nil
}

// Access tells who a caller is and what it may do.
type Access struct {
	*core
	used chan keyUse
	seen sync.Map // key id → time of the last note
}

type keyUse struct {
	id crier.ID
	at crier.Time
}

func newAccess(c *core) *Access { return &Access{core: c, used: make(chan keyUse, 1024)} }

// Authenticate turns a bearer token into a caller.
func (a *Access) Authenticate(ctx context.Context, token string) (Caller, error) {
	if strings.HasPrefix(token, auth.AccessPrefix) {
		return a.authenticatePerson(ctx, token)
	}
	if !auth.ValidKeySecret(token) {
		return Caller{}, crier.Unauthorized("The token is not valid: it is not an API key of crier. Keys begin with %s.", auth.KeyPrefix)
	}
	now := a.now()
	key, err := a.store.KeyBySecret(ctx, auth.Hash(token), now)
	if err != nil {
		return Caller{}, err
	}
	a.noteUse(key, now)
	credential := crier.Credential{Kind: "api_key", ID: key.ID, Name: key.Name, ExpiresAt: key.ExpiresAt}
	if key.Permissions != nil {
		credential.Permissions = *key.Permissions
	}
	return Caller{kind: store.KeyPrincipal, id: key.ID, person: key.Person, credential: credential}, nil
}

// authenticatePerson turns the token of a device login into a caller: the person.
func (a *Access) authenticatePerson(ctx context.Context, token string) (Caller, error) {
	t, err := a.store.AccessToken(ctx, auth.Hash(token), a.now())
	if err != nil {
		return Caller{}, err
	}
	credential := crier.Credential{Kind: "access_token", ID: t.FamilyID, Name: t.Name, ExpiresAt: &t.ExpiresAt}
	return Caller{kind: store.UserPrincipal, id: t.Person.ID, person: t.Person, credential: credential}, nil
}

// useGrain is how exactly the last use of a key is kept: a hot key costs one write a minute, not one a request.
const useGrain = time.Minute

func (a *Access) noteUse(key store.BearerKey, now crier.Time) {
	if key.LastUsedAt != nil && now.Sub(key.LastUsedAt.Time) < useGrain {
		return
	}
	if last, ok := a.seen.Load(key.ID); ok && now.Sub(last.(crier.Time).Time) < useGrain {
		return
	}
	a.seen.Store(key.ID, now)
	select {
	case a.used <- keyUse{key.ID, now}:
	default: // a full queue loses a note of use, nothing else
	}
}

// NoteUses writes down when keys were used, until ctx ends.
func (a *Access) NoteUses(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case use := <-a.used:
			if err := a.store.KeyUsed(ctx, use.id, use.at); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "could not note the use of a key", "key", use.id, "error", err)
			}
		}
	}
}

// Caller proves that the caller is known.
func (a *Access) Caller(caller Caller) CallerScope { return CallerScope{caller} }

// Organization proves that the caller has a permission in an organization: 404 when there is no such organization, 403
// when the caller does not belong to it or lacks the permission.
func (a *Access) Organization(ctx context.Context, caller Caller, id crier.ID, p crier.Permission) (OrgScope, error) {
	o, access, err := a.store.OrganizationAccess(ctx, id, caller.id, caller.person.ID)
	if err != nil {
		return OrgScope{}, err
	}
	if err := caller.may(p, access, "organization"); err != nil {
		return OrgScope{}, err
	}
	about(ctx, o.ID, nil)
	return OrgScope{caller: caller, organization: o, access: access}, nil
}

// wholeOrganization is true for permissions that cannot be exercised within some teams.
func wholeOrganization(p crier.Permission) bool {
	switch p {
	case crier.ManageOrganization, crier.ManageMembers, crier.ManageAPIKeys, crier.ManageBilling, crier.CreateTeams:
		return true
	}
	return false
}

// Team proves that the caller has a permission in a team: 404 when there is no such team, 403 when the caller cannot
// reach it or lacks the permission.
func (a *Access) Team(ctx context.Context, caller Caller, id crier.ID, p crier.Permission) (TeamScope, error) {
	t, access, err := a.store.TeamAccess(ctx, id, caller.id, caller.person.ID)
	if err != nil {
		return TeamScope{}, err
	}
	if err := caller.may(p, access, "team"); err != nil {
		return TeamScope{}, err
	}
	if !reaches(access.Own) || !reaches(access.Behind) {
		return TeamScope{}, crier.Forbidden("The caller does not have access to this team.")
	}
	about(ctx, t.OrganizationID, &t.ID)
	return TeamScope{caller: caller, team: t, access: access}, nil
}

func reaches(g *store.Grant) bool { return g.AllTeams || g.InTeam }

// may checks a permission against the caller's own membership, the person behind it, and what the key is narrowed to: a
// key never exceeds the present rights of its creator.
func (c Caller) may(p crier.Permission, access store.Access, noun string) error {
	if access.Own == nil || access.Behind == nil {
		return crier.Forbidden("The caller does not belong to the organization of this %s.", noun)
	}
	if !access.Own.Role.Can(p) || !access.Behind.Role.Can(p) || !c.holds(p) {
		return crier.Forbidden("The caller lacks the permission %s.", p)
	}
	if wholeOrganization(p) && !(access.Own.AllTeams && access.Behind.AllTeams) {
		return crier.Forbidden("This needs the permission %s in the whole organization; the caller is narrowed to some teams.", p)
	}
	return nil
}
