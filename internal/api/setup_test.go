package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"crier/internal/auth"

	"crier/internal/service"
)

const ownerPassword = "correct horse <battery>"

func ownerForm(token string) url.Values {
	return url.Values{"token": {token}, "name": {" Ada Lovelace "}, "email": {"ada@example.com "},
		"password": {ownerPassword}}
}

func TestSetupLinkWorksOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	token := s.tenant.SetupToken
	s.get(t, "/setup?token="+token).hasStatus(t, http.StatusOK)
	done := s.post(t, "/setup", ownerForm(token))
	done.hasStatus(t, http.StatusSeeOther)
	if got := done.header.Get("Location"); got != "/setup/done" {
		t.Errorf("goes on at %q", got)
	}
	var name, hash string
	row := s.store.Reader().QueryRowContext(t.Context(),
		`SELECT name, password_hash FROM users WHERE email = 'ada@example.com'`)
	requireNoError(t, row.Scan(&name, &hash))
	if name != "Ada Lovelace" || !auth.CheckPassword(ownerPassword, hash) {
		t.Errorf("kept the name %q and a password that fits: %v", name, auth.CheckPassword(ownerPassword, hash))
	}

	again := ownerForm(token)
	again.Set("email", "eve@example.com")
	for _, a := range []*pageAnswer{s.get(t, "/setup?token="+token), s.post(t, "/setup", again)} {
		a.hasStatus(t, http.StatusNotFound)
		a.wantText(t, "This set-up link does not work")
		a.wantText(t, "crier admin create-organization")
	}
	var others int
	requireNoError(t, s.store.Reader().QueryRowContext(t.Context(),
		`SELECT count(*) FROM users WHERE email = 'eve@example.com'`).Scan(&others))
	if others != 0 {
		t.Error("the second use changed the owner")
	}
}

func TestSetupLinkExpires(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.time = s.time.Add(7*24*time.Hour - time.Second)
	s.get(t, "/setup?token="+s.tenant.SetupToken).hasStatus(t, http.StatusOK)
	s.time = s.time.Add(time.Second)
	s.get(t, "/setup?token="+s.tenant.SetupToken).hasStatus(t, http.StatusNotFound)
	s.post(t, "/setup", ownerForm(s.tenant.SetupToken)).hasStatus(t, http.StatusNotFound)
}

func TestSetupShowsErrorsNextToFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	form := url.Values{"token": {s.tenant.SetupToken}, "name": {"x"}, "email": {`"><script>alert(1)</script>`},
		"password": {"hush"}}
	a := s.post(t, "/setup", form)
	a.hasStatus(t, http.StatusBadRequest)
	checkPolicy(t, "/setup", a)
	for id, want := range map[string]string{
		"name-problem": "Name must be 2 to 64 characters long after trimming, got 1.",
		"email-problem": "E-mail address must be an e-mail address of at most 254 characters, such as " +
			"ada@example.com.",
		"password-problem": "Password must be 10 to 200 characters long.",
	} {
		if n := a.element(id); n == nil || n.FirstChild.Data != want {
			t.Errorf("%s does not say %q: %s", id, want, a.text())
		}
	}
	for id, want := range map[string]string{"name": "x", "email": `"><script>alert(1)</script>`, "password": ""} {
		if got := attribute(a.element(id), "value"); got != want {
			t.Errorf("the field %s has %q, want %q", id, got, want)
		}
	}
	if strings.Contains(a.body, "hush") {
		t.Error("the password was sent back")
	}
	s.post(t, "/setup", ownerForm(s.tenant.SetupToken)).hasStatus(t, http.StatusSeeOther)
}

func TestSetupRejectsATakenEmail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	second, err := s.services.Instance.CreateTenant(t.Context(), service.TenantRequest{Name: "Second"})
	requireNoError(t, err)
	s.post(t, "/setup", ownerForm(s.tenant.SetupToken)).hasStatus(t, http.StatusSeeOther)
	a := s.post(t, "/setup", ownerForm(second.SetupToken))
	a.hasStatus(t, http.StatusConflict)
	if n := a.element("email-problem"); n == nil || n.FirstChild.Data != "Somebody uses this e-mail address already." {
		t.Errorf("not told beside the field: %s", a.text())
	}
	form := ownerForm(second.SetupToken)
	form.Set("email", "grace@example.com")
	s.post(t, "/setup", form).hasStatus(t, http.StatusSeeOther)
}

func TestSetupTokenStaysInTheForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	token := s.tenant.SetupToken
	wrong := ownerForm(token)
	wrong.Set("password", "short")
	for _, a := range []*pageAnswer{s.get(t, "/setup?token="+token), s.post(t, "/setup", wrong),
		s.post(t, "/setup", ownerForm(token))} {
		if got := a.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control %q", got)
		}
		for name, values := range a.header {
			if strings.Contains(strings.Join(values, " "), token) {
				t.Errorf("the header %s has the token", name)
			}
		}
		for n := range a.root.Descendants() {
			for _, at := range n.Attr {
				if strings.Contains(at.Val, token) && !isTokenInput(n, at) {
					t.Errorf("<%s %s> has the token", n.Data, at.Key)
				}
			}
		}
		if strings.Contains(a.text(), token) {
			t.Error("the page shows the token")
		}
	}
	if got := s.get(t, "/setup?token="+token).header.Get("Referrer-Policy"); got != "strict-origin" {
		t.Errorf("Referrer-Policy %q tells more than the origin", got)
	}
	if strings.Contains(s.log.String(), token) {
		t.Error("the log has the token")
	}
}

func isTokenInput(n *html.Node, at html.Attribute) bool {
	return n.Data == "input" && at.Key == "value" && attribute(n, "type") == "hidden" && attribute(n, "name") == "token"
}

func TestSetupReadsTheTokenOnlyFromTheBody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	form := ownerForm(s.tenant.SetupToken)
	form.Del("token")
	s.post(t, "/setup?token="+s.tenant.SetupToken, form).hasStatus(t, http.StatusNotFound)
	s.get(t, "/setup?token="+s.tenant.SetupToken).hasStatus(t, http.StatusOK)
}
