package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/server/servertest"
)

// schedule requests to schedule a post; more overrides fields of the body, and nil removes them.
func (e *engine) schedule(tb testing.TB, c crew, post string, accounts []crier.ID, more object) servertest.Response {
	tb.Helper()
	body := object{"socialAccountIds": accounts, "scheduledAt": servertest.Soon(0)}
	for key, value := range more {
		body[key] = value
		if value == nil {
			delete(body, key)
		}
	}
	return e.Call(tb, c, "POST", "posts/"+post+"/schedule", body)
}

func TestAccountsAreAcceptedOrRejectedIndividually(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 10_000, "x", "linkedin", "x")
		disabled := c.Accounts[2]
		e.Call(t, c, "PATCH", path("social-accounts/%s", disabled.ID), object{"status": "disabled"}).Want(t,
			http.StatusOK)
		unknown := crier.NewID()
		stranger := e.Accounts[0].ID
		post := e.NewPost(t, c, strings.Repeat("too long for X ", 30))
		order := []crier.ID{unknown, c.Accounts[0].ID, c.Accounts[1].ID, disabled.ID, stranger}
		r := e.schedule(t, c, post, order, nil).Result(t)
		codes := []string{"account_not_found", "content_rejected", "", "account_disabled", "account_not_found"}
		for i, entry := range r.Data {
			code := ""
			if entry.Error != nil {
				code = entry.Error.Code
				if entry.Error.Message == "" || entry.ScheduledPost != nil {
					t.Errorf("entry %d: %+v", i, entry)
				}
			}
			if entry.SocialAccountID != order[i] || code != codes[i] || (code == "") != (entry.ScheduledPost != nil) {
				t.Errorf("entry %d: account %s, code %q; want %s, %q", i, entry.SocialAccountID, code, order[i],
					codes[i])
			}
		}
		if want := (crier.ScheduleOutcome{TotalCount: 5, SuccessCount: 1, FailureCount: 4,
			Kind: "partially_failed"}); r.Outcome != want {
			t.Errorf("outcome %+v", r.Outcome)
		}
		if r := e.schedule(t, c, post, []crier.ID{unknown}, nil).Result(t); r.Outcome.Kind != "all_failed" {
			t.Errorf("outcome %+v", r.Outcome)
		}
	})
}

func TestAccountSettingsOverrideSharedOnes(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 10_000, "x", "x", "x", "linkedin")
		r := e.schedule(t, c, e.NewPost(t, c, "settings"), c.IDs(), object{
			"platformSettings": object{"xReplySettings": "following", "xMadeWithAi": true,
				"linkedinDisableReshare": true},
			"platformSettingsBySocialAccountId": object{
				string(c.Accounts[1].ID): object{"xReplySettings": "mentionedUsers"},
				string(c.Accounts[2].ID): object{"xReplySettings": nil},
			},
		}).Result(t)
		for i, want := range []map[string]string{
			{"xReplySettings": `"following"`, "xMadeWithAi": "true"},
			{"xReplySettings": `"mentionedUsers"`, "xMadeWithAi": "true"},
			{"xMadeWithAi": "true"},
			{"linkedinDisableReshare": "true"},
		} {
			if r.Data[i].ScheduledPost == nil {
				t.Fatalf("entry %d: %+v", i, r.Data[i].Error)
			}
			got := r.Data[i].ScheduledPost.PlatformSettings
			if len(got) != len(want) {
				t.Errorf("account %d has the settings %s", i, got)
			}
			for key, value := range want {
				if string(got[key]) != value {
					t.Errorf("account %d: %s is %s, want %s", i, key, got[key], value)
				}
			}
		}
		e.schedule(t, c, e.NewPost(t, c, "more"), c.IDs(),
			object{"platformSettings": object{"xColour": "red", "xMadeWithAi": 7}}).
			WantIssues(t, "platformSettings.xColour", "platformSettings.xMadeWithAi")
	})
}

func TestInsufficientCreditsWriteNothing(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 40, "x", "x", "x", "linkedin") // a post on X costs 15
		post := e.NewPost(t, c, "three times fifteen")
		e.schedule(t, c, post, c.IDs(), nil).WantError(t, http.StatusPaymentRequired, "PaymentRequired")
		e.Call(t, c, "POST", "posts/"+post+"/post-now", object{"socialAccountIds": c.IDs()}).WantError(t,
			http.StatusPaymentRequired, "PaymentRequired")
		if n := e.Number(t, `SELECT count(*) FROM publications WHERE team_id = $1`, c.Team); n != 0 {
			t.Errorf("%d rows were written", n)
		}
		if got := e.Call(t, c, "GET", "posts/"+post, nil).Text(t, "status"); got != "draft" {
			t.Errorf("the post is %s", got)
		}
		e.Balanced(t, c)
		two := e.schedule(t, c, post, []crier.ID{c.Accounts[0].ID, c.Accounts[1].ID, c.Accounts[3].ID}, nil).Result(t)
		if two.Outcome.Kind != "none_failed" {
			t.Errorf("outcome %+v", two.Outcome)
		}
		e.Balanced(t, c)
		// Credits are reserved once: moving costs nothing more, and canceling releases them.
		e.schedule(t, c, post, []crier.ID{c.Accounts[0].ID},
			object{"scheduledAt": servertest.Soon(time.Hour)}).Result(t)
		e.Balanced(t, c)
		e.schedule(t, c, post, []crier.ID{c.Accounts[2].ID}, nil).WantError(t, http.StatusPaymentRequired,
			"PaymentRequired")
		e.Call(t, c, "POST", "posts/"+post+"/move-to-draft", nil).Want(t, http.StatusOK)
		e.Balanced(t, c)
		if n := e.Number(t, `SELECT reserved_credits FROM organizations WHERE id = $1`, c.Organization); n != 0 {
			t.Errorf("%d credits are still reserved", n)
		}
	})
}

func TestValidateMatchesScheduleAndWritesNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.NewCrew(t, 20, "x", "linkedin", "x")
		post := e.NewPost(t, c, "try me")
		before := e.Number(t, `SELECT (SELECT count(*) FROM publications) + (SELECT count(*) FROM river_job
			WHERE kind = 'post.publish') + (SELECT count(*) FROM credit_transactions)`)
		got := e.Call(t, c, "POST", "posts/"+post+"/validate", object{
			"socialAccountIds": append(c.IDs(), crier.NewID()), "useNextSlot": true,
			"firstComment": object{"text": "and a comment"},
		}).Want(t, http.StatusOK)
		var v crier.ValidationResult
		got.Into(t, &v)
		if v.CreditCost != 60 || v.AvailableCredits != 20 || v.AffordableNow || v.SlotAt == nil ||
			v.ScheduledAt == nil || !v.SlotAt.Equal(v.ScheduledAt.Time) {
			t.Errorf("validation %s", got.Body)
		}
		for i, want := range []struct {
			ok   bool
			cost int64
		}{{true, 30}, {true, 0}, {true, 30}, {false, 0}} {
			if entry := v.Data[i]; entry.OK != want.ok || entry.CreditCost != want.cost ||
				entry.OK == (entry.Error != nil) {
				t.Errorf("entry %d: %+v", i, entry)
			}
		}
		after := e.Number(t, `SELECT (SELECT count(*) FROM publications) + (SELECT count(*) FROM river_job
			WHERE kind = 'post.publish') + (SELECT count(*) FROM credit_transactions)`)
		if before != after {
			t.Errorf("%d rows were written", after-before)
		}
		slot := e.schedule(t, c, post, []crier.ID{c.Accounts[1].ID},
			object{"useNextSlot": true, "scheduledAt": nil}).Result(t)
		if at := slot.Data[0].ScheduledPost.ScheduledAt; !at.Equal(v.SlotAt.Time) {
			t.Errorf("schedule took %s, validate said %s", at, v.SlotAt)
		}
		if own := e.Call(t, c, "POST", "posts/"+post+"/validate", object{"socialAccountIds": c.IDs(),
			"useNextSlot": true}).Want(t, http.StatusOK); own.Text(t, "slotAt") != v.SlotAt.String() {
			t.Error("validate counts the post's own slot as taken")
		}
		again := e.Call(t, c, "POST", "posts/"+e.NewPost(t, c, "Another")+"/validate",
			object{"socialAccountIds": c.IDs(), "useNextSlot": true}).Want(t, http.StatusOK)
		if again.Text(t, "slotAt") == v.SlotAt.String() {
			t.Error("validate tells a slot that is taken")
		}
	})
}

func TestUnsupportedActionsAreReportedAndSkipped(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		r := e.schedule(t, e.crew, e.NewPost(t, e.crew, "with a trigger"), e.IDs(), object{
			"engagementCommentTrigger": object{"likeThreshold": 1, "windowHours": 1,
				"comment": object{"text": "thanks"}},
		}).Result(t)
		if len(r.Data[0].Warnings) != 0 {
			t.Errorf("warnings of X: %+v", r.Data[0].Warnings)
		}
		if w := r.Data[1].Warnings; len(w) != 1 || w[0].Path[0] != "engagementCommentTrigger" {
			t.Errorf("warnings of LinkedIn: %+v", w) // a member's app cannot read likes
		}
	})
}

func TestReschedulingMovesThePublication(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		x := []crier.ID{e.Accounts[0].ID}
		post := e.NewPost(t, e.crew, "moved")
		first := e.schedule(t, e.crew, post, x, object{"useNextSlot": true,
			"scheduledAt": nil}).Result(t).Data[0].ScheduledPost
		moved := e.schedule(t, e.crew, post, x,
			object{"scheduledAt": servertest.Soon(time.Hour)}).Result(t).Data[0].ScheduledPost
		if moved.ID != first.ID || moved.ScheduledAt.Equal(first.ScheduledAt.Time) {
			t.Errorf("moved from %s at %s to %s at %s", first.ID, first.ScheduledAt, moved.ID, moved.ScheduledAt)
		}
		// The slot is free again.
		other := e.schedule(t, e.crew, e.NewPost(t, e.crew, "next"), x,
			object{"useNextSlot": true, "scheduledAt": nil}).Result(t).Data[0].ScheduledPost
		if !other.ScheduledAt.Equal(first.ScheduledAt.Time) {
			t.Errorf("the slot at %s was not given back: %s", first.ScheduledAt, other.ScheduledAt)
		}
		// Publishing now moves it too, and it is published once.
		now := e.PostOn(t, e.crew, post, e.Accounts[0], nil)
		if now != first.ID {
			t.Errorf("post-now made %s beside %s", now, first.ID)
		}
		e.Await(t, e.crew, now, crier.Published)
		if got := e.box.Timeline(t, e.Accounts[0]); len(got) != 1 {
			t.Errorf("timeline %+v", got)
		}
		e.Balanced(t, e.crew)
	})
}

