package graph

import (
	"net/http"
	"time"

	"crier/internal/sandbox/sim"
)

// Fault answers the scripted failures that all networks word alike; answered is false for the others: a rejected call
// and a restricted account.
func (a *API) Fault(r *http.Request, f sim.Fault) (reply sim.Reply, answered bool) {
	account := a.accountOf(r)
	switch {
	case f.Kind == sim.RateLimit:
		return a.throttled(account, f.RetryAfter), true
	case f.Kind == sim.Outage:
		return a.stamp(account, Outage().Reply()), true
	case f.Kind == sim.AuthExpired, f.Operation == sim.Refresh:
		now := a.Env.Now()
		return a.stamp(account, Expired(now.Add(-time.Hour), now).Reply()), true
	default:
		return sim.Reply{}, false
	}
}

// accountOf returns the account behind a call, or nothing.
func (a *API) accountOf(r *http.Request) string {
	value := oauthToken(r)
	if c, err := ReadCall(r); err == nil && value == "" {
		value = c.TokenOf()
	}
	token, _, err := a.Env.FindToken(value)
	if err != nil {
		return ""
	}
	return token.AccountID
}
