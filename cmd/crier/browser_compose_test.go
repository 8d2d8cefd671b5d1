package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	cdpnet "github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// textOf returns the text of a post on the server.
func (s *story) textOf(t *testing.T, post string) string {
	t.Helper()
	return s.Call(t, s.crew, "GET", "posts/"+post, nil).Want(t, http.StatusOK).Text(t, "text")
}

// edit opens a post in the composer and waits for its text.
func (s *story) edit(post, text string) {
	s.tab.tb.Helper()
	s.tab.open("/app/compose/" + post)
	s.tab.waitFor(fmt.Sprintf(`document.querySelector('textarea')?.value === %q`, text))
}

// What is typed and taken back within a second is what autosaving had in hand when the button is pressed.
func TestBrowserPublishesWhatIsSeen(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.edit(s.NewPost(t, s.crew, "Hello"), "Hello")
	s.tab.click("section[aria-label=Accounts] label", "X")
	s.tab.click("label", "Now")
	s.tab.waitFor(`[...document.querySelectorAll('button')].some(b =>
		b.innerText === 'Publish 1 post now' && !b.disabled)`)
	s.tab.fill(`textarea[aria-label=Text]`, "Hello, and nobody was to read this")
	s.tab.fill(`textarea[aria-label=Text]`, "Hello")
	s.publishes(t, s.tab, "Hello")
}

