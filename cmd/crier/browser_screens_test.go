package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/oauth"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// loaded is true when the page has finished loading.
const loaded = `document.querySelector('main h1') && !document.querySelector('main [class*=loading]')`

func TestBrowserEveryScreenIsAccessible(t *testing.T) {
	t.Parallel()
	s := newShowcase(t, servertest.Databases.Fresh(t, store.SQLite))
	screens := map[string]string{
		"month": "/app/?view=month", "week": "/app/?view=week", "day": "/app/?view=day", "agenda": "/app/?view=agenda",
		"queue": "/app/queue", "slots": "/app/slots", "compose": "/app/compose", "edit": "/app/compose/" + s.planned,
		"posts": "/app/posts", "post": "/app/posts/" + s.published, "failed": "/app/posts/" + s.failed,
		"numbers": "/app/posts/" + s.published + "?tab=numbers",
		"draft":   "/app/posts/" + s.draft, "attention": "/app/attention", "media": "/app/media",
		"analytics": "/app/analytics?by=provider&days=90", "accounts": "/app/accounts",
		"team": "/app/settings/team", "tags": "/app/settings/tags", "organization": "/app/settings/organization",
		"members": "/app/settings/members", "keys": "/app/settings/keys", "webhooks": "/app/settings/webhooks",
		"credits": "/app/settings/credits", "audit": "/app/settings/audit", "profile": "/app/settings/profile",
		"welcome": "/app/welcome", "welcome-times": "/app/welcome?step=2", "welcome-post": "/app/welcome?step=3",
		"nowhere": "/app/no/such/page",
	}
	for _, size := range []viewport{desk, phone} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			t.Parallel()
			b := openTab(t, s.testServer, size)
			b.signIn("ada@example.com")
			for name, address := range screens {
				b.prefer("light")
				b.open(address)
				b.waitFor(loaded)
				b.wantBothSchemes(name)
			}
		})
	}
}

// The pages that the server renders itself: those without a session, and those that programs and networks lead to.
func TestBrowserPagesOutsideTheDashboardAreAccessible(t *testing.T) {
	t.Parallel()
	const back = "http://127.0.0.1:5000/callback"
	withOAuthAndMail := func(c *server.Config) {
		c.OAuthClients = []oauth.Client{{ID: "tool", Name: "The tool", RedirectURIs: []string{back}, Configured: true}}
		c.SMTPURL, c.MailFrom = "smtp://127.0.0.1:1", "crier <noreply@example.com>" // nothing is sent
	}
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"),
		servertest.WithReachableMedia(t), withOAuthAndMail)
	e.signUp(t, e.crew, "ada@example.com")
	authorize := "/oauth/authorize?" + url.Values{"client_id": {"tool"}, "redirect_uri": {back},
		"response_type": {"code"}, "code_challenge": {strings.Repeat("a", 43)},
		"code_challenge_method": {"S256"}}.Encode()
	for _, size := range []viewport{desk, phone} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			t.Parallel()
			b := openTab(t, e.testServer, size)
			b.wantPage("sign-in", "/sign-in", "Sign in")
			b.wantPage("mail-link", "/mail-link", "Get your link")
			b.signIn("ada@example.com")
			b.wantPage("authorize", authorize, "Let The tool in?")
			b.wantPage("device", "/device", "Let a device in")
			b.wantPage("account", "/account", "Ada Lovelace")
			var to struct{ AuthorizationURL string }
			e.Call(t, e.crew, "POST", "social-accounts/connect", object{"provider": "facebook"}).Want(t,
				http.StatusOK).Into(t, &to)
			b.url = ""
			b.open(to.AuthorizationURL)
			b.wantBothSchemes("consent")
			b.fill(`input[name=name]`, fmt.Sprint("bakery", size.width))
			b.click(`button.allow`, "Allow")
			b.waitFor(`document.querySelector('h1')?.innerText.includes('Which accounts')`)
			b.wantBothSchemes("choose")
		})
	}
}

// wantPage opens a page of the server, with this title, and checks it in both color schemes.
func (b *tab) wantPage(name, address, title string) {
	b.tb.Helper()
	b.prefer("light")
	b.open(address)
	b.waitFor(fmt.Sprintf(`document.querySelector('h1').innerText === %q`, title))
	b.wantBothSchemes(name)
}

