package api_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"crier/internal/server/servertest"
)

// consentWorld has a user who starts connections, and another user.
type consentWorld struct {
	*engine
	ada, grace servertest.Founder
	// own is the browser of the signed-in user.
	own *servertest.Browser
	// person starts connections with the user's own token.
	person crew
}

func newConsentWorld(t *testing.T, db database) consentWorld {
	t.Helper()
	w := consentWorld{engine: startEngine(t, db, servertest.WithReachableMedia(t))}
	w.ada, w.grace = w.NewFounder(t, "ada@example.com"), w.NewFounder(t, "grace@example.com")
	w.own = w.NewBrowser(t)
	w.own.SignIn(t, w.ada.Email)
	w.person = crew{Tenant: w.ada.Tenant}
	w.person.Key = w.LogIn(t, w.own).Text(t, "access_token")
	return w
}

// startConnection returns the path of the callback of a granted consent.
func (w consentWorld) startConnection(t *testing.T, c crew, network string) string {
	t.Helper()
	return strings.TrimPrefix(w.Consent(t, c, network, "ann"), w.URL)
}

// connected counts the accounts of the user's team.
func (w consentWorld) connected(t *testing.T) int64 {
	t.Helper()
	return w.Number(t, `SELECT count(*) FROM social_accounts WHERE team_id = $1`, w.ada.Team)
}

var confirmationField = regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]+)"`)

// confirmation returns the form of a confirmation page.
func confirmation(t *testing.T, page servertest.PageSeen) url.Values {
	t.Helper()
	form := url.Values{}
	for _, field := range confirmationField.FindAllStringSubmatch(page.Want(t, http.StatusOK).Body, -1) {
		form.Set(field[1], field[2])
	}
	if form.Get("state") == "" || form.Get("account") == "" {
		t.Fatalf("nobody is asked: %s", page.Body)
	}
	return form
}

func wantSentBack(t *testing.T, page servertest.PageSeen, with string) {
	t.Helper()
	to := page.Want(t, http.StatusSeeOther).Header.Get("Location")
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, servertest.Back) || u.Query().Get(with) == "" {
		t.Errorf("the browser is sent to %q, want %s with %s (%v)", to, servertest.Back, with, err)
	}
}

func TestConsentByAnotherPersonNeedsConfirmation(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		w := newConsentWorld(t, db)
		other, left := w.NewBrowser(t), w.NewBrowser(t)
		other.SignIn(t, w.grace.Email)
		left.SignIn(t, w.ada.Email)
		left.Post(t, "/sign-out", url.Values{}).Want(t, http.StatusSeeOther)
		key := crew{Tenant: w.ada.Tenant}
		for name, c := range map[string]struct {
			by crew
			in *servertest.Browser
		}{
			"another person's browser":       {w.person, other},
			"a browser without a session":    {w.person, w.NewBrowser(t)},
			"a browser that was signed out":  {w.person, left},
			"a key, and its maker's browser": {key, w.own},
			"a key, and no session":          {key, w.NewBrowser(t)},
		} {
			before := w.connected(t)
			callback := w.startConnection(t, c.by, "x")
			confirmPage := c.in.Get(t, callback)
			form := confirmation(t, confirmPage)
			if w.connected(t) != before {
				t.Errorf("%s: connected without a confirmation", name)
			}
			if !strings.Contains(confirmPage.Body, "Organization of ada@example.com") ||
				!strings.Contains(confirmPage.Header.Get("Content-Security-Policy"),
					"form-action 'self' https://dashboard.crier.test;") {
				t.Errorf("%s: asked by %v %s", name, confirmPage.Header, confirmPage.Body)
			}
			wantSentBack(t, c.in.Post(t, "/oauth/x/choose", form), "socialAccountIds")
			w.Exec(t, `DELETE FROM social_accounts WHERE team_id = $1`, w.ada.Team)
		}
		wantSentBack(t, w.own.Get(t, w.startConnection(t, w.person, "x")), "socialAccountIds")
		if n := w.connected(t); n != 1 {
			t.Errorf("%d accounts are connected for who began it, want 1", n)
		}
	})
}

func TestConsentConfirmationCannotBeForged(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		w := newConsentWorld(t, db)
		victim, attacker := w.NewBrowser(t), w.own
		victim.SignIn(t, w.grace.Email)
		callback := w.startConnection(t, w.person, "x")
		started, err := url.Parse(callback)
		if err != nil {
			t.Fatal(err)
		}
		form := confirmation(t, victim.Get(t, callback))
		with := func(name, value string) url.Values {
			changed := url.Values{"state": form["state"], "account": form["account"]}
			changed.Set(name, value)
			return changed
		}
		foreign := confirmation(t, victim.Get(t, w.startConnection(t, w.person, "threads")))
		for name, try := range map[string]struct {
			status int
			page   servertest.PageSeen
		}{
			"the state that the beginner knows": {http.StatusNotFound,
				attacker.Post(t, "/oauth/x/choose", with("state", started.Query().Get("state")))},
			"no state": {http.StatusNotFound, attacker.Post(t, "/oauth/x/choose", with("state", ""))},
			"the state of another consent": {http.StatusNotFound,
				attacker.Post(t, "/oauth/x/choose", with("state", foreign.Get("state")))},
			"another network": {http.StatusNotFound, attacker.Post(t, "/oauth/threads/choose", form)},
			"another account": {http.StatusBadRequest,
				victim.Post(t, "/oauth/x/choose", with("account", "1"))},
			"the callback by its beginner": {http.StatusNotFound, attacker.Get(t, callback)},
			"a form of another site": {http.StatusForbidden, victim.Send(t, http.MethodPost, "/oauth/x/choose", form,
				map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"})},
		} {
			if try.page.Status != try.status {
				t.Errorf("%s: %d, want %d: %s", name, try.page.Status, try.status, try.page.Body)
			}
		}
		if n := w.connected(t); n != 0 {
			t.Errorf("%d accounts were connected", n)
		}
		before := w.box.Calls(t, "x", "connect")
		wantSentBack(t, victim.Post(t, "/oauth/x/choose", with("decision", "decline")), "error")
		if calls := w.box.Calls(t, "x", "connect") - before; calls != 2 || // the refresh token and the access token
			strings.Contains(w.Log.String(), "could not revoke") {
			t.Errorf("%d tokens were revoked at the network", calls)
		}
		victim.Post(t, "/oauth/x/choose", form).Want(t, http.StatusNotFound)
		if n := w.connected(t); n != 0 {
			t.Errorf("%d accounts were connected after the connection was declined", n)
		}
		wantSentBack(t, victim.Post(t, "/oauth/threads/choose", foreign), "socialAccountIds")
		victim.Post(t, "/oauth/threads/choose", foreign).Want(t, http.StatusNotFound)
		late := confirmation(t, victim.Get(t, w.startConnection(t, w.person, "x")))
		w.Exec(t, `UPDATE connections SET expires_at = (SELECT created_at FROM teams WHERE id = team_id)`)
		victim.Post(t, "/oauth/x/choose", late).Want(t, http.StatusNotFound)
		if n := w.connected(t); n != 1 {
			t.Errorf("%d accounts are connected, want the confirmed one", n)
		}
	})
}
