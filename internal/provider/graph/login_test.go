package graph

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

// newLogin returns a Facebook Login that runs against replayed exchanges.
func newLogin(t *testing.T, exchanges string) Login {
	t.Helper()
	clock := providertest.NewClock()
	caller := providertest.NewCaller(clock)
	base := "https://graph.test/v25.0"
	if exchanges != "" {
		base = providertest.NewReplayOf(t, exchanges).URL + "/v25.0"
	}
	return Login{
		Client: NewClient(ClientConfig{Caller: caller, BaseURL: base}), DialogURL: "https://www.test/v25.0",
		Tokens: NewTokens("Test", caller, clock.Now, provider.Credentials{ClientID: "client-1", ClientSecret: "s"}),
		Scopes: []string{"pages_show_list", "pages_manage_posts"},
	}
}

func TestLoginConsentRequestsScopesOrAConfiguration(t *testing.T) {
	t.Parallel()
	r := provider.ConsentRequest{RedirectURL: "https://crier.test/cb?x=1", State: "a b"}
	const head = "https://www.test/v25.0/dialog/oauth?client_id=client-1&redirect_uri=https%3A%2F%2Fcrier.test%2Fcb%3Fx%3D1" +
		"&state=a%20b&response_type=code&"
	login := newLogin(t, "")
	if got, err := login.ConsentURL(r); err != nil || got != head+"scope=pages_show_list%2Cpages_manage_posts" {
		t.Errorf("with scopes: %s, %v", got, err)
	}
	login.ConfigID = "77"
	if got, err := login.ConsentURL(r); err != nil || got != head+"config_id=77" {
		t.Errorf("with a configuration: %s, %v", got, err)
	}
	login.Tokens.Credentials.ClientID = ""
	if _, err := login.ConsentURL(r); !errors.Is(err, provider.ErrNoCredentials) {
		t.Errorf("without credentials: %v", err)
	}
}

const exchangeShort = `GET /v25.0/oauth/access_token?client_id=client-1&client_secret=s&code=c1&redirect_uri=https%3A%2F%2Fcrier.test%2Fcb
---
200

{"access_token":"short","token_type":"bearer","expires_in":5183}
===
`

const exchangeLong = `GET /v25.0/oauth/access_token?client_id=client-1&client_secret=s&fb_exchange_token=short&grant_type=fb_exchange_token
---
200

{"access_token":"long","token_type":"bearer","expires_in":5184000}
===
`

const permissions = `GET /v25.0/me/permissions
Authorization: Bearer long
---
`

func TestLoginExchangesTheCodeForALongTokenAndItsScopes(t *testing.T) {
	t.Parallel()
	login := newLogin(t, exchangeShort+exchangeLong+permissions+`200

{"data":[{"permission":"pages_show_list","status":"granted"},{"permission":"pages_manage_posts","status":"declined"},
{"permission":"business_management","status":"granted"},{"permission":"email","status":"expired"}]}
===
`)
	// Meta appends a fragment to the code.
	token, err := login.Exchange(context.Background(), provider.CodeExchange{Code: "c1#_=_", RedirectURL: "https://crier.test/cb"})
	if err != nil || token.Access != "long" ||
		strings.Join(token.Scopes, " ") != "pages_show_list business_management" ||
		!token.ExpiresAt.Equal(providertest.NewClock().Now().Add(60*24*time.Hour)) {
		t.Errorf("token %+v, %v", token, err)
	}
}

func TestLoginExchangeErrors(t *testing.T) {
	t.Parallel()
	const used = "400\n\n" + `{"error":{"message":"This authorization code has been used.","type":"OAuthException","code":100,"error_subcode":36009}}` + "\n===\n"
	const busy = "500\n\n" + `{"error":{"message":"busy","code":2,"is_transient":true}}` + "\n===\n"
	for name, tc := range map[string]struct {
		exchanges string
		kind      provider.Kind
	}{
		"a used code": {strings.Replace(exchangeShort, exchangeShort[strings.Index(exchangeShort, "200"):],
			used, 1), provider.AuthExpired},
		"the long token is refused": {exchangeShort + strings.Replace(exchangeLong,
			exchangeLong[strings.Index(exchangeLong, "200\n"):], used, 1), provider.AuthExpired},
		"the permissions cannot be read": {exchangeShort + exchangeLong + permissions + busy, provider.Temporary},
	} {
		_, err := newLogin(t, tc.exchanges).Exchange(context.Background(), provider.CodeExchange{Code: "c1",
			RedirectURL: "https://crier.test/cb"})
		if failure := provider.AsError(err); failure == nil || failure.Kind != tc.kind {
			t.Errorf("%s: %v, want %s", name, err, tc.kind)
		}
	}
}

// pagesExchange returns a request for a list of Pages with its response.
func pagesExchange(path, status, body string) string {
	return "GET /v25.0" + path + "\nAuthorization: Bearer user\n---\n" + status + "\n\n" + body + "\n===\n"
}

func pageNames(pages []Page) string {
	names := make([]string, len(pages))
	for i, p := range pages {
		names[i] = p.Name
	}
	return strings.Join(names, " ")
}

