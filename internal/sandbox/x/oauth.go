package x

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
	accessLifetime  = 2 * time.Hour
	refreshLifetime = 180 * 24 * time.Hour
	codeLifetime    = 30 * time.Second
	maxState        = 500
)

const (
	deadToken = "Value passed for the token was invalid."
	deadCode  = "Value passed for the authorization code was invalid."
)

func (n *network) registerOAuth() {
	n.env.Consent("/i/oauth2/authorize", parseConsent)
	n.env.RouteBy("POST /2/oauth2/token", sim.TokenOperation, n.token)
	n.env.Route("POST /2/oauth2/revoke", sim.Connect, n.revoke)
}

var knownScopes = []string{"tweet.read", "tweet.write", "tweet.moderate.write", "users.read", "users.email",
	"follows.read", "follows.write",
	"offline.access", "space.read", "mute.read", "mute.write", "like.read", "like.write", "list.read", "list.write",
	"block.read",
	"block.write", "bookmark.read", "bookmark.write", "dm.read", "dm.write", "media.write"}

// parseConsent parses the authorize URL. PKCE is mandatory.
func parseConsent(r *http.Request) (sim.ConsentRequest, error) {
	q := r.URL.Query()
	c := sim.ConsentRequest{ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"), State: q.Get("state"),
		Scopes: strings.Fields(q.Get("scope")), Challenge: q.Get("code_challenge"),
		ChallengeMethod: q.Get("code_challenge_method"),
		CodeLifetime:    codeLifetime, Denied: url.Values{"error": {"access_denied"}}}
	if c.ChallengeMethod == "" {
		c.ChallengeMethod = "plain"
	}
	switch {
	case q.Get("response_type") != "code":
		return c, errors.New("response_type must be code")
	case c.ClientID == "":
		return c, errors.New("client_id is missing")
	case c.State == "" || len(c.State) > maxState:
		return c, errors.New("state must have 1 to 500 characters")
	case c.Challenge == "":
		return c, errors.New("code_challenge is missing: PKCE is mandatory")
	case c.ChallengeMethod != "S256" && c.ChallengeMethod != "plain":
		return c, errors.New("code_challenge_method must be S256 or plain")
	case len(c.Scopes) == 0:
		return c, errors.New("scope is missing")
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(knownScopes, scope) {
			return c, errors.New("scope holds what X does not know: " + scope)
		}
	}
	return c, nil
}

// client returns the app that calls the token endpoints: by its credentials, or by its id only if it is public.
func (n *network) client(r *http.Request) (string, bool) {
	if id, secret, ok := r.BasicAuth(); ok {
		return id, n.env.Options.KnowsClient(id, secret)
	}
	id := r.PostFormValue("client_id")
	secret, listed := n.env.Options.Clients[id]
	return id, id != "" && (len(n.env.Options.Clients) == 0 || listed && secret == "")
}

func (n *network) token(r *http.Request) sim.Reply {
	client, ok := n.client(r)
	if !ok {
		return sim.OAuthError(http.StatusUnauthorized, "unauthorized_client", "Missing valid authorization header")
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		return n.exchange(r, client)
	case "refresh_token":
		return n.refresh(r, client)
	default:
		return sim.OAuthError(http.StatusBadRequest, "unsupported_grant_type",
			"Value passed for the grant type was invalid.")
	}
}

func (n *network) exchange(r *http.Request, client string) sim.Reply {
	refusal := ""
	var pair tokenPair
	err := n.env.Update(func(tx *sim.Tx) error {
		code, ok := n.env.FindCode(r.PostFormValue("code"))
		switch {
		case !ok || code.ClientID != client:
			refusal = deadCode
		case code.RedirectURI != r.PostFormValue("redirect_uri"):
			refusal = "Value passed for the redirect uri did not match the uri of the authorization code."
		case !code.Verify(r.PostFormValue("code_verifier")):
			refusal = "Value passed for the code verifier did not match the code challenge."
		default:
			n.env.SpendCode(tx, code)
			pair = n.issue(tx, sim.Token{AccountID: code.AccountID, ClientID: client, Scopes: code.Scopes})
		}
		return nil
	})
	return n.tokenReply(pair, refusal, err)
}

// refresh exchanges a refresh token, once, for a new pair.
func (n *network) refresh(r *http.Request, client string) sim.Reply {
	value := r.PostFormValue("refresh_token")
	if _, _, err := n.env.FindToken(value); err != nil { // a seeded token is stored at first use
		return n.broken(err)
	}
	refusal := ""
	var pair tokenPair
	err := n.env.Update(func(tx *sim.Tx) error {
		old, _ := n.env.Tokens.Get(value)
		if old.Kind != sim.RefreshToken || old.Standing(tx.Now()) != sim.TokenLive ||
			(old.ClientID != client && !old.Seeded) {
			refusal = deadToken
			return nil
		}
		n.env.Tokens.Revoke(tx, old)
		pair = n.issue(tx, sim.Token{AccountID: old.AccountID, ClientID: client, Scopes: old.Scopes})
		return nil
	})
	return n.tokenReply(pair, refusal, err)
}

type tokenPair struct {
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	AccessToken  string `json:"access_token"`
	Scope        string `json:"scope"`
	RefreshToken string `json:"refresh_token,omitempty"`
}

func (n *network) issue(tx *sim.Tx, t sim.Token) tokenPair {
	t.Kind = sim.AccessToken
	pair := tokenPair{TokenType: "bearer", ExpiresIn: int(accessLifetime.Seconds()), Scope: strings.Join(t.Scopes, " "),
		AccessToken: n.env.Tokens.Issue(tx, "xat_", accessLifetime, t).Value}
	if t.Has("offline.access") {
		t.Kind = sim.RefreshToken
		pair.RefreshToken = n.env.Tokens.Issue(tx, "xrt_", refreshLifetime, t).Value
	}
	return pair
}

func (n *network) tokenReply(pair tokenPair, refusal string, err error) sim.Reply {
	switch {
	case err != nil:
		return n.broken(err)
	case refusal != "":
		return sim.OAuthError(http.StatusBadRequest, "invalid_request", refusal)
	}
	return sim.Reply{Status: http.StatusOK, Body: pair}.With("Cache-Control", "no-store")
}

// revoke revokes the named token, and no other.
func (n *network) revoke(r *http.Request) sim.Reply {
	if _, ok := n.client(r); !ok {
		return sim.OAuthError(http.StatusUnauthorized, "unauthorized_client", "Missing valid authorization header")
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
	return sim.Reply{Status: http.StatusOK, Body: map[string]bool{"revoked": true}}
}
