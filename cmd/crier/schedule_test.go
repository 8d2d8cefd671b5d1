package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier"
)

// soon is a time that schedule accepts.
func soon(extra time.Duration) string {
	return time.Now().Add(time.Minute + 5*time.Second + extra).UTC().Format(time.RFC3339Nano)
}

// schedule asks to schedule a post; more overrides fields of the body, and nil removes them.
func (e *engine) schedule(tb testing.TB, c crew, post string, accounts []crier.ID, more object) response {
	tb.Helper()
	body := object{"socialAccountIds": accounts, "scheduledAt": soon(0)}
	for key, value := range more {
		body[key] = value
		if value == nil {
			delete(body, key)
		}
	}
	return e.call(tb, c, "POST", "posts/"+post+"/schedule", body)
}

func (r response) result(tb testing.TB) result {
	tb.Helper()
	var out result
	r.want(tb, http.StatusOK).into(tb, &out)
	return out
}

func TestEachAccountOfAScheduleIsAcceptedOrRefusedByItself(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 10_000, "x", "linkedin", "x")
		disabled := c.accounts[2]
		e.call(t, c, "PATCH", path("social-accounts/%s", disabled.id), object{"status": "disabled"}).want(t, http.StatusOK)
		unknown := crier.NewID()
		stranger := e.accounts[0].id
		post := e.newPost(t, c, strings.Repeat("too long for X ", 30))
		order := []crier.ID{unknown, c.accounts[0].id, c.accounts[1].id, disabled.id, stranger}
		r := e.schedule(t, c, post, order, nil).result(t)
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
				t.Errorf("entry %d: account %s, code %q; want %s, %q", i, entry.SocialAccountID, code, order[i], codes[i])
			}
		}
		if want := (crier.ScheduleOutcome{TotalCount: 5, SuccessCount: 1, FailureCount: 4, Kind: "partially_failed"}); r.Outcome != want {
			t.Errorf("outcome %+v", r.Outcome)
		}
		if r := e.schedule(t, c, post, []crier.ID{unknown}, nil).result(t); r.Outcome.Kind != "all_failed" {
			t.Errorf("outcome %+v", r.Outcome)
		}
	})
}

func TestSettingsOfAnAccountWinOverSharedOnesAndNullRemovesThem(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 10_000, "x", "x", "x", "linkedin")
		r := e.schedule(t, c, e.newPost(t, c, "settings"), c.ids(), object{
			"platformSettings": object{"xReplySettings": "following", "xMadeWithAi": true, "linkedinDisableReshare": true},
			"platformSettingsBySocialAccountId": object{
				string(c.accounts[1].id): object{"xReplySettings": "mentionedUsers"},
				string(c.accounts[2].id): object{"xReplySettings": nil},
			},
		}).result(t)
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
		e.schedule(t, c, e.newPost(t, c, "more"), c.ids(), object{"platformSettings": object{"xColour": "red", "xMadeWithAi": 7}}).
			wantIssues(t, "platformSettings.xColour", "platformSettings.xMadeWithAi")
	})
}

func TestARequestThatTheCreditsDoNotCoverWritesNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 40, "x", "x", "x", "linkedin") // a post on X costs 15
		post := e.newPost(t, c, "three times fifteen")
		e.schedule(t, c, post, c.ids(), nil).wantError(t, http.StatusPaymentRequired, "PaymentRequired")
		e.call(t, c, "POST", "posts/"+post+"/post-now", object{"socialAccountIds": c.ids()}).wantError(t, http.StatusPaymentRequired, "PaymentRequired")
		if n := e.number(t, `SELECT count(*) FROM scheduled_posts WHERE team_id = $1`, c.team); n != 0 {
			t.Errorf("%d rows were written", n)
		}
		if got := e.call(t, c, "GET", "posts/"+post, nil).text(t, "status"); got != "draft" {
			t.Errorf("the post is %s", got)
		}
		e.balanced(t, c)
		two := e.schedule(t, c, post, []crier.ID{c.accounts[0].id, c.accounts[1].id, c.accounts[3].id}, nil).result(t)
		if two.Outcome.Kind != "none_failed" {
			t.Errorf("outcome %+v", two.Outcome)
		}
		e.balanced(t, c)
		// Credits are reserved once: moving costs nothing more, and cancelling hands them back.
		e.schedule(t, c, post, []crier.ID{c.accounts[0].id}, object{"scheduledAt": soon(time.Hour)}).result(t)
		e.balanced(t, c)
		e.schedule(t, c, post, []crier.ID{c.accounts[2].id}, nil).wantError(t, http.StatusPaymentRequired, "PaymentRequired")
		e.call(t, c, "POST", "posts/"+post+"/move-to-draft", nil).want(t, http.StatusOK)
		e.balanced(t, c)
		if n := e.number(t, `SELECT reserved_credits FROM organizations WHERE id = $1`, c.organization); n != 0 {
			t.Errorf("%d credits are still reserved", n)
		}
	})
}

