package tiktok

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

const (
	refreshLifetime = 365 * 24 * time.Hour
	codeLifetime    = 10 * time.Minute
	accessPrefix    = "act."
	refreshPrefix   = "rft."
)

func (n *network) registerOAuth() {
	n.env.Consent("/v2/auth/authorize/{$}", parseConsent)
	n.env.RouteBy("POST /v2/oauth/token/{$}", sim.TokenOperation, n.token)
	n.env.Route("POST /v2/oauth/revoke/{$}", sim.Connect, n.revoke)
}

// parseConsent parses the authorize URL. PKCE is optional, as for web apps.
func parseConsent(r *http.Request) (sim.ConsentRequest, error) {
	q := r.URL.Query()
	c := sim.ConsentRequest{ClientID: q.Get("client_key"), RedirectURI: q.Get("redirect_uri"), State: q.Get("state"),
		Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"), CodeLifetime: codeLifetime,
		Automatic: q.Get("disable_auto_auth") != "1",
		Denied: url.Values{"error": {"access_denied"},
			"error_description": {"User denied the authorization request"}},
		Granted: func(scopes []string) url.Values { return url.Values{"scopes": {strings.Join(scopes, ",")}} }}
	if scopes := q.Get("scope"); scopes != "" {
		c.Scopes = strings.Split(scopes, ",")
	}
	switch {
	case c.ClientID == "":
		return c, errors.New("client_key is missing")
	case q.Get("response_type") != "code":
		return c, errors.New("response_type must be code")
	case c.State == "":
		return c, errors.New("state is missing")
	case len(c.Scopes) == 0:
		return c, errors.New("scope is missing")
	case c.Challenge != "" && c.ChallengeMethod != "S256":
		return c, errors.New("code_challenge_method must be S256")
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(knownScopes, scope) {
			return c, errors.New("scope holds what TikTok does not know: " + scope)
		}
	}
	return c, nil
}

// client checks the requirements of the token endpoints, and returns the app.
func (n *network) client(r *http.Request) (string, *sim.Reply) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return "", refuse(n.oauthError(http.StatusBadRequest, "invalid_request",
			"Only `application/x-www-form-urlencoded` is accepted as Content-Type."))
	}
	key := r.PostFormValue("client_key")
	if !n.env.Options.KnowsClient(key, r.PostFormValue("client_secret")) {
		return "", refuse(n.oauthError(http.StatusUnauthorized, "invalid_client", "Client key or secret is incorrect."))
	}
	return key, nil
}

func (n *network) token(r *http.Request) sim.Reply {
	client, refusal := n.client(r)
	if refusal != nil {
		return *refusal
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		return n.exchange(r, client)
	case "refresh_token":
		return n.refresh(r, client)
	default:
		return n.oauthError(http.StatusBadRequest, "unsupported_grant_type", "Grant type is not supported.")
	}
}

func (n *network) exchange(r *http.Request, client string) sim.Reply {
	var pair tokenPair
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		code, ok := n.env.FindCode(r.PostFormValue("code"))
		switch {
		case !ok || code.ClientID != client:
			return refuse(n.oauthError(http.StatusBadRequest, "invalid_grant", "Authorization code is expired."))
		case code.RedirectURI != r.PostFormValue("redirect_uri"):
			return refuse(n.oauthError(http.StatusBadRequest, "invalid_request",
				"Redirect_uri is not matched with the uri when requesting code."))
		case code.Challenge != "" && code.Challenge != hexChallenge(r.PostFormValue("code_verifier")):
			return refuse(n.oauthError(http.StatusBadRequest, "invalid_grant",
				"Code verifier or code challenge is invalid."))
		}
		n.env.SpendCode(tx, code)
		pair = n.issue(tx, sim.Token{AccountID: code.AccountID, ClientID: client, Scopes: code.Scopes})
		return nil
	})
	return tokenReply(pair, refusal)
}

// hexChallenge returns the challenge of a verifier. TikTok encodes it in hexadecimal, unlike RFC 7636.
func hexChallenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return hex.EncodeToString(sum[:])
}

// refresh exchanges a refresh token, once, for a new pair.
func (n *network) refresh(r *http.Request, client string) sim.Reply {
	value := r.PostFormValue("refresh_token")
	if _, _, err := n.env.FindToken(value); err != nil { // a seeded token is stored at first use
		return n.broken(err)
	}
	var pair tokenPair
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		old, _ := n.env.Tokens.Get(value)
		if old.Kind != sim.RefreshToken || old.Standing(tx.Now()) != sim.TokenLive ||
			(old.ClientID != client && !old.Seeded) {
			return refuse(n.deadGrant())
		}
		n.env.Tokens.Revoke(tx, old)
		pair = n.issue(tx, sim.Token{AccountID: old.AccountID, ClientID: client, Scopes: old.Scopes})
		return nil
	})
	return tokenReply(pair, refusal)
}

type tokenPair struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int64  `json:"expires_in"`
	OpenID           string `json:"open_id"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn int64  `json:"refresh_expires_in"`
	Scope            string `json:"scope"`
	TokenType        string `json:"token_type"`
}

func (n *network) issue(tx *sim.Tx, t sim.Token) tokenPair {
	t.Kind = sim.AccessToken
	access := n.env.Tokens.Issue(tx, accessPrefix, n.settings.AccessLifetime, t)
	t.Kind = sim.RefreshToken
	refresh := n.env.Tokens.Issue(tx, refreshPrefix, refreshLifetime, t)
	return tokenPair{AccessToken: access.Value, ExpiresIn: int64(n.settings.AccessLifetime.Seconds()),
		OpenID:       t.AccountID,
		RefreshToken: refresh.Value, RefreshExpiresIn: int64(refreshLifetime.Seconds()),
		Scope: strings.Join(t.Scopes, ","), TokenType: "Bearer"}
}

func tokenReply(pair tokenPair, refusal *sim.Reply) sim.Reply {
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: pair}.With("Cache-Control", "no-store")
}

// revoke ends the connection: it revokes all tokens that the app holds for the account of an access token.
func (n *network) revoke(r *http.Request) sim.Reply {
	client, refusal := n.client(r)
	if refusal != nil {
		return *refusal
	}
	token, standing, err := n.env.FindToken(r.PostFormValue("token"))
	if err != nil {
		return n.broken(err)
	}
	if standing != sim.TokenLive {
		return n.oauthError(http.StatusBadRequest, "invalid_request", "The access token is invalid or expired.")
	}
	refusal = n.try(func(tx *sim.Tx) *sim.Reply {
		for _, value := range append(slices.Clone(n.granted[grantKey(token.AccountID, client)]),
			n.granted[grantKey(token.AccountID, "")]...) {
			if held, ok := n.env.Tokens.Get(value); ok && !held.Revoked {
				n.env.Tokens.Revoke(tx, held)
			}
		}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK}
}

func grantKey(account, client string) string { return account + " " + client }

// followTokens updates the index of the tokens that each app holds. Seeded tokens are held by every app.
func (n *network) followTokens(value string, before, after *sim.Token) {
	if before == nil && after != nil {
		key := grantKey(after.AccountID, after.ClientID)
		n.granted[key] = append(n.granted[key], value)
	}
}
