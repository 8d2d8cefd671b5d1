package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/publish"
	"crier/internal/store"
)

// draft creates a post.
func (w *world) draft(t *testing.T, body object) crier.Post {
	t.Helper()
	return as[crier.Post](t, w.call(t, http.MethodPost, w.team("/posts"), body).want(t, 201))
}

// schedule schedules a post on accounts; every one of them must accept it.
func (w *world) schedule(t *testing.T, post crier.ID, body object, networks ...crier.Provider) []crier.ScheduledPost {
	t.Helper()
	accounts := make([]crier.ID, len(networks))
	for i, n := range networks {
		accounts[i] = w.account(t, n)
	}
	body["socialAccountIds"] = accounts
	if body["scheduledAt"] == nil && body["useNextSlot"] == nil {
		body["scheduledAt"] = w.later(48 * time.Hour)
	}
	result := as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/schedule", post), body).want(t,
		200))
	list := make([]crier.ScheduledPost, len(result.Data))
	for i, e := range result.Data {
		if e.Error != nil {
			t.Fatalf("%s: %+v", networks[i], e.Error)
		}
		list[i] = *e.ScheduledPost
	}
	return list
}

// later returns a time in whole seconds, some time from now.
func (w *world) later(d time.Duration) crier.Time {
	return crier.TimeOf(w.now().Add(d).Truncate(time.Second))
}

func (w *world) scheduledPost(t *testing.T, id crier.ID) crier.ScheduledPost {
	t.Helper()
	return as[crier.ScheduledPost](t, w.call(t, http.MethodGet, w.team("/scheduled-posts/%s", id), nil).want(t, 200))
}

func (w *world) patch(t *testing.T, id crier.ID, body any) answer {
	t.Helper()
	return w.call(t, http.MethodPatch, w.team("/scheduled-posts/%s", id), body)
}

// until polls a scheduled post until a condition holds.
func (w *world) until(t *testing.T, id crier.ID, done func(crier.ScheduledPost) bool) crier.ScheduledPost {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		p := w.scheduledPost(t, id)
		if done(p) {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("it stays %+v", p)
		}
		<-tick.C
	}
}

// fault sets a fault of the sandbox.
func (w *world) fault(t *testing.T, body object) {
	t.Helper()
	data, err := json.Marshal(body)
	requireNoError(t, err)
	resp, err := http.Post(w.sandbox+"/_control/faults", "application/json", bytes.NewReader(data))
	requireNoError(t, err)
	requireNoError(t, resp.Body.Close())
	if resp.StatusCode >= 300 {
		t.Fatalf("the sandbox answers %d", resp.StatusCode)
	}
}

func (w *world) credits(t *testing.T) crier.Credits {
	t.Helper()
	return as[crier.Credits](t, w.call(t, http.MethodGet, w.organization("/credits"), nil).want(t, 200))
}

func TestReschedulingKeepsEverythingElse(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "Hello"})
		before := w.schedule(t, post.ID, object{
			"platformSettings": object{"xReplySettings": "following"}, "firstComment": object{"text": "First"},
			"repostAfter":            object{"offsetDays": 3},
			"recurrenceIntervalDays": 7, "recurrenceEndsAt": w.later(60 * 24 * time.Hour), "timezone": "Europe/Berlin",
		}, crier.ProviderX)[0]
		reserved := w.credits(t).ReservedCredits
		at := w.later(72 * time.Hour)
		after := as[crier.ScheduledPost](t, w.patch(t, before.ID, object{"scheduledAt": at}).want(t, 200))
		if after.ID != before.ID || after.ScheduledAt != at || after.Status != crier.Scheduled ||
			after.Timezone != "Europe/Berlin" {
			t.Errorf("moved to %+v", after)
		}
		if string(after.PlatformSettings["xReplySettings"]) != `"following"` || after.FirstComment == nil ||
			after.FirstComment.Text != "First" || after.FirstComment.Status != crier.FollowUpWaiting ||
			after.PostPublishActions.RepostAfter == nil || after.PostPublishActions.RepostAfter.OffsetDays != 3 ||
			after.Recurrence == nil || after.Recurrence.RecurrenceIntervalDays != 7 ||
			after.Recurrence.RecurrenceEndsAt == nil || after.Recurrence.Status != "active" {
			t.Errorf("moving lost something: %+v", after)
		}
		if now := w.credits(t).ReservedCredits; now != reserved {
			t.Errorf("reserved %d, before %d", now, reserved)
		}
		calendar := as[crier.Calendar](t, w.call(t, http.MethodGet, w.team("/calendar?from=%s&to=%s",
			at.Add(6*24*time.Hour).UTC().Format(time.RFC3339), at.Add(8*24*time.Hour).UTC().Format(time.RFC3339)), nil).
			want(t, 200))
		if len(calendar.Entries) != 1 || calendar.Entries[0].Kind != "recurrence" {
			t.Errorf("the series does not go on from the new time: %+v", calendar.Entries)
		}
	})
}

