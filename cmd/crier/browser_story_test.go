package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/sandbox"
	"crier/internal/server/servertest"
)

// networksOfPeople are the networks: their names in the API and in the dashboard.
var networksOfPeople = []struct{ name, shown string }{
	{"x", "X"}, {"tiktok", "TikTok"}, {"instagram", "Instagram"}, {"facebook", "Facebook"}, {"youtube", "YouTube"},
	{"linkedin", "LinkedIn"}, {"threads", "Threads"},
}

// story is a server and its networks on a morning in the middle of a month, and a user at the browser.
type story struct {
	*engine
	tab   *tab
	clock *servertest.Clock
}

// newStory starts on the tenth of the next month, at eight in the morning: posts of the next days are on the same page
// of the calendar, and the whole story is on the same day.
func newStory(t *testing.T, db database, size viewport, networks ...string) *story {
	t.Helper()
	c := &servertest.Clock{}
	now := time.Now().UTC()
	c.Advance(time.Until(time.Date(now.Year(), now.Month()+1, 10, 8, 0, 0, 0, time.UTC)))
	s := &story{clock: c, engine: &engine{box: servertest.StartBoxWith(t, sandbox.Options{Now: c.Now})}}
	s.testServer = startServer(t, db, servertest.WithBox(s.box), servertest.WithTimings(servertest.FastTimings),
		servertest.WithReachableMedia(t), servertest.WithClock(c),
		withLocalWebhooks)
	s.crew = s.NewCrew(t, 100_000, networks...)
	// The ages of files are by the machine's clock: the sweep at the start would treat files that are being written as
	// left behind.
	servertest.Until(t, func() bool {
		return s.Number(t, `SELECT count(*) FROM river_job WHERE kind = 'asset.sweep' AND state = 'completed'`) > 0
	}, func() string { return "the first sweep of the media does not end" })
	s.tab = openTab(t, s.testServer, size)
	return s
}

// start signs the owner up directly and in by the form, in a team in Berlin.
func (s *story) start(t *testing.T) {
	t.Helper()
	s.setZone(t, s.crew, "Europe/Berlin")
	s.signUp(t, s.crew, "ada@example.com")
	s.tab.signIn("ada@example.com")
}

// goThrough grants the consent on a network's page and returns to the dashboard.
func (s *story) goThrough(person string) {
	s.tab.tb.Helper()
	s.tab.fill(`input[name=name]`, person)
	s.tab.click(`button.allow`, "Allow")
	s.tab.waitFor(`location.pathname.startsWith('/app') || [...document.querySelectorAll('button')].some(b => b.innerText === 'Connect')`)
	if !evaluate[bool](s.tab, `location.pathname.startsWith('/app')`) {
		s.tab.click("button", "Connect") // which of the accounts
	}
	s.tab.waitFor(`location.pathname.startsWith('/app') && document.querySelector('main h1')`)
}

// toTeam reads a number of the team from the store.
func (s *story) toTeam(t *testing.T, query string) int64 {
	t.Helper()
	return s.Number(t, query, s.crew.Team)
}

func TestBrowserFromTheSetupLinkToAPublishedPost(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := newStory(t, db, desk)
		s.setUp(t)
		s.connectAll(t)
		s.chooseSlots(t)
		s.watchTheFirst(t)
		post := s.write(t)
		s.moveAbout(t, post)
		s.watch(t, post)
	})
}

// setUp completes the form of the set-up link.
func (s *story) setUp(t *testing.T) {
	t.Helper()
	b := s.tab
	b.open("/setup?token=" + s.crew.Setup)
	b.fill("#name", "Ada Lovelace")
	b.fill("#email", "ada@example.com")
	b.fill("#password", servertest.Passphrase)
	b.press(keyEnter)
	b.waitFor(`location.pathname === '/app/welcome' && document.querySelector('main h1')`)
	b.screenshot("welcome")
}

