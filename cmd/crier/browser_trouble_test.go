package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// only returns the one scheduled post of a post.
func (s *story) only(t *testing.T, post string) crier.ScheduledPost {
	t.Helper()
	list := s.scheduled(t, post)
	if len(list) != 1 {
		t.Fatalf("%d scheduled posts, want one", len(list))
	}
	return list[0]
}

// compose opens the composer, selects accounts by the prefixes of their titles, and enters the text.
func (s *story) compose(text string, networks ...string) {
	b := s.tab
	b.tb.Helper()
	b.open("/app/compose")
	for _, name := range networks {
		chip := fmt.Sprintf(`document.querySelector('section[aria-label=Accounts] label[title^="%s:"] input')`, name)
		b.waitFor(chip)
		b.run(chromedp.Evaluate[chromedp.Void](chip + `.click()`))
	}
	b.fill(`textarea[aria-label=Text]`, text)
}

// sendNow presses Now and the button, and returns the post's id once its page is shown.
func (s *story) sendNow() string {
	b := s.tab
	b.tb.Helper()
	b.click("label", "Now")
	b.click("button", "Publish 1 post now")
	b.waitFor(`location.pathname.startsWith('/app/posts/') && document.querySelector('article[data-status]')`)
	return evaluate[string](b, `location.pathname.split('/').pop()`)
}

func TestBrowserLostAnswerIsReconciledOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.box.Fault(t, s.Accounts[0], "publish", "lost_response", nil)
	s.box.Fault(t, s.Accounts[0], "read", "outage", object{"count": 1000})
	s.compose("Did it arrive?", "X")
	post := s.sendNow()
	s.tab.waitForText("Called the network to publish it", "Answer lost", "Looked for it at the network")
	s.tab.waitFor(`!document.querySelector('article[data-status=published], article[data-status=failed]')`)
	s.tab.screenshot("looked for")
	s.box.ClearFaults(t)
	s.clock.Advance(time.Minute) // until the next check
	s.tab.waitFor(`document.querySelector('article[data-status=published]')`)
	s.tab.waitForText("It is there once", "found published")
	s.tab.screenshot("found")
	if got := servertest.Texts(s.box.Timeline(t, s.Accounts[0])); len(got) != 1 {
		t.Errorf("timeline %q\n%s", got, s.History(t, s.crew, s.only(t, post).ID))
	}
}

func TestBrowserUnknownOutcomeIsResolvedByHand(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.box.Fault(t, s.Accounts[0], "publish", "lost_response", nil)
	s.box.Fault(t, s.Accounts[0], "read", "outage", object{"count": 1000})
	s.compose("What became of me?", "X")
	post := s.sendNow()
	sp := s.only(t, post)
	servertest.Until(t, func() bool { return s.Publication(t, s.crew, sp.ID).ErrorCode == "outcome_unknown" },
		func() string { return s.History(t, s.crew, sp.ID) })
	s.clock.Advance(31 * time.Minute)
	s.tab.waitFor(`document.querySelector('article[data-status=unknown]')`)

	// The badge in the rail leads there. The post's page offers the same until the other page is shown, and is inert
	// meanwhile: a dialog that it opened would disappear with it.
	s.tab.run(chromedp.Evaluate[chromedp.Void](`new MutationObserver(([m]) => { window.wasInert ||= m.target.inert })
		.observe(document.querySelector('main'), {attributeFilter: ['inert']})`))
	s.tab.line(slow(300 * time.Millisecond))
	s.tab.click("nav a", "need attention")
	s.tab.waitFor(`window.wasInert`)
	s.tab.line()
	s.tab.waitFor(`document.querySelector('main h1')?.innerText === 'Attention' && !document.querySelector('main').inert`)
	s.tab.screenshot("attention")
	s.tab.click("main button", "Look and decide")
	s.tab.waitFor(fmt.Sprintf(`document.querySelector('dialog[open] a[href^="%s"]')`, s.box.URL))
	s.tab.screenshot("deciding")
	s.tab.click("dialog label", "It is there")

	// Another user dismisses it: it leaves the list, and the dialog stays as it is.
	s.Call(t, s.crew, "POST", path("scheduled-posts/%s/dismiss", sp.ID), nil).Want(t, http.StatusOK)
	s.tab.waitForText("All is well")
	s.tab.click("dialog[open] button", "It is published")
	s.tab.waitFor(`!document.querySelector('dialog')`)
	s.tab.waitForText("All is well")
	s.Await(t, s.crew, sp.ID, crier.Published)
	if got := servertest.Texts(s.box.Timeline(t, s.Accounts[0])); len(got) != 1 {
		t.Errorf("timeline %q", got)
	}
}

