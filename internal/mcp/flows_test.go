package mcp_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestAgentSeesFailureReasonAndRetries(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		post := a.succeeds(t, "create_draft", object{"text": "Refused at first"}).Text(t, "id")
		e.box.Fault(t, c.Accounts[0], "publish", "reject", nil)
		now := object{"postId": post, "socialAccountIds": c.IDs(), "waitSeconds": 30}
		if got := a.succeeds(t, "publish_now", now); got.Text(t, "outcome") != "all_failed" ||
			got.Text(t, "accounts", 0, "errors", 0) == "" {
			t.Errorf("publish_now: %s", got.Body)
		}
		failed := a.succeeds(t, "list_posts", object{"deliveryState": []string{"failed"}})
		id := failed.Text(t, "data", 0, "publications", 0, "scheduledPostId")
		if got := a.succeeds(t, "list_attempts", object{"scheduledPostId": id}); got.Text(t, "publication",
			"status") != "failed" || got.Text(t, "attempts", 0, "outcome") == "" {
			t.Errorf("list_attempts: %s", got.Body)
		}
		questions := len(a.questions)
		a.fails(t, "resolve", object{"scheduledPostId": id, "outcome": "published"}, "unknown",
			"this publication is failed")
		if len(a.questions) != questions {
			t.Errorf("about an outcome that is known the person was asked %q", a.questions[questions:])
		}
		a.succeeds(t, "retry", object{"scheduledPostId": id})
		if question := a.questions[len(a.questions)-1]; !strings.Contains(question, "Cost: 15 credits") {
			t.Errorf("before the retry the person was asked %q", question)
		}
		e.Await(t, c, crier.ID(id), crier.Published)
		if got := servertest.Texts(e.box.Timeline(t, c.Accounts[0])); !slices.Equal(got, []string{"Refused at first"}) {
			t.Errorf("the timeline shows %q", got)
		}
		questions = len(a.questions)
		a.fails(t, "retry", object{"scheduledPostId": id}, "this one is published")
		if len(a.questions) != questions {
			t.Errorf("about a retry of what is published the person was asked %q", a.questions[questions:])
		}
	})
}

// An agent sees what became of the comment below a post, and says what a person found.
func TestAgentResolvesAFollowUp(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		post := a.succeeds(t, "create_draft", object{"text": "With a comment"}).Text(t, "id")
		id := crier.ID(a.succeeds(t, "publish_now", object{"postId": post, "socialAccountIds": c.IDs(),
			"waitSeconds": 30, "firstComment": "below it"}).Text(t, "accounts", 0, "publication",
			"scheduledPostId"))
		e.AwaitAction(t, c, id, store.FirstComment, crier.Published)
		e.Exec(t, `UPDATE publications SET status = 'unknown' WHERE parent_id = $1`, id)
		got := a.succeeds(t, "list_attempts", object{"scheduledPostId": id})
		if got.Text(t, "publication", "followUps", 0, "action") != "first_comment" ||
			got.Text(t, "publication", "followUps", 0, "status") != "unknown" {
			t.Errorf("list_attempts: %s", got.Body)
		}
		in := object{"scheduledPostId": id, "outcome": "published"}
		a.fails(t, "resolve", in, "this publication is published")
		in["action"] = "repost"
		a.fails(t, "resolve", in, "no such follow-up")
		in["action"] = "first_comment"
		if got := a.succeeds(t, "resolve", in); got.Text(t, "followUps", 0, "status") != "published" {
			t.Errorf("resolve: %s", got.Body)
		}
		if question := a.questions[len(a.questions)-1]; !strings.Contains(question, "its first comment") {
			t.Errorf("the person was asked %q", question)
		}
		a.fails(t, "resolve", in, "its first comment is published")
	})
}

// Where posts need approval, a retry keeps the settings that it was scheduled with, whoever asks for it.
func TestEditorRetriesWhatWasApproved(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		e.box.Fault(t, c.Accounts[0], "publish", "reject", object{"count": 1})
		id := e.PostOn(t, c, e.NewPost(t, c, "Refused at first"), c.Accounts[0],
			object{"platformSettings": object{"xReplySettings": "following"}})
		e.Await(t, c, id, crier.Failed)
		e.As(t, c.Key, "PATCH", servertest.Path("/v1/teams/%s", c.Team), object{"requireApproval": true}).
			Want(t, http.StatusOK)
		key := e.As(t, c.Key, "POST", servertest.Path("/v1/organizations/%s/api-keys", c.Organization),
			object{"name": "Editor", "role": "editor"}).Want(t, http.StatusCreated).Text(t, "secret")
		a := connect(t, way(t, e.Server, key), answers("accept"), "")
		a.succeeds(t, "retry", object{"scheduledPostId": id})
		if question := a.questions[len(a.questions)-1]; !strings.Contains(question, "Cost: 15 credits") {
			t.Errorf("before the retry the person was asked %q", question)
		}
		e.Await(t, c, id, crier.Published)
	})
}

