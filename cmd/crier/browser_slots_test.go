package main

import (
	"testing"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

// The first slot of a team's own ends the defaults: what an interruption leaves of them can be added later, also after
// a reload, and is added once.
func TestBrowserContinuesToMakeTheDefaultSlotsOnesOwn(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/slots")
	// The first request gets its answer, that of the second is lost.
	b.do(`window.sent = 0
		window.ask = window.fetch
		window.fetch = async r => {
			if (r.method !== 'POST' || ++window.sent < 2) return window.ask(r)
			await window.ask(r)
			throw new TypeError('Failed to fetch')
		}`)
	b.click("main button", "Make them ours")
	b.waitForText("Some of the defaults are not your own yet: 18:00")
	b.wantAccessible("the rest")
	b.screenshot("the-rest")
	b.open("/app/slots")
	b.click("main button", "Add the rest")
	b.waitForText("The slots are your own now")
	b.waitFor(`!document.querySelector('main').innerText.includes('defaults')`)
	if n := e.Number(t, `SELECT count(*) FROM scheduling_slots`); n != 3 {
		t.Errorf("%d slots were made", n)
	}
}
