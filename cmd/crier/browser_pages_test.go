package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnet "github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// do runs a statement in the page.
func (b *tab) do(statement string) {
	b.tb.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](`(() => { ` + statement + ` })()`))
}

func TestBrowserShowsASecretUntilItIsKept(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"), withLocalWebhooks)
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	for _, secret := range []struct {
		section, begin, field, value, send string
	}{
		{"keys", "New key", "dialog input", "The till", "Make the key"},
		{"webhooks", "New webhook", "dialog input[type=url]", "http://127.0.0.1:9/crier", "Add it"},
		{"members", "Invite somebody", "dialog input[type=email]", "ben@example.com", "Invite"},
	} {
		b.open("/app/settings/profile")
		b.click("main nav a", map[string]string{"keys": "API keys", "webhooks": "Webhooks",
			"members": "Members"}[secret.section])
		b.click("button", secret.begin)
		b.fill(secret.field, secret.value)
		// Reads that are never answered must not hold back what only this answer has.
		b.do(`window.ask = window.fetch
			window.fetch = r => r.method === 'GET' && r.url.includes('/v1/') ? new Promise(() => {}) : window.ask(r)`)
		b.click("dialog button", secret.send)
		b.waitFor(`document.querySelector('dialog code')?.innerText.length > 20`)
		shown := evaluate[string](b, `document.querySelector('dialog code').innerText`)
		b.screenshot(secret.section + " secret")
		b.wantAccessible(secret.section + " secret")
		b.do(`window.fetch = window.ask`)
		b.press(keyEscape, keyEscape, keyEscape) // the second one in a row is out of the hands of a page
		b.do(`document.dispatchEvent(new Event('visibilitychange')); history.back()`)
		b.waitFor(`location.pathname === '/app/settings/profile' && document.querySelector('main h2')`)
		b.do(`history.forward()`)
		b.waitFor(fmt.Sprintf(`location.pathname === '/app/settings/%s'`, secret.section))
		if got := evaluate[string](b, `document.querySelector('dialog:modal code')?.innerText ?? ''`); got != shown {
			t.Errorf("%s: the secret %q became %q", secret.section, shown, got)
			continue
		}
		if !evaluate[bool](b, `!dispatchEvent(new Event('beforeunload', {cancelable: true}))`) {
			t.Errorf("%s: nothing asks before the page is left with the secret", secret.section)
		}
		b.click("dialog button", "I have kept it")
		b.waitFor(`!document.querySelector('dialog')`)
	}
}

