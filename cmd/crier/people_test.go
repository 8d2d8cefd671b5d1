package main

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
	"crier/internal/store"
)

// passphrase is the password of everybody in the tests.
const passphrase = "correct horse battery staple"

// founder is somebody who has set up an organization and can sign in.
type founder struct {
	tenant
	email string
}

// newFounder makes a tenant whose owner has chosen an e-mail address and the passphrase.
func (s *server) newFounder(tb testing.TB, email string) founder {
	tb.Helper()
	ctx := context.Background()
	made, err := s.node.services.Instance.CreateTenant(ctx, service.TenantRequest{Name: "Organization of " + crier.Name(email), Credits: 10_000})
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.node.services.Instance.SetUpOwner(ctx, made.SetupToken, "Ada", crier.Email(email), passphrase); err != nil {
		tb.Fatal(err)
	}
	return founder{tenant{key: made.APIKey, organization: made.OrganizationID, team: made.TeamID}, email}
}

// browser keeps cookies and stays where it is sent.
type browser struct {
	server *server
	client *http.Client
}

func (s *server) browser(tb testing.TB) *browser {
	tb.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{s, &http.Client{Jar: jar, Transport: s.client.Transport, CheckRedirect: stay}}
}

// pageSeen is a page as the browser got it.
type pageSeen struct {
	status int
	header http.Header
	body   string
}

func (b *browser) get(tb testing.TB, address string) pageSeen {
	tb.Helper()
	return b.send(tb, http.MethodGet, address, nil, nil)
}

func (b *browser) post(tb testing.TB, address string, form url.Values) pageSeen {
	tb.Helper()
	return b.send(tb, http.MethodPost, address, form, nil)
}

func (b *browser) send(tb testing.TB, method, address string, form url.Values, header map[string]string) pageSeen {
	tb.Helper()
	r, err := http.NewRequest(method, b.server.url+address, strings.NewReader(form.Encode()))
	if err != nil {
		tb.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return pageSeen{answer.StatusCode, answer.Header, string(body)}
}

func (p pageSeen) want(tb testing.TB, status int) pageSeen {
	tb.Helper()
	if p.status != status {
		tb.Fatalf("status %d, want %d: %s", p.status, status, p.body)
	}
	return p
}

// session is the cookie of the page, as it was set.
func (p pageSeen) session(tb testing.TB) *http.Cookie {
	tb.Helper()
	for _, c := range (&http.Response{Header: p.header}).Cookies() {
		if c.Name == "crier_session" {
			return c
		}
	}
	tb.Fatalf("no session was set: %v", p.header)
	return nil
}

func credentials(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// signIn signs in and fails unless that worked.
func (b *browser) signIn(tb testing.TB, email string) pageSeen {
	tb.Helper()
	return b.post(tb, "/sign-in", credentials(email, passphrase)).want(tb, http.StatusSeeOther)
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.newFounder(t, "Ada@Example.com")
		b := s.browser(t)
		if to := b.get(t, "/account").want(t, http.StatusSeeOther).header.Get("Location"); to != "/sign-in?next=%2Faccount" {
			t.Errorf("a stranger is sent to %s", to)
		}
		cookie := b.post(t, "/sign-in", credentials(" ADA@example.com ", passphrase)).want(t, http.StatusSeeOther).session(t)
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Secure || cookie.MaxAge < 3600 {
			t.Errorf("the cookie is %+v", cookie)
		}
		if page := b.get(t, "/account").want(t, http.StatusOK); !strings.Contains(page.body, "ada@example.com") {
			t.Errorf("the account page does not say who is signed in: %s", page.body)
		}
		if n := s.number(t, `SELECT count(*) FROM sessions`); n != 1 {
			t.Errorf("there are %d sessions", n)
		}
		b.post(t, "/sign-out", url.Values{}).want(t, http.StatusSeeOther)
		b.get(t, "/account").want(t, http.StatusSeeOther)
		thief := s.browser(t)
		thief.send(t, http.MethodGet, "/account", nil, map[string]string{"Cookie": "crier_session=" + cookie.Value}).want(t, http.StatusSeeOther)
	})
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		s.newFounder(t, "ada@example.com")
		b := s.browser(t)
		cookie := b.signIn(t, "ada@example.com").session(t)
		c.advance(14*24*time.Hour + time.Minute)
		s.browser(t).send(t, http.MethodGet, "/account", nil, map[string]string{"Cookie": "crier_session=" + cookie.Value}).want(t, http.StatusSeeOther)
	})
}

