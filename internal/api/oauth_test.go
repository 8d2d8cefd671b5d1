package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"crier/internal/oauth"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

const (
	toolRedirect = "http://127.0.0.1:5000/callback"
	toolResource = "http://crier.test/mcp"
	toolVerifier = "a verifier that is long enough for everybody to like"
)

// withClients registers two clients without published metadata.
func withClients(c *server.Config) {
	c.OAuthClients = []oauth.Client{
		{ID: "tool", Name: "The tool", RedirectURIs: []string{"http://127.0.0.1/callback", "https://tool.example/back?a=1"}},
		{ID: "other", Name: "The other", RedirectURIs: []string{toolRedirect}},
	}
}

func withRegistration(c *server.Config) { c.OAuthRegistration = true }

// authorization returns a valid request of the tool, with some parameters changed; an empty value leaves one out.
func authorization(changes ...string) url.Values {
	sum := sha256.Sum256([]byte(toolVerifier))
	out := url.Values{"client_id": {"tool"}, "redirect_uri": {toolRedirect}, "response_type": {"code"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"}, "resource": {toolResource}, "state": {"the state & more"}}
	for i := 0; i < len(changes); i += 2 {
		out.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			out.Del(changes[i])
		}
	}
	return out
}

var ticketField = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

// ticket returns the ticket in the form of a request's page.
func ticket(tb testing.TB, page servertest.PageSeen) string {
	tb.Helper()
	found := ticketField.FindStringSubmatch(page.Want(tb, http.StatusOK).Body)
	if found == nil {
		tb.Fatalf("the page asks nothing: %s", page.Body)
	}
	return found[1]
}

func sentTo(tb testing.TB, page servertest.PageSeen, prefix string) url.Values {
	tb.Helper()
	to := page.Want(tb, http.StatusSeeOther).Header.Get("Location")
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, prefix) {
		tb.Fatalf("the browser was sent to %q, want %s", to, prefix)
	}
	return u.Query()
}

// code returns the code of an approved authorization.
func code(tb testing.TB, b *servertest.Browser, request url.Values) string {
	tb.Helper()
	form := url.Values{"ticket": {ticket(tb, b.Get(tb, "/oauth/authorize?"+request.Encode()))}, "decision": {"approve"}}
	got := sentTo(tb, b.Post(tb, "/oauth/authorize", form), request.Get("redirect_uri"))
	if got.Get("state") != request.Get("state") || got.Get("iss") != "http://crier.test" || got.Get("code") == "" {
		tb.Fatalf("the client gets %v", got)
	}
	return got.Get("code")
}

// codeGrant returns the form that exchanges a code for tokens, with some fields changed.
func codeGrant(code string, changes ...string) url.Values {
	out := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"tool"},
		"redirect_uri": {toolRedirect}, "code_verifier": {toolVerifier}, "resource": {toolResource}}
	for i := 0; i < len(changes); i += 2 {
		out.Set(changes[i], changes[i+1])
	}
	return out
}

func TestAuthorizationCodeIsBoundToItsRequest(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c), withClients)
		s.NewFounder(t, "ada@example.com")
		b := s.NewBrowser(t)
		b.SignIn(t, "ada@example.com")
		got := code(t, b, authorization())
		if n := s.Number(t, `SELECT count(*) FROM authorization_codes WHERE length(hash) = 32`); n != 1 {
			t.Errorf("%d codes are stored by their hash, want 1", n)
		}
		for name, grant := range map[string]url.Values{
			"a wrong verifier":        codeGrant(got, "code_verifier", toolVerifier+"?"),
			"no verifier":             codeGrant(got, "code_verifier", ""),
			"another client":          codeGrant(got, "client_id", "other"),
			"no client":               codeGrant(got, "client_id", ""),
			"another redirect":        codeGrant(got, "redirect_uri", "http://127.0.0.1:5001/callback"),
			"an unknown code":         codeGrant(got + "x"),
			"the challenge for plain": codeGrant(got, "code_verifier", authorization().Get("code_challenge")),
		} {
			t.Log(name)
			s.Token(t, grant).WantOAuthError(t, "invalid_grant")
		}
		s.Token(t, codeGrant(got, "resource", "https://elsewhere.example/mcp")).WantOAuthError(t, "invalid_target")
		tokens := s.Token(t, codeGrant(got)).Want(t, http.StatusOK)
		refresh := servertest.RefreshGrant(tokens.Text(t, "refresh_token"))
		s.Token(t, refresh).WantOAuthError(t, "invalid_grant")
		refresh.Set("client_id", "tool")
		renewed := s.Token(t, refresh).Want(t, http.StatusOK)
		s.Token(t, codeGrant(got)).WantOAuthError(t, "invalid_grant") // a second use revokes the tokens of the first
		refresh.Set("refresh_token", renewed.Text(t, "refresh_token"))
		s.Token(t, refresh).WantOAuthError(t, "invalid_grant")
		if n := s.Number(t, `SELECT count(*) FROM token_families WHERE revoked_at IS NULL`); n != 0 {
			t.Errorf("%d logins are left after a code was used twice", n)
		}
		late := code(t, b, authorization())
		c.Advance(61 * time.Second)
		s.Token(t, codeGrant(late)).WantOAuthError(t, "invalid_grant")
	})
}

