package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// nextClockChange returns the next daylight saving change of a zone that leaves the tests some days before it.
func nextClockChange(t *testing.T, zone *time.Location) time.Time {
	t.Helper()
	day := time.Now().Add(10 * 24 * time.Hour).UTC().Truncate(24 * time.Hour)
	for range 370 {
		_, before := day.In(zone).Zone()
		_, after := day.Add(24 * time.Hour).In(zone).Zone()
		if before != after {
			return day
		}
		day = day.Add(24 * time.Hour)
	}
	t.Fatalf("the clocks of %s do not change", zone)
	return day
}

// calendarFixture is a team in Berlin, a week before its clocks change, with a post due three days before that on two
// accounts, and its owner at the calendar.
type calendarFixture struct {
	*engine
	tab  *tab
	zone *time.Location
	// at is when the post is due: nine in the morning, Berlin time.
	at   time.Time
	post string
	// due are the scheduled posts, one per account.
	due []crier.ID
}

func newCalendarFixture(t *testing.T, db database) *calendarFixture {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	change := nextClockChange(t, zone)
	clock := &servertest.Clock{}
	clock.Advance(time.Until(change.Add(-7 * 24 * time.Hour)))
	s := &calendarFixture{engine: startEngine(t, db, servertest.WithClock(clock)), zone: zone}
	s.setZone(t, s.crew, "Europe/Berlin")
	s.signUp(t, s.crew, "ada@example.com")
	y, m, d := change.Add(-3 * 24 * time.Hour).In(zone).Date()
	s.at = time.Date(y, m, d, 9, 0, 0, 0, zone)
	s.post = s.NewPost(t, s.crew, "Moved about")
	var r servertest.Result
	s.Call(t, s.crew, "POST", "posts/"+s.post+"/schedule", object{
		"socialAccountIds": s.IDs(), "scheduledAt": s.at.UTC().Format(time.RFC3339),
	}).Want(t, http.StatusOK).Into(t, &r)
	for _, entry := range r.Data {
		s.due = append(s.due, entry.ScheduledPost.ID)
	}
	s.tab = openTab(t, s.testServer, desk)
	s.tab.signIn("ada@example.com")
	s.tab.open("/app/?view=month&date=" + s.at.Format(time.DateOnly))
	return s
}

// card selects the card of the post on a day.
func (s *calendarFixture) card(day time.Time) string {
	return fmt.Sprintf(`[data-day="%s"] [data-post="%s"]`, day.Format(time.DateOnly), s.post)
}

// wantAt waits until the calendar and the store agree that the post is due at a time, on all of its accounts.
func (s *calendarFixture) wantAt(t *testing.T, at time.Time) {
	t.Helper()
	s.tab.waitFor(fmt.Sprintf(`document.querySelector(%q)`, s.card(at)))
	servertest.Until(t, func() bool {
		for _, id := range s.due {
			if !s.Publication(t, s.crew, id).ScheduledAt.Equal(at) {
				return false
			}
		}
		return true
	}, func() string {
		return fmt.Sprintf("due at %s, not at %s", s.Publication(t, s.crew, s.due[0]).ScheduledAt, at)
	})
}

func TestBrowserCalendarMovesAPostAcrossAClockChange(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := newCalendarFixture(t, db)
		s.wantAt(t, s.at)
		if cards := evaluate[int](s.tab, fmt.Sprintf(`document.querySelectorAll('[data-post="%s"]').length`,
			s.post)); cards != 1 {
			t.Errorf("a post on two accounts is %d cards", cards)
		}

		after := s.at.AddDate(0, 0, 4) // the same time of day, another offset
		if _, a := s.at.Zone(); func() bool { _, b := after.Zone(); return a == b }() {
			t.Fatalf("no clock change between %s and %s", s.at, after)
		}
		s.tab.drag(s.card(s.at), fmt.Sprintf(`[data-day="%s"]`, after.Format(time.DateOnly)))
		s.wantAt(t, after)
		s.tab.screenshot("moved")

		s.tab.click("button", "Undo")
		s.wantAt(t, s.at)
	})
}