func TestBrowserReturnsAfterTheSessionHasEnded(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	const form, ended = `document.querySelector('#password')`, `document.body.innerText.includes('Your session has ended')`
	b.run(chromedp.Navigate(b.url + "/app/media"))
	b.waitFor(form)
	if evaluate[bool](b, ended) {
		t.Error("a stranger is told that the session has ended")
	}
	for name, end := range map[string]func(){
		"signed out from elsewhere": func() {
			other := e.NewBrowser(t)
			other.SignIn(t, "ada@example.com")
			other.Post(t, "/sign-out", url.Values{"everywhere": {"yes"}})
		},
		"expired": func() {
			if _, err := send(b, cdpnet.ClearBrowserCookies, cdp.Empty{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		b.signIn("ada@example.com")
		b.open("/app/posts?status=draft")
		b.waitFor(loaded)
		end()
		b.click("nav a", "Slots")
		b.waitFor(form)
		b.waitFor(`document.readyState === 'complete'`)
		b.screenshot(name)
		if !evaluate[bool](b, ended) {
			t.Errorf("%s: the page does not say that the session has ended: %s", name, b.text())
		}
		b.wantAccessible(name)
		b.fill("#email", "ada@example.com")
		b.fill("#password", servertest.Passphrase)
		b.press(keyEnter)
		b.waitFor(`location.pathname === '/app/slots' && document.querySelector('main h1')`)
	}
}

func TestBrowserRenamesRecolorsAndDeletesATag(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	for n := range 120 { // more than one page
		e.Call(t, e.crew, "POST", "tags", object{"name": fmt.Sprintf("Tag %d", n)}).Want(t, http.StatusCreated)
	}
	tag := e.Call(t, e.crew, "POST", "tags", object{"name": "Autum", "colour": "#112233"}).Want(t,
		http.StatusCreated).Text(t, "id")
	post := e.NewPost(t, e.crew, "Pumpkin bread is back")
	e.Call(t, e.crew, "PUT", "posts/"+post+"/tags", object{"tagIds": []string{tag}}).Want(t, http.StatusOK)
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.open("/app/settings/tags")
	b.waitFor(`document.querySelectorAll('[data-tag]').length === 121`)
	b.wantNoOverflow("tags")
	b.screenshot("list")

	b.do(`document.querySelector('[aria-label="Change Autum"]').focus()`)
	b.press(keyEnter)
	b.waitForText("1 post will show the new name")
	b.press(keyEscape) // closes the dialog, and the focus returns
	b.waitFor(`!document.querySelector('dialog') && document.activeElement.ariaLabel === 'Change Autum'`)
	b.press(keyEnter)
	b.fill("dialog input", "tag 7")
	b.press(keyEnter)
	b.waitForText("has a tag named")
	b.fill("dialog input", "Autumn")
	b.waitFor(`!document.querySelector('dialog').innerText.includes('has a tag named')`)
	b.set("dialog input[type=color]", "#aa5500")
	b.screenshot("form")
	b.wantAccessible("form")
	b.click("dialog button", "Save")
	b.waitFor(`!document.querySelector('dialog') && document.querySelector('[data-tag=Autumn]')`)
	if got := e.Call(t, e.crew, "GET", "posts/"+post, nil).Want(t, http.StatusOK); !strings.Contains(
		string(got.Body), `"name":"Autumn","colour":"#aa5500"`) {
		t.Errorf("the post has %s", got.Body)
	}

	b.click("button", "Delete Autumn")
	b.waitForText("It is taken off 1 post", "The posts themselves stay")
	b.screenshot("deletion")
	b.click("dialog button", "Delete the tag")
	b.waitFor(`!document.querySelector('dialog') && !document.querySelector('[data-tag=Autumn]')`)
	if n := e.Number(t, `SELECT count(*) FROM post_tags`); n != 0 {
		t.Errorf("%d posts still have the tag", n)
	}
}

// cutOff lists the signs, times and states of cards that reach out of their card, or are covered by its edge.
const cutOff = `[...document.querySelectorAll('[data-post]')].flatMap(card => {
	const box = card.getBoundingClientRect()
	return [...card.querySelectorAll('[class*=when], [class*=state] svg, [class*=glyphs] > *, [class*=media] svg')]
		.filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect())
		.filter(r => r.width > 0 && (r.right > box.right + 1 || r.bottom > box.bottom + 1))
		.map(r => card.innerText.replaceAll('\n', ' ') + ': ' + Math.round(r.right - box.right) + ' px')
}).join()`

func TestBrowserCalendarCardsShowKindNetworksAndState(t *testing.T) {
	t.Parallel()
	s := newShowcase(t, servertest.Databases.Fresh(t, store.SQLite))
	day := s.clock.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	for _, size := range []viewport{desk, {width: 1024, height: 768}, phone} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			b := openTab(t, s.testServer, size)
			b.signIn("ada@example.com")
			for _, view := range []string{"month", "week", "day", "agenda"} {
				b.open("/app/?view=" + view + "&date=" + day)
				b.waitFor(loaded)
				b.waitFor(`document.querySelector('[data-post]')`)
				if cut := evaluate[string](b, cutOff); cut != "" {
					t.Errorf("%s cuts off %s", view, cut)
				}
				b.wantNoOverflow(view)
				b.screenshot(view)
			}
			label := evaluate[string](b, fmt.Sprintf(`document.querySelector('[data-post="%s"]').ariaLabel`, s.planned))
			if want := "picture, X, Facebook, LinkedIn, Threads, Scheduled"; !strings.HasSuffix(label, want) {
				t.Errorf("the card is called %q, want %q at its end", label, want)
			}
		})
	}
}

