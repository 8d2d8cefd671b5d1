package youtube

import (
	"net/http"
	"slices"

	"crier/internal/sandbox/sim"
)

// endpoint is the requirements of an endpoint: one of the scopes, and the quota cost of a call.
type endpoint struct {
	bucket bucket
	cost   int
	scopes []string
}

var (
	readScopes   = []string{scopeYouTube, scopeReadonly, scopeForceSSL}
	manageScopes = []string{scopeYouTube, scopeForceSSL}
	uploadScopes = []string{scopeYouTube, scopeUpload, scopeForceSSL}

	insertVideo  = endpoint{insertBucket, 1, uploadScopes}
	sendVideo    = endpoint{unitBucket, 0, uploadScopes}
	setThumbnail = endpoint{unitBucket, 50, uploadScopes}
	listThings   = endpoint{unitBucket, 1, readScopes}
	changeThings = endpoint{unitBucket, 50, manageScopes}
	writeComment = endpoint{unitBucket, 50, []string{scopeForceSSL}}
)

// caller is the channel behind a call.
type caller struct {
	channel sim.Account
	token   sim.Token
}

// handler handles a call of an authenticated channel.
type handler func(r *http.Request, c caller) sim.Reply

// checked wraps a handler with the checks of all calls: a token, and the quota. Calls that are rejected later cost the
// same.
func (n *network) checked(e endpoint, h handler) sim.Handler {
	return func(r *http.Request) sim.Reply {
		c, refusal := n.authenticate(r, e)
		if refusal != nil {
			return *refusal
		}
		if !n.quota.spend(e.bucket, e.cost) {
			return quotaExceeded()
		}
		return h(r, c)
	}
}

// authenticate returns the channel behind a call, or the rejection.
func (n *network) authenticate(r *http.Request, e endpoint) (caller, *sim.Reply) {
	token, standing, err := n.env.FindToken(sim.BearerToken(r))
	switch {
	case err != nil:
		return caller{}, refuse(n.broken(err))
	case standing != sim.TokenLive || token.Kind != sim.AccessToken:
		return caller{}, refuse(deadToken())
	}
	c := caller{token: token}
	if !c.may(e.scopes) {
		return c, refuse(missingScope())
	}
	n.env.View(func() { c.channel, _ = n.env.Accounts.Get(token.AccountID) })
	return c, nil
}

// may reports whether one of the scopes was granted.
func (c caller) may(scopes []string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool { return c.token.Has(scope) })
}
