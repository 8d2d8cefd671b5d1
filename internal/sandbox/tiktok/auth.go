package tiktok

import (
	"net/http"
	"slices"
	"time"

	"crier/internal/sandbox/sim"
)

// endpoint is the requirements of an endpoint: one of the scopes, and a rate limit per minute.
type endpoint struct {
	name      string
	scopes    []string
	perMinute int
}

var (
	postInits     = endpoint{"init", []string{scopePublish, scopeUpload}, 6}
	inboxInits    = endpoint{"inbox init", []string{scopeUpload}, 6}
	directInits   = endpoint{"video init", []string{scopePublish}, 6}
	creatorInfos  = endpoint{"creator info", []string{scopePublish}, 20}
	statusFetches = endpoint{"status", []string{scopePublish, scopeUpload}, 30}
	userInfos     = endpoint{"user info", []string{scopeBasic, scopeProfile, scopeStats}, 600}
	videoLists    = endpoint{"video list", []string{scopeList}, 600}
	videoQueries  = endpoint{"video query", []string{scopeList}, 600}
)

// caller is the account behind a call, and the scopes of its app.
type caller struct {
	account sim.Account
	token   sim.Token
}

// handler handles a call of an authenticated account.
type handler func(r *http.Request, c caller) sim.Reply

// checked wraps a handler with the checks of all calls with a token.
func (n *network) checked(e endpoint, h handler) sim.Handler {
	return func(r *http.Request) sim.Reply {
		n.takeUp(r.Context())
		n.settle()
		c, refusal := n.authenticate(r, e)
		if refusal != nil {
			return *refusal
		}
		if n.env.Limits.Take(e.name+" "+c.token.Value, e.perMinute, time.Minute, false).Exceeded {
			return n.tooManyCalls()
		}
		return h(r, c)
	}
}

// authenticate returns the account behind a call, or the rejection.
func (n *network) authenticate(r *http.Request, e endpoint) (caller, *sim.Reply) {
	if r.Header.Get("Authorization") == "" {
		return caller{}, refuse(n.deadToken())
	}
	token, standing, err := n.env.FindToken(sim.BearerToken(r))
	switch {
	case err != nil:
		return caller{}, refuse(n.broken(err))
	case standing != sim.TokenLive || token.Kind != sim.AccessToken:
		return caller{}, refuse(n.deadToken())
	}
	c := caller{token: token}
	if !c.may(e.scopes...) {
		return c, refuse(n.missingScope())
	}
	n.env.View(func() { c.account, _ = n.env.Accounts.Get(token.AccountID) })
	return c, nil
}

// may reports whether one of the scopes was granted.
func (c caller) may(scopes ...string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool { return c.token.Has(scope) })
}

func (n *network) missingScope() sim.Reply {
	return n.failure(http.StatusUnauthorized, "scope_not_authorized",
		"The user did not authorize the scope required for completing this request.")
}