// TestLoginListsPagesWithPublishPermission: all pages of the list, without those that the person may only read.
func TestLoginListsPagesWithPublishPermission(t *testing.T) {
	t.Parallel()
	login := newLogin(t, pagesExchange("/me/accounts?fields=id,name&limit=100", "200",
		`{"data":[{"id":1,"name":"A","access_token":"a"},{"id":"2","name":"Analyst","access_token":"b","tasks":["ANALYZE"]},
		{"id":"3","name":"NoToken"}],"paging":{"cursors":{"after":"x+/="},"next":"https://graph.test/next"}}`)+
		pagesExchange("/me/accounts?fields=id,name&limit=100&after=x%2B%2F%3D", "200",
			`{"data":[{"id":"4","name":"B","access_token":"d","tasks":["ANALYZE","CREATE_CONTENT"]},
		{"id":"5","name":"C","access_token":"e","tasks":["MANAGE"]}],"paging":{"cursors":{"after":"end"}}}`))
	pages, err := login.Pages(context.Background(), provider.Token{Access: "user"}, "id,name")
	if err != nil || pageNames(pages) != "A B C" || pages[0].ID != "1" {
		t.Errorf("pages %q, %v", pageNames(pages), err)
	}
	user := provider.Token{Access: "user", Scopes: []string{"s"}}
	if got := pages[1].Token(user); got.Access != "d" || got.Extra[UserToken] != "user" || !got.ExpiresAt.IsZero() ||
		len(got.Scopes) != 1 {
		t.Errorf("token of a page: %+v", got)
	}
}

func TestLoginAddsPagesOfPortfoliosOnce(t *testing.T) {
	t.Parallel()
	const none, refused = `{"data":[]}`, `{"error":{"message":"no","code":10}}`
	login := newLogin(t,
		pagesExchange("/me/accounts?fields=id&limit=100", "200", `{"data":[{"id":"1","name":"A","access_token":"a"}]}`)+
			pagesExchange("/me/businesses?fields=id&limit=100", "200", `{"data":[{"id":"b1"},{"id":"b/2"}]}`)+
			pagesExchange("/b1/owned_pages?fields=id&limit=100", "200",
				`{"data":[{"id":"1","name":"Again","access_token":"a"},{"id":"2","name":"B","access_token":"b"}]}`)+
			pagesExchange("/b1/client_pages?fields=id&limit=100", "403", refused)+
			pagesExchange("/b%2F2/owned_pages?fields=id&limit=100", "200", none)+
			pagesExchange("/b%2F2/client_pages?fields=id&limit=100", "200", `{"data":[{"id":"3","name":"C","access_token":"c"}]}`))
	user := provider.Token{Access: "user", Scopes: []string{ScopePortfolio}}
	if pages, err := login.Pages(context.Background(), user, "id"); err != nil || pageNames(pages) != "A B C" {
		t.Errorf("pages %q, %v", pageNames(pages), err)
	}
}

func TestLoginIgnoresRefusedPortfolios(t *testing.T) {
	t.Parallel()
	own := pagesExchange("/me/accounts?fields=id&limit=100", "200", `{"data":[{"id":"1","name":"A","access_token":"a"}]}`)
	user := provider.Token{Access: "user", Scopes: []string{ScopePortfolio}}
	for name, tc := range map[string]struct {
		exchanges string
		kind      provider.Kind
		pages     string
	}{
		"the person has no permission": {own + pagesExchange("/me/businesses?fields=id&limit=100", "403",
			`{"error":{"message":"no","code":200}}`), "", "A"},
		"the list is refused": {own + pagesExchange("/me/businesses?fields=id&limit=100", "400",
			`{"error":{"message":"no","code":100}}`), "", "A"},
		"the network is busy": {own + pagesExchange("/me/businesses?fields=id&limit=100", "500", ""),
			provider.Temporary, "A"},
		"a portfolio is busy": {own + pagesExchange("/me/businesses?fields=id&limit=100", "200", `{"data":[{"id":"b"}]}`) +
			pagesExchange("/b/owned_pages?fields=id&limit=100", "429", ""), provider.RateLimited, ""},
		"the own list is refused": {pagesExchange("/me/accounts?fields=id&limit=100", "401", ""),
			provider.AuthExpired, ""},
	} {
		pages, err := newLogin(t, tc.exchanges).Pages(context.Background(), user, "id")
		failure := provider.AsError(err)
		if (failure == nil) != (tc.kind == "") || failure != nil && failure.Kind != tc.kind ||
			pageNames(pages) != tc.pages {
			t.Errorf("%s: %q, %v; want %q, %s", name, pageNames(pages), err, tc.pages, tc.kind)
		}
	}
}

func TestCleanCodeRemovesTheFragment(t *testing.T) {
	t.Parallel()
	for code, want := range map[provider.Secret]provider.Secret{"": "", "abc": "abc", "abc#_": "abc", "abc#_=_": "abc",
		"#_": "", "a#b#c": "a"} {
		if got := CleanCode(code); got != want {
			t.Errorf("%q is cleaned to %q, want %q", code.Reveal(), got.Reveal(), want.Reveal())
		}
	}
}

func TestFetchTokenSendsValuesByMethod(t *testing.T) {
	t.Parallel()
	for method, exchange := range map[string]string{
		http.MethodGet: "GET /x?a=b+c&d=e\n---\n200\n\n{\"access_token\":\"t\"}",
		http.MethodPost: "POST /x\nContent-Type: application/x-www-form-urlencoded\n\na=b+c&d=e\n" +
			"---\n200\n\n{\"access_token\":\"t\"}",
	} {
		login := newLogin(t, "")
		replay := providertest.NewReplayOf(t, exchange)
		token, err := FetchToken(context.Background(), login.Tokens, TokenRequest{
			Method: method, URL: replay.URL + "/x", Values: map[string][]string{"a": {"b c"}, "d": {"e"}}})
		if err != nil || token.Access != "t" {
			t.Errorf("%s: %+v, %v", method, token, err)
		}
	}
}