func TestBrowserShowsThatSomebodyElseDecided(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	post := s.NewPost(t, s.crew, "Decided elsewhere")
	r, _ := s.ScheduleIn(t, s.crew, post, time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	id := r.Data[0].ScheduledPost.ID
	s.Exec(t, `UPDATE publications SET status = 'unknown', error_code = 'outcome_unknown' WHERE id = $1`, id)
	s.tab.open("/app/attention")
	s.tab.click("main button", "Look and decide")
	s.tab.waitFor(`document.querySelector('dialog[open] input')`)
	s.Call(t, s.crew, "POST", path("scheduled-posts/%s/resolve", id), object{"outcome": "failed"}).
		Want(t, http.StatusOK)
	s.tab.waitFor(`document.querySelector('dialog[open]')?.innerText.includes('It is settled')`)
	s.tab.screenshot("settled")
	s.tab.press(keyEscape)
	s.tab.waitFor(`!document.querySelector('dialog') && document.activeElement !== document.body`)
}

func TestBrowserDecidesAboutAFollowUp(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	id := s.PostOn(t, s.crew, s.NewPost(t, s.crew, "With a comment"), s.Accounts[0],
		object{"firstComment": object{"text": "below it"}})
	s.AwaitAction(t, s.crew, id, store.FirstComment, crier.Published)
	s.Exec(t, `UPDATE publications SET status = 'unknown' WHERE parent_id = $1`, id)
	s.tab.open("/app/attention")
	s.tab.waitForText("nothing tells whether its first comment is there")
	s.tab.click("main button", "Look and decide")
	s.tab.waitForText("Is its first comment on X?")
	s.tab.screenshot("deciding about a comment")
	s.tab.click("dialog label", "It is not there: leave it")
	s.tab.click("dialog[open] button", "Mark as failed")
	s.tab.waitFor(`!document.querySelector('dialog')`)
	s.AwaitAction(t, s.crew, id, store.FirstComment, crier.Failed)
}

func TestBrowserReconnectedAccountPublishesItsPost(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk)
	s.start(t)
	s.Connect(t, s.crew, "x", "bakery")
	var list struct{ Data []crier.SocialAccount }
	s.Call(t, s.crew, "GET", "social-accounts", nil).Want(t, http.StatusOK).Into(t, &list)
	broken := servertest.Account{ID: list.Data[0].ID, Network: "x", Remote: list.Data[0].ProviderAccountID}
	post := s.NewPost(t, s.crew, "Waits for its account")
	_, at := s.ScheduleIn(t, s.crew, post, time.Hour, crier.Targets{SocialAccountIDs: []crier.ID{broken.ID}})
	s.Exec(t, `UPDATE social_accounts SET status = 'refresh_needed' WHERE id = $1`, broken.ID)

	s.tab.open("/app/")
	s.tab.click("nav a", "need attention")
	s.tab.waitForText("no longer accepts the connection", "1 waiting post will not go out")
	s.tab.screenshot("broken")
	s.tab.click("main button", "Reconnect")
	s.tab.waitFor(fmt.Sprintf(`location.origin === %q`, s.box.URL))
	s.goThrough("bakery")
	s.tab.waitForText("The account is connected", "All is well")

	s.tab.open("/app/posts/" + post)
	s.tab.waitFor(`document.querySelector('article[data-status=scheduled]')`)
	s.clock.Advance(at.Sub(s.clock.Now()))
	s.tab.waitFor(`document.querySelector('article[data-status=published]')`)
	if got := servertest.Texts(s.box.Timeline(t, broken)); len(got) != 1 {
		t.Errorf("timeline %q", got)
	}
}