// connectAll connects an account of each network, in the first step of the welcome.
func (s *story) connectAll(t *testing.T) {
	t.Helper()
	b := s.tab
	for _, n := range networksOfPeople {
		b.click(fmt.Sprintf(`[data-network=%s] button`, n.name), "Connect")
		b.waitFor(fmt.Sprintf(`location.origin === %q`, s.box.URL))
		s.goThrough("bakery")
		b.waitFor(fmt.Sprintf(`document.querySelector('[data-network=%s]')?.innerText.includes('Connected')`, n.name))
	}
	b.screenshot("connected")
	if n := s.toTeam(t, `SELECT count(DISTINCT provider) FROM social_accounts WHERE team_id = $1
		AND status = 'connected'`); n != 7 {
		t.Errorf("%d networks are connected", n)
	}
	b.click("button", "Go on with")
}

// chooseSlots takes the times of the second step, in a zone that is not the browser's.
func (s *story) chooseSlots(t *testing.T) {
	t.Helper()
	b := s.tab
	b.waitForText("When do you publish?")
	b.set(`main select`, "Europe/Berlin")
	b.click("button", "Use these times")
	b.waitForText("Write your first post")
	if n := s.toTeam(t, `SELECT count(*) FROM scheduling_slots WHERE team_id = $1`); n != 3 {
		t.Errorf("%d slots were made", n)
	}
}

// watchTheFirst publishes the first post of the third step.
func (s *story) watchTheFirst(t *testing.T) {
	t.Helper()
	s.tab.click("button", "Publish it now")
	s.tab.waitForText("It is out")
	s.tab.screenshot("first post")
	s.tab.click("button", "Open the calendar")
	s.tab.waitFor(`document.querySelector('[data-day] [data-post]')`)
}

// write creates a post with a picture, a separate text for LinkedIn and a first comment, and schedules it for the next
// slot. It returns its id.
func (s *story) write(t *testing.T) string {
	t.Helper()
	b := s.tab
	b.press("n")
	b.waitFor(`location.pathname === '/app/compose' && document.querySelector('textarea')`)
	for _, name := range []string{"X", "LinkedIn", "Facebook"} {
		b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
			`document.querySelector('section[aria-label=Accounts] label[title^="%s:"] input').click()`, name)))
	}
	b.fill(`textarea[aria-label=Text]`, "Fresh bread from seven o'clock")
	b.upload(`section[aria-label=Content] input[type=file]`, map[string][]byte{"bread.jpg": mediatest.JPEG(640, 640)})
	b.fill(`ol[aria-label=Media] input`, "Three loaves on a board")
	b.click("button[role=menuitem]", "LinkedIn") // in the menu of different texts
	b.fill(`textarea[aria-label=Text]`, "We bake from seven o'clock, and we are hiring")
	b.waitFor(`document.querySelector('[data-provider=linkedin]')?.innerText.includes('hiring')`)
	b.click("summary", "Comments")
	b.fill(`details[open] textarea`, "We are closed on Mondays")
	b.waitFor(`[...document.querySelectorAll('button')].some(e =>
		/^Schedule 3 posts for \w+ \d+ \w+, \d\d:\d\d · \d+ credits/.test(e.innerText))`)
	b.screenshot("composer")
	b.click("button", "Schedule 3 posts for")
	b.waitFor(`location.pathname.startsWith('/app/posts/')`)
	b.waitForText("Scheduled 3 posts for", "Fresh bread")
	return evaluate[string](b, `location.pathname.split('/').pop()`)
}

// due returns when the post is due on all of its accounts, or the zero time when they differ.
func (s *story) due(t *testing.T, post string) time.Time {
	t.Helper()
	var first time.Time
	for _, p := range s.scheduled(t, post) {
		if !first.IsZero() && !p.ScheduledAt.Equal(first) {
			return time.Time{}
		}
		first = p.ScheduledAt.Time
	}
	return first
}

// scheduled returns the scheduled posts of a post.
func (s *story) scheduled(t *testing.T, post string) []crier.ScheduledPost {
	t.Helper()
	var page struct{ Data []crier.ScheduledPost }
	s.Call(t, s.crew, "GET", "scheduled-posts?postId="+post, nil).Want(t, 200).Into(t, &page)
	return page.Data
}

