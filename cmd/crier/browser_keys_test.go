package main

import (
	"fmt"
	"net/http"
	"testing"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

// A disabled button loses the focus, and a keyboard begins again at the top of the page.
func TestBrowserBusyButtonKeepsTheFocus(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/settings/team")
	b.fill("input[name=name]", "Corner Bakery")
	b.do(`window.sent = 0
		window.ask = window.fetch
		window.fetch = r => r.method === 'PATCH'
			? (window.sent++, new Promise(go => { window.go = () => go(window.ask(r)) })) : window.ask(r)`)
	b.do(`[...document.querySelectorAll('main button')].find(e => e.innerText === 'Save').focus()`)
	b.press(keyEnter)
	const busy = `document.activeElement.innerText === 'Save' && document.activeElement.ariaBusy === 'true'`
	b.waitFor(busy)
	b.wantAccessible("busy")
	b.screenshot("busy")
	b.press(keyEnter, keySpace)
	b.do(`document.querySelector('input[name=name]').focus()`)
	b.press(keyEnter)
	b.do(`[...document.querySelectorAll('main button')].find(e => e.innerText === 'Save').focus(); window.go()`)
	b.waitForText("The team is saved")
	b.waitFor(`document.activeElement.innerText === 'Save' && document.activeElement.ariaBusy === null`)
	if n := evaluate[int](b, `window.sent`); n != 1 {
		t.Errorf("it was saved %d times", n)
	}
}

// A browser shows a file that nothing takes in the place of the page.
func TestBrowserRefusesFilesThatAreDroppedBeside(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	b := s.tab
	b.open("/app/compose")
	b.waitFor(`document.querySelector('textarea')`)
	const drop = `(selector, type) => {
		const dataTransfer = new DataTransfer()
		dataTransfer.items.add(new File(['%%PDF'], 'menu.pdf', {type: 'application/pdf'}))
		const at = document.querySelector(selector)
		return ['dragover', 'drop'].map(name =>
			at.dispatchEvent(new DragEvent(name, {dataTransfer, bubbles: true, cancelable: true}))).join()
	}`
	for _, selector := range []string{"h1", "nav", "textarea"} {
		if got := evaluate[string](b, fmt.Sprintf(`(%s)(%q)`, drop, selector)); got != "false,false" {
			t.Errorf("a file over %s is left to the browser: %s", selector, got)
		}
	}
	b.waitForText("menu.pdf") // where it belongs it is taken
	if n := evaluate[int](b, `[...document.querySelectorAll('[aria-label^="Cancel the upload"], [aria-label="Remove menu.pdf"]')].length`); n != 1 {
		t.Errorf("%d files were taken", n)
	}
}

func TestBrowserPaletteTellsWhatItFoundYet(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.do(`window.ask = window.fetch
		window.fetch = r => r.url?.includes('q=') ? new Promise(go => { window.go = go }) : window.ask(r)`)
	answer := func(status int, body string) {
		b.waitFor(`window.go`)
		b.do(fmt.Sprintf(`window.go(new Response(%q, {status: %d, headers: {'Content-Type': 'application/json'}}))
			window.go = null`, body, status))
	}
	b.click("button", "Find")
	b.fill("dialog input", "zwieback")
	b.waitFor(`document.querySelector('dialog [role=status]').innerText === 'Searching posts…'`)
	answer(http.StatusOK, `{"data": [], "total": 0, "nextCursor": null}`)
	b.waitFor(`document.querySelector('dialog [role=status]').innerText.startsWith('Nothing has this name')`)
	b.fill("dialog input", "stollen")
	answer(http.StatusForbidden, `{"_tag": "Forbidden", "message": "It is not allowed any more."}`)
	b.waitFor(`document.querySelector('dialog [role=status]').innerText.includes('It is not allowed any more')`)
	b.wantAccessible("refused")
	// Who chooses the letters of a word with Enter does not choose what it leads to.
	b.fill("dialog input", "que")
	b.waitFor(`document.querySelector('dialog [aria-selected=true]')?.innerText.includes('Queue')`)
	b.do(`document.querySelector('dialog input').dispatchEvent(
		new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))`)
	b.press("u")
	b.waitFor(`document.querySelector('dialog input')?.value === 'queu'`)
	b.press(keyEnter)
	b.waitFor(`location.pathname === '/app/queue'`)
}

func TestBrowserShowsWhichColorsAreChosen(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	for _, theme := range []string{"Dark", "Light", "Colours of the system"} {
		b.click("nav button", "Signed in as")
		b.click("[role=menu]:popover-open [role=menuitemradio]", theme)
		b.click("nav button", "Signed in as")
		b.waitFor(fmt.Sprintf(`document.querySelector('[role=menu]:popover-open [aria-checked=true]')?.innerText === %q`, theme))
		b.press(keyEscape)
	}
}

// Fields of dates are typed part by part: a year begins with one digit.
func TestBrowserDatesCanBeTyped(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "youtube")
	s.start(t)
	b := s.tab
	b.open("/app/compose")
	b.click("section[aria-label=Accounts] label", "YouTube")
	b.waitFor(`[...document.querySelectorAll('summary')].some(s => s.innerText.includes('YouTube settings'))`)
	b.do(`for (const d of document.querySelectorAll('details')) d.open = true`)
	b.click("label", "Publish it again and again")
	field := func(label string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('label')].find(l => l.innerText === %q).parentElement.querySelector('input')`,
			label)
	}
	// What a browser tells of a year that is typed into a field that has the rest already.
	typed := func(label string, values ...string) {
		t.Helper()
		b.waitFor(field(label))
		b.do(field(label) + `.focus()`)
		for _, value := range values {
			b.do(fmt.Sprintf(`const e = %s
				Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), 'value').set.call(e, %q)
				e.dispatchEvent(new Event('input', {bubbles: true}))`, field(label), value))
			if got := evaluate[string](b, field(label)+`.value`); got != value {
				t.Errorf("%s: what is typed as %q becomes %q", label, value, got)
			}
		}
	}
	left := func(label, want string) {
		t.Helper()
		b.do(`document.activeElement.blur()`)
		b.waitFor(fmt.Sprintf(`%s.value === %q`, field(label), want))
	}
	typed("Until", "0002-12-24", "0020-12-24", "0203-12-24", "2031-12-24")
	left("Until", "2031-12-24")
	typed("Publish at", "0002-12-24T18:05", "0203-12-24T18:05", "2031-12-24T18:05")
	left("Publish at", "2031-12-24T18:05")

	b.open("/app/analytics?from=2026-05-10&to=2026-06-20")
	typed("First day", "0002-08-08", "2025-08-08")
	left("First day", "2025-08-08")
	b.waitFor(`location.search.includes('from=2025-08-08') && location.search.includes('to=2026-06-20')`)
	typed("First day", "2026-12-08") // after the last day: nothing changes, and the field stays
	b.waitForText("The first day is after the last")
	b.wantAccessible("after the last")
	left("First day", "2025-08-08")
}

// Who turns back at a network finds the page as it was left, in browsers that keep it: it can be pressed again.
func TestBrowserConnectsAgainAfterTurningBack(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/accounts")
	b.do(`window.ask = window.fetch
		window.fetch = r => r.method === 'POST' && r.url.endsWith('/connect')
			? Promise.resolve(Response.json({authorizationUrl: location.href + '#away'})) : window.ask(r)`)
	b.click("main button", "Threads")
	b.waitFor(`location.hash === '#away' && document.querySelector('main [aria-busy=true]')`)
	b.do(`dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))`)
	b.waitFor(`!document.querySelector('main [aria-busy=true], main button:disabled')`)
}

func TestBrowserSwitchesTheTeamOnAPhone(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	other := e.As(t, e.crew.Key, "POST", "/v1/teams", object{"organizationId": e.crew.Organization,
		"name": "The other team"}).Want(t, http.StatusCreated).Text(t, "id")
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.click("nav button", "More")
	b.click("[role=menu]:popover-open [role=menuitem]", "Team: ")
	b.waitFor(`[...document.querySelectorAll('dialog [role=option]')].map(o => o.innerText.split('\n')[0]).join() ===
		'The other team'`)
	b.wantAccessible("teams")
	b.screenshot("teams")
	b.press(keyEnter)
	b.waitFor(fmt.Sprintf(`location.search.includes('team=%s')`, other))
	b.waitFor(`[...document.querySelectorAll('nav [role=menu]')].some(m => m.textContent.includes('Team: The other team'))`)
}
