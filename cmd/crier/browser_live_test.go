package main

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	cdpnet "github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// Changes by others arrive by the event stream: without it the page would poll again only after 15 seconds.
func TestBrowserShowsLiveChangesAndCatchesUpAfterADisconnect(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.tab.waitFor(`document.querySelector('[data-day]')`)
	plan := func(text string) (post string, entry crier.ID) {
		post = s.NewPost(t, s.crew, text)
		r, _ := s.ScheduleIn(t, s.crew, post, 24*time.Hour, crier.Targets{SocialAccountIDs: s.IDs()})
		return post, r.Data[0].ScheduledPost.ID
	}
	card := func(post string, day int) string {
		return fmt.Sprintf(`document.querySelector(%q)`, onDay(post, s.clock.Now().AddDate(0, 0, day)))
	}
	first, entry := plan("By somebody else")
	s.tab.waitFor(card(first, 1))
	start := time.Now()
	s.Call(t, s.crew, "PATCH", path("scheduled-posts/%s", entry), object{
		"scheduledAt": s.clock.Now().AddDate(0, 0, 2).UTC().Format(time.RFC3339),
	}).Want(t, http.StatusOK)
	s.tab.waitFor(card(first, 2))
	took := time.Since(start)
	t.Logf("another person's move is shown after %s", took.Round(time.Millisecond))
	if took > 10*time.Second {
		t.Errorf("another person's move is shown after %s", took)
	}

	s.tab.line(lost)
	s.tab.waitForText("The connection is lost")
	s.tab.screenshot("lost")
	second, _ := plan("While the line was away")
	s.tab.line()
	s.tab.waitFor(card(second, 1))
	s.tab.waitFor(`!document.body.innerText.includes('The connection is lost')`)
}

func TestBrowserUploadSurvivesADisconnectAndAReload(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk)
	s.start(t)
	// A picture padded to three chunks, all of whose bytes must arrive.
	picture := mediatest.JPEG(640, 640)
	picture = append(picture, bytes.Repeat([]byte("every byte "), 17<<20/11)...)
	s.tab.open("/app/media")
	// The first chunk has arrived, and the second one is being sent.
	const began = `document.querySelector('[data-state=sending]') &&
		JSON.parse(localStorage.getItem('crier-uploads') ?? '[]')[0]?.nextByteStart > 0`
	narrow := cdpnet.Conditions{DownloadThroughput: -1, UploadThroughput: 2 << 20}
	s.tab.line(narrow)
	s.tab.upload(`main input[type=file]`, map[string][]byte{"long.jpg": picture})
	s.tab.waitFor(began)
	s.tab.run(chromedp.Reload())
	s.tab.waitFor(began)
	s.tab.line(lost)
	s.tab.waitForText("The line is lost")
	s.tab.screenshot("lost")
	s.tab.line()
	s.tab.waitFor(`document.querySelector('main li [class*=name]')?.innerText === 'long.jpg'`)
	if n := s.toTeam(t, `SELECT count(*) FROM assets WHERE team_id = $1`); n != 1 {
		t.Errorf("%d assets, want one", n)
	}
	if n := s.toTeam(t, `SELECT byte_size FROM assets WHERE team_id = $1`); n != int64(len(picture)) {
		t.Errorf("%d bytes arrived, want %d", n, len(picture))
	}
}