func TestBrowserCalendarMovesAPostByKeyboard(t *testing.T) {
	t.Parallel()
	s := newCalendarFixture(t, servertest.Databases.Fresh(t, store.SQLite))
	s.wantAt(t, s.at)
	focus := func(at time.Time) {
		s.tab.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).focus()`, s.card(at))))
	}
	focus(s.at)
	s.tab.press(keySpace, keyDown)
	s.tab.waitFor(fmt.Sprintf(`document.querySelector(%q)?.matches(':focus')`, s.card(s.at.AddDate(0, 0, 7))))
	s.tab.press(keyEscape)
	s.wantAt(t, s.at)

	focus(s.at)
	s.tab.press(keySpace, keyDown, keyRight, keyEnter)
	s.wantAt(t, s.at.AddDate(0, 0, 8))
	s.tab.waitFor(fmt.Sprintf(`document.querySelector(%q)?.matches(':focus')`, s.card(s.at.AddDate(0, 0, 8))))
}

// touch drags a finger from the center of one element to that of another: it rests until the card is lifted.
func (b *tab) touch(from, to string) {
	b.tb.Helper()
	_, err := send(b, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true})
	if err != nil {
		b.tb.Fatal(err)
	}
	finger := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		b.tb.Helper()
		if _, err := send(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind,
			TouchPoints: append([]*input.TouchPoint{}, points...)}); err != nil {
			b.tb.Fatal(err)
		}
	}
	a, z := b.middle(from), b.middle(to)
	finger(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: a.X, Y: a.Y})
	b.waitFor(`document.querySelector('[data-dragged]')`)
	const steps = 8
	for i := range steps {
		part := float64(i+1) / steps
		finger(input.DispatchTouchEventTypeTouchMove,
			&input.TouchPoint{X: a.X + (z.X-a.X)*part, Y: a.Y + (z.Y-a.Y)*part})
	}
	b.waitFor(`document.querySelector('[data-marker]:not([hidden])')`)
	b.screenshot("under the finger")
	finger(input.DispatchTouchEventTypeTouchEnd)
}

func TestBrowserCalendarMovesAPostByTouch(t *testing.T) {
	t.Parallel()
	s := newCalendarFixture(t, servertest.Databases.Fresh(t, store.SQLite))
	s.wantAt(t, s.at)
	after := s.at.AddDate(0, 0, 1)
	s.tab.touch(s.card(s.at), fmt.Sprintf(`[data-day="%s"]`, after.Format(time.DateOnly)))
	s.wantAt(t, after)
}

func TestBrowserQueueSwapsTwoPosts(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x", "linkedin")
	s.start(t)
	plan := func(text string, lead time.Duration) (post string, at time.Time) {
		post = s.NewPost(t, s.crew, text)
		_, at = s.ScheduleIn(t, s.crew, post, lead, crier.Targets{SocialAccountIDs: s.IDs()})
		return post, at
	}
	first, early := plan("Was first", 2*time.Hour)
	second, late := plan("Was second", 5*time.Hour)
	want := func(a, b time.Time) {
		t.Helper()
		servertest.Until(t, func() bool { return s.due(t, first).Equal(a) && s.due(t, second).Equal(b) },
			func() string { return fmt.Sprintf("due at %s and %s", s.due(t, first), s.due(t, second)) })
	}
	s.tab.open("/app/queue")
	s.tab.click("main button", "Swap with the post at")
	s.tab.waitForText("Swapped")
	want(late, early)
	s.tab.waitFor(`document.querySelector('[data-row]')?.innerText.includes('Was second')`)
	s.tab.screenshot("swapped")
	s.tab.click("button", "Undo")
	want(early, late)
	s.tab.waitFor(`document.querySelector('[data-row]')?.innerText.includes('Was first')`)

	// By pointer: drop one on the other.
	s.tab.drag(`[data-row]:nth-of-type(1) [data-card]`, fmt.Sprintf(`[data-row="%s"]`,
		evaluate[string](s.tab, `document.querySelectorAll('[data-row]')[1].dataset.row`)))
	want(late, early)
}

func TestBrowserCalendarMovesAPostToAnotherMonth(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	post := s.NewPost(t, s.crew, "Moved to another month")
	_, at := s.ScheduleIn(t, s.crew, post, 2*24*time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	b := s.tab
	b.open("/app/?view=month&date=" + at.Format(time.DateOnly))
	card := fmt.Sprintf(`[data-post="%s"]`, post)
	b.waitFor(fmt.Sprintf(`document.querySelector(%q)`, card))
	month := evaluate[string](b, `document.querySelector('h1').innerText`)
	from, later := b.middle(card), b.middle(`[data-turn][aria-label=Later]`)
	b.mouse(input.DispatchMouseEventTypeMousePressed, from.X, from.Y)
	b.mouse(input.DispatchMouseEventTypeMouseMoved, from.X+20, from.Y)
	b.mouse(input.DispatchMouseEventTypeMouseMoved, later.X, later.Y)
	// Resting on the arrow turns the page, and again for as long as the pointer is there.
	b.waitFor(fmt.Sprintf(`document.querySelector('h1').innerText !== %q`, month))
	b.mouse(input.DispatchMouseEventTypeMouseMoved, from.X, from.Y)
	b.waitFor(fmt.Sprintf(`!document.querySelector('[data-stale], [data-post="%s"]:not([data-dragged])')`, post))
	to := evaluate[string](b, `document.querySelectorAll('[data-day]')[8].dataset.day`)
	day := fmt.Sprintf(`[data-day="%s"]`, to)
	z := b.middle(day)
	b.mouse(input.DispatchMouseEventTypeMouseMoved, z.X, z.Y)
	b.waitFor(`document.querySelector('[data-marker]:not([hidden])')`)
	b.screenshot("in hand")
	b.mouse(input.DispatchMouseEventTypeMouseReleased, z.X, z.Y)
	b.waitFor(fmt.Sprintf(`document.querySelector('%s %s')`, day, card))
	servertest.Until(t, func() bool { return s.due(t, post).UTC().Format(time.DateOnly) == to },
		func() string { return fmt.Sprintf("due at %s", s.due(t, post)) })
}

// A card in hand stays in sight on a day without room: the keys go where it is.
func TestBrowserCalendarMovesAPostOntoAFullDayByKeyboard(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	day := s.clock.Now().AddDate(0, 0, 2)
	for n := range 12 {
		s.ScheduleIn(t, s.crew, s.NewPost(t, s.crew, fmt.Sprint("Bread ", n)), (48+time.Duration(n)/4)*time.Hour,
			crier.Targets{SocialAccountIDs: s.IDs()})
	}
	late := s.NewPost(t, s.crew, "Late in the day")
	_, at := s.ScheduleIn(t, s.crew, late, 24*time.Hour+8*time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
	b := s.tab
	card := fmt.Sprintf(`[data-post="%s"]`, late)
	for _, view := range []string{"month", "week"} {
		b.open("/app/?view=" + view + "&date=" + at.Format(time.DateOnly))
		b.waitFor(fmt.Sprintf(`document.querySelector(%q)`, card))
		b.do(fmt.Sprintf(`document.querySelector(%q).focus()`, card))
		b.press(keySpace, keyRight)
		b.waitFor(fmt.Sprintf(`document.querySelector('[data-day="%s"] %s, [data-column="%s"] %s')?.matches(':focus')`,
			day.Format(time.DateOnly), card, day.Format(time.DateOnly), card))
		b.screenshot(view)
		b.press(keyEscape)
		b.waitForText("Put back")
	}
	b.press(keySpace, keyRight, keyEnter)
	servertest.Until(t, func() bool { return s.due(t, late).Equal(at.AddDate(0, 0, 1)) },
		func() string { return fmt.Sprintf("due at %s", s.due(t, late)) })
}