func TestInvalidAuthorizationRequestsAreNotRedirected(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"), withClients)
	s.NewFounder(t, "ada@example.com")
	signedOut := s.NewBrowser(t).Get(t, "/oauth/authorize?"+authorization().Encode())
	sentTo(t, signedOut, "/sign-in?next=%2Foauth%2Fauthorize")
	b := s.NewBrowser(t)
	b.SignIn(t, "ada@example.com")
	for name, request := range map[string]url.Values{ // none of them redirects
		"an unknown client":        authorization("client_id", "nobody"),
		"no client":                authorization("client_id", ""),
		"a client on this machine": authorization("client_id", "https://127.0.0.1/client.json"),
		"a registered client":      authorization("client_id", "registered.e30.AAAA"),
		"a foreign host":           authorization("redirect_uri", "https://evil.example/callback"),
		"a longer path":            authorization("redirect_uri", toolRedirect+"/more"),
		"another name":             authorization("redirect_uri", "http://localhost:5000/callback"),
		"a lookalike":              authorization("redirect_uri", "http://127.0.0.1.evil.example/callback"),
		"a user name":              authorization("redirect_uri", "http://127.0.0.1:5000@evil.example/callback"),
		"a script":                 authorization("redirect_uri", "javascript:alert(1)"),
		"another query":            authorization("redirect_uri", "https://tool.example/back?a=2"),
		"a port with TLS":          authorization("redirect_uri", "https://tool.example:444/back?a=1"),
		"no redirect":              authorization("redirect_uri", ""),
	} {
		if page := b.Get(t, "/oauth/authorize?"+request.Encode()); page.Status/100 != 4 ||
			!strings.Contains(page.Body, "cannot be let in") {
			t.Errorf("%s: %d %s", name, page.Status, page.Header.Get("Location"))
		}
	}
	twice := authorization()
	twice.Add("client_id", "other")
	b.Get(t, "/oauth/authorize?"+twice.Encode()).Want(t, http.StatusBadRequest)
	elsewhere := authorization("redirect_uri", "https://tool.example/back?a=1")
	b2 := s.NewBrowser(t)
	b2.SignIn(t, "ada@example.com")
	if got := code(t, b2, elsewhere); got == "" {
		t.Error("an address with a query gets no code")
	}
}

func TestClientReceivesOAuthErrors(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"), withClients)
	s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, "ada@example.com")
	for problem, request := range map[string]url.Values{
		"unsupported_response_type": authorization("response_type", "token"),
		"invalid_request":           authorization("code_challenge_method", "plain"),
		"invalid_request ":          authorization("code_challenge_method", ""),
		"invalid_request  ":         authorization("code_challenge", "short"),
		"invalid_target":            authorization("resource", "https://elsewhere.example/mcp"),
	} {
		got := sentTo(t, b.Get(t, "/oauth/authorize?"+request.Encode()), toolRedirect)
		if got.Get("error") != strings.TrimSpace(problem) || got.Get("state") != "the state & more" ||
			got.Get("iss") != "http://crier.test" || got.Has("code") {
			t.Errorf("%s: %v", problem, got)
		}
	}
	form := url.Values{"ticket": {ticket(t, b.Get(t, "/oauth/authorize?"+authorization().Encode()))},
		"decision": {"deny"}}
	if got := sentTo(t, b.Post(t, "/oauth/authorize", form), toolRedirect); got.Get("error") != "access_denied" ||
		got.Get("state") != "the state & more" {
		t.Errorf("a refusal is told as %v", got)
	}
}