func TestBrowserRejectedPostIsFixedFromAttention(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.box.Fault(t, s.Accounts[0], "publish", "reject", nil)
	s.compose("Not to their liking", "X")
	s.sendNow()
	s.tab.waitFor(`document.querySelector('article[data-status=failed]')`)
	s.tab.click("nav a", "need attention")
	s.tab.waitForText("X refused the content")
	s.tab.click("main a", "Edit")
	s.tab.waitFor(`document.querySelector('textarea')?.value === 'Not to their liking'`)
	s.tab.waitForText("X refused the content", "not permitted") // on the page where it can be fixed
	s.tab.fill(`textarea[aria-label=Text]`, "More to their liking")
	s.tab.click("label", "Now")
	s.tab.click("button", "Publish 1 post now")
	s.tab.waitFor(`document.querySelector('article[data-status=published]')`)
	if got := servertest.Texts(s.box.Timeline(t, s.Accounts[0])); len(got) != 1 || got[0] != "More to their liking" {
		t.Errorf("timeline %q", got)
	}
	// The failure is resolved: it needs no attention, and cannot be retried beside the post that replaced it.
	s.tab.waitForText("Published on this account since", "Accounts (1)")
	s.tab.waitFor(`!document.querySelector('nav').innerText.includes('need attention')`)
	if evaluate[bool](s.tab, `document.querySelector('main').innerText.includes('Try again')`) {
		t.Error("the failure is offered for another try")
	}
}

func TestBrowserRemembersTheAccountsOfTheLastNewPost(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x", "linkedin", "threads")
	s.start(t)
	s.box.Fault(t, s.Accounts[0], "publish", "reject", nil)
	s.compose("Not to their liking", "X", "LinkedIn")
	s.tab.click("label", "Now")
	s.tab.click("button", "Publish 2 posts now")
	s.tab.waitFor(`document.querySelector('article[data-status=failed]')`)
	s.tab.click("main article a", "Edit")
	s.tab.waitFor(`document.querySelector('textarea')?.value === 'Not to their liking'`)
	s.tab.fill(`textarea[aria-label=Text]`, "More to their liking")
	s.tab.click("button", "Publish 1 post now")
	s.tab.waitForText("Published on this account since")
	s.tab.open("/app/compose")
	s.tab.click("button", "Same as last time")
	s.tab.waitFor(`[...document.querySelectorAll('section[aria-label=Accounts] label:has(:checked)')].length === 2`)
}

func TestBrowserSupersededFailureIsNotOfferedForRetry(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.box.Fault(t, s.Accounts[0], "publish", "reject", nil)
	post := s.NewPost(t, s.crew, "Sent once more by a program")
	for range 2 { // the second one is accepted, and the first is not dismissed
		s.PostNow(t, s.crew, post, s.IDs(), object{"waitSeconds": 30})
	}
	s.tab.open("/app/attention")
	s.tab.waitForText("X refused the content", "See what replaced it")
	s.tab.click("main label", "All")
	s.tab.waitFor(`[...document.querySelectorAll('main button')].some(b => b.innerText === 'Dismiss (1)' && !b.disabled)`)
	if evaluate[bool](s.tab, `[...document.querySelectorAll('main button')].some(b => b.innerText.startsWith('Try again') &&
		!b.disabled)`) {
		t.Error("a try is offered that would be refused")
	}
	s.tab.click("main a", "See what replaced it")
	s.tab.waitForText("Published on this account since")
	s.tab.waitFor(`document.querySelector('article[data-status=published] [aria-expanded=true]')`)
}

// underTheBar scrolls everything in the composer under its bar, focuses it, and returns what the bar still covers. The
// end of the page must not stay covered either.
const underTheBar = `(() => {
	const main = document.querySelector('main')
	const bar = document.querySelector('input[name=when]').closest('fieldset').parentElement.parentElement
	const covered = e => e.getBoundingClientRect().bottom > bar.getBoundingClientRect().top + 1
	const folds = [...main.querySelectorAll('details')]
	for (const d of folds) d.open = true
	const found = [...main.querySelectorAll('a, button, input, summary, textarea')].filter(e => {
		if (bar.contains(e) || e.disabled || !e.checkVisibility()) return false
		document.activeElement.blur()
		main.scrollTop += e.getBoundingClientRect().bottom - main.getBoundingClientRect().bottom
		e.focus()
		return document.activeElement === e && covered(e)
	}).map(e => e.outerHTML.slice(0, 120))
	main.scrollTo(0, main.scrollHeight)
	if (covered(bar.previousElementSibling)) found.push('the end of the page')
	main.scrollTo(0, 0)
	for (const d of folds) d.open = false
	return found
})()`