func TestValidateTellsWhatScheduleWouldDoAndWritesNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 20, "x", "linkedin", "x")
		post := e.newPost(t, c, "try me")
		before := e.number(t, `SELECT (SELECT count(*) FROM scheduled_posts) + (SELECT count(*) FROM river_job WHERE kind = 'post.publish') + (SELECT count(*) FROM credit_transactions)`)
		got := e.call(t, c, "POST", "posts/"+post+"/validate", object{
			"socialAccountIds": append(c.ids(), crier.NewID()), "useNextSlot": true, "firstComment": object{"text": "and a comment"},
		}).want(t, http.StatusOK)
		var v crier.ValidationResult
		got.into(t, &v)
		if v.CreditCost != 60 || v.AvailableCredits != 20 || v.AffordableNow || v.SlotAt == nil || v.ScheduledAt == nil || !v.SlotAt.Equal(v.ScheduledAt.Time) {
			t.Errorf("validation %s", got.body)
		}
		for i, want := range []struct {
			ok   bool
			cost int64
		}{{true, 30}, {true, 0}, {true, 30}, {false, 0}} {
			if entry := v.Data[i]; entry.OK != want.ok || entry.CreditCost != want.cost || entry.OK == (entry.Error != nil) {
				t.Errorf("entry %d: %+v", i, entry)
			}
		}
		after := e.number(t, `SELECT (SELECT count(*) FROM scheduled_posts) + (SELECT count(*) FROM river_job WHERE kind = 'post.publish') + (SELECT count(*) FROM credit_transactions)`)
		if before != after {
			t.Errorf("%d rows were written", after-before)
		}
		slot := e.schedule(t, c, post, []crier.ID{c.accounts[1].id}, object{"useNextSlot": true, "scheduledAt": nil}).result(t)
		if at := slot.Data[0].ScheduledPost.ScheduledAt; !at.Equal(v.SlotAt.Time) {
			t.Errorf("schedule took %s, validate said %s", at, v.SlotAt)
		}
		again := e.call(t, c, "POST", "posts/"+post+"/validate", object{"socialAccountIds": c.ids(), "useNextSlot": true}).want(t, http.StatusOK)
		if again.text(t, "slotAt") == v.SlotAt.String() {
			t.Error("validate tells a slot that is taken")
		}
	})
}

func TestActionsThatANetworkCannotDoAreSaidAndLeftOut(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		r := e.schedule(t, e.crew, e.newPost(t, e.crew, "with a trigger"), e.ids(), object{
			"engagementCommentTrigger": object{"likeThreshold": 1, "windowHours": 1, "comment": object{"text": "thanks"}},
		}).result(t)
		if len(r.Data[0].Warnings) != 0 {
			t.Errorf("warnings of X: %+v", r.Data[0].Warnings)
		}
		if w := r.Data[1].Warnings; len(w) != 1 || w[0].Path[0] != "engagementCommentTrigger" {
			t.Errorf("warnings of LinkedIn: %+v", w) // a member's app cannot read likes
		}
	})
}

func TestSchedulingAgainMovesThePublication(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		x := []crier.ID{e.accounts[0].id}
		post := e.newPost(t, e.crew, "moved")
		first := e.schedule(t, e.crew, post, x, object{"useNextSlot": true, "scheduledAt": nil}).result(t).Data[0].ScheduledPost
		moved := e.schedule(t, e.crew, post, x, object{"scheduledAt": soon(time.Hour)}).result(t).Data[0].ScheduledPost
		if moved.ID != first.ID || moved.ScheduledAt.Equal(first.ScheduledAt.Time) {
			t.Errorf("moved from %s at %s to %s at %s", first.ID, first.ScheduledAt, moved.ID, moved.ScheduledAt)
		}
		// The slot is free again.
		other := e.schedule(t, e.crew, e.newPost(t, e.crew, "next"), x, object{"useNextSlot": true, "scheduledAt": nil}).result(t).Data[0].ScheduledPost
		if !other.ScheduledAt.Equal(first.ScheduledAt.Time) {
			t.Errorf("the slot at %s was not given back: %s", first.ScheduledAt, other.ScheduledAt)
		}
		// Publishing now moves it too, and it is published once.
		now := e.now(t, e.crew, post, e.accounts[0], nil)
		if now != first.ID {
			t.Errorf("post-now made %s beside %s", now, first.ID)
		}
		e.await(t, e.crew, now, crier.Published)
		if got := e.box.timeline(t, e.accounts[0]); len(got) != 1 {
			t.Errorf("timeline %+v", got)
		}
		e.balanced(t, e.crew)
	})
}