func TestScheduledPostUpdateReplacesGivenFields(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "Hello"})
		p := w.schedule(t, post.ID, object{"platformSettings": object{"xReplySettings": "following"},
			"firstComment": object{"text": "First"}, "recurrenceIntervalDays": 7, "useNextSlot": true},
			crier.ProviderX)[0]
		changed := as[crier.ScheduledPost](t, w.patch(t, p.ID, object{"firstComment": object{"text": "Second"},
			"postPublishActions": object{"repostAfter": object{"offsetDays": 2}},
			"recurrence":         object{"recurrenceIntervalDays": 14}}).want(t, 200))
		if changed.FirstComment.Text != "Second" || changed.Recurrence.RecurrenceIntervalDays != 14 ||
			changed.PostPublishActions.RepostAfter == nil || changed.ScheduledAt != p.ScheduledAt ||
			string(changed.PlatformSettings["xReplySettings"]) != `"following"` {
			t.Errorf("changed to %+v", changed)
		}
		bare := as[crier.ScheduledPost](t, w.patch(t, p.ID, object{"firstComment": nil, "postPublishActions": nil,
			"recurrence": nil, "platformSettings": nil, "timezone": nil}).want(t, 200))
		if bare.FirstComment != nil || bare.PostPublishActions.RepostAfter != nil || bare.Recurrence != nil ||
			len(bare.PlatformSettings) != 0 || bare.Timezone != "UTC" {
			t.Errorf("null left %+v", bare)
		}
		same := as[crier.ScheduledPost](t, w.patch(t, p.ID, object{}).want(t, 200))
		if same.ScheduledAt != p.ScheduledAt || same.Status != crier.Scheduled {
			t.Errorf("an empty change made %+v", same)
		}
	})
}

func TestScheduledPostUpdateIsValidated(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "Hello"})
		list := w.schedule(t, post.ID, object{}, crier.ProviderX, crier.ProviderLinkedIn)
		x := list[0].ID
		for wantText, body := range map[string]object{
			"60 seconds":           {"scheduledAt": w.later(30 * time.Second)},
			"within 90 days":       {"scheduledAt": w.later(91 * 24 * time.Hour)},
			"must not be null":     {"scheduledAt": nil},
			"is not a known key":   {"socialAccountIds": []string{}},
			"platformSettings":     {"platformSettings": object{"noSuchKey": true}},
			"a comment needs text": {"firstComment": object{"text": ""}},
			"must be in the future": {"recurrence": object{"recurrenceIntervalDays": 1,
				"recurrenceEndsAt": "2020-01-01T00:00:00Z"}},
			"is required: a whole number":  {"recurrence": object{}},
			"must be a time zone, such as": {"timezone": "Mars/Olympus"},
			"a plain repost has no text; use": {"postPublishActions": object{"repostAfter": object{"offsetDays": 1,
				"mode": "repost", "text": "x"}}},
		} {
			got := w.patch(t, x, body)
			if got.status != 400 || !bytes.Contains(got.body, []byte(wantText)) &&
				wantText != "must be a time zone, such as" {
				t.Errorf("%v: %d %s, want 400 that says %q", body, got.status, got.body, wantText)
			}
		}
		w.patch(t, crier.NewID(), object{}).wantError(t, crier.KindNotFound, "scheduled post")
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/cancel", x), nil).want(t, 200)
		w.patch(t, x, object{"scheduledAt": w.later(time.Hour)}).wantError(t, crier.KindConflict, "canceled")
	})
}