func TestSupersededFailureIsNotRetried(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		post := a.succeeds(t, "create_draft", object{"text": "Refused at first"}).Text(t, "id")
		e.box.Fault(t, c.Accounts[0], "publish", "reject", object{"count": 1})
		now := object{"postId": post, "socialAccountIds": c.IDs(), "waitSeconds": 30}
		a.succeeds(t, "publish_now", now)
		id := a.succeeds(t, "list_posts", object{}).Text(t, "data", 0, "publications", 0, "scheduledPostId")
		a.succeeds(t, "update_draft", object{"postId": post, "text": "Mended"})
		a.succeeds(t, "publish_now", now)
		by := a.succeeds(t, "list_attempts", object{"scheduledPostId": id}).Text(t, "publication", "replacedBy")
		questions := len(a.questions)
		a.fails(t, "retry", object{"scheduledPostId": id}, by, "twice")
		if by == "" || len(a.questions) != questions {
			t.Errorf("replaced by %q, the person was asked %q", by, a.questions[questions:])
		}
	})
}

func TestScheduledPostChangeNeedsConfirmation(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		post := a.succeeds(t, "create_draft", object{"text": "First"}).Text(t, "id")
		a.succeeds(t, "update_draft", object{"postId": post, "text": "Second"})
		a.succeeds(t, "move_to_draft", object{"postId": post})
		if len(a.questions) != 0 {
			t.Errorf("for a draft the person was asked %q", a.questions)
		}
		at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		a.succeeds(t, "schedule_post", object{"postId": post, "socialAccountIds": c.IDs(), "scheduledAt": at})
		a.fails(t, "update_draft", object{"postId": post}, "there is nothing to change")
		a.succeeds(t, "update_draft", object{"postId": post, "text": "Third", "title": "A title"})
		if len(a.questions) != 2 || !strings.Contains(a.questions[1], `New text: "Third"`) {
			t.Errorf("for a scheduled post the person was asked %q", a.questions)
		}
		if got := a.succeeds(t, "get_post", object{"postId": post}); got.Text(t, "text") != "Third" ||
			got.Text(t, "deliveryState") != "scheduled" {
			t.Errorf("get_post: %s", got.Body)
		}
		a.succeeds(t, "delete_post", object{"postId": post})
		if last := a.questions[len(a.questions)-1]; !strings.Contains(last, "(x): scheduled for") {
			t.Errorf("before it was deleted the person was asked %q", last)
		}
		a.fails(t, "get_post", object{"postId": post})
	})
}

// The person is asked about changes that the accounts accept, and about what they cost, and about no other.
func TestScheduledPostChangeIsTriedOut(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 40, "x", "linkedin")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		post := a.succeeds(t, "create_draft", object{"text": "First", "variants": []object{{"provider": "linkedin",
			"text": "For LinkedIn"}}}).Text(t, "id")
		at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		a.succeeds(t, "schedule_post", object{"postId": post, "socialAccountIds": c.IDs(), "scheduledAt": at})
		a.questions = nil
		a.fails(t, "update_draft", object{"postId": post, "text": strings.Repeat("long ", 200)},
			"do not accept this change", "(x)", "nothing was changed")
		parts := []object{{"text": "One"}, {"text": "Two"}, {"text": "Three"}}
		a.fails(t, "update_draft", object{"postId": post, "parts": parts}, "costs 30 credits and 25 are available")
		if len(a.questions) != 0 {
			t.Errorf("about what is refused the person was asked %q", a.questions)
		}
		a.succeeds(t, "update_draft", object{"postId": post, "parts": parts[:2]})
		if len(a.questions) != 1 || !strings.Contains(a.questions[0], "Cost: 15 credits.") {
			t.Errorf("about a longer thread the person was asked %q", a.questions)
		}
		if got := a.succeeds(t, "get_post", object{"postId": post}); got.Text(t, "parts", 1) != "Two" ||
			got.Text(t, "variants", 0, "text") != "For LinkedIn" || got.Text(t, "deliveryState") != "scheduled" {
			t.Errorf("get_post: %s", got.Body)
		}
		// An account that cannot publish at present can until then, and another title is no other content.
		e.Exec(t, `UPDATE social_accounts SET status = 'refresh_needed' WHERE id = $1`, c.Accounts[0].ID)
		a.succeeds(t, "update_draft", object{"postId": post, "parts": []object{{"text": "Uno"}, {"text": "Due"}}})
		a.succeeds(t, "update_draft", object{"postId": post, "title": "A title"})
		if last := a.questions[len(a.questions)-1]; len(a.questions) != 3 ||
			!strings.Contains(last, "Cost: 0 credits.") {
			t.Errorf("the person was asked %q", a.questions)
		}
	})
}

