package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestBrowserFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/")
	b.waitFor(`document.querySelector('[data-day]')`)
	type load struct {
		Requests, Script int
		Uncompressed     []string
	}
	got := evaluate[load](b, `(() => {
		const all = performance.getEntriesByType('resource')
		const scripts = all.filter(r => r.name.endsWith('.js'))
		return {Requests: all.length + 1, Script: scripts.reduce((n, r) => n + r.encodedBodySize, 0),
			Uncompressed: scripts.filter(r => r.decodedBodySize > 2000 && r.encodedBodySize >= r.decodedBodySize)
				.map(r => r.name)}
	})()`)
	if got.Requests > 20 || got.Script > 150_000 || got.Script == 0 || len(got.Uncompressed) > 0 {
		t.Errorf("the first load: %+v, want at most 20 requests and 150 kB of compressed script", got)
	}
	t.Logf("the first load: %d requests, %d bytes of script", got.Requests, got.Script)
}

func TestBrowserCalendarKeys(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.waitFor(`document.querySelector('[data-day]')`)
	for _, step := range []struct{ key, comes string }{
		{"w", `location.search.includes('view=week') && document.querySelectorAll('[data-column]').length === 7`},
		{"d", `location.search.includes('view=day') && document.querySelectorAll('[data-column]').length === 1`},
		{keyRight, `location.search.includes('date=')`},
		{"t", `!location.search.includes('date=')`},
		{"a", `location.search.includes('view=agenda')`},
		{"m", `document.querySelectorAll('[data-day]').length >= 28`},
		{"n", `location.pathname === '/app/compose'`},
	} {
		b.press(step.key)
		b.waitFor(step.comes)
	}
}

func TestBrowserFreeSlotOpensTheComposer(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	for text, from := range map[string]string{"From the calendar": "/app/?view=month", "From the queue": "/app/queue"} {
		s.tab.open(from)
		s.tab.click(`[data-ghost], main a[href*="at="]`, "lot")
		s.tab.waitFor(`document.querySelector('section[aria-label=Accounts] input')`)
		s.tab.run(chromedp.Evaluate[chromedp.Void](`document.querySelector('section[aria-label=Accounts] input').click()`))
		s.tab.fill(`textarea[aria-label=Text]`, text)
		s.tab.waitFor(`[...document.querySelectorAll('button')].some(e => /^Schedule 1 post for .* credits/.test(e.innerText))`)
		if h := evaluate[int](s.tab, `document.querySelector('input[type=time]').closest('fieldset').parentElement.offsetHeight`); h > 50 {
			t.Errorf("time and button take %d pixels, more than one row", h)
		}
		s.tab.click("button", "Schedule 1 post for")
		s.tab.waitFor(fmt.Sprintf(`location.pathname + location.search === %q`, from))
		s.tab.waitForText("Scheduled 1 post for", text)
		s.tab.click("a", "New post") // the toast stays above the bar of the next one
		s.tab.waitFor(`document.querySelector('input[name=when]')?.closest('fieldset').getBoundingClientRect().top >=
			[...document.querySelectorAll('button')].find(b => b.innerText === 'Undo')?.getBoundingClientRect().bottom`)
	}
}

func TestBrowserDialogFocusesItsFirstField(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/settings/members")
	b.click("button", "Invite somebody")
	b.waitFor(`document.querySelector('dialog[open]') && document.activeElement.type === 'email'`)
	if evaluate[bool](b, `document.querySelector('[aria-label^="Remove "]') !== null`) {
		t.Error("the only owner can be removed")
	}
}

func TestBrowserSearchesPosts(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	e.NewPost(t, e.crew, "Fresh bread from seven o'clock")
	post := e.NewPost(t, e.crew, "Behind the counter")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.click("button", "Find")
	b.fill("dialog input", "behind")
	b.waitFor(`[...document.querySelectorAll('dialog [role=option]')].map(o => o.innerText).join() ===
		'Behind the counter\nPost'`)
	b.press(keyEnter)
	b.waitFor(fmt.Sprintf(`location.pathname === '/app/posts/%s'`, post))
}

func TestBrowserCalendarGoesOnWithTheDays(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	for _, page := range []struct{ address, today string }{
		{"/app/?view=agenda", `document.querySelector('h2[aria-current=date]')?.innerText`},
		{"/app/?view=day", `document.querySelector('h1')?.innerText`},
	} {
		b.open(page.address)
		b.waitFor(page.today)
		today := evaluate[string](b, page.today)
		// Overnight; in the morning somebody looks at the window again.
		b.do(`const now = Date.now; Date.now = () => now() + 24 * 3600e3
			document.dispatchEvent(new Event('visibilitychange'))`)
		b.waitFor(fmt.Sprintf(`%s && %s !== %q`, page.today, page.today, today))
	}
}
