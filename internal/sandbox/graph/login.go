package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// UserToken is the kind of tokens that stand for a person on Facebook. Those of Pages are access tokens.
const UserToken sim.TokenKind = "user"

// FacebookPrefix is the prefix of the tokens of Facebook Login.
const FacebookPrefix = "EAA"

// facebookShortLife is the lifetime of a user token before it is exchanged.
const facebookShortLife = 5138 * time.Second

// Login is Facebook Login: a person lets an app act for the Pages they manage. The token of a Page that was obtained
// with a long-lived user token does not expire by itself.
type Login struct {
	Scopes []string
	// Person returns the id and name of the person behind an account.
	Person func(account string) Person
	// Pages returns the Pages that a person manages. It needs a running View or Update.
	Pages func(c *Call, account string) []Page
}

// Person is a person on Facebook.
type Person struct{ ID, Name string }

// Page is a Page as its managers see it.
type Page struct {
	// AccountID is the account that the Page's token acts for.
	AccountID string
	ID        string
	Tasks     []string
	// Portfolio are the edges of the person's portfolio that list the Page; Hidden Pages are listed nowhere else.
	Portfolio []string
	Hidden    bool
	// Source returns the Page's other fields.
	Source Source
}

// facebook is a running login.
type facebook struct {
	*API
	login  Login
	tokens map[string][]string // by account; guarded by the store's lock
}

// ServeLogin registers the login's paths.
func (a *API) ServeLogin(l Login) {
	f := &facebook{API: a, login: l, tokens: map[string][]string{}}
	a.Env.Tokens.Watch(f.follow)
	a.Env.Consent("/{version}/dialog/oauth", f.parseDialog)
	a.Env.Consent("/dialog/oauth", f.parseDialog)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		a.Open(method, "oauth", "access_token", f.tokenOperation, f.token)
	}
	a.Open(http.MethodGet, "debug_token", "", Always(sim.Read), a.DebugToken)
	a.Edge(http.MethodGet, "permissions", Always(sim.Read), f.permissions)
	a.Edge(http.MethodDelete, "permissions", Always(sim.Connect), f.revoke)
	a.Edge(http.MethodGet, "accounts", Always(sim.Read), f.accounts)
	f.servePortfolios()
}

func (f *facebook) follow(value string, before, after *sim.Token) {
	if before == nil && after != nil {
		f.tokens[after.AccountID] = append(f.tokens[after.AccountID], value)
	}
}

func (f *facebook) parseDialog(r *http.Request) (sim.ConsentRequest, error) {
	c, err := parseConsent(r, f.login.Scopes, "_=_")
	c.Denied = url.Values{"error": {"access_denied"}, "error_code": {"200"}, "error_description": {"Permissions error"},
		"error_reason": {"user_denied"}}
	return c, err
}

// tokenOperation detects the exchange of a token that was exchanged before, which is the only form of refreshing.
func (f *facebook) tokenOperation(c *Call) sim.Operation {
	if c.Params["grant_type"] != "fb_exchange_token" {
		return sim.Connect
	}
	token, _, err := f.Env.FindToken(c.Params["fb_exchange_token"])
	if err == nil && token.Value != "" && IsLong(token) {
		return sim.Refresh
	}
	return sim.Connect
}

func (f *facebook) token(c *Call) sim.Reply {
	client, secret := c.Params["client_id"], c.Params["client_secret"]
	if !f.Env.Options.KnowsClient(client, secret) {
		return Problem{Code: 101, Message: "Error validating client secret."}.Reply()
	}
	switch c.Params["grant_type"] {
	case "fb_exchange_token":
		return f.exchangeToken(c, client)
	case "client_credentials":
		return OK(tokenBody{AccessToken: client + "|" + secret, TokenType: "bearer"})
	case "", "authorization_code":
		return f.exchangeCode(c, client)
	default:
		return Invalid("grant_type is not supported")
	}
}

func (f *facebook) exchangeCode(c *Call, client string) sim.Reply {
	return f.issue(func(tx *sim.Tx) (sim.Token, *sim.Reply) {
		code, isGood := f.Env.FindCode(c.Params["code"])
		switch {
		case code.Value == "":
			return sim.Token{}, Problem{Code: 100, Subcode: 36009,
				Message: "This authorization code has been used."}.Refuse()
		case !isGood:
			return sim.Token{}, Problem{Code: 100, Subcode: 36007,
				Message: "This authorization code has expired."}.Refuse()
		case code.ClientID != client || code.RedirectURI != c.Params["redirect_uri"]:
			return sim.Token{}, Problem{Code: 100, Subcode: 36008,
				Message: "Error validating verification code. Please make sure your redirect_uri " +
					"is identical to the one you used in the OAuth dialog request"}.Refuse()
		}
		f.Env.SpendCode(tx, code)
		return f.Env.Tokens.Issue(tx, FacebookPrefix, facebookShortLife,
			sim.Token{Kind: UserToken, AccountID: code.AccountID, ClientID: client, Scopes: code.Scopes}), nil
	})
}

