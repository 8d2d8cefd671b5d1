package crier_test

import (
	"encoding/json"
	"testing"
	"time"

	"crier"
)

func TestOffsetsMayBeFractional(t *testing.T) {
	t.Parallel()
	if got := (crier.EngagementTrigger{WindowHours: 1.5}).Window(); got != 90*time.Minute {
		t.Errorf("a window of 1.5 hours lasts %v", got)
	}
	for _, tc := range []struct {
		days  float64
		whole int
		part  time.Duration
	}{
		{days: 1, whole: 1},
		{days: 2.25, whole: 2, part: 6 * time.Hour},
		{days: 29.5, whole: 29, part: 12 * time.Hour},
		{days: 30, whole: 30},
	} {
		r := crier.RepostAfter{OffsetDays: tc.days}
		if r.WholeDays() != tc.whole || r.PartOfADay() != tc.part {
			t.Errorf("%v days are %d days and %v, want %d and %v", tc.days, r.WholeDays(), r.PartOfADay(),
				tc.whole, tc.part)
		}
	}
	if got := (crier.EngagementTrigger{WindowHours: crier.MaxWindowHours}).Window(); got != 30*24*time.Hour {
		t.Errorf("the longest window lasts %v", got)
	}
}

func TestRepostQuotesWhenItHasAText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode, text string
		quotes     bool
		want       []string
	}{
		{mode: "", text: "", quotes: false},
		{mode: "", text: "Again!", quotes: true},
		{mode: "repost", text: "", quotes: false},
		{mode: "repost", text: "Again!", quotes: false,
			want: []string{"postPublishActions.repostAfter.text: a plain repost has no text; use the mode quote"}},
		{mode: "quote", text: "Again!", quotes: true},
		{mode: "quote", text: "", quotes: true,
			want: []string{"postPublishActions.repostAfter.text: is required for a quote"}},
	} {
		repost := crier.RepostAfter{OffsetDays: 1, Mode: tc.mode, Text: tc.text}
		if repost.Quotes() != tc.quotes {
			t.Errorf("mode %q with text %q quotes: %t", tc.mode, tc.text, !tc.quotes)
		}
		in := crier.PostCreate{PostPublishActions: &crier.PostPublishActions{RepostAfter: &repost}}
		wantIssues(t, tc.mode+" "+tc.text, in.Validate(noon), tc.want...)
	}
}

func TestCommentNeedsTextOrMedia(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		comment crier.Comment
		good    bool
	}{
		{comment: crier.Comment{Text: "First!"}, good: true},
		{comment: crier.Comment{MediaIDs: []crier.ID{assetA}}, good: true},
		{comment: crier.Comment{Text: " "}, good: true},
		{comment: crier.Comment{}},
		{comment: crier.Comment{MediaIDs: []crier.ID{}}},
	} {
		in := crier.PostCreate{PostPublishActions: &crier.PostPublishActions{FirstComment: &tc.comment,
			EngagementCommentTrigger: &crier.EngagementTrigger{LikeThreshold: 1, WindowHours: 1, Comment: tc.comment}}}
		var want []string
		if !tc.good {
			want = []string{"postPublishActions.firstComment.text: a comment needs text or media",
				"postPublishActions.engagementCommentTrigger.comment.text: a comment needs text or media"}
		}
		wantIssues(t, tc.comment.Text, in.Validate(noon), want...)
	}
}

func TestRecurrenceEndsInTheFutureAndWithAnInterval(t *testing.T) {
	t.Parallel()
	const future = "postPublishActions.recurrenceEndsAt: must be in the future"
	const alone = "postPublishActions.recurrenceEndsAt: needs recurrenceIntervalDays: without it, " +
		"the post is not repeated"
	week := 7
	at := func(d time.Duration) crier.Optional[crier.Time] { return crier.Some(crier.TimeOf(noon.Add(d))) }
	for _, tc := range []struct {
		name string
		days *int
		ends crier.Optional[crier.Time]
		want []string
	}{
		{name: "neither"},
		{name: "without an end", days: &week},
		{name: "null is no end", days: &week, ends: crier.Null[crier.Time]()},
		{name: "null without a recurrence", ends: crier.Null[crier.Time]()},
		{name: "an end ahead", days: &week, ends: at(time.Microsecond)},
		{name: "an end now", days: &week, ends: at(0), want: []string{future}},
		{name: "an end that is over", days: &week, ends: at(-time.Hour), want: []string{future}},
		{name: "an end of nothing", ends: at(time.Hour), want: []string{alone}},
		{name: "an end of nothing that is over", ends: at(-time.Hour), want: []string{future, alone}},
	} {
		in := crier.PostCreate{PostPublishActions: &crier.PostPublishActions{RecurrenceIntervalDays: tc.days,
			RecurrenceEndsAt: tc.ends}}
		wantIssues(t, tc.name, in.Validate(noon), tc.want...)
	}
}

func TestCommentAlwaysListsItsMedia(t *testing.T) {
	t.Parallel()
	for want, comment := range map[string]crier.Comment{
		`{"text":"a","mediaIds":[]}`:                                       {Text: "a"},
		`{"text":"b","mediaIds":["01900000-0000-7000-8000-00000000000a"]}`: {Text: "b", MediaIDs: []crier.ID{assetA}},
	} {
		if got, err := json.Marshal(comment); err != nil || string(got) != want {
			t.Errorf("written as %s, %v; want %s", got, err, want)
		}
	}
	trigger := crier.EngagementTrigger{LikeThreshold: 5, WindowHours: 24, Comment: crier.Comment{Text: "c"}}
	const want = `{"likeThreshold":5,"windowHours":24,"comment":{"text":"c","mediaIds":[]}}`
	if got, err := json.Marshal(trigger); err != nil || string(got) != want {
		t.Errorf("a trigger is written as %s, %v", got, err)
	}
}

func TestPlannedActionsTotalAddsPartsAndActions(t *testing.T) {
	t.Parallel()
	for want, planned := range map[int64]crier.PlannedActions{
		0:  {},
		30: {PartCosts: []int64{15, 15}},
		7:  {ActionCosts: map[string]int64{"first_comment": 3, "repost": 4}},
		37: {PartCosts: []int64{15, 15}, ActionCosts: map[string]int64{"first_comment": 3, "repost": 4}},
	} {
		if got := planned.Total(); got != want {
			t.Errorf("%+v cost %d, want %d", planned, got, want)
		}
	}
}
