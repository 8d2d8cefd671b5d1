package api_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/mail/mailtest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestOpenInvitationsAreListedAndWithdrawn(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &servertest.Clock{}
		s := startServer(t, db, withRole("api"), servertest.WithClock(c))
		ada := s.NewFounder(t, "ada@example.com")
		first := s.invite(t, ada.Key, ada, object{"email": "new@example.com", "role": "viewer"})
		second := s.invite(t, ada.Key, ada, object{"email": "New@Example.com", "role": "editor",
			"teamIds": []any{ada.Team}})
		s.NewBrowser(t).Get(t, first).Want(t, http.StatusNotFound) // the newer one has replaced it
		open := s.OpenInvitations(t, ada).Data
		if len(open) != 1 || open[0].Email != "new@example.com" || open[0].Role != "editor" ||
			len(open[0].TeamIDs) != 1 || open[0].InviteURL != "" {
			t.Fatalf("the invitations are %+v", open)
		}
		id := string(open[0].ID)
		other := s.NewFounder(t, "grace@example.com")
		s.As(t, other.Key, "DELETE", other.Invitations(id), nil).Want(t, http.StatusNotFound)
		s.As(t, ada.Key, "DELETE", ada.Invitations(id), nil).Want(t, http.StatusOK)
		s.As(t, ada.Key, "DELETE", ada.Invitations(id), nil).Want(t, http.StatusNotFound)
		s.NewBrowser(t).Get(t, second).Want(t, http.StatusNotFound)
		s.NewBrowser(t).Accept(t, second, "Newcomer").Want(t, http.StatusNotFound)
		s.joinAs(t, ada, "joined@example.com", object{"role": "viewer"})
		s.As(t, ada.Key, "POST", ada.Members(), object{"email": "joined@example.com", "role": "viewer"}).WantError(t,
			http.StatusConflict, "Conflict")
		s.invite(t, ada.Key, ada, object{"email": "late@example.com", "role": "viewer"})
		c.Advance(crier.InvitationLife)
		if left := s.OpenInvitations(t, ada).Data; len(left) != 0 {
			t.Errorf("accepted, withdrawn and expired invitations are listed: %+v", left)
		}
	})
}

func TestInvitationDoesNotRevealAccounts(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	ada, grace := s.NewFounder(t, "ada@example.com"), s.NewFounder(t, "grace@example.com")
	tokens := regexp.MustCompile(`value="[^"]*"`)
	// seen returns the page that a user sees who opens the link of an address and submits forms.
	seen := func(email string, tries ...url.Values) string {
		link := s.invite(t, ada.Key, ada, object{"email": email, "role": "viewer"})
		_, token, _ := strings.Cut(link, "token=")
		b := s.NewBrowser(t)
		out := b.Get(t, link).Want(t, http.StatusOK).Body
		for _, try := range tries {
			try.Set("token", token)
			page := b.Post(t, "/invitation", try)
			out += http.StatusText(page.Status) + page.Body
		}
		return strings.ReplaceAll(tokens.ReplaceAllString(out, ""), email, "")
	}
	tries := []url.Values{{"password": {"not the password"}}, {"name": {"Eve"}, "password": {"short"}},
		{"name": {"E"}, "password": {servertest.Passphrase}}}
	if known, unknown := seen(grace.Email, tries...), seen("nobody@example.com", tries...); known != unknown {
		t.Errorf("with an account:\n%s\nwithout:\n%s", known, unknown)
	}
}

func TestInvitationLinkIsBoundToItsAddress(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	ada := s.NewFounder(t, "ada@example.com")
	_, token, _ := strings.Cut(s.invite(t, ada.Key, ada, object{"email": "new@example.com", "role": "viewer"}),
		"token=")
	id, signature, _ := strings.Cut(token, ".")
	b := s.NewBrowser(t)
	for _, forged := range []string{"", id, id + ".", "." + signature, unknownID + "." + signature, token + "A",
		strings.ToUpper(token)} {
		b.Get(t, "/invitation?token="+url.QueryEscape(forged)).Want(t, http.StatusNotFound)
	}
	b.Post(t, "/invitation", url.Values{"token": {token}, "name": {"New"}, "password": {servertest.Passphrase},
		"email": {"other@example.com"}}).Want(t, http.StatusSeeOther)
	if page := b.Get(t, "/account").Want(t, http.StatusOK); !strings.Contains(page.Body, "new@example.com") ||
		strings.Contains(page.Body, "other@example.com") {
		t.Errorf("joined with another address: %s", page.Body)
	}
}

// mailedLink returns the path of the link in the mail to an address.
func mailedLink(tb testing.TB, server *mailtest.Server, to string) string {
	tb.Helper()
	select {
	case m := <-server.Messages:
		text := strings.ReplaceAll(strings.ReplaceAll(m.Data, "=\n", ""), "=3D", "=")
		found := regexp.MustCompile(`http://crier\.test(/(?:invitation|reset-password)\?token=\S+)`).
			FindStringSubmatch(text)
		if m.To != "TO:<"+to+">" || found == nil {
			tb.Fatalf("the message is %+v", m)
		}
		return found[1]
	case <-time.After(2 * time.Minute):
		tb.Fatal("no mail came")
	}
	return ""
}

