package youtube

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

const (
	accessLifetime  = 3599 * time.Second
	testingLifetime = 7 * 24 * time.Hour
	codeLifetime    = 10 * time.Minute
	accessPrefix    = "ya29."
	refreshPrefix   = "1//0g"
	// maxRefreshTokens is how many refresh tokens of a channel an app may hold; one more revokes the oldest.
	maxRefreshTokens = 100
)

// Prefixes of codes, which encode what the app requested.
const (
	codeOnline  = "4/0An" // no refresh token
	codeOffline = "4/0Af" // a refresh token at the first consent
	codeConsent = "4/0Ac" // a refresh token in any case
)

const scopeBase = "https://www.googleapis.com/auth/"

// Scopes of YouTube.
const (
	scopeYouTube   = scopeBase + "youtube"
	scopeUpload    = scopeBase + "youtube.upload"
	scopeReadonly  = scopeBase + "youtube.readonly"
	scopeForceSSL  = scopeBase + "youtube.force-ssl"
	scopeAnalytics = scopeBase + "yt-analytics.readonly"
)

var knownScopes = []string{scopeYouTube, scopeUpload, scopeReadonly, scopeForceSSL, scopeAnalytics, "openid", "email",
	"profile",
	scopeBase + "userinfo.email", scopeBase + "userinfo.profile"}

func (s Settings) refreshLifetime() time.Duration {
	if s.Testing {
		return testingLifetime
	}
	return 0
}

func (n *network) registerOAuth() {
	n.env.Consent("/o/oauth2/v2/auth", parseConsent)
	n.env.RouteBy("POST /token", sim.TokenOperation, n.token)
	n.env.Route("POST /revoke", sim.Connect, n.revoke)
}

// parseConsent parses the authorize URL.
func parseConsent(r *http.Request) (sim.ConsentRequest, error) {
	q := r.URL.Query()
	c := sim.ConsentRequest{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"), State: q.Get("state"),
		Scopes:    strings.Fields(q.Get("scope")),
		Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"), CodePrefix: codeOnline,
		CodeLifetime: codeLifetime,
		Denied:       url.Values{"error": {"access_denied"}},
		Granted:      func(scopes []string) url.Values { return url.Values{"scope": {strings.Join(scopes, " ")}} }}
	offline := q.Get("access_type") == "offline"
	switch {
	case offline && slices.Contains(strings.Fields(q.Get("prompt")), "consent"):
		c.CodePrefix = codeConsent
	case offline:
		c.CodePrefix = codeOffline
	}
	switch {
	case c.ClientID == "":
		return c, errors.New("client_id is missing")
	case q.Get("response_type") != "code":
		return c, errors.New("response_type must be code")
	case len(c.Scopes) == 0:
		return c, errors.New("scope is missing")
	case c.Challenge != "" && c.ChallengeMethod != "S256" && c.ChallengeMethod != "plain":
		return c, errors.New("code_challenge_method must be S256 or plain")
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(knownScopes, scope) {
			return c, errors.New("scope holds what Google does not know: " + scope)
		}
	}
	return c, nil
}