// wantDue waits until the calendar shows the post at a time and the store has it there.
func (s *story) wantDue(t *testing.T, post string, at time.Time) {
	t.Helper()
	s.tab.waitFor(fmt.Sprintf(`document.querySelector(%q)`, onDay(post, at)))
	servertest.Until(t, func() bool { return s.due(t, post).Equal(at) }, func() string {
		return fmt.Sprintf("due at %s, not at %s", s.due(t, post), at)
	})
}

// onDay selects the card of a post on a day of the calendar.
func onDay(post string, at time.Time) string {
	return fmt.Sprintf(`[data-day="%s"] [data-post="%s"]`, at.Format(time.DateOnly), post)
}

// moveAbout moves the post by pointer, undoes that, and moves it by keyboard.
func (s *story) moveAbout(t *testing.T, post string) {
	t.Helper()
	b := s.tab
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := s.due(t, post).In(zone)
	b.click("nav a", "Calendar")
	s.wantDue(t, post, at)
	b.drag(onDay(post, at), fmt.Sprintf(`[data-day="%s"]`, at.AddDate(0, 0, 2).Format(time.DateOnly)))
	s.wantDue(t, post, at.AddDate(0, 0, 2))
	if evaluate[bool](b, `document.body.innerText.includes('Scheduled 3 posts for')`) {
		t.Error("scheduling can be undone while the post is moved")
	}
	b.waitForText("Moved to")
	b.screenshot("moved by pointer")
	b.click("button", "Undo")
	s.wantDue(t, post, at)
	b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).focus()`, onDay(post, at))))
	b.press(keySpace, keyDown, keyEnter)
	s.wantDue(t, post, at.AddDate(0, 0, 7))
}

// watch advances the clock until the post is due and checks how it was published.
func (s *story) watch(t *testing.T, post string) {
	t.Helper()
	b := s.tab
	b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector('[data-post="%s"]').click()`, post)))
	b.waitFor(fmt.Sprintf(`location.pathname === '/app/posts/%s' && document.querySelectorAll('article[data-status=scheduled]').length === 3`,
		post))
	s.clock.Advance(s.due(t, post).Sub(s.clock.Now()))
	b.waitFor(`document.querySelectorAll('article[data-status=published]').length === 3`)
	servertest.Until(t, func() bool {
		return s.Number(t, `SELECT count(*) FROM publications WHERE kind = 'first_comment' AND status = 'published'`) == 3
	}, func() string { return "not every first comment is out" })
	b.click("article button", "Why")
	b.waitForText("It is there once: one call was sent", "Call left", "Called the network to publish it")
	b.screenshot("why")
	want := map[string]string{"x": "Fresh bread from seven o'clock", "facebook": "Fresh bread from seven o'clock",
		"linkedin": "We bake from seven o'clock, and we are hiring"}
	for _, p := range s.scheduled(t, post) {
		on := s.accountOn(t, p)
		shown := slices.DeleteFunc(servertest.Texts(s.box.Timeline(t, on)), func(text string) bool {
			return strings.HasPrefix(text, "Hello from crier") // the first post
		})
		slices.Sort(shown)
		if !slices.Equal(shown, []string{want[on.Network], "We are closed on Mondays"}) &&
			!slices.Equal(shown, []string{"We are closed on Mondays", want[on.Network]}) {
			t.Errorf("%s has %q", on.Network, shown)
		}
	}
}

// accountOn returns the account of a scheduled post, as the sandbox knows it.
func (s *story) accountOn(t *testing.T, p crier.ScheduledPost) servertest.Account {
	t.Helper()
	var a servertest.Account
	err := s.Node.Store.Reader().QueryRowContext(context.Background(), `SELECT id, provider, provider_account_id
		FROM social_accounts WHERE id = $1`, p.SocialAccountID).Scan(&a.ID, &a.Network, &a.Remote)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