func TestCancelStopsOneAccountAndReleasesItsCredits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		post := w.draft(t, object{"text": "Hello"})
		list := w.schedule(t, post.ID, object{}, crier.ProviderX, crier.ProviderLinkedIn)
		if w.credits(t).ReservedCredits == 0 {
			t.Fatal("X costs nothing")
		}
		for range 2 { // a second time changes nothing
			got := as[crier.ScheduledPost](t, w.call(t, http.MethodPost,
				w.team("/scheduled-posts/%s/cancel", list[0].ID),
				nil).want(t, 200))
			if got.Status != crier.Canceled {
				t.Errorf("it is %s", got.Status)
			}
		}
		if now := w.credits(t); now.ReservedCredits != 0 || now.CreditsBalance != 10_000 {
			t.Errorf("credits are %+v", now)
		}
		if other := w.scheduledPost(t, list[1].ID); other.Status != crier.Scheduled {
			t.Errorf("the other account is %s", other.Status)
		}
		// The account is free for the post again.
		w.schedule(t, post.ID, object{}, crier.ProviderX)
	})
}

func TestScheduledPostsAreListedByFilters(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		first, second := w.draft(t, object{"text": "One"}), w.draft(t, object{"text": "Two"})
		early, late := w.later(24*time.Hour), w.later(72*time.Hour)
		one := w.schedule(t, first.ID, object{"scheduledAt": early}, crier.ProviderX, crier.ProviderLinkedIn)
		two := w.schedule(t, second.ID, object{"scheduledAt": late}, crier.ProviderX, crier.ProviderFacebook)
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/cancel", two[1].ID), nil).want(t, 200)
		for query, want := range map[string][]crier.ID{
			"":                                       {two[0].ID, one[0].ID, one[1].ID},
			"status=canceled":                        {two[1].ID},
			"status=scheduled,canceled":              {two[0].ID, two[1].ID, one[0].ID, one[1].ID},
			"provider=x":                             {two[0].ID, one[0].ID},
			"provider=x,linkedin":                    {two[0].ID, one[0].ID, one[1].ID},
			"postId=" + string(first.ID):             {one[0].ID, one[1].ID},
			"to=" + url.QueryEscape(late.String()):   {one[0].ID, one[1].ID},
			"from=" + url.QueryEscape(late.String()): {two[0].ID},
			"needsAttention=true":                    {},
			"needsAttention=false&provider=x":        {two[0].ID, one[0].ID},
			"socialAccountId=" + string(w.account(t, crier.ProviderLinkedIn)): {one[1].ID},
			"status=failed": {},
		} {
			page := as[crier.Page[crier.ScheduledPost]](t,
				w.call(t, http.MethodGet, w.team("/scheduled-posts?%s", query), nil).
					want(t, 200))
			var got []crier.ID
			for _, p := range page.Data {
				got = append(got, p.ID)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || page.Total != int64(len(want)) {
				t.Errorf("%q lists %v of %d, want %v", query, got, page.Total, want)
			}
		}
		var walked []crier.ID
		next := w.team("/scheduled-posts?limit=1&sortOrder=asc")
		for range 3 {
			page := as[crier.Page[crier.ScheduledPost]](t, w.call(t, http.MethodGet, next, nil).want(t, 200))
			walked = append(walked, page.Data[0].ID)
			if page.NextCursor != nil {
				next = w.team("/scheduled-posts?limit=1&sortOrder=asc&cursor=%s", *page.NextCursor)
			}
		}
		if walked[2] != two[0].ID || walked[0] == walked[1] {
			t.Errorf("page by page: %v", walked)
		}
		w.call(t, http.MethodGet, w.team("/scheduled-posts?status=done&from=x"), nil).want(t, 400)
	})
}