func TestWhoHasAnAccountIsNobodysBusiness(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.newFounder(t, "ada@example.com")
		values := regexp.MustCompile(`value="[^"]*"`)
		wrong := s.browser(t).post(t, "/sign-in", credentials("ada@example.com", "wrong password")).want(t, http.StatusUnauthorized)
		unknown := s.browser(t).post(t, "/sign-in", credentials("eve@example.com", "wrong password")).want(t, http.StatusUnauthorized)
		if values.ReplaceAllString(wrong.body, "") != values.ReplaceAllString(unknown.body, "") {
			t.Errorf("the answers differ:\n%s\n%s", wrong.body, unknown.body)
		}
		for _, odd := range []string{"", "no address", "a\x00b@example.com", strings.Repeat("a", 8000) + "@example.com", "ada@example.com\r\nX-Evil: 1"} {
			page := s.browser(t).post(t, "/sign-in", credentials(odd, passphrase)).want(t, http.StatusUnauthorized)
			if page.header.Get("X-Evil") != "" || strings.Contains(page.body, passphrase) {
				t.Errorf("%q: %v", odd, page.header)
			}
		}
		if n := s.number(t, `SELECT count(*) FROM sign_in_failures`); n != 2 {
			t.Errorf("%d addresses are remembered, want the two that somebody could have", n)
		}
	})
}

func TestGuessingPasswordsIsSlowedDown(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		s.newFounder(t, "ada@example.com")
		b := s.browser(t)
		for range 5 {
			b.post(t, "/sign-in", credentials("ada@example.com", "wrong password")).want(t, http.StatusUnauthorized)
		}
		b.post(t, "/sign-in", credentials("ada@example.com", passphrase)).want(t, http.StatusTooManyRequests)
		c.advance(3 * time.Second)
		b.post(t, "/sign-in", credentials("ada@example.com", "wrong password")).want(t, http.StatusUnauthorized)
		c.advance(3 * time.Second)
		b.post(t, "/sign-in", credentials("ada@example.com", passphrase)).want(t, http.StatusTooManyRequests)
		c.advance(2 * time.Second)
		b.signIn(t, "ada@example.com")
		if n := s.number(t, `SELECT count(*) FROM sign_in_failures`); n != 0 {
			t.Error("a good password did not forget the wrong ones")
		}
	})
}

func TestGuessesAtOnceAreAllCounted(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.newFounder(t, "ada@example.com")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, _ = s.node.services.People.SignIn(context.Background(), "ada@example.com", "wrong password")
			})
		}
		all.Wait()
		if n := s.number(t, `SELECT failures FROM sign_in_failures`); n != 5 {
			t.Errorf("eight guesses at once count as %d, want the five that are free", n)
		}
	})
}

func TestSigningInKeepsNoTokenThatABrowserHadBefore(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.newFounder(t, "ada@example.com")
		const planted = "planted-by-an-attacker"
		b := s.browser(t)
		got := b.send(t, http.MethodPost, "/sign-in", credentials("ada@example.com", passphrase), map[string]string{"Cookie": "crier_session=" + planted})
		first := got.want(t, http.StatusSeeOther).session(t).Value
		second := b.signIn(t, "ada@example.com").session(t).Value
		if first == planted || first == second || len(first) < 32 {
			t.Errorf("the tokens are %q and %q", first, second)
		}
		s.browser(t).send(t, http.MethodGet, "/account", nil, map[string]string{"Cookie": "crier_session=" + planted}).want(t, http.StatusSeeOther)
	})
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.newFounder(t, "ada@example.com")
		b := s.browser(t)
		b.signIn(t, "ada@example.com")
		for _, header := range []map[string]string{{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}} {
			for _, address := range []string{"/sign-in", "/sign-out", "/device", "/invitation", "/setup", "/account/password", "/reset-password"} {
				b.send(t, http.MethodPost, address, url.Values{"decision": {"approve"}}, header).want(t, http.StatusForbidden)
			}
		}
		b.get(t, "/account").want(t, http.StatusOK)
	})
}

func TestTheWayAfterSigningInStaysOnThisSite(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	s.newFounder(t, "ada@example.com")
	for next, want := range map[string]string{
		"/device?user_code=ABCD-EFGH": "/device?user_code=ABCD-EFGH",
		"//evil.example":              "/account",
		"https://evil.example/":       "/account",
		`/\evil.example`:              "/account",
		`\\evil.example`:              "/account",
		"/\t/evil.example":            "/account",
		"/ok\r\nSet-Cookie: a=b":      "/account",
		"javascript:alert(1)":         "/account",
		"":                            "/account",
		"/.//evil.example":            "/evil.example",
	} {
		form := credentials("ada@example.com", passphrase)
		form.Set("next", next)
		got := s.browser(t).post(t, "/sign-in", form).want(t, http.StatusSeeOther)
		if got.header.Get("Location") != want || len(got.header.Values("Set-Cookie")) != 1 {
			t.Errorf("%q leads to %q with %v", next, got.header.Get("Location"), got.header)
		}
	}
}

func TestTheSessionOfAnInstallationBehindHTTPSIsForHTTPSAlone(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"), func(a *app) { a.config.publicURL = "https://crier.example.com" })
	s.newFounder(t, "ada@example.com")
	if !s.browser(t).signIn(t, "ada@example.com").session(t).Secure {
		t.Error("the cookie would be sent in the clear")
	}
}
