package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestBrowserReachesEveryTeam(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	var last string
	for n := range 104 { // the overview lists a hundred
		last = e.As(t, e.crew.Key, "POST", "/v1/teams", object{"organizationId": e.crew.Organization,
			"name": fmt.Sprint("Branch ", n)}).Want(t, http.StatusCreated).Text(t, "id")
	}
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/?team=" + last)
	b.waitFor(`document.querySelector('nav [aria-haspopup=menu]')?.innerText.includes('Branch 103')`)
	b.click("button", "New post on") // what the role allows is allowed there too
	b.waitFor(`location.pathname === '/app/compose'`)
	b.click("button", "Find")
	b.fill("dialog input", "branch 102")
	b.press(keyEnter)
	b.waitFor(`document.querySelector('nav [aria-haspopup=menu]')?.innerText.includes('Branch 102')`)
	b.click("nav button", "switch to another")
	b.waitFor(`document.querySelectorAll('[role=menu]:popover-open [role=menuitemradio]').length === 105`)
	b.screenshot("teams")
}

func TestBrowserAnalyticsTellsWhenTheRestCannotBeLoaded(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/queue")
	b.do(refuseMore + `
		const page = {total: 20, nextCursor: 'more', data: [{scheduledPostId: 's', postId: 'p', title: null,
			text: 'Bread', provider: 'x', accountName: 'Bakery', publishedAt: '2026-11-01T08:00:00Z', readAt: null,
			engagementRate: null, metrics: {views: null, engagements: null}}]}
		const refuse = window.fetch
		window.fetch = r => r.url.includes('/analytics/posts') && !r.url.includes('cursor=')
			? Promise.resolve(new Response(JSON.stringify(page), {headers})) : refuse(r)`)
	b.click("nav a", "Analytics")
	b.click("main button", "Show more")
	b.waitForText("The rest could not be loaded", "It is not allowed any more")
	b.wantAccessible("refused")
}

func TestBrowserLedgerLeadsToThePostOfABooking(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x")
	s.start(t)
	var post string
	for n := range 3 {
		post = s.NewPost(t, s.crew, fmt.Sprint("Bread ", n))
		s.ScheduleIn(t, s.crew, post, time.Duration(n+1)*time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	}
	b := s.tab
	b.open("/app/queue")
	b.do(`window.asked = 0
		window.ask = window.fetch
		window.fetch = r => { if (r.url?.includes('/scheduled-posts/')) window.asked++; return window.ask(r) }`)
	b.click("nav button", "More")
	b.click("[role=menuitem]", "Settings")
	b.click("main nav a", "Credits")
	b.waitFor(`[...document.querySelectorAll('main table button')].filter(e => e.innerText === 'See it').length === 3`)
	b.wantNoOverflow("ledger")
	b.screenshot("ledger")
	if n := evaluate[int](b, `window.asked`); n != 0 {
		t.Errorf("%d posts are asked for before anybody wants to see one", n)
	}
	b.click("main table button", "See it") // the newest booking comes first
	b.waitFor(fmt.Sprintf(`location.pathname === '/app/posts/%s'`, post))
	b.waitForText("Bread 2")
}

// Every event about posts would ask for every post of a long list again.
func TestBrowserAttentionAsksForEachPostOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	fail := func(text string) {
		t.Helper()
		s.box.Fault(t, s.Accounts[0], "publish", "reject", nil)
		s.Await(t, s.crew, s.PostOn(t, s.crew, s.NewPost(t, s.crew, text), s.Accounts[0], nil), crier.Failed)
	}
	fail("The first")
	fail("The second")
	b := s.tab
	b.open("/app/queue")
	b.do(`window.asked = []
		window.ask = window.fetch
		window.fetch = r => {
			const post = r.url?.match(/\/posts\/([0-9a-f-]{36})$/)
			if (post) window.asked.push(post[1])
			return window.ask(r)
		}`)
	b.click("nav a", "Attention")
	b.waitForText("The first", "The second")
	fail("The third")
	b.waitForText("The third")
	if asked := evaluate[int](b, `window.asked.length`); asked != 3 {
		t.Errorf("three posts were asked for %d times", asked)
	}
}

func TestBrowserVersionsComePageByPage(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	post := e.NewPost(t, e.crew, "Bread")
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.open("/app/posts/" + post)
	b.waitFor(loaded)
	b.do(`const headers = {'Content-Type': 'application/json'}
		const version = n => ({postId: 'p', contentPayloadId: 'v' + n, version: n, current: n === 120,
			text: 'Bread ' + n, assetIds: [], postInput: null, createdAt: '2026-11-01T08:00:00Z'})
		window.ask = window.fetch
		window.fetch = r => {
			const { pathname, searchParams } = new URL(r.url ?? location.href)
			if (!pathname.endsWith('/versions')) return window.ask(r)
			const [from, limit] = [Number(searchParams.get('cursor') ?? 120), Number(searchParams.get('limit'))]
			const to = Math.max(0, from - limit)
			return Promise.resolve(new Response(JSON.stringify({total: 120, nextCursor: to ? String(to) : null,
				data: Array.from({length: from - to}, (_, n) => version(from - n))}), {headers}))
		}`)
	b.click("nav button", "Versions")
	for range 2 {
		b.waitForText("Version 120")
		if evaluate[bool](b, `document.querySelector('main ol').innerText.includes('first')`) {
			t.Errorf("one that is not the first is called so: %s", b.text())
		}
		b.click("main button", "Show older ones")
	}
	b.waitFor(`[...document.querySelectorAll('main ol button')].at(-1).innerText.replaceAll('\n', ' ').endsWith('Version 1 first')`)
	b.wantNoOverflow("versions")
}