func TestFailedAccountIsShownBesideAWaitingOne(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		w.fault(t, object{"provider": "x", "operation": "publish", "kind": "reject", "count": 2})
		post := w.draft(t, object{"text": "Hello"})
		w.schedule(t, post.ID, object{}, crier.ProviderLinkedIn)
		failed := as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID),
			object{"socialAccountIds": []crier.ID{w.account(t, crier.ProviderX)}, "waitSeconds": 30}).want(t,
			200)).Data[0].
			ScheduledPost
		if failed == nil || failed.Status != crier.Failed || !failed.NeedsAttention {
			t.Fatalf("post-now reports %+v", failed)
		}
		found := func(query string) int64 {
			return as[crier.Page[crier.Post]](t, w.call(t, http.MethodGet, w.team("/posts?%s", query), nil).want(t,
				200)).Total
		}
		for state, want := range map[string]int64{"failed": 1, "scheduled": 1, "failed,unknown": 1, "published": 0,
			"unscheduled": 0, "partially_published": 0, "missed,unknown": 0, "scheduled,published": 1} {
			if got := found("deliveryState=" + state); got != want {
				t.Errorf("deliveryState=%s finds %d, want %d", state, got, want)
			}
		}
		attention := func() int64 {
			return as[crier.Page[crier.ScheduledPost]](t, w.call(t, http.MethodGet,
				w.team("/scheduled-posts?needsAttention=true"), nil).want(t, 200)).Total
		}
		if attention() != 1 {
			t.Error("the failure is not in the list of what needs attention")
		}
		dismissed := as[crier.ScheduledPost](t, w.call(t, http.MethodPost,
			w.team("/scheduled-posts/%s/dismiss", failed.ID),
			nil).want(t, 200))
		if dismissed.NeedsAttention || dismissed.DismissedAt == nil || dismissed.Status != crier.Failed ||
			attention() != 0 {
			t.Errorf("dismissed it is %+v", dismissed)
		}
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/retry", failed.ID), nil).want(t, 200)
		again := w.until(t, failed.ID, func(p crier.ScheduledPost) bool { return p.Status == crier.Failed })
		if !again.NeedsAttention || again.DismissedAt != nil || attention() != 1 {
			t.Errorf("after it failed again it is %+v", again)
		}
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/retry", failed.ID), nil).want(t, 200)
		done := w.until(t, failed.ID, func(p crier.ScheduledPost) bool { return p.Status == crier.Published })
		if done.NeedsAttention || attention() != 0 {
			t.Errorf("published it is %+v", done)
		}
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/dismiss", failed.ID), nil).
			wantError(t, crier.KindConflict, "nothing to dismiss")
	})
}

func TestSupersededFailureIsNotRetried(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		w.fault(t, object{"provider": "x", "operation": "publish", "kind": "reject", "count": 1})
		post := w.draft(t, object{"text": "Refused"})
		send := func() *crier.ScheduledPost {
			return as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID),
				object{"socialAccountIds": []crier.ID{w.account(t, crier.ProviderX)}, "waitSeconds": 30}).want(t,
				200)).Data[0].ScheduledPost
		}
		failed := send()
		w.call(t, http.MethodPatch, w.team("/posts/%s", post.ID), object{"text": "Mended"}).want(t, 200)
		mended := send()
		if failed.Status != crier.Failed || mended.Status != crier.Published || mended.ID == failed.ID {
			t.Fatalf("%s is %s, %s is %s", failed.ID, failed.Status, mended.ID, mended.Status)
		}
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/retry", failed.ID), nil).
			wantError(t, crier.KindConflict, string(mended.ID))
		list := as[crier.Page[crier.ScheduledPost]](t, w.call(t, http.MethodGet,
			w.team("/scheduled-posts?postId=%s&needsAttention=true", post.ID), nil).want(t, 200)).Data
		one := as[crier.ScheduledPost](t, w.call(t, http.MethodGet, w.team("/scheduled-posts/%s", mended.ID), nil).
			want(t, 200))
		if len(list) != 1 || list[0].ReplacedBy == nil || *list[0].ReplacedBy != mended.ID || one.ReplacedBy != nil {
			t.Errorf("replaced: %+v, by %+v", list, one)
		}
	})
}