func TestWhatIsOrWasPublishedIsNotPublishedAgainUnasked(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		x := e.accounts[0]
		post := e.newPost(t, e.crew, "only once")
		e.box.fault(t, x, "publish", "slow", object{"delayMs": 1000})
		id := e.now(t, e.crew, post, x, nil)
		e.await(t, e.crew, id, crier.Publishing)
		refused := func(code string) {
			t.Helper()
			for _, r := range []result{
				e.schedule(t, e.crew, post, []crier.ID{x.id}, nil).result(t),
				e.postNow(t, e.crew, post, []crier.ID{x.id}, nil),
			} {
				if r.Data[0].Error == nil || r.Data[0].Error.Code != code {
					t.Errorf("entry %+v, want the error %s", r.Data[0], code)
				}
			}
		}
		refused("already_publishing")
		e.await(t, e.crew, id, crier.Published)
		refused("already_published")
		e.call(t, e.crew, "PATCH", "posts/"+post, object{"text": "twice, on purpose"}).want(t, http.StatusOK)
		again := e.now(t, e.crew, post, x, object{"allowRepublish": true})
		if again == id {
			t.Error("the first publication was used again")
		}
		e.await(t, e.crew, again, crier.Published)
		if got := e.box.timeline(t, x); len(got) != 2 {
			t.Errorf("timeline %+v", got)
		}
	})
}

func TestEditingAScheduledPostChangesWhatIsPublished(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		c := e.newCrew(t, 40, "x", "linkedin")
		post := e.newPost(t, c, "before")
		r, _ := e.scheduleIn(t, c, post, 4*time.Second, crier.Targets{SocialAccountIDs: c.ids()})
		tooLong := e.call(t, c, "PATCH", "posts/"+post, object{"text": strings.Repeat("long ", 80)})
		tooLong.want(t, http.StatusBadRequest)
		if !strings.Contains(string(tooLong.body), string(c.accounts[0].id)) || !strings.Contains(string(tooLong.body), "280") {
			t.Errorf("the answer does not name account and rule: %s", tooLong.body)
		}
		e.call(t, c, "PATCH", "posts/"+post, object{"text": "costs more: https://example.com"}).wantError(t, http.StatusPaymentRequired, "PaymentRequired")
		e.balanced(t, c)
		e.call(t, c, "PATCH", "posts/"+post, object{"text": "after"}).want(t, http.StatusOK)
		for i, entry := range r.Data {
			e.await(t, c, entry.ScheduledPost.ID, crier.Published)
			if got := texts(e.box.timeline(t, c.accounts[i])); len(got) != 1 || got[0] != "after" {
				t.Errorf("timeline of %s: %q", c.accounts[i].network, got)
			}
		}
		e.balanced(t, c)
	})
}

func TestMovingToDraftAndDeletingStopWhatIsScheduled(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		e := startEngine(t, db)
		drafted, deleted := e.newPost(t, e.crew, "drafted"), e.newPost(t, e.crew, "deleted")
		first, _ := e.scheduleIn(t, e.crew, drafted, 3*time.Second, crier.Targets{SocialAccountIDs: e.ids()})
		second, at := e.scheduleIn(t, e.crew, deleted, 3*time.Second, crier.Targets{SocialAccountIDs: e.ids()})
		if got := e.call(t, e.crew, "POST", "posts/"+drafted+"/move-to-draft", nil).want(t, http.StatusOK); got.text(t, "status") != "draft" {
			t.Errorf("the post is %s", got.text(t, "status"))
		}
		e.call(t, e.crew, "DELETE", "posts/"+deleted, nil).want(t, http.StatusOK)
		for _, entry := range append(first.Data, second.Data...) {
			if p := e.publication(t, e.crew, entry.ScheduledPost.ID); p.Status != crier.Canceled {
				t.Errorf("%s is %s", p.ID, p.Status)
			}
		}
		e.balanced(t, e.crew)
		until(t, func() bool { return time.Now().After(at.Add(time.Second)) }, func() string { return "time stands still" })
		for _, on := range e.accounts {
			if got := e.box.timeline(t, on); len(got) != 0 {
				t.Errorf("published all the same: %+v", got)
			}
		}
	})
}
