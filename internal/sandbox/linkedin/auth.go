package linkedin

import (
	"net/http"
	"regexp"
	"slices"
	"time"

	"crier/internal/sandbox/sim"
)

// caller is the member behind a call, and the scopes of its app.
type caller struct {
	member sim.Account
	token  sim.Token
}

// may reports whether one of the scopes was granted.
func (c caller) may(scopes ...string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool { return c.token.Has(scope) })
}

// handler handles a call of an authenticated member.
type handler func(r *http.Request, c caller) sim.Reply

// rest registers a call of the versioned API.
func (n *network) rest(pattern string, op sim.Operation, h handler) {
	n.env.Route(pattern, op, func(r *http.Request) sim.Reply {
		if refusal := checkVersion(r, n.env.Now()); refusal != nil {
			return n.finish(r, *refusal)
		}
		return n.finish(r, n.authenticated(r, h))
	})
}

// plain registers a call of the unversioned API.
func (n *network) plain(pattern string, op sim.Operation, h handler) {
	n.env.Route(pattern, op, func(r *http.Request) sim.Reply { return n.finish(r, n.authenticated(r, h)) })
}

// oldestVersion is the oldest version of the API that is still served.
const oldestVersion = "202511"

var versionPattern = regexp.MustCompile(`^20\d\d(0[1-9]|1[0-2])$`)

// checkVersion rejects calls without a version, and with one that is sunset or not released.
func checkVersion(r *http.Request, now time.Time) *sim.Reply {
	version := r.Header.Get("Linkedin-Version")
	switch {
	case version == "":
		return refuse(badField("VERSION_MISSING",
			"A version must be present. Please specify a version by adding the Linkedin-Version header."))
	case !versionPattern.MatchString(version) || version < oldestVersion || version > now.UTC().Format("200601"):
		return refuse(restError(http.StatusUpgradeRequired, 0, "NONEXISTENT_VERSION",
			"Requested version "+version+" is not active"))
	case r.Header.Get("X-Restli-Protocol-Version") != "2.0.0":
		return refuse(badField("PARAM_INVALID", "X-Restli-Protocol-Version must be 2.0.0"))
	}
	return nil
}

// Calls that a member and an app may make per day.
const (
	memberDay = 150
	appDay    = 100_000
	day       = 24 * time.Hour
)

func (n *network) authenticated(r *http.Request, h handler) sim.Reply {
	c, refusal := n.authenticate(r)
	if refusal != nil {
		return *refusal
	}
	if n.env.Limits.Take("app "+c.token.ClientID, appDay, day, true).Exceeded {
		return tooMany("APPLICATION DAY")
	}
	if n.env.Limits.Take("member "+c.member.ID, memberDay, day, true).Exceeded {
		return tooMany("MEMBER DAY")
	}
	return h(r, c)
}

// authenticate returns the member behind a call.
func (n *network) authenticate(r *http.Request) (caller, *sim.Reply) {
	value := ""
	if r.Header.Get("Authorization") != "" {
		value = sim.BearerToken(r)
	}
	if value == "" {
		return caller{}, refuse(restError(http.StatusUnauthorized, codeEmpty, "EMPTY_ACCESS_TOKEN",
			"Empty oauth2 access token"))
	}
	token, standing, err := n.env.FindToken(value)
	switch {
	case err != nil:
		return caller{}, refuse(n.broken(err))
	case standing == sim.TokenExpired:
		return caller{}, refuse(restError(http.StatusUnauthorized, codeExpired, "EXPIRED_ACCESS_TOKEN",
			"The token used in the request has expired"))
	case standing == sim.TokenRevoked:
		return caller{}, refuse(restError(http.StatusUnauthorized, codeRevoked, "REVOKED_ACCESS_TOKEN",
			"The token used in the request has been revoked by the user"))
	case standing != sim.TokenLive || token.Kind != sim.AccessToken:
		return caller{}, refuse(restError(http.StatusUnauthorized, codeInvalid, "INVALID_ACCESS_TOKEN",
			"Invalid access token"))
	}
	c := caller{token: token}
	n.env.View(func() { c.member = n.person(token.AccountID) })
	return c, nil
}

// person returns the member of an account: itself, or its administrator.
func (n *network) person(id string) sim.Account {
	account, _ := n.env.Accounts.Get(id)
	if account.OwnerID != "" {
		account, _ = n.env.Accounts.Get(account.OwnerID)
	}
	return account
}

// administers reports whether a member may act for an organization. It needs a running View or Update.
func (n *network) administers(c caller, organization string) bool {
	return slices.Contains(n.env.Accounts.OwnedBy(c.member.ID), organization)
}

// actsAs reports whether the caller may act under a URN: its own with one of the member's scopes, or an organization's
// with one of those and a role in it. It needs a running View or Update.
func (n *network) actsAs(c caller, urn string, memberScopes, organizationScopes []string) bool {
	if urn == c.member.ID {
		return c.may(memberScopes...)
	}
	return c.may(organizationScopes...) && n.administers(c, urn)
}