func TestScheduledPostShowsActionStatus(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		post := w.draft(t, object{"text": "Hello"})
		p := as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID), object{
			"socialAccountIds": []crier.ID{w.account(t, crier.ProviderX)}, "waitSeconds": 30,
			"firstComment": object{"text": "First"}, "repostAfter": object{"offsetDays": 2},
			"recurrenceIntervalDays": 7,
		}).want(t, 200)).Data[0].ScheduledPost
		if p.Status != crier.Published || p.LateMillis == nil || *p.LateMillis > 60_000 {
			t.Fatalf("published: %+v", p)
		}
		shown := w.until(t, p.ID, func(p crier.ScheduledPost) bool {
			return p.FirstComment.Status == crier.FollowUpStatus(crier.Published)
		})
		repost := shown.PostPublishActions.RepostAfter
		if shown.FirstComment.PlatformPostID == "" || repost.Status != crier.FollowUpStatus(crier.Scheduled) ||
			repost.ScheduledAt == nil || shown.Recurrence.Status != "active" {
			t.Errorf("its actions are %+v, %+v, %+v", shown.FirstComment, repost, shown.Recurrence)
		}
		listed := as[crier.Page[crier.ScheduledPost]](t, w.call(t, http.MethodGet,
			w.team("/scheduled-posts?status=published"), nil).want(t, 200)).Data[0]
		got := as[crier.Post](t, w.call(t, http.MethodGet, w.team("/posts/%s?include=scheduledPosts", post.ID),
			nil).want(t, 200))
		for name, other := range map[string]crier.ScheduledPost{"list": listed,
			"post": (*got.ScheduledPosts)[len(*got.ScheduledPosts)-1]} {
			if other.FirstComment == nil || other.FirstComment.Status != shown.FirstComment.Status ||
				*other.LateMillis != *shown.LateMillis {
				t.Errorf("the %s shows %+v", name, other)
			}
		}
	})
}

func TestFailedActionNeedsAttention(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		w.fault(t, object{"provider": "facebook", "operation": "comment", "kind": "reject", "count": 1})
		post := w.draft(t, object{"text": "Hello"})
		p := as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID), object{
			"socialAccountIds": []crier.ID{w.account(t, crier.ProviderFacebook)}, "waitSeconds": 30,
			"firstComment": object{"text": "First"}}).want(t, 200)).Data[0].ScheduledPost
		shown := w.until(t, p.ID, func(p crier.ScheduledPost) bool {
			return p.FirstComment.Status == crier.FollowUpStatus(crier.Failed)
		})
		if shown.Status != crier.Published || !shown.NeedsAttention || shown.FirstComment.ErrorCode == "" {
			t.Errorf("it is %+v with %+v", shown, shown.FirstComment)
		}
		dismissed := as[crier.ScheduledPost](t, w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/dismiss", p.ID),
			nil).
			want(t, 200))
		if dismissed.NeedsAttention {
			t.Error("it still needs attention")
		}
	})
}

func TestCalendarEntriesNameAccountTagsAndTitle(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		tag := as[crier.Tag](t, w.call(t, http.MethodPost, w.team("/tags"),
			object{"name": "Launch", "colour": "#ff0000"}).
			want(t, 201))
		post := w.draft(t, object{"text": "Hello", "title": "The launch"})
		w.call(t, http.MethodPut, w.team("/posts/%s/tags", post.ID), object{"tagIds": []crier.ID{tag.ID}}).want(t, 200)
		list := w.schedule(t, post.ID, object{}, crier.ProviderX, crier.ProviderLinkedIn)
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/cancel", list[1].ID), nil).want(t, 200)
		window := "/calendar?from=" + url.QueryEscape(w.later(0).String()) + "&to=" +
			url.QueryEscape(w.later(90*24*time.Hour).String())
		entries := as[crier.Calendar](t, w.call(t, http.MethodGet, w.team("%s", window), nil).want(t, 200)).Entries
		if len(entries) != 1 || entries[0].AccountName == "" || entries[0].Title == nil ||
			*entries[0].Title != "The launch" ||
			len(entries[0].UserTags) != 1 || entries[0].UserTags[0].Name != "Launch" || entries[0].ThumbnailURL != nil {
			t.Errorf("%+v", entries)
		}
		all := as[crier.Calendar](t, w.call(t, http.MethodGet, w.team("%s&include=canceled", window), nil).want(t,
			200)).Entries
		if len(all) != 2 || *all[0].Status == *all[1].Status {
			t.Errorf("with canceled ones: %+v", all)
		}
		w.call(t, http.MethodGet, w.team("%s&include=everything", window), nil).want(t, 400)
	})
}

