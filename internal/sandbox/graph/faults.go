package graph

import (
	"net/http"
	"time"

	"crier/internal/sandbox/sim"
)

// Fault returns the response of a scripted failure. Most are the same on all networks; own returns the others: a
// rejected call and a restricted account.
func (a *API) Fault(r *http.Request, f sim.Fault, own func() sim.Reply) sim.Reply {
	account := a.accountOf(r)
	switch {
	case f.Kind == sim.RateLimit:
		return a.throttled(account, f.RetryAfter)
	case f.Kind == sim.Outage:
		return a.stamp(account, Outage().Reply())
	case f.Kind == sim.AuthExpired, f.Operation == sim.Refresh:
		now := a.Env.Now()
		return a.stamp(account, Expired(now.Add(-time.Hour), now).Reply())
	default:
		return a.stamp(account, own())
	}
}

// accountOf returns the account of a call, or "".
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