func deadGrant() sim.Reply {
	return sim.OAuthError(http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
}

// client returns the app that calls the token endpoint.
func (n *network) client(r *http.Request) (string, bool) {
	id, secret, ok := r.BasicAuth()
	if !ok {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	return id, n.env.Options.KnowsClient(id, secret)
}

func (n *network) token(r *http.Request) sim.Reply {
	client, ok := n.client(r)
	if !ok {
		return sim.OAuthError(http.StatusUnauthorized, "invalid_client", "Unauthorized")
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		return n.exchange(r, client)
	case "refresh_token":
		return n.refresh(r, client)
	default:
		return sim.OAuthError(http.StatusBadRequest, "unsupported_grant_type",
			"Invalid grant_type: "+r.PostFormValue("grant_type"))
	}
}

type tokenBody struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int    `json:"expires_in"`
	RefreshToken     string `json:"refresh_token,omitempty"`
	RefreshExpiresIn int64  `json:"refresh_token_expires_in,omitempty"`
	Scope            string `json:"scope"`
	TokenType        string `json:"token_type"`
}

func (n *network) exchange(r *http.Request, client string) sim.Reply {
	var body tokenBody
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		code, ok := n.env.FindCode(r.PostFormValue("code"))
		switch {
		case !ok || code.ClientID != client:
			return refuse(sim.OAuthError(http.StatusBadRequest, "invalid_grant", "Malformed auth code."))
		case code.RedirectURI != r.PostFormValue("redirect_uri"):
			return refuse(sim.OAuthError(http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request"))
		case !code.Verify(r.PostFormValue("code_verifier")):
			return refuse(sim.OAuthError(http.StatusBadRequest, "invalid_grant", "Invalid code verifier."))
		}
		n.env.SpendCode(tx, code)
		t := sim.Token{AccountID: code.AccountID, ClientID: client, Scopes: code.Scopes}
		body = n.issueAccess(tx, t)
		held := n.refreshTokens(code.AccountID, client, tx.Now())
		if strings.HasPrefix(code.Value, codeConsent) ||
			(strings.HasPrefix(code.Value, codeOffline) && len(held) == 0) {
			n.issueRefresh(tx, t, held, &body)
		}
		return nil
	})
	return tokenReply(body, refusal)
}

func (n *network) issueAccess(tx *sim.Tx, t sim.Token) tokenBody {
	t.Kind = sim.AccessToken
	return tokenBody{AccessToken: n.env.Tokens.Issue(tx, accessPrefix, accessLifetime, t).Value,
		ExpiresIn: int(accessLifetime.Seconds()),
		Scope:     strings.Join(t.Scopes, " "), TokenType: "Bearer"}
}

// issueRefresh adds a refresh token to a response. If the app holds too many, the oldest one is revoked.
func (n *network) issueRefresh(tx *sim.Tx, t sim.Token, held []sim.Token, body *tokenBody) {
	t.Kind = sim.RefreshToken
	lifetime := n.settings.refreshLifetime()
	body.RefreshToken, body.RefreshExpiresIn = n.env.Tokens.Issue(tx, refreshPrefix, lifetime, t).Value,
		int64(lifetime.Seconds())
	if len(held) >= maxRefreshTokens {
		n.env.Tokens.Revoke(tx, held[0])
	}
}

// refreshTokens returns the valid refresh tokens that an app holds for a channel, oldest first. It needs a running
// Update.
func (n *network) refreshTokens(channel, client string, now time.Time) []sim.Token {
	var list []sim.Token
	for _, value := range n.granted[grantKey(channel, client)] {
		if t, ok := n.env.Tokens.Get(value); ok && t.Kind == sim.RefreshToken && t.Standing(now) == sim.TokenLive {
			list = append(list, t)
		}
	}
	return list
}

// refresh issues a new access token. The refresh token stays the same.
func (n *network) refresh(r *http.Request, client string) sim.Reply {
	token, standing, err := n.env.FindToken(r.PostFormValue("refresh_token"))
	if err != nil {
		return n.broken(err)
	}
	if standing != sim.TokenLive || token.Kind != sim.RefreshToken || (token.ClientID != client && !token.Seeded) {
		return deadGrant()
	}
	var body tokenBody
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		body = n.issueAccess(tx, sim.Token{AccountID: token.AccountID, ClientID: client, Scopes: token.Scopes})
		return nil
	})
	return tokenReply(body, refusal)
}

func tokenReply(body tokenBody, refusal *sim.Reply) sim.Reply {
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: body}.With("Cache-Control", "no-store")
}

// revoke revokes the grant that a token belongs to, with all its tokens.
func (n *network) revoke(r *http.Request) sim.Reply {
	token, standing, err := n.env.FindToken(r.FormValue("token"))
	if err != nil {
		return n.broken(err)
	}
	if standing != sim.TokenLive {
		return sim.OAuthError(http.StatusBadRequest, "invalid_token", "Token expired or revoked")
	}
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		for _, value := range n.granted[grantKey(token.AccountID, token.ClientID)] {
			if held, ok := n.env.Tokens.Get(value); ok && !held.Revoked {
				n.env.Tokens.Revoke(tx, held)
			}
		}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: struct{}{}}
}

func grantKey(channel, client string) string { return channel + " " + client }

// followTokens updates the index of the tokens that each app holds.
func (n *network) followTokens(value string, before, after *sim.Token) {
	if before == nil && after != nil {
		key := grantKey(after.AccountID, after.ClientID)
		n.granted[key] = append(n.granted[key], value)
	}
}
