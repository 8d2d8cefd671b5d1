package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/mail/mailtest"
	"crier/internal/store"
)

func (p founder) invitations(rest ...string) string {
	return path("/v1/organizations/%s/invitations", p.organization) + strings.Join(append([]string{""}, rest...), "/")
}

func (s *server) openInvitations(tb testing.TB, p founder) crier.Page[crier.Invitation] {
	tb.Helper()
	var page crier.Page[crier.Invitation]
	s.as(tb, p.key, "GET", p.invitations(), nil).want(tb, http.StatusOK).into(tb, &page)
	if page.Total != int64(len(page.Data)) {
		tb.Errorf("the total is %d, but there are %d invitations", page.Total, len(page.Data))
	}
	return page
}

func TestOpenInvitationsAreListedAndWithdrawn(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		c := &clock{}
		s := startServer(t, db, withRole("api"), withClock(c))
		ada := s.newFounder(t, "ada@example.com")
		first := s.invite(t, ada.key, ada, object{"email": "new@example.com", "role": "viewer"})
		second := s.invite(t, ada.key, ada, object{"email": "New@Example.com", "role": "editor", "teamIds": []any{ada.team}})
		s.browser(t).get(t, first).want(t, http.StatusNotFound) // the newer one has taken its place
		open := s.openInvitations(t, ada).Data
		if len(open) != 1 || open[0].Email != "new@example.com" || open[0].Role != "editor" || len(open[0].TeamIDs) != 1 || open[0].InviteURL != "" {
			t.Fatalf("the invitations are %+v", open)
		}
		id := string(open[0].ID)
		other := s.newFounder(t, "grace@example.com")
		s.as(t, other.key, "DELETE", other.invitations(id), nil).want(t, http.StatusNotFound)
		s.as(t, ada.key, "DELETE", ada.invitations(id), nil).want(t, http.StatusOK)
		s.as(t, ada.key, "DELETE", ada.invitations(id), nil).want(t, http.StatusNotFound)
		s.browser(t).get(t, second).want(t, http.StatusNotFound)
		s.browser(t).accept(t, second, "Newcomer").want(t, http.StatusNotFound)
		s.joinAs(t, ada, "joined@example.com", object{"role": "viewer"})
		s.as(t, ada.key, "POST", ada.members(), object{"email": "joined@example.com", "role": "viewer"}).wantError(t, http.StatusConflict, "Conflict")
		s.invite(t, ada.key, ada, object{"email": "late@example.com", "role": "viewer"})
		c.advance(crier.InvitationLife)
		if left := s.openInvitations(t, ada).Data; len(left) != 0 {
			t.Errorf("accepted, withdrawn and expired invitations are listed: %+v", left)
		}
	})
}

func TestAnInvitationDoesNotTellWhetherTheAddressHasAnAccount(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	ada, grace := s.newFounder(t, "ada@example.com"), s.newFounder(t, "grace@example.com")
	tokens := regexp.MustCompile(`value="[^"]*"`)
	// seen is what somebody sees who opens the link of an address and tries something.
	seen := func(email string, tries ...url.Values) string {
		link := s.invite(t, ada.key, ada, object{"email": email, "role": "viewer"})
		_, token, _ := strings.Cut(link, "token=")
		b := s.browser(t)
		out := b.get(t, link).want(t, http.StatusOK).body
		for _, try := range tries {
			try.Set("token", token)
			page := b.post(t, "/invitation", try)
			out += http.StatusText(page.status) + page.body
		}
		return strings.ReplaceAll(tokens.ReplaceAllString(out, ""), email, "")
	}
	tries := []url.Values{{"password": {"not the password"}}, {"name": {"Eve"}, "password": {"short"}}, {"name": {"E"}, "password": {passphrase}}}
	if known, unknown := seen(grace.email, tries...), seen("nobody@example.com", tries...); known != unknown {
		t.Errorf("with an account:\n%s\nwithout:\n%s", known, unknown)
	}
}

func TestTheLinkOfAnInvitationIsForOneAddressAndCannotBeMadeUp(t *testing.T) {
	t.Parallel()
	s := startServer(t, databases.Fresh(t, store.SQLite), withRole("api"))
	ada := s.newFounder(t, "ada@example.com")
	_, token, _ := strings.Cut(s.invite(t, ada.key, ada, object{"email": "new@example.com", "role": "viewer"}), "token=")
	id, signature, _ := strings.Cut(token, ".")
	b := s.browser(t)
	for _, forged := range []string{"", id, id + ".", "." + signature, unknownID + "." + signature, token + "A", strings.ToUpper(token)} {
		b.get(t, "/invitation?token="+url.QueryEscape(forged)).want(t, http.StatusNotFound)
	}
	b.post(t, "/invitation", url.Values{"token": {token}, "name": {"New"}, "password": {passphrase}, "email": {"other@example.com"}}).want(t, http.StatusSeeOther)
	if page := b.get(t, "/account").want(t, http.StatusOK); !strings.Contains(page.body, "new@example.com") || strings.Contains(page.body, "other@example.com") {
		t.Errorf("joined with another address: %s", page.body)
	}
}

// mailedLink is the way in the message that an address got.
func mailedLink(tb testing.TB, server *mailtest.Server, to string) string {
	tb.Helper()
	select {
	case m := <-server.Messages:
		text := strings.ReplaceAll(strings.ReplaceAll(m.Data, "=\n", ""), "=3D", "=")
		found := regexp.MustCompile(`http://crier\.test(/invitation\?token=\S+)`).FindStringSubmatch(text)
		if m.To != "TO:<"+to+">" || found == nil {
			tb.Fatalf("the message is %+v", m)
		}
		return found[1]
	case <-time.After(20 * time.Second):
		tb.Fatal("no mail came")
	}
	return ""
}

func TestInvitationsAreMailedWhereMailCanBeSent(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		post := mailtest.Start(t)
		s := startServer(t, db, func(a *app) {
			a.config.smtpURL, a.config.mailFrom = "smtp://"+post.Addr+"?tls=off", "crier <noreply@example.com>"
		})
		ada := s.newFounder(t, "ada@example.com")
		got := s.as(t, ada.key, "POST", ada.members(), object{"email": "new@example.com", "role": "viewer"}).want(t, http.StatusCreated)
		if got.has("inviteUrl") {
			t.Errorf("the one who invited got the link too: %s", got.body)
		}
		link := mailedLink(t, post, "new@example.com")
		s.browser(t).accept(t, link, "Newcomer").want(t, http.StatusSeeOther)
		if n := len(s.memberList(t, ada).Data); n != 2 {
			t.Errorf("there are %d members, want 2", n)
		}
		s.as(t, ada.key, "POST", ada.members(), object{"email": "new2@example.com", "role": "viewer", "teamIds": []any{unknownID}}).want(t, http.StatusBadRequest)
		s.as(t, ada.key, "POST", ada.members(), object{"email": "new3@example.com", "role": "viewer"}).want(t, http.StatusCreated)
		mailedLink(t, post, "new3@example.com") // and none to new2, whose invitation was refused
	})
}