func TestBrowserTakesAScheduledPostBackToDrafts(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x", "linkedin")
	s.start(t)
	post := s.NewPost(t, s.crew, "Not yet")
	_, at := s.ScheduleIn(t, s.crew, post, time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	s.edit(post, "Not yet")
	s.tab.fill(`textarea[aria-label=Text]`, "Not at all")
	s.tab.click("label", "Draft")
	s.tab.screenshot("taking it back")
	s.tab.click("button", "Cancel 2 posts and keep as a draft")
	s.tab.waitForText("Taken back to drafts; nothing goes out")
	for _, sp := range s.scheduled(t, post) {
		if sp.Status != crier.Canceled {
			t.Errorf("still %s", sp.Status)
		}
	}
	if got := s.textOf(t, post); got != "Not at all" {
		t.Errorf("the draft has %q", got)
	}
	s.clock.Advance(at.Sub(s.clock.Now()) + time.Minute)
	for _, a := range s.Accounts {
		if got := servertest.Texts(s.box.Timeline(t, a)); len(got) != 0 {
			t.Errorf("%s has %q", a.Network, got)
		}
	}
}

// newScheduledStory returns a story of which a post is scheduled on its account.
func newScheduledStory(t *testing.T) (s *story, post string) {
	t.Helper()
	s = newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	post = s.NewPost(t, s.crew, "As it was")
	s.ScheduleIn(t, s.crew, post, 2*time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	return s, post
}

// publishes publishes what a composer shows, once.
func (s *story) publishes(t *testing.T, b *tab, text string) {
	t.Helper()
	b.click("button", "Publish 1 post now")
	b.waitFor(`document.querySelector('article[data-status=published]')`)
	if got := servertest.Texts(s.box.Timeline(t, s.Accounts[0])); len(got) != 1 || got[0] != text {
		t.Errorf("timeline %q", got)
	}
}

func TestBrowserTwoPeopleEditOneScheduledPost(t *testing.T) {
	t.Parallel()
	s, post := newScheduledStory(t)
	b := s.tab
	b.failReads("*/events/stream", cdpnet.ErrorReasonConnectionReset) // or the button waits before it is pressed
	s.edit(post, "As it was")
	s.Call(t, s.crew, "PATCH", "posts/"+post, object{"text": "As she has it"}).Want(t, http.StatusOK)
	b.fill(`textarea[aria-label=Text]`, "As he has it")
	b.click("button", "Update 1 post")
	b.waitForText("Nothing of theirs was overwritten")
	b.click("button", "Save mine as a new draft")
	b.waitFor(fmt.Sprintf(`location.pathname !== '/app/compose/%s'`, post))
	b.waitFor(`document.querySelector('textarea')?.value === 'As he has it'`)
	b.waitForText("Save draft")
	mine := evaluate[string](b, `location.pathname.split('/').pop()`)
	if got := s.textOf(t, mine); got != "As he has it" {
		t.Errorf("the other draft has %q", got)
	}
	if list := s.scheduled(t, mine); len(list) != 0 {
		t.Errorf("the copy is planned: %v", list)
	}
	if got := s.only(t, post).Status; got != crier.Scheduled || s.textOf(t, post) != "As she has it" {
		t.Errorf("theirs is %s with %q", got, s.textOf(t, post))
	}
	s.edit(post, "As she has it") // mine is a draft of its own, and nothing of it is left here
}

// A post that one account took and another refused is scheduled: from there on the button alone changes it.
func TestBrowserHalfASentenceDoesNotReachWhatOneAccountTook(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "linkedin", "x")
	s.start(t)
	long := strings.Repeat("Too long for X. ", 30) + "The end."
	s.compose(long, "LinkedIn", "X")
	s.tab.click("label", "Time")
	s.tab.click("button", "Schedule 1 post")
	s.tab.waitFor(`document.querySelector('main [role=alert] li')`)
	s.tab.waitForText("Scheduled 1 post")
	post := evaluate[string](s.tab, `location.pathname.split('/').pop()`)
	if post == "compose" {
		t.Fatal("the post has no address")
	}
	s.tab.fill(`textarea[aria-label=Text]`, "Half a sent")
	s.tab.waitForText("Update 2 posts")
	<-time.After(2 * time.Second) // more than autosaving rests
	if got := s.textOf(t, post); got != long {
		t.Errorf("changed to %q", got)
	}
	s.tab.fill(`textarea[aria-label=Text]`, "A whole sentence.")
	s.tab.click("button", "Update 2 posts")
	s.tab.waitFor(`document.querySelectorAll('article[data-status=scheduled]').length === 2`)
	if got := s.textOf(t, post); got != "A whole sentence." {
		t.Errorf("not changed: %q", got)
	}
}

// In a team with approval, an edit takes the approval back and cancels what was scheduled with it.
func TestBrowserUpdatesAnApprovedPost(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.As(t, s.crew.Key, "PATCH", path("/v1/teams/%s", s.crew.Team), object{"requireApproval": true}).
		Want(t, http.StatusOK)
	post := s.NewPost(t, s.crew, "Approved")
	s.Call(t, s.crew, "POST", path("posts/%s/status", post), object{"status": "approved"}).Want(t, http.StatusOK)
	s.ScheduleIn(t, s.crew, post, 2*time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	s.edit(post, "Approved")
	s.tab.fill(`textarea[aria-label=Text]`, "Approved once more")
	s.tab.click("button", "Update 1 post")
	s.tab.waitFor(`document.querySelector('article[data-status=scheduled]')`)
	if got := s.textOf(t, post); got != "Approved once more" {
		t.Errorf("not changed: %q", got)
	}
}

// An update that the server refuses leaves the post scheduled, and says so: whoever believes that it is not writes it
// again. One that succeeds offers no undo, which would cancel what was planned before.
func TestBrowserSaysWhatAnUpdateLeftBehind(t *testing.T) {
	t.Parallel()
	s, post := newScheduledStory(t)
	b := s.tab
	s.edit(post, "As it was")
	b.click("label", "Time")
	at := evaluate[string](b, `document.querySelector('input[type=time]').value`)
	b.fill(`textarea[aria-label=Text]`, "As it is")
	s.clock.Advance(time.Hour) // the time that is suggested is over, and the page does not know
	b.click("button", "Update 1 post")
	b.waitForText("It is still scheduled; at most its text has changed")
	b.screenshot("refused")
	if got := s.only(t, post).Status; got != crier.Scheduled {
		t.Errorf("it is %s", got)
	}
	b.set(`input[type=time]`, "2"+at[1:])
	b.click("button", "Update 1 post")
	b.waitForText("Scheduled 1 post")
	if evaluate[bool](b, `[...document.querySelectorAll('button')].some(b => b.innerText === 'Undo')`) {
		t.Error("an undo is offered")
	}
}

func TestBrowserPublishesOnWhatRefusedItOnceItIsMended(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "linkedin", "x")
	s.start(t)
	long := strings.Repeat("Too long for X. ", 30) + "The end."
	s.compose(long, "LinkedIn", "X")
	s.tab.click("label", "Now")
	s.tab.click("button", "Publish 1 post now")
	s.tab.waitFor(`document.querySelector('main [role=alert] li')`)
	s.tab.waitForText("Publishing 1 post now", "It is under way or planned on", "(LinkedIn). It is not on:", "(X): ")
	s.tab.screenshot("partly")
	servertest.Until(t, func() bool { return len(s.box.Timeline(t, s.Accounts[0])) == 1 },
		func() string { return "LinkedIn has nothing" })
	s.tab.fill(`textarea[aria-label=Text]`, "Short enough")
	s.tab.waitFor(`document.querySelectorAll('section[aria-label=Accounts] label:has(:checked)').length === 1`)
	s.tab.click("button", "Publish 1 post now")
	s.tab.waitFor(`document.querySelectorAll('article[data-status=published]').length === 2`)
	for i, want := range []string{long, "Short enough"} {
		if got := servertest.Texts(s.box.Timeline(t, s.Accounts[i])); len(got) != 1 || got[0] != want {
			t.Errorf("%s has %q", s.Accounts[i].Network, got)
		}
	}
}

// A draft that somebody else changed while it was open is shown before anything of it is published: also where nobody
// told of the change.
func TestBrowserPublishesNothingUnseen(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprintf("told=%t", told), func(t *testing.T) {
			t.Parallel()
			s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
			s.start(t)
			post := s.NewPost(t, s.crew, "As it was")
			b := s.tab
			if !told {
				b.failReads("*/events/stream", cdpnet.ErrorReasonConnectionReset)
			}
			s.edit(post, "As it was")
			b.click("section[aria-label=Accounts] label", "X")
			b.click("label", "Now")
			b.waitForText("Publish 1 post now")
			s.Call(t, s.crew, "PATCH", "posts/"+post, object{"text": "As she has it"}).Want(t, http.StatusOK)
			if !told {
				b.click("button", "Publish 1 post now")
			}
			s.chooseTheirs(t, post)
		})
	}
}