// exchangeToken returns a long-lived user token. One that is already long-lived is returned unchanged: it cannot be
// extended without the person.
func (f *facebook) exchangeToken(c *Call, client string) sim.Reply {
	from, problem, err := f.LiveToken(c.Params["fb_exchange_token"])
	switch {
	case err != nil:
		return f.Broken(err)
	case problem != nil:
		return problem.Reply()
	case from.Kind != UserToken || (from.ClientID != client && !from.Seeded):
		return unreadableToken().Reply()
	}
	return f.issue(func(tx *sim.Tx) (sim.Token, *sim.Reply) {
		if IsLong(from) {
			return from, nil
		}
		return f.Env.Tokens.Issue(tx, FacebookPrefix, LongLife,
			sim.Token{Kind: UserToken, AccountID: from.AccountID, ClientID: client, Scopes: from.Scopes}), nil
	})
}

func (f *facebook) issue(grant func(tx *sim.Tx) (sim.Token, *sim.Reply)) sim.Reply {
	var token sim.Token
	refusal := f.Try(func(tx *sim.Tx) (refusal *sim.Reply) {
		token, refusal = grant(tx)
		return refusal
	})
	if refusal != nil {
		return *refusal
	}
	return OK(tokenBody{AccessToken: token.Value, TokenType: "bearer",
		ExpiresIn: int64(token.ExpiresAt.Sub(f.Env.Now()).Seconds())})
}

// permissions returns the granted permissions.
func (f *facebook) permissions(c *Call) sim.Reply {
	if c.Token.Kind != UserToken {
		return Missing(c.Method, c.Node)
	}
	list := []Object{}
	for _, scope := range c.Token.Scopes {
		list = append(list, Object{"permission": scope, "status": "granted"})
	}
	return OK(map[string]any{"data": list})
}

// revoke revokes everything that a person granted an app, including the tokens of their Pages.
func (f *facebook) revoke(c *Call) sim.Reply {
	if c.Node != c.Token.AccountID && c.Node != f.login.Person(c.Token.AccountID).ID {
		return Missing(c.Method, c.Node)
	}
	refusal := f.Try(func(tx *sim.Tx) *sim.Reply {
		accounts := []string{c.Token.AccountID}
		for _, page := range f.login.Pages(c, c.Token.AccountID) {
			accounts = append(accounts, page.AccountID)
		}
		for _, account := range accounts {
			f.revokeAll(tx, account, c.Token)
		}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return Done()
}

func (f *facebook) revokeAll(tx *sim.Tx, account string, by sim.Token) {
	for _, value := range f.tokens[account] {
		token, _ := f.Env.Tokens.Get(value)
		if strings.HasPrefix(value, FacebookPrefix) && (token.ClientID == by.ClientID || token.Seeded || by.Seeded) {
			f.Env.Tokens.Revoke(tx, token)
		}
	}
}

const pageFields = "access_token,category,name,tasks"

// accounts returns the Pages that a person manages, each with its token.
func (f *facebook) accounts(c *Call) sim.Reply {
	fields, refusal := c.Fields(pageFields)
	switch {
	case refusal != nil:
		return *refusal
	case c.Token.Kind != UserToken:
		return Missing(c.Method, c.Node)
	case !c.Token.Has("pages_show_list"):
		return OK(listBody{Data: []Object{}})
	}
	return f.showPages(c, fields, func(p Page) bool { return !p.Hidden })
}

// showPages returns the wanted Pages of a person.
func (f *facebook) showPages(c *Call, fields []Field, wanted func(Page) bool) sim.Reply {
	pages := map[string]Page{}
	var ids []string
	tokens := map[string]string{}
	refusal := f.Try(func(tx *sim.Tx) *sim.Reply {
		for _, page := range f.login.Pages(c, c.Token.AccountID) {
			if !wanted(page) {
				continue
			}
			pages[page.ID] = page
			ids = append(ids, page.ID)
			if len(page.Tasks) > 0 {
				tokens[page.ID] = f.pageToken(tx, c.Token, page)
			}
		}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return c.List(f.Env.URL(c.Request, c.GraphPath()), ids, func(id string) (Object, *sim.Reply) {
		return Show("Page", fields, func(field Field) (any, bool) {
			switch field.Name {
			case "access_token":
				if token, ok := tokens[id]; ok {
					return token, true
				}
				return nil, true
			case "tasks":
				return pages[id].Tasks, true
			}
			return pages[id].Source(field)
		})
	})
}

// pageToken returns the Page token that belongs to a user token. The same two always yield the same.
func (f *facebook) pageToken(tx *sim.Tx, user sim.Token, page Page) string {
	sum := sha256.Sum256([]byte(user.Value + "\x00" + page.ID))
	token := sim.Token{Value: FacebookPrefix + "P" + hex.EncodeToString(sum[:20]), Kind: sim.AccessToken,
		AccountID: page.AccountID, ClientID: user.ClientID,
		Scopes: slices.Clone(user.Scopes), IssuedAt: tx.Now()}
	if !IsLong(user) {
		token.ExpiresAt = user.ExpiresAt
	}
	if _, known := f.Env.Tokens.Get(token.Value); !known {
		f.Env.Tokens.Put(tx, token)
	}
	return token.Value
}