func TestPublishedPostIsNotRepublishedByDefault(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		x := e.Accounts[0]
		text := "only once on " + string(x.ID) // other tests use the sandbox at the same time
		post := e.NewPost(t, e.crew, text)
		release := e.box.Hold(t, text)
		id := e.PostOn(t, e.crew, post, x, nil)
		e.Await(t, e.crew, id, crier.Publishing)
		refused := func(code string) {
			t.Helper()
			for _, r := range []servertest.Result{
				e.schedule(t, e.crew, post, []crier.ID{x.ID}, nil).Result(t),
				e.PostNow(t, e.crew, post, []crier.ID{x.ID}, nil),
			} {
				if r.Data[0].Error == nil || r.Data[0].Error.Code != code {
					t.Errorf("entry %+v, want the error %s", r.Data[0], code)
				}
			}
		}
		refused("already_publishing")
		release()
		e.Await(t, e.crew, id, crier.Published)
		refused("already_published")
		e.Call(t, e.crew, "PATCH", "posts/"+post, object{"text": "twice, on purpose"}).Want(t, http.StatusOK)
		again := e.PostOn(t, e.crew, post, x, object{"allowRepublish": true})
		if again == id {
			t.Error("the first publication was used again")
		}
		e.Await(t, e.crew, again, crier.Published)
		if got := e.box.Timeline(t, x); len(got) != 2 {
			t.Errorf("timeline %+v", got)
		}
	})
}

func TestEditingAScheduledPostChangesWhatIsPublished(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		c := e.NewCrew(t, 40, "x", "linkedin")
		post := e.NewPost(t, c, "before")
		r, _ := e.ScheduleIn(t, c, post, 4*time.Second, crier.Targets{SocialAccountIDs: c.IDs()})
		tooLong := e.Call(t, c, "PATCH", "posts/"+post, object{"text": strings.Repeat("long ", 80)})
		tooLong.Want(t, http.StatusBadRequest)
		if !strings.Contains(string(tooLong.Body), string(c.Accounts[0].ID)) ||
			!strings.Contains(string(tooLong.Body), "280") {
			t.Errorf("the answer does not name account and rule: %s", tooLong.Body)
		}
		e.Call(t, c, "PATCH", "posts/"+post, object{"text": "costs more: https://example.com"}).WantError(t,
			http.StatusPaymentRequired, "PaymentRequired")
		e.Balanced(t, c)
		e.Call(t, c, "PATCH", "posts/"+post, object{"text": "after"}).Want(t, http.StatusOK)
		for i, entry := range r.Data {
			e.Await(t, c, entry.ScheduledPost.ID, crier.Published)
			if got := servertest.Texts(e.box.Timeline(t, c.Accounts[i])); len(got) != 1 || got[0] != "after" {
				t.Errorf("timeline of %s: %q", c.Accounts[i].Network, got)
			}
		}
		e.Balanced(t, c)
	})
}

func TestDraftAndDeleteCancelScheduledPosts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, e *engine) {
		drafted, deleted := e.NewPost(t, e.crew, "drafted"), e.NewPost(t, e.crew, "deleted")
		first, _ := e.ScheduleIn(t, e.crew, drafted, 3*time.Second, crier.Targets{SocialAccountIDs: e.IDs()})
		second, at := e.ScheduleIn(t, e.crew, deleted, 3*time.Second, crier.Targets{SocialAccountIDs: e.IDs()})
		if got := e.Call(t, e.crew, "POST", "posts/"+drafted+"/move-to-draft", nil).Want(t, http.StatusOK); got.Text(t,
			"status") != "draft" {
			t.Errorf("the post is %s", got.Text(t, "status"))
		}
		e.Call(t, e.crew, "DELETE", "posts/"+deleted, nil).Want(t, http.StatusOK)
		for _, entry := range append(first.Data, second.Data...) {
			if p := e.Publication(t, e.crew, entry.ScheduledPost.ID); p.Status != crier.Canceled {
				t.Errorf("%s is %s", p.ID, p.Status)
			}
		}
		e.Balanced(t, e.crew)
		servertest.Until(t, func() bool { return time.Now().After(at.Add(time.Second)) },
			func() string { return "time stands still" })
		for _, on := range e.Accounts {
			if got := e.box.Timeline(t, on); len(got) != 0 {
				t.Errorf("published all the same: %+v", got)
			}
		}
	})
}
