package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	cdpnet "github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// join makes a colleague a member of the organization and signs her in, in a browser of her own.
func (s *story) join(t *testing.T, email, name, role string, size viewport) *tab {
	t.Helper()
	invited := s.As(t, s.crew.Key, "POST", path("/v1/organizations/%s/members", s.crew.Organization),
		object{"email": email, "role": role}).Want(t, http.StatusCreated)
	s.NewBrowser(t).Accept(t, invited.Text(t, "inviteUrl"), name).Want(t, http.StatusSeeOther)
	b := openTab(t, s.testServer, size)
	b.signIn(email)
	return b
}

// wantStatus waits until a post has a status.
func (s *story) wantStatus(t *testing.T, post string, want crier.PostStatus) {
	t.Helper()
	status := func() string {
		return s.Call(t, s.crew, "GET", "posts/"+post, nil).Want(t, http.StatusOK).Text(t, "status")
	}
	servertest.Until(t, func() bool { return status() == string(want) }, func() string { return "it is " + status() })
}

// One person writes, another one decides: what is rejected does not go out, and what is approved does.
func TestBrowserOneWritesAndAnotherApproves(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	s.As(t, s.crew.Key, "PATCH", path("/v1/teams/%s", s.crew.Team), object{"requireApproval": true}).
		Want(t, http.StatusOK)
	ada := s.tab
	grace := s.join(t, "grace@example.com", "Grace Hopper", "editor", phone)
	s.tab = grace
	s.compose("Buy our bread", "X")
	grace.waitForText("Posts of this team are approved before they are scheduled")
	grace.screenshot("writing")
	grace.click("button", "Save draft")
	grace.waitFor(`location.pathname.startsWith('/app/posts/')`)
	post := evaluate[string](grace, `location.pathname.split('/').pop()`)

	ada.open("/app/posts?state=to_approve")
	ada.click("main a", "Buy our bread")
	ada.click("button", "Reject")
	s.wantStatus(t, post, crier.PostRejected)
	ada.screenshot("rejected")
	// She is told without asking, and mends it.
	grace.waitForText("Rejected")
	grace.screenshot("told")
	grace.click("main a", "Edit")
	grace.waitFor(`document.querySelector('textarea')?.value === 'Buy our bread'`)
	grace.fill(`textarea[aria-label=Text]`, "Our bread is good")
	grace.click("button", "Save draft")
	grace.waitForText("Back in drafts", "Waits to be approved")
	s.wantStatus(t, post, crier.PostDraft)

	ada.waitForText("Our bread is good")
	ada.click("button", "Approve")
	s.wantStatus(t, post, crier.PostApproved)
	ada.screenshot("approved")
	grace.waitForText("Approved")
	s.publishesApproved(t, grace)
}

// publishesApproved publishes what was approved, by the person who wrote it.
func (s *story) publishesApproved(t *testing.T, b *tab) {
	t.Helper()
	b.click("main a", "Edit")
	b.waitFor(`document.querySelector('textarea')?.value === 'Our bread is good'`)
	b.click("label", "Now")
	s.publishes(t, b, "Our bread is good")
}

// What was changed while somebody looked at it is not approved: the page that is shown has the text from before.
func TestBrowserApprovesWhatIsSeen(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "x")
	s.start(t)
	s.As(t, s.crew.Key, "PATCH", path("/v1/teams/%s", s.crew.Team), object{"requireApproval": true}).
		Want(t, http.StatusOK)
	post := s.NewPost(t, s.crew, "Harmless")
	b := s.tab
	b.failReads("*/events/stream", cdpnet.ErrorReasonConnectionReset)
	b.open("/app/posts/" + post)
	b.waitForText("Harmless")
	s.Call(t, s.crew, "PATCH", "posts/"+post, object{"text": "Harmful"}).Want(t, http.StatusOK)
	b.click("button", "Approve")
	b.waitForText("Somebody has changed it meanwhile", "Harmful")
	b.screenshot("changed")
	s.wantStatus(t, post, crier.PostDraft)
	b.click("button", "Approve")
	s.wantStatus(t, post, crier.PostApproved)
}

// What the composer and the post's page say of trouble can be read on a phone, by day and by night.
func TestBrowserTroubleFitsAPhone(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), phone, "linkedin", "x", "facebook", "instagram")
	s.start(t)
	b := s.tab
	s.compose(strings.Repeat("Too long for X. ", 30)+"The end.", "LinkedIn", "X", "Facebook")
	b.click("label", "Time")
	b.waitForText("Schedule 2 posts")
	day := evaluate[string](b, `document.querySelector('input[type=date]').value`)
	b.set(`input[type=date]`, "2026-01-02")
	b.waitForText("This time is over")
	b.wantReadable("a time that is over")
	b.set(`input[type=date]`, day)
	b.click("button", "Schedule 2 posts")
	b.waitForText("It is not on:")
	b.wantReadable("partly scheduled")
	post := evaluate[string](b, `location.pathname.split('/').pop()`)
	b.fill(`textarea[aria-label=Text]`, "Short enough")
	b.click("button", "Discard")
	b.waitFor(`document.querySelector('dialog[open] ins')`)
	b.wantReadable("discarding")
	b.click("dialog[open] button", "Keep")
	s.Call(t, s.crew, "PATCH", "posts/"+post, object{"text": "She has it short, too", "title": "Short"}).
		Want(t, http.StatusOK)
	b.waitFor(`document.querySelector('main [role=alert] ins')`)
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector('main').scrollTo(0, 0)`))
	b.wantReadable("changed elsewhere")

	s.As(t, s.crew.Key, "PATCH", path("/v1/teams/%s", s.crew.Team), object{"requireApproval": true}).
		Want(t, http.StatusOK)
	draft := s.NewPost(t, s.crew, "To be decided")
	b.open("/app/posts/" + draft)
	b.waitForText("It waits to be approved")
	b.wantReadable("to approve")
	b.click("button", "Reject")
	b.waitForText("Nothing will be published. It can be changed")
	b.wantReadable("rejected")
	b.click("main button", "Back to drafts")
	s.wantStatus(t, draft, crier.PostDraft)
	b.waitForText("It waits to be approved")
}

// wantReadable checks the page as it is, in both color schemes.
func (b *tab) wantReadable(name string) {
	b.tb.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.prefer(scheme)
		b.waitFor(fmt.Sprintf(`matchMedia('(prefers-color-scheme: %s)').matches`, scheme))
		b.wantAccessible(name + " " + scheme)
		b.wantNoOverflow(name)
		b.screenshot(name + " " + scheme)
	}
}