func TestBrowserWeekOnAPhone(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x", "linkedin")
	s.start(t)
	post := s.NewPost(t, s.crew, "Moved about")
	_, at := s.ScheduleIn(t, s.crew, post, (7*24+6)*time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	other := at.AddDate(0, 0, 1)
	if at.Weekday() == time.Sunday {
		other = at.AddDate(0, 0, -1) // weeks begin on Monday
	}
	s.tab.open("/app/?view=week&date=" + at.Format(time.DateOnly))
	card := func(day time.Time) string {
		return fmt.Sprintf(`[data-drop="%s"] [data-post="%s"]`, day.Format(time.DateOnly), post)
	}
	s.tab.waitFor(fmt.Sprintf(`document.querySelectorAll('[data-drop]').length === 7 && document.querySelector(%q)`,
		card(at)))
	s.tab.wantAccessible("week")
	s.tab.touch(card(at), fmt.Sprintf(`[data-drop="%s"] h2`, other.Format(time.DateOnly)))
	s.tab.waitFor(fmt.Sprintf(`document.querySelector(%q)`, card(other)))
	servertest.Until(t, func() bool { return s.due(t, post).Equal(other) },
		func() string { return fmt.Sprintf("due at %s, not at %s", s.due(t, post), other) })
	// By keyboard, an hour later.
	s.tab.do(fmt.Sprintf(`document.querySelector('[data-post="%s"]').focus()`, post))
	before := s.due(t, post)
	s.tab.press(keySpace, kb.PageDown, keyEnter)
	servertest.Until(t, func() bool { return s.due(t, post).Equal(before.Add(time.Hour)) },
		func() string { return fmt.Sprintf("due at %s, not an hour after %s", s.due(t, post), before) })
	s.tab.waitFor(fmt.Sprintf(`document.activeElement?.dataset.post === %q`, post))
}

func TestBrowserMediaTellsKindsApart(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x", "linkedin")
	s.start(t)
	files := map[string][]byte{"bread.jpg": mediatest.JPEG(640, 480), "dance.gif": mediatest.GIF(320, 240, 3),
		"film.mp4": mediatest.VerticalMP4(), "menu.pdf": mediatest.PDF(2)}
	for name, data := range files {
		s.File(t, s.crew, name, data)
	}
	b := s.tab
	b.open("/app/media")
	b.waitFor(`document.querySelectorAll('[class*=card] [class*=open]').length === 4 &&
		!document.body.innerText.includes('being read')`)
	b.screenshot("all")
	b.wantNoOverflow("media")
	b.wantAccessible("media")
	for name, words := range map[string]string{"bread.jpg": "Picture ·", "dance.gif": "GIF ·", "film.mp4": "Video ·",
		"menu.pdf": "Document ·"} {
		const card = `[...document.querySelectorAll('[class*=card]')].find(c => c.innerText.includes(%q)).innerText.includes(%q)`
		if !evaluate[bool](b, fmt.Sprintf(card, name, words)) {
			t.Errorf("the card of %s does not say %q: %s", name, words, b.text())
		}
	}
	for _, of := range []struct {
		kind string
		want int
	}{{"image", 2}, {"video", 1}, {"document", 1}, {"", 4}} {
		b.set(`main select`, of.kind)
		b.waitFor(fmt.Sprintf(`document.querySelectorAll('[class*=card] [class*=open]').length === %d`, of.want))
	}
	for name := range files {
		// By keyboard there and back.
		const of = `[...document.querySelectorAll('[class*=open]')].find(e => e.innerText.includes(%q))`
		b.do(fmt.Sprintf(of+`.focus()`, name))
		b.press(keyEnter)
		b.waitFor(`document.querySelector('dialog[open] [class*=stage]') &&
			document.querySelector('dialog').innerText.includes('In no post.')`)
		if wide := evaluate[int](b, `Math.max(...[...document.querySelectorAll('dialog, dialog *')].map(e =>
			e.getBoundingClientRect().right)) - innerWidth`); wide > 0 {
			t.Errorf("the details of %s are %d pixels wider than the window", name, wide)
		}
		if evaluate[bool](b, `[...document.querySelectorAll('[class*=stage] > img, [class*=stage] > video')].some(e =>
			e.getBoundingClientRect().bottom > e.parentElement.getBoundingClientRect().bottom + 1)`) {
			t.Errorf("%s is cut off", name)
		}
		b.screenshot(name)
		b.press(keyEscape)
		b.waitFor(fmt.Sprintf(`!document.querySelector('dialog') && document.activeElement === `+of, name))
	}
}

func TestBrowserAnalyticsTellsUnreadFromSilence(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "linkedin")
	s.start(t)
	s.Await(t, s.crew, s.PostOn(t, s.crew, s.NewPost(t, s.crew, "Just out"), s.Accounts[0], nil), crier.Published)
	servertest.Until(t, func() bool { return s.Number(t, `SELECT count(*) FROM publication_stats`) == 1 },
		func() string { return "the post is not counted" })
	b := s.tab
	b.open("/app/analytics")
	b.waitForText("1 post still to be read", "not read yet", "an hour after it was published")
	if evaluate[bool](b, `document.body.innerText.includes('not told')`) {
		t.Errorf("a network that nobody asked is said to be silent: %s", b.text())
	}
	b.wantAccessible("unread")
	b.wantNoOverflow("unread")
	b.screenshot("unread")
}
