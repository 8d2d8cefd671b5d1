package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/store"
)

const otherPassphrase = "another horse, another battery"

func TestAChangedPasswordSignsOutEverywhereElse(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.newFounder(t, "ada@example.com")
		b, elsewhere := s.browser(t), s.browser(t)
		b.signIn(t, ada.email)
		elsewhere.signIn(t, ada.email)
		device := s.logIn(t, elsewhere).text(t, "access_token")
		change := func(current, password string) pageSeen {
			return b.post(t, "/account/password", url.Values{"current": {current}, "password": {password}})
		}
		change("not my password", otherPassphrase).want(t, http.StatusUnauthorized)
		change(passphrase, "short").want(t, http.StatusBadRequest)
		s.browser(t).post(t, "/account/password", url.Values{"current": {passphrase}, "password": {otherPassphrase}}).want(t, http.StatusSeeOther)
		elsewhere.get(t, "/account").want(t, http.StatusOK)
		change(passphrase, otherPassphrase).want(t, http.StatusSeeOther)
		b.get(t, "/account").want(t, http.StatusOK)
		elsewhere.get(t, "/account").want(t, http.StatusSeeOther)
		s.wantKnown(t, device, false)
		s.wantKnown(t, ada.key, true) // a key is the organization's
		s.browser(t).post(t, "/sign-in", credentials(ada.email, passphrase)).want(t, http.StatusUnauthorized)
		s.browser(t).post(t, "/sign-in", credentials(ada.email, otherPassphrase)).want(t, http.StatusSeeOther)
	})
}

func TestGuessingTheCurrentPasswordIsSlowedDown(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	ada := s.newFounder(t, "ada@example.com")
	b := s.browser(t)
	b.signIn(t, ada.email)
	guess := func(current string) int {
		return b.post(t, "/account/password", url.Values{"current": {current}, "password": {otherPassphrase}}).status
	}
	for range 5 {
		if got := guess("not my password"); got != http.StatusUnauthorized {
			t.Fatalf("status %d", got)
		}
	}
	if got := guess(passphrase); got != http.StatusTooManyRequests {
		t.Errorf("after five guesses: status %d", got)
	}
}

func TestALostPasswordIsReplacedByALinkOfTheOperator(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		ada := s.newFounder(t, "ada@example.com")
		thief := s.browser(t)
		thief.signIn(t, ada.email)
		reset := func(email string) output {
			return runProgram(t, append(settingsOf(db), "CRIER_PUBLIC_URL="+s.url), "admin", "reset-password", "--json", "--email", email)
		}
		if out := reset("nobody@example.com"); out.code != 1 || !strings.Contains(out.stderr, "nobody signs in") {
			t.Errorf("%+v", out)
		}
		var made struct{ ResetURL string }
		if out := reset("ADA@example.com"); out.code != 0 || json.Unmarshal([]byte(out.stdout), &made) != nil {
			t.Fatalf("%+v", out)
		}
		link := strings.TrimPrefix(made.ResetURL, s.url)
		_, token, _ := strings.Cut(link, "token=")
		b := s.browser(t)
		b.get(t, link).want(t, http.StatusOK)
		for _, forged := range []string{"", "x", "a.b.c", unknownID + token[len(unknownID):], strings.Replace(token, ".", ".9", 1), token + "A"} {
			b.get(t, "/reset-password?token="+url.QueryEscape(forged)).want(t, http.StatusNotFound)
		}
		b.post(t, "/reset-password", url.Values{"token": {token}, "password": {"short"}}).want(t, http.StatusBadRequest)
		b.post(t, "/reset-password", url.Values{"token": {token}, "password": {otherPassphrase}}).want(t, http.StatusSeeOther)
		b.get(t, "/account").want(t, http.StatusOK)
		thief.get(t, "/account").want(t, http.StatusSeeOther)
		b.post(t, "/reset-password", url.Values{"token": {token}, "password": {passphrase}}).want(t, http.StatusNotFound)
		s.browser(t).post(t, "/sign-in", credentials(ada.email, otherPassphrase)).want(t, http.StatusSeeOther)
		if out := reset(ada.email); json.Unmarshal([]byte(out.stdout), &made) != nil {
			t.Fatalf("%+v", out)
		}
		c.advance(25 * time.Hour)
		b.get(t, strings.TrimPrefix(made.ResetURL, s.url)).want(t, http.StatusNotFound)
	})
}