// chooseTheirs decides for the text that somebody else has written meanwhile, and publishes it.
func (s *story) chooseTheirs(t *testing.T, post string) {
	t.Helper()
	b := s.tab
	b.waitForText("This draft was changed in another tab or by another person")
	b.waitFor(`document.querySelector('main [role=alert] del')?.innerText === 'it' &&
		document.querySelector('main [role=alert] ins')?.innerText === 'she'`)
	b.waitFor(`[...document.querySelectorAll('button')].find(b => b.innerText.includes('Publish 1 post now')).disabled`)
	b.screenshot("changed")
	if got := servertest.Texts(s.box.Timeline(t, s.Accounts[0])); len(got) != 0 || len(s.scheduled(t, post)) != 0 {
		t.Fatalf("published %q", got)
	}
	b.click("button", "Show theirs")
	b.waitFor(`document.querySelector('textarea')?.value === 'As she has it'`)
	s.publishes(t, b, "As she has it")
}

// Whoever discards sees which version comes back: it may be another one than was opened.
func TestBrowserDiscardShowsWhatComesBack(t *testing.T) {
	t.Parallel()
	s, post := newScheduledStory(t)
	b := s.tab
	s.edit(post, "As it was")
	b.fill(`textarea[aria-label=Text]`, "As he typed")
	b.click("button", "Discard")
	b.waitFor(`document.querySelector('dialog[open] ins')?.innerText === 'it'`)
	b.waitForText("Version 1, saved")
	b.screenshot("discarding")
	b.click("dialog[open] button", "Keep")
	b.waitFor(`!document.querySelector('dialog')`)
	if got := evaluate[string](b, `document.querySelector('textarea').value`); got != "As he typed" {
		t.Errorf("kept %q", got)
	}
	b.click("button", "Discard")
	b.click("dialog[open] button", "Discard my changes")
	b.waitFor(`document.querySelector('textarea')?.value === 'As it was'`)
	b.click("button", "Undo")
	b.waitFor(`document.querySelector('textarea')?.value === 'As he typed'`)
}