func TestSlotCalendarShowsTakenSlots(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.call(t, http.MethodPatch, w.team(""), object{"timezone": "America/New_York"}).want(t, 200)
		post := w.draft(t, object{"text": "Hello"})
		taken := w.schedule(t, post.ID, object{"useNextSlot": true}, crier.ProviderX)[0]
		from := crier.TimeOf(w.now().Add(-24 * time.Hour))
		window := "/scheduling-slots/calendar?from=" + url.QueryEscape(from.String()) + "&to=" +
			url.QueryEscape(crier.TimeOf(from.Add(7*24*time.Hour)).String())
		calendar := as[crier.SlotCalendar](t, w.call(t, http.MethodGet, w.team("%s", window), nil).want(t, 200))
		if calendar.Timezone != "America/New_York" || !calendar.UsingDefaults || len(calendar.Slots) != 21 {
			t.Fatalf("%d slots in %s", len(calendar.Slots), calendar.Timezone)
		}
		for i, s := range calendar.Slots {
			isTaken := s.StartsAt == taken.ScheduledAt
			if isTaken != (len(s.TakenBy) == 1) || isTaken && s.TakenBy[0].ScheduledPostID != taken.ID {
				t.Errorf("%s is taken by %+v", s.StartsAt, s.TakenBy)
			}
			if i > 0 && !calendar.Slots[i-1].StartsAt.Before(s.StartsAt.Time) {
				t.Errorf("%s is not behind the one before", s.StartsAt)
			}
			if past := s.StartsAt.Before(w.now().Add(time.Minute)); past != s.Past ||
				!slices.Contains([]string{"09:00", "13:00", "18:00"}, s.LocalTime) {
				t.Errorf("%+v", s)
			}
		}
		other := as[crier.SlotCalendar](t, w.call(t, http.MethodGet, w.team("%s&socialAccountIds=%s", window,
			w.account(t, crier.ProviderLinkedIn)), nil).want(t, 200))
		for _, s := range other.Slots {
			if len(s.TakenBy) > 0 {
				t.Errorf("for another account %s is taken by %+v", s.StartsAt, s.TakenBy)
			}
		}
		w.call(t, http.MethodGet,
			w.team("/scheduling-slots/calendar?from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z"), nil).
			wantError(t, crier.KindInvalid, "at most 92 days")
		w.call(t, http.MethodGet, w.team("/scheduling-slots/calendar"), nil).want(t, 400)
	})
}

// A deletion from the networks includes what a person finds there later.
func TestDeletedPostThatTurnsOutToBePublicIsDeletedThere(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.work(t)
		post := w.draft(t, object{"text": "Hello"})
		sent := as[crier.ScheduleResult](t, w.call(t, http.MethodPost, w.team("/posts/%s/post-now", post.ID),
			object{"socialAccountIds": []crier.ID{w.account(t, crier.ProviderX)}, "waitSeconds": 30}).want(t,
			200)).Data[0].ScheduledPost
		if sent == nil || sent.Status != crier.Published {
			t.Fatalf("post-now reports %+v", sent)
		}
		requireNoError(t, w.store.WithTx(t.Context(), func(tx *store.Tx) error {
			p, err := tx.LockPublication(t.Context(), sent.ID)
			if err != nil {
				return err
			}
			p.Status, p.PlatformPostID, p.PublishedAt, p.State = crier.Unknown, nil, nil, publish.EmptyState()
			p.Results = crier.PublishResults{PlatformPostIDs: []string{}}
			return tx.WriteSettlements(t.Context(), crier.TimeOf(w.now()), store.Patient,
				&store.Settlement{Publication: p, Epoch: p.Epoch})
		}))
		gone := as[crier.PostDeletion](t, w.call(t, http.MethodDelete, w.team("/posts/%s?alsoDeleteFromPlatform=true",
			post.ID), nil).want(t, 200))
		if len(gone.PlatformDeletes) != 1 || gone.PlatformDeletes[0].Verdict != "pending" {
			t.Errorf("the deletion reports %+v", gone)
		}
		w.call(t, http.MethodPost, w.team("/scheduled-posts/%s/resolve", sent.ID),
			object{"outcome": "published", "platformPostId": sent.PlatformPostID}).want(t, 200)
		w.until(t, sent.ID, func(crier.ScheduledPost) bool {
			list := as[crier.AttemptList](t, w.call(t, http.MethodGet, w.team("/scheduled-posts/%s/attempts", sent.ID),
				nil).want(t, 200)).Data
			last := list[len(list)-1]
			return last.Operation == "delete" && last.Outcome == "deleted" && len(last.Exchanges) > 0
		})
	})
}