// On a phone, controls are large enough for a finger, and everything fits the small page.
func TestBrowserComposeAndPublishOnAPhone(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x", "linkedin")
	s.start(t)
	s.tab.waitFor(`document.querySelector('a[aria-label="New post"]')`)
	s.tab.click("a", "New post")
	s.tab.waitFor(`document.querySelector('textarea')`)
	s.tab.click("button", "All")
	s.tab.fill(`textarea[aria-label=Text]`, "From the market")
	s.tab.click("label", "Now")
	s.tab.waitFor(`document.querySelectorAll('[aria-label^="Preview for"]').length === 2`)
	s.tab.screenshot("written")
	if wide := evaluate[int](s.tab, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		t.Errorf("the composer is %d pixels wider than the window", wide)
	}
	if hidden := evaluate[[]string](s.tab, underTheBar); len(hidden) > 0 {
		t.Errorf("the bar covers what is focused: %q", hidden)
	}
	s.tab.click("button", "Publish 2 posts now")
	s.tab.waitFor(`document.querySelectorAll('article[data-status=published]').length === 2`)
	s.tab.screenshot("published")
	for _, a := range s.Accounts {
		if got := servertest.Texts(s.box.Timeline(t, a)); len(got) != 1 || got[0] != "From the market" {
			t.Errorf("%s has %q", a.Network, got)
		}
	}
}

func TestBrowserTwoPeopleEditOneDraft(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	post := s.NewPost(t, s.crew, "As it was")
	b := s.tab
	b.open("/app/compose/" + post)
	b.waitFor(`document.querySelector('textarea')?.value === 'As it was'`)
	// Another user changes it while the first one is typing.
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector('textarea').focus()`))
	s.Call(t, s.crew, "PATCH", "posts/"+post, object{"text": "As she has it"}).Want(t, http.StatusOK)
	b.fill(`textarea[aria-label=Text]`, "As he has it")
	b.waitForText("This draft was changed in another tab or by another person", "Nothing of theirs was overwritten")
	b.screenshot("conflict")
	if got := s.Call(t, s.crew, "GET", "posts/"+post, nil).Want(t, http.StatusOK).
		Text(t, "text"); got != "As she has it" {
		t.Errorf("overwritten with %q", got)
	}
	// The text survives a reload, and becomes a separate draft.
	b.open("/app/compose/" + post)
	b.waitFor(`document.querySelector('textarea')?.value === 'As he has it'`)
	b.click("button", "Save mine as a new draft")
	b.waitFor(fmt.Sprintf(`location.pathname !== '/app/compose/%s'`, post))
	b.waitFor(`document.querySelector("textarea")?.value === "As he has it"`)
	mine := evaluate[string](b, `location.pathname.split('/').pop()`)
	if got := s.Call(t, s.crew, "GET", "posts/"+mine, nil).Want(t, http.StatusOK).
		Text(t, "text"); got != "As he has it" {
		t.Errorf("the other draft has %q", got)
	}
}

// A post may be deleted while nobody knows whether a network has it. Who decides that later is told, and it is deleted
// there.
func TestBrowserDecidesAboutADeletedPost(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.box.Fault(t, s.Accounts[0], "publish", "lost_response", nil)
	s.box.Fault(t, s.Accounts[0], "read", "outage", object{"count": 1000})
	s.compose("Was I there?", "X")
	post := s.sendNow()
	sp := s.only(t, post)
	servertest.Until(t, func() bool { return s.Publication(t, s.crew, sp.ID).ErrorCode == "outcome_unknown" },
		func() string { return s.History(t, s.crew, sp.ID) })
	s.clock.Advance(31 * time.Minute)
	s.Await(t, s.crew, sp.ID, crier.Unknown)
	s.box.ClearFaults(t)
	there := s.box.Timeline(t, s.Accounts[0])
	s.Call(t, s.crew, "DELETE", "posts/"+post+"?alsoDeleteFromPlatform=true", nil).Want(t, http.StatusOK)

	s.tab.open("/app/attention")
	s.tab.waitForText("A deleted post")
	s.tab.click("main button", "Look and decide")
	s.tab.waitForText("The post was deleted here, and was to be deleted on X too")
	s.tab.click("dialog label", "It is there")
	s.tab.fill("dialog input:not([type=radio])", there[0].PlatformPostID)
	s.tab.wantAccessible("deciding")
	s.tab.screenshot("deciding")
	s.tab.click("dialog[open] button", "It is published")
	s.tab.waitForText("All is well")
	servertest.Until(t, func() bool { return s.box.Timeline(t, s.Accounts[0])[0].DeletedAt != nil },
		func() string { return s.History(t, s.crew, sp.ID) })
}