// An error after the first of two requests says which account is planned and which is not.
func TestBrowserNamesTheAccountsThatHaveThePost(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "linkedin", "x")
	s.start(t)
	post := s.NewPost(t, s.crew, "At two times")
	for i, id := range s.IDs() {
		s.ScheduleIn(t, s.crew, post, time.Duration(i+2)*time.Hour, crier.Targets{SocialAccountIDs: []crier.ID{id}})
	}
	b := s.tab
	s.edit(post, "At two times")
	b.waitForText("Update 2 posts as planned")
	// The second one is gone meanwhile, and the server cannot be reached for the second request.
	s.Call(t, s.crew, "POST", path("scheduled-posts/%s/cancel", s.scheduledOn(t, post, s.IDs()[1])), nil).
		Want(t, http.StatusOK)
	b.run(chromedp.Evaluate[chromedp.Void](`(() => { const send = window.fetch; let n = 0; window.fetch = (r, o) =>
		r.url?.endsWith('/schedule') && ++n > 1 ? Promise.reject(new TypeError('lost')) : send(r, o) })()`))
	b.click("button", "Update 2 posts as planned")
	b.waitForText("(LinkedIn). It is not on:")
	b.screenshot("named")
	b.waitFor(`document.querySelector('main [role=alert] li')?.innerText.includes('(X)')`)
}

// scheduledOn returns the scheduled post of a post on an account.
func (s *story) scheduledOn(t *testing.T, post string, account crier.ID) crier.ID {
	t.Helper()
	for _, sp := range s.scheduled(t, post) {
		if sp.SocialAccountID == account {
			return sp.ID
		}
	}
	t.Fatalf("nothing is scheduled on %s", account)
	return ""
}

// A time that cannot be is told beside it, and not by the server's error after the press.
func TestBrowserTellsOfATimeThatCannotBe(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x")
	s.start(t)
	s.compose("Later", "X")
	b := s.tab
	b.click("label", "Time")
	button := `[...document.querySelectorAll('button')].find(b => b.innerText.includes('Schedule 1 post'))`
	b.waitFor(button + `?.disabled === false`)
	day := evaluate[string](b, `document.querySelector('input[type=date]').value`)
	for at, words := range map[string]string{"2026-01-02": "This time is over", "2036-01-02": "At most 90 days ahead",
		"": "Choose a date and a time."} {
		b.set(`input[type=date]`, at)
		b.waitForText(words)
		b.waitFor(button + `.disabled && document.querySelector('input[type=date]').ariaInvalid === 'true'`)
	}
	b.set(`input[type=date]`, "2026-01-02")
	b.waitForText("This time is over")
	b.screenshot("over")
	b.set(`input[type=date]`, day)
	b.waitFor(button + `?.disabled === false`)
}

// What TikTok asks for stays in sight until it is answered, and a post that promotes something says what.
func TestBrowserTikTokAsksBeforeItPosts(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "tiktok")
	s.start(t)
	b := s.tab
	s.File(t, s.crew, "film.mp4", mediatest.VerticalMP4())
	b.open("/app/compose")
	b.click("section[aria-label=Accounts] label", "TikTok")
	b.fill(`textarea[aria-label=Text]`, "How bread is made")
	b.waitFor(`document.querySelector('details[open] select[required]')`)
	b.click("button", "From library")
	b.click("dialog li button", "film.mp4")
	b.click("dialog button", "Add 1")
	b.waitFor(`[...document.querySelectorAll('details label')].some(l => l.innerText === 'Duet')`)
	b.set("details select[required]", "PUBLIC_TO_EVERYONE")
	b.click("label", "Now")
	const ready = `[...document.querySelectorAll('button')].some(b => b.innerText.startsWith('Publish 1 post now') && !b.disabled)`
	b.waitFor(ready)
	b.waitFor(`document.querySelector('details select[required]').checkVisibility()`)
	b.click("label", "This post promotes a brand")
	b.waitForText("Say whether it promotes you, a third party, or both")
	b.waitFor(`!` + ready)
	b.wantAccessible("undecided")
	b.screenshot("undecided")
	b.click("label", "Your brand")
	b.waitForText("Your post will be labelled “Promotional content”")
	b.waitFor(ready)
	b.click("label", "This post promotes a brand")
	b.waitFor(ready + ` && !document.body.innerText.includes('will be labelled')`)
}

