package graph

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// LongLife is the lifetime of long-lived tokens.
const LongLife = 5183944 * time.Second

const (
	codeLife  = time.Hour
	shortLife = time.Hour // of a token that was not exchanged
	// minRefreshAge is the minimum age of a token to be refreshed.
	minRefreshAge = 24 * time.Hour
)

// IsLong reports whether a token is long-lived.
func IsLong(t sim.Token) bool { return t.ExpiresAt.IsZero() || t.ExpiresAt.Sub(t.IssuedAt) > day }

// UserLogin is the login of Instagram and of Threads with their own accounts: a code, a token for an hour, and one for
// sixty days that is its own refresh token.
type UserLogin struct {
	// Grant is the prefix of the grant types: ig or th.
	Grant string
	// TokenPrefix is the prefix of the tokens.
	TokenPrefix string
	Scopes      []string
	// BasicScope is required to refresh a token.
	BasicScope string
	// Exchanged returns the response to a code.
	Exchanged func(t sim.Token) any
	// CodeRefused returns the response to an invalid code.
	CodeRefused func(message string) sim.Reply
}

// ServeUserLogin registers the login's paths.
func (a *API) ServeUserLogin(l UserLogin) {
	a.Env.Consent("/oauth/authorize", func(r *http.Request) (sim.ConsentRequest,
		error) {
		return parseConsent(r, l.Scopes, "_")
	})
	a.Env.Route("POST /oauth/access_token", sim.Connect,
		a.Plain(func(c *Call) sim.Reply { return a.exchangeUserCode(c, l) }))
	a.Env.Route("GET /access_token", sim.Connect, a.Plain(func(c *Call) sim.Reply { return a.lengthen(c, l) }))
	a.Env.Route("GET /refresh_access_token", sim.Refresh, a.Plain(func(c *Call) sim.Reply { return a.renew(c, l) }))
}

// Plain returns a handler of a path that is not a node.
func (a *API) Plain(h Handler) sim.Handler {
	return func(r *http.Request) sim.Reply {
		c, err := ReadCall(r)
		if err != nil {
			return a.stamp("", Invalid("%s", err))
		}
		return a.stamp("", h(c))
	}
}

// parseConsent parses the URL of a consent page. There is no PKCE.
func parseConsent(r *http.Request, known []string, fragment string) (sim.ConsentRequest, error) {
	q := r.URL.Query()
	c := sim.ConsentRequest{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"), State: q.Get("state"),
		Scopes: strings.FieldsFunc(q.Get("scope"), func(r rune) bool { return r == ',' || r == ' ' }), CodePrefix: "AQ",
		CodeLifetime: codeLife, Fragment: fragment,
		Denied: url.Values{"error": {"access_denied"}, "error_reason": {"user_denied"},
			"error_description": {"The user denied your request"}}}
	if q.Has("config_id") && len(c.Scopes) == 0 {
		c.Scopes = known
	}
	if kind := q.Get("response_type"); kind != "code" && kind != "" {
		return c, errors.New("response_type must be code")
	}
	if c.ClientID == "" {
		return c, errors.New("client_id is missing")
	}
	if len(c.Scopes) == 0 {
		return c, errors.New("scope is missing")
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(known, scope) {
			return c, fmt.Errorf("invalid scope %q: the app may ask for %s", scope, strings.Join(known, ", "))
		}
	}
	return c, nil
}

func (a *API) exchangeUserCode(c *Call, l UserLogin) sim.Reply {
	switch {
	case !a.Env.Options.KnowsClient(c.Params["client_id"], c.Params["client_secret"]):
		return l.CodeRefused("Error validating client secret.")
	case c.Params["grant_type"] != "authorization_code":
		return l.CodeRefused("Invalid grant_type: must be authorization_code")
	}
	var body any
	refusal := a.Try(func(tx *sim.Tx) *sim.Reply {
		code, isGood := a.Env.FindCode(c.Params["code"])
		switch {
		case !isGood:
			return Refuse(l.CodeRefused("Matching code was not found or was already used"))
		case code.ClientID != c.Params["client_id"] || code.RedirectURI != c.Params["redirect_uri"]:
			return Refuse(l.CodeRefused("Error validating verification code. Please make sure your redirect_uri is " +
				"identical to the one you used in the OAuth dialog request"))
		}
		a.Env.SpendCode(tx, code)
		body = l.Exchanged(a.Env.Tokens.Issue(tx, l.TokenPrefix, shortLife,
			sim.Token{Kind: sim.AccessToken, AccountID: code.AccountID, ClientID: code.ClientID, Scopes: code.Scopes}))
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return OK(body)
}

// tokenBody is the response with a token.
type tokenBody struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in,omitempty"`
}

// lengthen exchanges a token for an hour for one for sixty days.
func (a *API) lengthen(c *Call, l UserLogin) sim.Reply {
	if c.Params["grant_type"] != l.Grant+"_exchange_token" {
		return Invalid("grant_type must be %s_exchange_token", l.Grant)
	}
	token, refusal := a.loginToken(c, l)
	switch {
	case refusal != nil:
		return *refusal
	case !a.knowsSecret(token.ClientID, c.Params["client_secret"]):
		return Problem{Code: 101, Message: "Error validating client secret."}.Reply()
	case IsLong(token):
		return Problem{Code: 452,
			Message: "Session key invalid. This could be because the session key has an incorrect format, or because " +
				"the user has revoked this session"}.Reply()
	}
	return a.issueLong(token, l)
}

// knowsSecret checks a secret that is sent without the app's id.
func (a *API) knowsSecret(client, secret string) bool {
	if client == "" {
		return secret != ""
	}
	return a.Env.Options.KnowsClient(client, secret)
}

// renew issues a new token for sixty days. The old one stays valid until it expires.
func (a *API) renew(c *Call, l UserLogin) sim.Reply {
	if c.Params["grant_type"] != l.Grant+"_refresh_token" {
		return Invalid("grant_type must be %s_refresh_token", l.Grant)
	}
	token, refusal := a.loginToken(c, l)
	switch {
	case refusal != nil:
		return *refusal
	case !token.Has(l.BasicScope):
		return Forbidden(l.BasicScope)
	case !IsLong(token):
		return Invalid("Only long-lived tokens can be refreshed")
	case a.Env.Now().Sub(token.IssuedAt) < minRefreshAge:
		return Invalid("The access token must be at least 24 hours old to be refreshed")
	}
	return a.issueLong(token, l)
}

// loginToken returns the token that a call wants to change; those of another login are unknown here.
func (a *API) loginToken(c *Call, l UserLogin) (sim.Token, *sim.Reply) {
	token, problem, err := a.LiveToken(c.TokenOf())
	switch {
	case err != nil:
		return token, Refuse(a.Broken(err))
	case problem != nil:
		return token, problem.Refuse()
	case !strings.HasPrefix(token.Value, l.TokenPrefix):
		return token, unreadableToken().Refuse()
	}
	return token, nil
}

func (a *API) issueLong(from sim.Token, l UserLogin) sim.Reply {
	var body tokenBody
	err := a.Env.Update(func(tx *sim.Tx) error {
		token := a.Env.Tokens.Issue(tx, l.TokenPrefix, LongLife,
			sim.Token{Kind: sim.AccessToken, AccountID: from.AccountID, ClientID: from.ClientID, Scopes: from.Scopes})
		body = tokenBody{AccessToken: token.Value, TokenType: "bearer", ExpiresIn: int64(LongLife.Seconds())}
		return nil
	})
	if err != nil {
		return a.Broken(err)
	}
	return OK(body)
}