func TestBrowserFindsOneOfManyTags(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	for n := range 40 {
		e.Call(t, e.crew, "POST", "tags", object{"name": fmt.Sprintf("Campaign %02d", n)}).Want(t, http.StatusCreated)
	}
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.open("/app/?view=agenda")
	b.waitFor(`document.querySelectorAll('[popover] label').length >= 40`)
	b.click("main button", "Tags")
	b.waitFor(`document.activeElement.type === 'search'`)
	b.fill(`[popover] input[type=search]`, "paign 31")
	b.waitFor(`[...document.querySelectorAll('[popover]:popover-open label')].map(l => l.innerText).join() === 'Campaign 31'`)
	b.wantAccessible("filter")
	b.screenshot("filter")
	b.click("[popover]:popover-open label", "Campaign 31")
	b.waitFor(`location.search.includes('tag=')`)

	b.open("/app/compose")
	b.click("main summary", "Tags and title")
	b.waitFor(`document.querySelectorAll('details [type=checkbox]').length > 0`)
	if n := evaluate[int](b, `[...document.querySelectorAll('details[open] [type=checkbox]')].filter(e => e.checkVisibility()).length`); n >= 40 {
		t.Errorf("%d tags are shown at once", n)
	}
	b.do(`[...document.querySelectorAll('label')].find(l => l.innerText === 'Find or make a tag').parentElement.querySelector('input').focus()`)
	b.press("3", "7")
	b.waitFor(`[...document.querySelectorAll('details[open] label')].some(l => l.innerText.trim() === 'Campaign 37')`)
	b.click("details[open] label", "Campaign 37")
	b.wantNoOverflow("composer")
	b.screenshot("composer")
}

// A phone has no room for what the posts are about beside the list, and it is not left out.
func TestBrowserNarrowsThePostsOnAPhone(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	var tags []string
	for n := range 20 {
		tags = append(tags, e.Call(t, e.crew, "POST", "tags", object{"name": fmt.Sprintf("Tag %02d", n)}).Want(t,
			http.StatusCreated).Text(t, "id"))
	}
	post := e.NewPost(t, e.crew, "Pumpkin bread is back")
	e.Call(t, e.crew, "PUT", "posts/"+post+"/tags", object{"tagIds": tags}).Want(t, http.StatusOK)
	e.NewPost(t, e.crew, "Behind the counter")
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.open("/app/posts?tag=" + tags[19])
	b.waitFor(`document.querySelector('main summary')?.innerText === 'Only: Tag 19'`)
	b.waitFor(`document.querySelectorAll('main [aria-posinset]').length === 1`)
	b.click("main summary", "Only: Tag 19")
	b.waitFor(`document.querySelectorAll('details [aria-pressed]').length > 0`)
	b.wantNoOverflow("facets")
	b.wantAccessible("facets")
	b.screenshot("facets")
	b.click("details [aria-pressed=true]", "Tag 19")
	b.waitFor(`document.querySelectorAll('main [aria-posinset]').length === 2`)
	b.click("details button", "All 20 tags")
	b.waitFor(`document.querySelectorAll('details fieldset:first-of-type [aria-pressed]').length === 20`)
}

// Long names, names that are written from the right, and days that are full stay readable on a phone.
func TestBrowserLongNamesAndFullDaysOnAPhone(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x", "linkedin")
	s.start(t)
	for i, name := range []string{strings.Repeat("Donaudampfschifffahrt", 4), "مخبز الزاوية"} {
		s.Exec(t, `UPDATE social_accounts SET display_name = $1 WHERE id = $2`, name, s.Accounts[i].ID)
	}
	var post string
	for n := range 14 {
		post = s.NewPost(t, s.crew, fmt.Sprint("Bread ", n))
		s.ScheduleIn(t, s.crew, post, 48*time.Hour+time.Duration(n)*time.Minute,
			crier.Targets{SocialAccountIDs: s.IDs()})
	}
	b := s.tab
	b.open("/app/?view=month&date=" + s.clock.Now().AddDate(0, 0, 2).Format(time.DateOnly))
	b.waitFor(`document.querySelector('[data-day] [class*=more]')`)
	b.screenshot("month")
	if cut := evaluate[string](b, `[...document.querySelectorAll('[data-day] [class*=more]')].filter(e =>
		e.scrollWidth > e.parentElement.clientWidth || e.offsetHeight > 30).map(e => e.innerText).join()`); cut != "" {
		t.Errorf("the month cuts off %q", cut)
	}
	b.open("/app/queue")
	b.waitFor(`document.querySelector('[data-row] svg')`)
	b.screenshot("queue")
	if width := evaluate[int](b, `Math.min(...[...document.querySelectorAll('[data-row] [class*=account] > svg')].map(e =>
		Math.round(e.getBoundingClientRect().width)))`); width < 16 {
		t.Errorf("the sign of a network is %d pixels wide", width)
	}
	const begins = `(e => {
		const r = document.createRange()
		r.selectNodeContents(e)
		return Math.round(r.getBoundingClientRect().left - e.getBoundingClientRect().left)
	})([...document.querySelectorAll(%q)].find(e => e.innerText.includes('مخبز')))`
	for _, page := range []struct{ address, names string }{
		{"posts/" + post, "article strong"}, {"compose", "label [dir=auto]"},
	} {
		b.open("/app/" + page.address)
		b.waitFor(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.innerText.includes('مخبز'))`, page.names))
		b.screenshot(page.names)
		if off := evaluate[int](b, fmt.Sprintf(begins, page.names)); off > 2 {
			t.Errorf("%s: a name begins %d pixels from its picture", page.address, off)
		}
	}
}