func TestBrowserShowsTheirDescriptionsOfPictures(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	asset := s.File(t, s.crew, "bread.jpg", mediatest.JPEG(640, 480))
	described := func(text, alt string) object {
		return object{"postInput": object{"kind": "atomic", "text": text, "attachments": []object{{"kind": "media",
			"asset": object{"assetId": asset}, "altText": alt}}}}
	}
	post := s.Call(t, s.crew, "POST", "posts", described("Bread", "A loaf")).Want(t, http.StatusCreated).Text(t, "id")
	b := s.tab
	s.edit(post, "Bread")
	const alt = `document.querySelector('input[placeholder^="Describe"]').value`
	b.fill(`input[placeholder^="Describe"]`, "Mine")
	s.Call(t, s.crew, "PATCH", "posts/"+post, described("Bread", "Theirs")).Want(t, http.StatusOK)
	b.click("button", "show theirs")
	b.waitFor(alt + ` === 'Theirs'`)
	b.click("button", "Undo")
	b.waitFor(alt + ` === 'Mine'`)
}

func TestBrowserWritesATextForEachAccountOfANetwork(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x", "x")
	s.start(t)
	for i, name := range []string{"The bakery", "The shop"} {
		s.Exec(t, `UPDATE social_accounts SET display_name = $1 WHERE id = $2`, name, s.Accounts[i].ID)
	}
	b := s.tab
	b.open("/app/compose")
	for _, name := range []string{"The bakery", "The shop"} {
		b.click("section[aria-label=Accounts] label", name)
	}
	for _, name := range []string{"The bakery", "The shop"} {
		b.click("button", "Different text for")
		b.click("[role=menu]:popover-open [role=menuitem]", name)
		b.waitFor(fmt.Sprintf(`[...document.querySelectorAll('[aria-pressed=true]')].some(e => e.innerText.trim() === %q)`, name))
	}
}

// What was written into a draft that somebody else deletes is not lost with it.
func TestBrowserKeepsWhatWasWrittenIntoADeletedPost(t *testing.T) {
	t.Parallel()
	for _, reload := range []bool{false, true} {
		t.Run(fmt.Sprintf("reload=%t", reload), func(t *testing.T) {
			t.Parallel()
			s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
			s.start(t)
			post := s.NewPost(t, s.crew, "Bread")
			b := s.tab
			s.edit(post, "Bread")
			s.Call(t, s.crew, "DELETE", "posts/"+post, nil).Want(t, http.StatusOK)
			b.fill(`textarea[aria-label=Text]`, "Bread, and an hour of work")
			b.waitForText("This draft was deleted in another tab or by another person")
			b.wantAccessible("deleted")
			b.screenshot("deleted")
			again := "Save mine as a new draft"
			if reload {
				b.open("/app/compose/" + post)
				b.waitForText("This post was deleted")
				b.screenshot("deleted, opened again")
				again = "Save it as a new draft"
			}
			b.click("button", again)
			b.waitFor(fmt.Sprintf(`/compose\/./.test(location.pathname) && !location.pathname.endsWith(%q) &&
				document.querySelector('textarea')?.value === 'Bread, and an hour of work'`, post))
			made := path("posts/%s", evaluate[string](b, `location.pathname.split('/').at(-1)`))
			got := s.Call(t, s.crew, "GET", made, nil).Want(t, http.StatusOK).Text(t, "text")
			if got != "Bread, and an hour of work" {
				t.Errorf("the new draft is %q", got)
			}
		})
	}
}