// wantBothSchemes checks the open page in the light and then in the dark scheme.
func (b *tab) wantBothSchemes(name string) {
	b.tb.Helper()
	b.prefer("light")
	b.waitFor(`!matchMedia('(prefers-color-scheme: dark)').matches`)
	b.wantHealthyPage(name)
	// The same page in the dark scheme: its colors differ, and the parts that it draws itself follow.
	b.prefer("dark")
	b.waitFor(`matchMedia('(prefers-color-scheme: dark)').matches`)
	b.wantHealthyPage(name+" dark", "color-contrast", "link-in-text-block")
}

// wantHealthyPage fails the test when the page shows an error, has accessibility problems (by the named rules of axe,
// or all), or is wider than the window.
func (b *tab) wantHealthyPage(name string, rules ...string) {
	b.tb.Helper()
	if evaluate[bool](b, `document.querySelector('main [role=alert]') !== null`) {
		b.tb.Errorf("%s failed: %s", name, b.text())
	}
	b.wantAccessible(name, rules...)
	b.screenshot(name)
	b.wantNoOverflow(name)
}

// wantNoOverflow fails the test when the page, or a scrolling part of it, is wider than the window.
func (b *tab) wantNoOverflow(name string) {
	b.tb.Helper()
	if wide := evaluate[int](b, `Math.max(document.documentElement.scrollWidth - innerWidth,
		...[...document.querySelectorAll('main')].map(m => m.scrollWidth - m.clientWidth))`); wide > 0 {
		b.tb.Errorf("%s is %d pixels wider than the window", name, wide)
	}
}

func TestBrowserViewerSeesNoForbiddenButtons(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	post := e.NewPost(t, e.crew, "To be looked at")
	e.ScheduleIn(t, e.crew, post, 24*time.Hour, crier.Targets{SocialAccountIDs: e.IDs()})
	e.Exec(t, `UPDATE memberships SET role = 'viewer' WHERE organization_id = $1`, e.crew.Organization)
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.waitFor(fmt.Sprintf(`document.querySelector('[data-post="%s"]')`, post))
	for what, selector := range map[string]string{
		"a card that can be moved": `[data-card]`, "a way to the composer": `[href^="/app/compose"]`,
		"a new post on a day": `[data-new]`,
	} {
		if n := evaluate[int](b, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector)); n > 0 {
			t.Errorf("a viewer is shown %s", what)
		}
	}
	b.open("/app/slots")
	b.waitFor(loaded)
	if evaluate[bool](b, `document.body.innerText.includes('Add a slot')`) {
		t.Error("a viewer is shown how to add a slot")
	}
	// Pages with fewer buttons are laid out correctly too.
	b = openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	for _, page := range []string{"", "queue", "posts", "posts/" + post, "attention", "media", "accounts", "slots"} {
		b.open("/app/" + page)
		b.waitFor(loaded)
		b.wantNoOverflow("a viewer's " + page)
		b.screenshot("viewer " + page)
	}
}

func TestBrowserOtherOriginsCannotFrameOrRead(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<h1>Elsewhere</h1><iframe src="%s/app/"></iframe>`, e.URL)
	}))
	t.Cleanup(evil.Close)
	foreign := strings.Replace(evil.URL, "127.0.0.1", "localhost", 1) // another site, not just another port
	b.url = foreign
	b.open("/")
	b.waitFor(`document.readyState === 'complete'`)
	if evaluate[bool](b, `(() => { try { return frames[0].location.href !== '' && frames[0].document.body.innerText.includes('Calendar') }
		catch { return false } })()`) {
		t.Error("the dashboard can be framed")
	}
	got := evaluate[string](b, fmt.Sprintf(`fetch(%q, {credentials: 'include', headers: {'X-Crier-Request': '1'}})
		.then(r => r.text(), e => 'refused')`, e.URL+"/v1/agent/context"))
	if got != "refused" {
		t.Errorf("another origin reads %s", got)
	}
	status := evaluate[string](b, fmt.Sprintf(`fetch(%q, {method: 'POST', mode: 'no-cors', credentials: 'include',
		body: JSON.stringify({name: 'Stolen'})}).then(r => r.type, e => 'refused')`, e.URL+"/v1/organizations"))
	if n := e.Number(t, `SELECT count(*) FROM organizations WHERE name = 'Stolen'`); n != 0 {
		t.Errorf("another origin made an organization (%s)", status)
	}
}