// Otherwise, pressing the button during an upload would publish the post without its picture.
func TestBrowserPostWaitsForItsUpload(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x", "linkedin")
	s.start(t)
	s.compose("With its picture", "X")
	s.tab.click("label", "Now")
	s.tab.waitFor(hasButton("Publish 1 post now"))
	s.tab.line(lost)
	s.tab.upload(`section[aria-label=Content] input[type=file]`, map[string][]byte{"bread.jpg": mediatest.JPEG(64, 64)})
	s.tab.waitFor(hasButton("Waiting for the upload"))
	s.tab.run(chromedp.KeyEvent(keyEnter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	s.tab.screenshot("waiting")
	s.tab.line()
	s.tab.click("button", "Publish 1 post now")
	s.tab.waitFor(`document.querySelector('article[data-status=published]')`)
	got := s.box.Timeline(t, s.Accounts[0])
	if len(got) != 1 || len(got[0].Media) != 1 {
		t.Errorf("timeline %+v", got)
	}

	// The next post offers the same accounts, and preselects none.
	s.tab.open("/app/compose")
	s.tab.waitForText("nowhere yet")
	s.tab.click("button", "Same as last time")
	s.tab.waitForText("1 account")
}

// hasButton reports whether a button has this label.
func hasButton(words string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('button')].some(e => e.innerText.includes(%q))`, words)
}

func TestBrowserFailedReadIsReportedAndRetried(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.NewPost(t, s.crew, "Read in the end")
	for _, reason := range []cdpnet.ErrorReason{cdpnet.ErrorReasonTimedOut, cdpnet.ErrorReasonConnectionReset} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			b := openTab(t, s.testServer, desk)
			b.signIn("ada@example.com")
			b.waitFor(`document.querySelector('[data-day]')`)
			heal := b.failReads("*/v1/teams/*/posts?*", reason)
			b.click("nav a", "Posts")
			b.waitFor(`document.querySelector('main [role=alert]')?.innerText.includes('This could not be loaded')`)
			b.screenshot("failed")
			heal()
			b.click("main [role=alert] button", "Try again")
			b.waitForText("Read in the end")
			b.waitFor(`!document.querySelector('main [role=alert]')`)
		})
	}
}

// failReads makes the requests to addresses that match a pattern fail, until the returned function is called.
func (b *tab) failReads(pattern string, reason cdpnet.ErrorReason) (heal func()) {
	b.tb.Helper()
	paused := chromedp.Events(b.ctx, fetch.RequestPaused)
	_, err := send(b, fetch.Enable, fetch.EnableParams{
		Patterns: []*fetch.RequestPattern{{URLPattern: pattern}},
	})
	if err != nil {
		b.tb.Fatal(err)
	}
	go func() {
		for e, err := range paused {
			if err != nil {
				return // the tab is closed
			}
			// A request that the page has aborted, or that continued when the connection was restored, no longer
			// exists.
			_, _ = send(b, fetch.FailRequest,
				fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: reason})
		}
	}()
	return func() {
		b.tb.Helper()
		if _, err := send(b, fetch.Disable, cdp.Empty{}); err != nil {
			b.tb.Fatal(err)
		}
	}
}

func TestBrowserVersionsShowWhatChanged(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	post := s.NewPost(t, s.crew, "Fresh bread at seven")
	s.Await(t, s.crew, s.PostOn(t, s.crew, post, s.Accounts[0], nil), crier.Published)
	s.Call(t, s.crew, "PATCH", "posts/"+post, object{"text": "Fresh bread at eight"}).Want(t, http.StatusOK)

	b := s.tab
	b.open("/app/posts/" + post)
	b.click("main nav button", "Versions")
	version := func(n int) string { return fmt.Sprintf(`document.querySelectorAll('main ol > li')[%d]`, n) }
	b.waitFor(version(1) + `?.innerText.includes('Version 1')`)
	b.waitFor(version(0) + `.innerText.includes('Present') && !` + version(0) + `.innerText.includes('Published')`)
	b.waitFor(version(1) + `.innerText.includes('Published') && !` + version(1) + `.innerText.includes('Present')`)
	// The newest is open, and marks its deletions and insertions.
	b.waitFor(version(0) + `.querySelector('del')?.innerText.includes('seven')`)
	b.waitFor(version(0) + `.querySelector('ins')?.innerText.includes('eight')`)
	b.screenshot("versions")
	b.click("main ol button", "Version 1")
	b.waitFor(version(1) + `.innerText.includes('Fresh bread at seven') && !` + version(1) + `.querySelector('ins, del')`)
	b.waitFor(`document.querySelectorAll('main ol button[aria-expanded=true]').length === 1`)
}
