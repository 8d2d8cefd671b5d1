package linkedin

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

const (
	accessLifetime  = 60 * 24 * time.Hour
	refreshLifetime = 365 * 24 * time.Hour
	codeLifetime    = 30 * time.Minute
)

func (n *network) registerOAuth() {
	n.env.Consent("/oauth/v2/authorization", n.parseConsent)
	n.env.RouteBy("POST /oauth/v2/accessToken", sim.TokenOperation, n.token)
	n.env.Route("POST /oauth/v2/revoke", sim.Connect, n.revoke)
}

// otherScopes are known scopes besides those of the two products.
var otherScopes = []string{"r_basicprofile", "r_liteprofile", "r_emailaddress"}

// parseConsent parses the authorization URL. There is no PKCE.
func (n *network) parseConsent(r *http.Request) (sim.ConsentRequest, error) {
	q := r.URL.Query()
	c := sim.ConsentRequest{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"), State: q.Get("state"),
		Scopes: strings.FieldsFunc(q.Get("scope"), isSeparator), CodePrefix: "AQT", CodeLifetime: codeLifetime,
		Denied: url.Values{"error": {"user_cancelled_authorize"},
			"error_description": {"The user cancelled the authorization"}}}
	switch {
	case q.Get("response_type") != "code":
		return c, errors.New("response_type must be code")
	case c.ClientID == "":
		return c, errors.New("client_id is missing")
	case len(c.Scopes) == 0:
		return c, errors.New("scope is missing")
	}
	given := n.settings.Scopes
	if given == nil {
		given = slices.Concat(selfServeScopes, communityScopes, otherScopes)
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(given, scope) {
			c.Refused = url.Values{"error": {"unauthorized_scope_error"},
				"error_description": {fmt.Sprintf("Scope %q is not authorized for your application", scope)}}
		}
	}
	return c, nil
}

func isSeparator(r rune) bool { return r == ' ' || r == ',' }

func deadGrant() sim.Reply {
	return sim.OAuthError(http.StatusBadRequest, "invalid_request",
		"The provided authorization grant or refresh token is invalid, expired or revoked")
}

// client returns the app that calls, or a rejection.
func (n *network) client(r *http.Request) (string, *sim.Reply) {
	id := r.PostFormValue("client_id")
	if !n.env.Options.KnowsClient(id, r.PostFormValue("client_secret")) {
		return id, refuse(sim.OAuthError(http.StatusUnauthorized, "invalid_client", "Client authentication failed"))
	}
	return id, nil
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
		return sim.OAuthError(http.StatusBadRequest, "unsupported_grant_type", "The grant_type is not supported")
	}
}

type tokenBody struct {
	AccessToken           string `json:"access_token"`
	ExpiresIn             int64  `json:"expires_in"`
	RefreshToken          string `json:"refresh_token,omitempty"`
	RefreshTokenExpiresIn int64  `json:"refresh_token_expires_in,omitempty"`
	Scope                 string `json:"scope"`
	TokenType             string `json:"token_type"`
	IDToken               string `json:"id_token,omitempty"`
}

func (n *network) exchange(r *http.Request, client string) sim.Reply {
	var body tokenBody
	var refusal *sim.Reply
	err := n.env.Update(func(tx *sim.Tx) error {
		code, isGood := n.env.FindCode(r.PostFormValue("code"))
		switch {
		case code.Value == "":
			refusal = refuse(sim.OAuthError(http.StatusUnauthorized, "invalid_request",
				"Unable to retrieve access token: authorization code not found"))
		case !isGood || code.ClientID != client || code.RedirectURI != r.PostFormValue("redirect_uri"):
			refusal = refuse(sim.OAuthError(http.StatusBadRequest, "invalid_redirect_uri",
				"Unable to retrieve access token: appid/redirect uri/code verifier "+
					"does not match authorization code. Or authorization code expired. Or external member binding "+
					"exists"))
		default:
			n.env.SpendCode(tx, code)
			n.endOtherGrants(tx, code)
			body = n.grant(tx, code)
		}
		return nil
	})
	return n.tokenReply(body, refusal, err)
}