func TestDeleteQuestionTellsWhatBecameOfThePublications(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 100_000, "x", "linkedin")
		a := connect(t, overHTTP(t, e.Server, c.Key), answers("accept"), "")
		post := a.succeeds(t, "create_draft", object{"text": "Not any more"}).Text(t, "id")
		at := time.Now().Add(time.Hour).UTC()
		planned := a.succeeds(t, "schedule_post", object{"postId": post, "socialAccountIds": c.IDs(),
			"scheduledAt": at.Format(time.RFC3339)})
		a.succeeds(t, "move_to_draft", object{"postId": post})
		e.SetStatus(t, planned.Text(t, "accounts", 1, "publication", "scheduledPostId"), crier.Missed)
		a.succeeds(t, "delete_post", object{"postId": post})
		last := a.questions[len(a.questions)-1]
		if strings.Contains(last, "canceled") || strings.Contains(last, "since") ||
			!strings.Contains(last, "(linkedin): missed, due on "+at.Format("2 Jan 2006 15:04 UTC")) {
			t.Errorf("before it was deleted the person was asked %q", last)
		}
	})
}

func TestConfirmationAppliesOnlyToItsQuestion(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			post := e.NewPost(t, c, "As it was shown")
			changing := func(string) string { // while the person decides, somebody else changes the post
				e.Call(t, c, "PATCH", "posts/"+post, object{"text": "As it was not shown"}).Want(t, http.StatusOK)
				return "accept"
			}
			a := connect(t, way(t, e.Server, c.Key), changing, version)
			a.fails(t, "publish_now", object{"postId": post, "socialAccountIds": c.IDs()}, "has changed while")
		}
		if got := e.box.Timeline(t, c.Accounts[0]); len(got) != 0 {
			t.Errorf("the timeline shows %q", servertest.Texts(got))
		}
	})
}

func TestAgentManagesSlots(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, e *engine, way transport) {
		c := e.NewCrew(t, 100_000, "x")
		a := connect(t, way(t, e.Server, c.Key), answers("accept"), "")
		in := object{"hour": 7, "minute": 5, "label": "Early"}
		slot := a.succeeds(t, "create_slot", in)
		if slot.Text(t, "time") != "07:05" || !strings.Contains(a.questions[0], "replaces the default ones") {
			t.Errorf("create_slot: %s, after the question %q", slot.Body, a.questions)
		}
		if again := a.succeeds(t, "create_slot", in); again.Text(t, "id") != slot.Text(t, "id") ||
			len(a.questions) != 1 {
			t.Errorf("repeated: %s, after the questions %q", again.Body, a.questions)
		}
		a.fails(t, "create_slot", object{"hour": 24, "minute": -1}, "hour", "minute")
		a.fails(t, "create_slot", object{"hour": 9, "minute": 5, "daysOfWeek": []int{1, 9}}, "daysOfWeek.1")
		a.fails(t, "create_slot", object{"hour": 9, "minute": 5, "daysOfWeek": []int{}}, "daysOfWeek")
		a.fails(t, "create_slot", object{"hour": 9, "minute": 5, "label": strings.Repeat("x", 201)}, "label")
		a.fails(t, "create_slot", object{"hour": 7, "minute": 5, "daysOfWeek": []int{2}}, slot.Text(t, "id"))
		a.fails(t, "delete_slot", object{"slotId": servertest.UnknownID}, servertest.UnknownID)
		if len(a.questions) != 1 {
			t.Errorf("about slots that cannot be, the person was asked %q", a.questions[1:])
		}
		a.succeeds(t, "create_slot", object{"hour": 9, "minute": 5, "daysOfWeek": []int{6, 0, 6}})
		if last := a.questions[len(a.questions)-1]; !strings.Contains(last, "on Sunday, Saturday?") {
			t.Errorf("the person was asked %q", last)
		}
		if got := a.succeeds(t, "next_slots", object{"count": 3, "socialAccountId": c.Accounts[0].ID}); len(got.Get(t,
			"startsAt").([]any)) != 3 {
			t.Errorf("next_slots: %s", got.Body)
		}
		a.succeeds(t, "delete_slot", object{"slotId": slot.Text(t, "id")})
		if last := a.questions[len(a.questions)-1]; !strings.Contains(last, "the slot at 07:05 UTC, every day?") {
			t.Errorf("the person was asked %q", last)
		}
		if again := a.succeeds(t, "create_slot", in); again.Text(t, "id") == slot.Text(t, "id") {
			t.Error("a slot that was removed was handed out again")
		}
	})
}

func TestOpenSessionDoesNotKeepTheServerFromStopping(t *testing.T) {
	t.Parallel()
	servertest.EachDatabase(t, func(t *testing.T, db servertest.Database) {
		s := servertest.Start(t, db, servertest.WithRole("api"))
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(
			context.Background(), overHTTP(t, s, s.Key), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := s.Stop(); err != nil {
			t.Errorf("the server ended with: %v", err)
		}
		if took := time.Since(start); took > server.DrainTime/2 {
			t.Errorf("the server took %s to stop", took)
		}
		_ = session.Close() // the other end is already gone
	})
}
