package crier_test

import (
	"encoding/json"
	"testing"
	"time"

	"crier"
)

func plannedActions() crier.PlannedActions {
	return crier.PlannedActions{
		FirstComment: &crier.Comment{Text: "First"},
		EngagementCommentTrigger: &crier.EngagementTrigger{LikeThreshold: 10, WindowHours: 24,
			Comment: crier.Comment{Text: "Thanks"}},
		RepostAfter:            &crier.RepostAfter{OffsetDays: 2},
		RecurrenceIntervalDays: ptr(7),
		RecurrenceEndsAt:       at(24 * time.Hour),
	}
}

// TestActionsThatHaveNotBegunFollowTheirPost: they wait while the post may still go out, or has; behind a post that
// ended otherwise nothing follows.
func TestActionsThatHaveNotBegunFollowTheirPost(t *testing.T) {
	t.Parallel()
	for status, want := range map[crier.ScheduledPostStatus]crier.FollowUpStatus{
		crier.Scheduled: "waiting", crier.Publishing: "waiting", crier.Processing: "waiting", crier.Unknown: "waiting",
		crier.Published: "waiting", crier.Failed: "canceled", crier.Canceled: "canceled", crier.Missed: "canceled",
	} {
		post := crier.ScheduledPost{Status: status}
		post.SetActions(plannedActions(), nil, false)
		if post.FirstComment.Status != want || post.PostPublishActions.RepostAfter.Status != want ||
			post.PostPublishActions.EngagementCommentTrigger.Status != want {
			t.Errorf("behind a post that is %s: %s, %s, %s; want %s", status, post.FirstComment.Status,
				post.PostPublishActions.RepostAfter.Status,
				post.PostPublishActions.EngagementCommentTrigger.Status, want)
		}
	}
}

func TestActionsThatHaveBegunTellHowTheyGo(t *testing.T) {
	t.Parallel()
	post := crier.ScheduledPost{Status: crier.Published}
	post.SetActions(plannedActions(), map[crier.FollowUpKind]crier.FollowUp{
		crier.FollowUpFirstComment: {Status: "published", PlatformPostID: "c1", PublishedAt: at(0)},
		crier.FollowUpRepost:       {Status: "failed", ErrorCode: "gone", ErrorMessage: "It is gone."},
	}, false)
	if c := post.FirstComment; c.Status != "published" || c.PlatformPostID != "c1" || c.Text != "First" {
		t.Errorf("the comment is %+v", c)
	}
	if r := post.PostPublishActions.RepostAfter; r.Status != "failed" || r.ErrorCode != "gone" || r.OffsetDays != 2 {
		t.Errorf("the repost is %+v", r)
	}
	if e := post.PostPublishActions.EngagementCommentTrigger; e.Status != "waiting" || e.LikeThreshold != 10 {
		t.Errorf("the trigger is %+v", e)
	}
	data, err := json.Marshal(post.FirstComment)
	const want = `{"text":"First","mediaIds":[],"status":"published","publishedAt":"2026-11-15T12:00:00.000Z",` +
		`"platformPostId":"c1"}`
	if err != nil || string(data) != want {
		t.Errorf("written as %s, %v", data, err)
	}
}

func TestRecurrenceIsActiveWhileItsSeriesGoesOn(t *testing.T) {
	t.Parallel()
	for _, status := range crier.ScheduledPostStatuses() {
		for _, goesOn := range []bool{false, true} {
			post := crier.ScheduledPost{Status: status}
			post.SetActions(plannedActions(), nil, goesOn)
			want := "ended"
			if goesOn || status.Live() {
				want = "active"
			}
			if r := post.Recurrence; r.Status != want || r.RecurrenceIntervalDays != 7 ||
				!r.RecurrenceEndsAt.Equal(noon.Add(24*time.Hour)) {
				t.Errorf("%s, the series goes on: %t: %+v, want %s", status, goesOn, r, want)
			}
		}
	}
}

func TestSetActionsForgetsWhatIsNoLongerPlanned(t *testing.T) {
	t.Parallel()
	post := crier.ScheduledPost{Status: crier.Scheduled}
	post.SetActions(plannedActions(), nil, true)
	post.SetActions(crier.PlannedActions{}, map[crier.FollowUpKind]crier.FollowUp{
		crier.FollowUpRepost: {Status: "published"}}, true)
	if post.FirstComment != nil || post.Recurrence != nil || post.PostPublishActions != (crier.ScheduledActions{}) {
		t.Errorf("it still has %+v, %+v, %+v", post.FirstComment, post.PostPublishActions, post.Recurrence)
	}
	data, err := json.Marshal(post.PostPublishActions)
	if err != nil || string(data) != "{}" {
		t.Errorf("no actions are written as %s, %v", data, err)
	}
}

func TestSetActionsKeepsAListOfItsOwn(t *testing.T) {
	t.Parallel()
	planned := crier.PlannedActions{FirstComment: &crier.Comment{MediaIDs: []crier.ID{assetA}}}
	post := crier.ScheduledPost{}
	post.SetActions(planned, nil, false)
	planned.FirstComment.MediaIDs[0] = assetB
	if post.FirstComment.MediaIDs[0] != assetA {
		t.Error("the list of media is shared with the plan")
	}
}

// TestScheduledPostLeavesOutWhatItHasNotYet: the contract types these as strings, which are never null.
func TestScheduledPostLeavesOutWhatItHasNotYet(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(crier.ScheduledPost{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"platformPostId", "permalink", "publishedAt", "errorCode", "errorMessage",
		"workflowId", "workflowRunId", "lateMillis", "dismissedAt", "replacedBy"} {
		if raw, there := fields[name]; there {
			t.Errorf("%s is written as %s before it has a value", name, raw)
		}
	}
	for name, want := range map[string]string{"firstComment": "null", "recurrence": "null", "postPublishActions": "{}",
		"providerPublishState": `{"requiresPolling":false}`, "needsAttention": "false"} {
		if string(fields[name]) != want {
			t.Errorf("%s is written as %s, want %s", name, fields[name], want)
		}
	}
}
