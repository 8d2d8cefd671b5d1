package api_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/service"
	"crier/internal/store"
)

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.NewFounder(t, "Ada@Example.com")
		b := s.NewBrowser(t)
		if to := b.Get(t, "/account").Want(t,
			http.StatusSeeOther).Header.Get("Location"); to != "/sign-in?next=%2Faccount" {
			t.Errorf("a stranger is sent to %s", to)
		}
		cookie := b.Post(t, "/sign-in", servertest.Credentials(" ADA@example.com ", servertest.Passphrase)).Want(t,
			http.StatusSeeOther).Session(t)
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Secure ||
			cookie.MaxAge < 3600 {
			t.Errorf("the cookie is %+v", cookie)
		}
		if page := b.Get(t, "/account").Want(t, http.StatusOK); !strings.Contains(page.Body, "ada@example.com") {
			t.Errorf("the account page does not say who is signed in: %s", page.Body)
		}
		// the set-up has signed her in, too
		if n := s.Number(t, `SELECT count(*) FROM sessions`); n != 2 {
			t.Errorf("there are %d sessions", n)
		}
		b.Post(t, "/sign-out", url.Values{}).Want(t, http.StatusSeeOther)
		b.Get(t, "/account").Want(t, http.StatusSeeOther)
		thief := s.NewBrowser(t)
		thief.Send(t, http.MethodGet, "/account", nil,
			map[string]string{"Cookie": "crier_session=" + cookie.Value}).Want(t, http.StatusSeeOther)
	})
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		s.NewFounder(t, "ada@example.com")
		b := s.NewBrowser(t)
		cookie := b.SignIn(t, "ada@example.com").Session(t)
		c.Advance(14*24*time.Hour + time.Minute)
		s.NewBrowser(t).Send(t, http.MethodGet, "/account", nil,
			map[string]string{"Cookie": "crier_session=" + cookie.Value}).Want(t, http.StatusSeeOther)
	})
}

func TestSignInPageSaysThatASessionHasEnded(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	cookie := b.SignIn(t, "ada@example.com").Session(t)
	form := func(address, session string) string {
		t.Helper()
		return s.NewBrowser(t).Send(t, http.MethodGet, address, nil,
			map[string]string{"Cookie": "crier_session=" + session}).Want(t, http.StatusOK).Body
	}
	const ended, back = "Your session has ended", "you are back where you were"
	if page := form("/sign-in?next=/app/media", cookie.Value); strings.Contains(page, ended) {
		t.Errorf("a session that works is said to have ended: %s", page)
	}
	b.Post(t, "/sign-out", url.Values{"everywhere": {"yes"}}).Want(t, http.StatusSeeOther)
	if page := form("/sign-in?next=/app/media", cookie.Value); !strings.Contains(page, ended) ||
		!strings.Contains(page, back) {
		t.Errorf("the end of the session is not told: %s", page)
	}
	if page := form("/sign-in?next=/app&ended", ""); !strings.Contains(page, ended) || strings.Contains(page, back) {
		t.Errorf("the end of the session is not told, or a return to the start is promised: %s", page)
	}
	if page := b.Get(t, "/sign-in").Want(t, http.StatusOK); strings.Contains(page.Body, ended) {
		t.Errorf("whoever has signed out is told that the session has ended: %s", page.Body)
	}
}

func TestSignInDoesNotRevealAccounts(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.NewFounder(t, "ada@example.com")
		values := regexp.MustCompile(`value="[^"]*"`)
		wrong := s.NewBrowser(t).Post(t, "/sign-in",
			servertest.Credentials("ada@example.com", "wrong password")).Want(t,
			http.StatusUnauthorized)
		unknown := s.NewBrowser(t).Post(t, "/sign-in",
			servertest.Credentials("eve@example.com", "wrong password")).Want(t,
			http.StatusUnauthorized)
		if values.ReplaceAllString(wrong.Body, "") != values.ReplaceAllString(unknown.Body, "") {
			t.Errorf("the answers differ:\n%s\n%s", wrong.Body, unknown.Body)
		}
		for _, odd := range []string{"", "no address", "a\x00b@example.com", strings.Repeat("a", 8000) + "@example.com",
			"ada@example.com\r\nX-Evil: 1"} {
			page := s.NewBrowser(t).Post(t, "/sign-in", servertest.Credentials(odd, servertest.Passphrase)).Want(t,
				http.StatusUnauthorized)
			if page.Header.Get("X-Evil") != "" || strings.Contains(page.Body, servertest.Passphrase) {
				t.Errorf("%q: %v", odd, page.Header)
			}
		}
		if n := s.Number(t, `SELECT count(*) FROM sign_in_failures WHERE email NOT LIKE '% %'`); n != 2 {
			t.Errorf("%d addresses are remembered, want the two that somebody could have", n)
		}
	})
}

