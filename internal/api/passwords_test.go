package api_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

const otherPassphrase = "another horse, another battery"

func TestChangedPasswordSignsOutEverywhereElse(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		ada := s.NewFounder(t, "ada@example.com")
		b, elsewhere := s.NewBrowser(t), s.NewBrowser(t)
		b.SignIn(t, ada.Email)
		elsewhere.SignIn(t, ada.Email)
		device := s.LogIn(t, elsewhere).Text(t, "access_token")
		change := func(current, password string) servertest.PageSeen {
			return b.Post(t, "/account/password", url.Values{"current": {current}, "password": {password}})
		}
		change("not my password", otherPassphrase).Want(t, http.StatusUnauthorized)
		change(servertest.Passphrase, "short").Want(t, http.StatusBadRequest)
		s.NewBrowser(t).Post(t, "/account/password", url.Values{"current": {servertest.Passphrase},
			"password": {otherPassphrase}}).Want(t, http.StatusSeeOther)
		elsewhere.Get(t, "/account").Want(t, http.StatusOK)
		change(servertest.Passphrase, otherPassphrase).Want(t, http.StatusSeeOther)
		b.Get(t, "/account").Want(t, http.StatusOK)
		elsewhere.Get(t, "/account").Want(t, http.StatusSeeOther)
		s.WantKnown(t, device, false)
		s.WantKnown(t, ada.Key, true) // a key belongs to the organization
		s.NewBrowser(t).Post(t, "/sign-in", servertest.Credentials(ada.Email, servertest.Passphrase)).Want(t,
			http.StatusUnauthorized)
		s.NewBrowser(t).Post(t, "/sign-in", servertest.Credentials(ada.Email, otherPassphrase)).Want(t,
			http.StatusSeeOther)
	})
}

func TestGuessingTheCurrentPasswordIsThrottled(t *testing.T) {
	t.Parallel()
	c := &servertest.Clock{}
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"), servertest.WithClock(c))
	ada := s.NewFounder(t, "ada@example.com")
	b := s.NewBrowser(t)
	b.SignIn(t, ada.Email)
	guess := func(current string) int {
		return b.Post(t, "/account/password", url.Values{"current": {current}, "password": {otherPassphrase}}).Status
	}
	for range 5 {
		if got := guess("not my password"); got != http.StatusUnauthorized {
			t.Fatalf("status %d", got)
		}
	}
	c.Advance(-time.Minute) // however long the guesses took, the wait after them has not ended
	if got := guess(servertest.Passphrase); got != http.StatusTooManyRequests {
		t.Errorf("after five guesses: status %d", got)
	}
}