func withMail(post *mailtest.Server) func(*server.Config) {
	return func(a *server.Config) {
		a.SMTPURL, a.MailFrom = "smtp://"+post.Addr+"?tls=off", "crier <noreply@example.com>"
	}
}

func TestEmailOwnerCanClaimInvitations(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		post, c := mailtest.Start(t), &servertest.Clock{}
		s := startServer(t, db, withMail(post), servertest.WithClock(c))
		ada, squatter := s.NewFounder(t, "ada@example.com"), s.NewFounder(t, "grace@example.com")
		used := s.NewBrowser(t)
		used.SignIn(t, squatter.Email) // an account with an address that its user does not own
		for _, email := range []string{"new@example.com", "grace@example.com"} {
			s.As(t, ada.Key, "POST", ada.Members(), object{"email": email, "role": "viewer"}).Want(t,
				http.StatusCreated)
			mailedLink(t, post, email) // which is never used
		}
		b := s.NewBrowser(t)
		b.Get(t, "/mail-link").Want(t, http.StatusOK)
		ask := func(email string) string {
			return b.Post(t, "/mail-link", url.Values{"email": {email}}).Want(t, http.StatusOK).Body
		}
		b.Post(t, "/mail-link", url.Values{"email": {"no address"}}).Want(t, http.StatusBadRequest)
		if ask("nobody@example.com") != ask(" New@example.com ") {
			t.Error("the answer tells who is invited")
		}
		if n := s.Number(t, `SELECT count(*) FROM sign_in_failures WHERE email LIKE 'links %'`); n != 2 {
			t.Errorf("%d of 2 addresses were noted: the time of the answer tells who is invited", n)
		}
		link := mailedLink(t, post, "new@example.com") // and no mail to unknown addresses
		ask("new@example.com")                         // too soon: the next mail is to another address
		s.NewBrowser(t).Accept(t, link, "Newcomer").Want(t, http.StatusSeeOther)

		ask("grace@example.com")
		links := []string{mailedLink(t, post, "grace@example.com"), mailedLink(t, post, "grace@example.com")}
		slices.Sort(links) // the invitation, then the new password
		_, token, _ := strings.Cut(links[1], "/reset-password?token=")
		grace := s.NewBrowser(t)
		grace.Post(t, "/reset-password", url.Values{"token": {token}, "password": {otherPassphrase}}).Want(t,
			http.StatusSeeOther)
		used.Get(t, "/account").Want(t, http.StatusSeeOther) // signed out
		_, token, _ = strings.Cut(links[0], "/invitation?token=")
		grace.Post(t, "/invitation", url.Values{"token": {token}, "password": {otherPassphrase}}).Want(t,
			http.StatusSeeOther)
		if n := len(s.memberList(t, ada).Data); n != 3 {
			t.Errorf("there are %d members, want 3", n)
		}
		c.Advance(10 * time.Minute)
		ask("grace@example.com") // later again: only the password reset is left
		if again := mailedLink(t, post, "grace@example.com"); !strings.HasPrefix(again, "/reset-password") {
			t.Errorf("mailed %s", again)
		}
	})
}

func TestWithoutMailNoLinkIsPromised(t *testing.T) {
	t.Parallel()
	oneServer(t, func(t *testing.T, s *testServer) {
		b := s.NewBrowser(t)
		b.Get(t, "/mail-link").Want(t, http.StatusNotFound)
		b.Post(t, "/mail-link", url.Values{"email": {"ada@example.com"}}).Want(t, http.StatusConflict)
		if page := b.Get(t, "/sign-in").Want(t, http.StatusOK); strings.Contains(page.Body, "/mail-link") {
			t.Error("the page for signing in leads there")
		}
	})
}

func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		post := mailtest.Start(t)
		s := startServer(t, db, withMail(post))
		ada := s.NewFounder(t, "ada@example.com")
		got := s.As(t, ada.Key, "POST", ada.Members(), object{"email": "new@example.com", "role": "viewer"}).Want(t,
			http.StatusCreated)
		if got.Has("inviteUrl") {
			t.Errorf("the one who invited got the link too: %s", got.Body)
		}
		link := mailedLink(t, post, "new@example.com")
		s.NewBrowser(t).Accept(t, link, "Newcomer").Want(t, http.StatusSeeOther)
		if n := len(s.memberList(t, ada).Data); n != 2 {
			t.Errorf("there are %d members, want 2", n)
		}
		s.As(t, ada.Key, "POST", ada.Members(), object{"email": "new2@example.com", "role": "viewer",
			"teamIds": []any{unknownID}}).Want(t, http.StatusBadRequest)
		s.As(t, ada.Key, "POST", ada.Members(), object{"email": "new3@example.com", "role": "viewer"}).Want(t,
			http.StatusCreated)
		mailedLink(t, post, "new3@example.com") // and no mail to new2, whose invitation was refused
	})
}
