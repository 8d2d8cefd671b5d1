package main

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// loseAnswers lets requests to a path reach the server, and the page waits for their answers until it is loaded again.
func (b *tab) loseAnswers(method, path string) {
	b.tb.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const send = window.fetch; window.fetch = (r, o) => {
		const answer = send(r, o)
		return r.method === %q && r.url?.endsWith(%q) ? new Promise(() => {}) : answer } })()`, method, path)))
}

// pressTwice clicks a button twice before the page can be drawn again.
func (b *tab) pressTwice(words string) {
	b.tb.Helper()
	b.waitFor(fmt.Sprintf(`(() => { const found = [...document.querySelectorAll('button')].find(e => !e.disabled &&
		e.innerText.includes(%q)); found?.click(); found?.click(); return found })()`, words))
}

// wantOnePost waits until one post is out, and checks that it is the only one.
func (s *story) wantOnePost(t *testing.T, text string) {
	t.Helper()
	out := func() []string { return servertest.Texts(s.box.Timeline(t, s.Accounts[0])) }
	servertest.Until(t, func() bool { return len(out()) > 0 }, func() string { return "nothing is out" })
	var list crier.Page[crier.Post]
	s.Call(t, s.crew, "GET", "posts", nil).Want(t, http.StatusOK).Into(t, &list)
	if got := out(); len(got) != 1 || got[0] != text || list.Total != 1 {
		t.Errorf("out is %q of %d posts", got, list.Total)
	}
}

// A double press, and a reload while an answer is on its way, make one post and publish it once.
func TestBrowserMakesAndPublishesAPostOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	b := s.tab
	b.open("/app/compose")
	b.waitFor(`document.querySelector('textarea')`)
	b.loseAnswers("POST", "/posts")
	b.click("section[aria-label=Accounts] label", "X")
	b.fill(`textarea[aria-label=Text]`, "Once")
	b.click("label", "Now")
	b.pressTwice("Publish 1 post now")
	made := func() bool { return s.Number(t, `SELECT count(*) FROM posts`) > 0 }
	servertest.Until(t, made, func() string { return "no post is made" })

	b.open("/app/compose")
	b.waitFor(`document.querySelector('textarea')?.value === 'Once'`)
	b.loseAnswers("POST", "/post-now")
	b.pressTwice("Publish 1 post now")
	s.wantOnePost(t, "Once")
	b.open(evaluate[string](b, `location.pathname`))
	b.waitFor(`document.querySelector('textarea')?.value === 'Once'`)
	b.waitForText("Choose accounts") // the one there is has the post
	s.wantOnePost(t, "Once")
}

// The first post of the welcome is published once, however often its page is loaded before the answer is there.
func TestBrowserPublishesTheFirstPostOnce(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"/posts", "/post-now"} {
		t.Run("without the answer of "+lost, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x")
			s.start(t)
			b := s.tab
			b.open("/app/welcome?step=3")
			b.waitForText("Publish it now")
			b.loseAnswers("POST", lost)
			b.pressTwice("Publish it now")
			servertest.Until(t, func() bool { return s.Number(t, `SELECT count(*) FROM posts`) > 0 },
				func() string { return "no post is made" })
			if lost == "/post-now" {
				servertest.Until(t, func() bool { return len(s.box.Timeline(t, s.Accounts[0])) > 0 },
					func() string { return "nothing is out" })
			}
			b.open("/app/welcome?step=3")
			b.pressTwice("Publish it now")
			b.waitForText("It is out")
			s.wantOnePost(t, "Hello from crier. Nothing twice, nothing lost.")
		})
	}
}