func TestConsentCannotBeForged(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c), withClients)
		s.NewFounder(t, "ada@example.com")
		s.NewFounder(t, "eve@example.com")
		ada, eve := s.NewBrowser(t), s.NewBrowser(t)
		ada.SignIn(t, "ada@example.com")
		eve.SignIn(t, "eve@example.com")
		page := ada.Get(t, "/oauth/authorize?"+authorization().Encode())
		if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") ||
			!strings.Contains(policy, "form-action 'self' http://127.0.0.1:5000;") {
			t.Errorf("the policy is %s", policy)
		}
		for _, want := range []string{"The tool", "127.0.0.1:5000", "Organization of ada@example.com", "as owner",
			"schedule and publish"} {
			if !strings.Contains(page.Body, want) {
				t.Errorf("the page does not say %q: %s", want, page.Body)
			}
		}
		good := url.Values{"ticket": {ticket(t, page)}, "decision": {"approve"}}
		with := func(ticket string) url.Values {
			form := maps.Clone(good)
			form.Set("ticket", ticket)
			return form
		}
		hers := ticket(t, eve.Get(t, "/oauth/authorize?"+authorization().Encode()))
		for name, try := range map[string]struct {
			status int
			page   servertest.PageSeen
		}{
			"another person's ticket": {http.StatusNotFound, ada.Post(t, "/oauth/authorize", with(hers))},
			"no ticket":               {http.StatusNotFound, ada.Post(t, "/oauth/authorize", with(""))},
			"an altered ticket": {http.StatusNotFound, ada.Post(t, "/oauth/authorize",
				with("AAAA"+good.Get("ticket")[4:]))},
			"a form of another site": {http.StatusForbidden, ada.Send(t, http.MethodPost, "/oauth/authorize", good,
				map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"})},
		} {
			if try.page.Status != try.status {
				t.Errorf("%s: %d, want %d", name, try.page.Status, try.status)
			}
		}
		c.Advance(11 * time.Minute)
		ada.Post(t, "/oauth/authorize", good).Want(t, http.StatusNotFound)
		if n := s.Number(t, `SELECT count(*) FROM authorization_codes`); n != 0 {
			t.Errorf("%d codes were issued", n)
		}
		open := code(t, ada, authorization())
		ada.Post(t, "/sign-out", url.Values{"everywhere": {"yes"}}).Want(t, http.StatusSeeOther)
		s.Token(t, codeGrant(open)).WantOAuthError(t, "invalid_grant")
	})
}

func TestOAuthDiscovery(t *testing.T) {
	t.Parallel()
	closed := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	at := func(s *testServer, address string) servertest.Response {
		got, err := s.RoundTrip(servertest.Request{Method: "GET", Path: address})
		if err != nil {
			t.Fatal(err)
		}
		return got.Want(t, http.StatusOK)
	}
	for _, address := range []string{"", "/mcp"} {
		got := at(closed, "/.well-known/oauth-protected-resource"+address)
		if got.Text(t, "resource") != toolResource || got.Text(t, "authorization_servers", 0) != "http://crier.test" {
			t.Errorf("%s: %s", address, got.Body)
		}
	}
	got := at(closed, "/.well-known/oauth-authorization-server")
	for field, want := range map[string]string{
		"issuer": "http://crier.test", "authorization_endpoint": "http://crier.test/oauth/authorize",
		"token_endpoint": "http://crier.test/v1/auth/token", "device_authorization_endpoint": "http://crier.test/v1/auth/device",
	} {
		if got.Text(t, field) != want {
			t.Errorf("%s is %s", field, got.Text(t, field))
		}
	}
	if !strings.Contains(string(got.Body), `"code_challenge_methods_supported":["S256"]`) ||
		got.Has("registration_endpoint") || got.Get(t, "client_id_metadata_document_supported") != true {
		t.Errorf("%s", got.Body)
	}
	client := object{"client_name": "Mine", "redirect_uris": []string{toolRedirect}}
	register := func(s *testServer, body object) servertest.Response {
		got, err := s.RoundTrip(servertest.Request{Method: "POST", Path: "/v1/auth/register", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	register(closed, client).Want(t, http.StatusNotFound)
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"), withRegistration)
	if got := at(s, "/.well-known/oauth-authorization-server"); got.Text(t, "registration_endpoint") !=
		"http://crier.test/v1/auth/register" {
		t.Errorf("%s", got.Body)
	}
	for _, bad := range []object{{}, {"redirect_uris": []string{"http://evil.example/"}},
		{"redirect_uris": []string{toolRedirect}, "token_endpoint_auth_method": "client_secret_post"}} {
		register(s, bad).Want(t, http.StatusBadRequest)
	}
	id := register(s, client).Want(t, http.StatusCreated).Text(t, "client_id")
	s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, "ada@example.com")
	page := b.Get(t, "/oauth/authorize?"+authorization("client_id", id).Encode()).Want(t, http.StatusOK)
	if !strings.Contains(page.Body, "Nobody vouches for this name") {
		t.Errorf("a name that nobody vouches for is shown as if somebody did: %s", page.Body)
	}
	forged := strings.Replace(id, "registered.e", "registered.f", 1)
	b.Get(t, "/oauth/authorize?"+authorization("client_id", forged).Encode()).Want(t, http.StatusNotFound)
}