// grant issues the tokens of a consent: a refresh token only if the app has the Community Management API.
func (n *network) grant(tx *sim.Tx, code sim.Code) tokenBody {
	t := sim.Token{Kind: sim.AccessToken, AccountID: code.AccountID, ClientID: code.ClientID, Scopes: code.Scopes}
	access := n.env.Tokens.Issue(tx, "AQV", accessLifetime, t)
	body := tokenBody{AccessToken: access.Value, ExpiresIn: int64(accessLifetime.Seconds()),
		Scope: strings.Join(t.Scopes, ","), TokenType: "Bearer"}
	if slices.ContainsFunc(communityScopes, func(scope string) bool { return t.Has(scope) }) {
		t.Kind = sim.RefreshToken
		body.RefreshToken = n.env.Tokens.Issue(tx, "AQX", refreshLifetime, t).Value
		body.RefreshTokenExpiresIn = int64(refreshLifetime.Seconds())
	}
	if t.Has("openid") {
		body.IDToken = idToken(code.AccountID, code.ClientID, access.ExpiresAt)
	}
	return body
}

// idToken identifies the member. It is not signed: responses of the sandbox are trusted.
func idToken(account, client string, expires time.Time) string {
	claims, err := json.Marshal(map[string]any{"iss": "https://www.linkedin.com/oauth", "aud": client,
		"sub": urnNumber(account), "exp": expires.Unix()})
	if err != nil {
		return ""
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(claims) + "."
}

// endOtherGrants revokes a member's tokens of the same app with other scopes, as a consent with different scopes does.
func (n *network) endOtherGrants(tx *sim.Tx, code sim.Code) {
	for _, value := range n.granted[grantKey(code.AccountID, code.ClientID)] {
		token, ok := n.env.Tokens.Get(value)
		if ok && !token.Revoked && !sameScopes(token.Scopes, code.Scopes) {
			n.env.Tokens.Revoke(tx, token)
		}
	}
}

func sameScopes(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func grantKey(account, client string) string { return account + " " + client }

func (n *network) followTokens(value string, before, after *sim.Token) {
	if before == nil && after != nil && after.ClientID != "" {
		key := grantKey(after.AccountID, after.ClientID)
		n.granted[key] = append(n.granted[key], value)
	}
}

// refresh issues a new access token. The refresh token and its expiry stay the same.
func (n *network) refresh(r *http.Request, client string) sim.Reply {
	value := r.PostFormValue("refresh_token")
	if value == "" {
		return sim.OAuthError(http.StatusBadRequest, "invalid_request",
			`A required parameter "refresh_token" is missing`)
	}
	token, standing, err := n.env.FindToken(value)
	if err != nil {
		return n.broken(err)
	}
	if standing != sim.TokenLive || token.Kind != sim.RefreshToken || (token.ClientID != client && !token.Seeded) {
		return deadGrant()
	}
	var body tokenBody
	err = n.env.Update(func(tx *sim.Tx) error {
		left := token.ExpiresAt.Sub(tx.Now())
		lifetime := min(accessLifetime, left)
		access := n.env.Tokens.Issue(tx, "AQV", lifetime,
			sim.Token{Kind: sim.AccessToken, AccountID: token.AccountID, ClientID: client, Scopes: token.Scopes})
		body = tokenBody{AccessToken: access.Value, ExpiresIn: int64(lifetime.Seconds()), RefreshToken: value,
			RefreshTokenExpiresIn: int64(left.Seconds()),
			Scope:                 strings.Join(token.Scopes, ","), TokenType: "Bearer"}
		return nil
	})
	return n.tokenReply(body, nil, err)
}

func (n *network) tokenReply(body tokenBody, refusal *sim.Reply, err error) sim.Reply {
	switch {
	case err != nil:
		return n.broken(err)
	case refusal != nil:
		return *refusal
	}
	return sim.Reply{Status: http.StatusOK, Body: body}.With("Cache-Control", "no-store")
}

// revoke revokes a token.
func (n *network) revoke(r *http.Request) sim.Reply {
	if _, refusal := n.client(r); refusal != nil {
		return *refusal
	}
	token, _, err := n.env.FindToken(r.PostFormValue("token"))
	if err == nil && token.Value != "" {
		err = n.env.Update(func(tx *sim.Tx) error {
			n.env.Tokens.Revoke(tx, token)
			return nil
		})
	}
	if err != nil {
		return n.broken(err)
	}
	return sim.Reply{Status: http.StatusOK, Body: struct{}{}}
}