func TestGuessingPasswordsIsThrottled(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := servertest.NewStoppedClock()
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		s.NewFounder(t, "ada@example.com")
		b := s.NewBrowser(t)
		for range 5 {
			b.Post(t, "/sign-in", servertest.Credentials("ada@example.com", "wrong password")).Want(t,
				http.StatusUnauthorized)
		}
		b.Post(t, "/sign-in", servertest.Credentials("ada@example.com", servertest.Passphrase)).Want(t,
			http.StatusTooManyRequests)
		c.Advance(3 * time.Second)
		b.Post(t, "/sign-in", servertest.Credentials("ada@example.com", "wrong password")).Want(t,
			http.StatusUnauthorized)
		c.Advance(3 * time.Second)
		b.Post(t, "/sign-in", servertest.Credentials("ada@example.com", servertest.Passphrase)).Want(t,
			http.StatusTooManyRequests)
		c.Advance(2 * time.Second)
		b.SignIn(t, "ada@example.com")
		if n := s.Number(t, `SELECT count(*) FROM sign_in_failures WHERE email LIKE '% %'`); n != 0 {
			t.Error("a good password did not forget the wrong ones")
		}
	})
}

func TestGuessesAtOnceAreAllCounted(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.NewFounder(t, "ada@example.com")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, _ = s.Node.Services.People.SignIn(context.Background(), "ada@example.com", "wrong password",
					service.Browser{})
			})
		}
		all.Wait()
		if n := s.Number(t, `SELECT failures FROM sign_in_failures WHERE email LIKE '% %'`); n != 5 {
			t.Errorf("eight guesses at once count as %d, want the five that are free", n)
		}
	})
}

func TestSigningInIssuesAFreshSession(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.NewFounder(t, "ada@example.com")
		const planted = "planted-by-an-attacker"
		b := s.NewBrowser(t)
		got := b.Send(t, http.MethodPost, "/sign-in", servertest.Credentials("ada@example.com", servertest.Passphrase),
			map[string]string{"Cookie": "crier_session=" + planted})
		first := got.Want(t, http.StatusSeeOther).Session(t).Value
		second := b.SignIn(t, "ada@example.com").Session(t).Value
		if first == planted || first == second || len(first) < 32 {
			t.Errorf("the tokens are %q and %q", first, second)
		}
		s.NewBrowser(t).Send(t, http.MethodGet, "/account", nil,
			map[string]string{"Cookie": "crier_session=" + planted}).Want(t, http.StatusSeeOther)
	})
}

func TestCrossSiteFormsAreRejected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.NewFounder(t, "ada@example.com")
		b := s.NewBrowser(t)
		b.SignIn(t, "ada@example.com")
		for _, header := range []map[string]string{{"Origin": "https://evil.example"}, {"Origin": "null"},
			{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}} {
			for _, address := range []string{"/sign-in", "/sign-out", "/device", "/invitation", "/setup",
				"/account/password", "/reset-password", "/mail-link"} {
				b.Send(t, http.MethodPost, address, url.Values{"decision": {"approve"}}, header).Want(t,
					http.StatusForbidden)
			}
		}
		b.Get(t, "/account").Want(t, http.StatusOK)
	})
}

func TestSignInRedirectsStayOnThisSite(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	s.NewFounder(t, "ada@example.com")
	for next, want := range map[string]string{
		"/device?user_code=ABCD-EFGH": "/device?user_code=ABCD-EFGH",
		"//evil.example":              "/app",
		"https://evil.example/":       "/app",
		`/\evil.example`:              "/app",
		`\\evil.example`:              "/app",
		"/\t/evil.example":            "/app",
		"/ok\r\nSet-Cookie: a=b":      "/app",
		"javascript:alert(1)":         "/app",
		"":                            "/app",
		"/.//evil.example":            "/evil.example",
	} {
		form := servertest.Credentials("ada@example.com", servertest.Passphrase)
		form.Set("next", next)
		got := s.NewBrowser(t).Post(t, "/sign-in", form).Want(t, http.StatusSeeOther)
		if got.Header.Get("Location") != want || len(got.Header.Values("Set-Cookie")) != 1 {
			t.Errorf("%q leads to %q with %v", next, got.Header.Get("Location"), got.Header)
		}
	}
}

func TestSessionCookieIsSecureBehindHTTPS(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"),
		func(a *server.Config) { a.PublicURL = "https://crier.example.com" })
	s.NewFounder(t, "ada@example.com")
	if !s.NewBrowser(t).SignIn(t, "ada@example.com").Session(t).Secure {
		t.Error("the cookie would be sent in the clear")
	}
}
