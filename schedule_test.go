package crier_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"crier"
)

func at(d time.Duration) *crier.Time {
	t := crier.TimeOf(noon.Add(d))
	return &t
}

func TestScheduleRequestNeedsExactlyOneTime(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	const both = "scheduledAt: give either scheduledAt or useNextSlot: true, not both"
	const neither = "scheduledAt: give either scheduledAt or useNextSlot: true"
	for _, tc := range []struct {
		name string
		at   *crier.Time
		slot *bool
		want []string
	}{
		{name: "neither", want: []string{neither}},
		{name: "no slot and no time", slot: &no, want: []string{neither}},
		{name: "a slot", slot: &yes},
		{name: "a time", at: at(time.Hour)},
		{name: "a time, and no slot", at: at(time.Hour), slot: &no},
		{name: "both", at: at(time.Hour), slot: &yes, want: []string{both}},
	} {
		in := crier.ScheduleRequest{ScheduledAt: tc.at, UseNextSlot: tc.slot}
		wantIssues(t, tc.name, in.Validate(noon), tc.want...)
	}
}

// TestLeadTimesHaveExactBounds: 60 seconds and 90 days are allowed themselves, a microsecond beyond is not.
func TestLeadTimesHaveExactBounds(t *testing.T) {
	t.Parallel()
	const refused = "scheduledAt: must be at least 60 seconds in the future and within 90 days; the server's time is " +
		"2026-11-15T12:00:00.000Z"
	for lead, good := range map[time.Duration]bool{
		crier.MinScheduleLead: true, crier.MinScheduleLead - time.Microsecond: false, 0: false, -time.Hour: false,
		crier.MaxScheduleLead: true, crier.MaxScheduleLead + time.Microsecond: false, 40 * 24 * time.Hour: true,
	} {
		var want []string
		if !good {
			want = []string{refused}
		}
		wantIssues(t, "schedule "+lead.String(), crier.ScheduleRequest{ScheduledAt: at(lead)}.Validate(noon), want...)
		wantIssues(t, "move "+lead.String(),
			crier.ScheduledPostUpdate{ScheduledAt: crier.Some(*at(lead))}.Validate(noon), want...)
	}
	wantIssues(t, "no move", crier.ScheduledPostUpdate{}.Validate(noon))
}

func TestScheduleRequestEndsItsRecurrenceBehindItsTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ends time.Duration
		want []string
	}{
		"behind":  {ends: 3 * time.Hour},
		"with it": {ends: 2 * time.Hour},
		"before":  {ends: time.Hour, want: []string{"recurrenceEndsAt: must not be before scheduledAt"}},
		"over": {ends: -time.Hour, want: []string{"recurrenceEndsAt: must be in the future",
			"recurrenceEndsAt: must not be before scheduledAt"}},
	} {
		in := crier.ScheduleRequest{ScheduledAt: at(2 * time.Hour)}
		in.RecurrenceEndsAt = crier.Some(*at(tc.ends))
		wantIssues(t, name, in.Validate(noon), tc.want...)
	}
	in := crier.ScheduleRequest{ScheduledAt: at(2 * time.Hour)}
	in.RecurrenceEndsAt = crier.Null[crier.Time]()
	wantIssues(t, "no end", in.Validate(noon))
}

// TestTargetsAreJudgedTheSameEverywhere: scheduling, publishing now and trying out content have the targets in common.
func TestTargetsAreJudgedTheSameEverywhere(t *testing.T) {
	t.Parallel()
	targets := crier.Targets{
		SocialAccountIDs:         []crier.ID{assetA},
		FirstComment:             crier.Some(crier.Comment{}),
		EngagementCommentTrigger: crier.Some(crier.EngagementTrigger{LikeThreshold: 1, WindowHours: 1}),
		RepostAfter:              crier.Some(crier.RepostAfter{OffsetDays: 1, Mode: "quote"}),
		RecurrenceEndsAt:         crier.Some(*at(-time.Hour)),
		PlatformSettingsBySocialAccountID: map[crier.ID]map[string]json.RawMessage{assetA: {}, assetB: {},
			assetC: {}},
	}
	want := []string{
		"firstComment.text: a comment needs text or media",
		"engagementCommentTrigger.comment.text: a comment needs text or media",
		"repostAfter.text: is required for a quote",
		"recurrenceEndsAt: must be in the future",
		"platformSettingsBySocialAccountId." + string(assetB) + ": is not one of socialAccountIds",
		"platformSettingsBySocialAccountId." + string(assetC) + ": is not one of socialAccountIds",
	}
	for range 20 { // the order of the issues does not depend on that of a map
		wantIssues(t, "publish now", crier.PostNowRequest{Targets: targets}.Validate(noon), want...)
	}
	yes := true
	scheduled := crier.ScheduleRequest{Targets: targets, UseNextSlot: &yes}
	wantIssues(t, "schedule", scheduled.Validate(noon), want...)
	wantIssues(t, "try out", crier.ContentValidation{ScheduleRequest: scheduled}.Validate(noon), want...)
	wantIssues(t, "try out publishing now",
		crier.ContentValidation{ScheduleRequest: crier.ScheduleRequest{Targets: targets}}.Validate(noon), want...)
}

func TestTargetsThatSwitchActionsOffAreValid(t *testing.T) {
	t.Parallel()
	wantIssues(t, "null switches off", crier.PostNowRequest{Targets: crier.Targets{
		FirstComment:             crier.Null[crier.Comment](),
		EngagementCommentTrigger: crier.Null[crier.EngagementTrigger](),
		RepostAfter:              crier.Null[crier.RepostAfter](),
		RecurrenceIntervalDays:   crier.Null[int](),
		RecurrenceEndsAt:         crier.Null[crier.Time](),
	}}.Validate(noon))
}

func TestContentValidationWithoutATimeIsADryRunOfPublishingNow(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	input := &crier.PostInput{Atomic: &crier.AtomicPost{Attachments: []crier.Attachment{media(assetA)}},
		Variants: []crier.PostVariant{{}}}
	content := []string{
		"assetIds: differs from the assets attached in postInput; leave it out, or list the same ones in the same " +
			"order",
		"postInput.variants.0: is for a network or an account: give provider or socialAccountId, and not both",
		"postInput.variants.0: changes nothing: give text, posts or attachments",
	}
	for _, tc := range []struct {
		name string
		at   *crier.Time
		slot *bool
		more []string
	}{
		{name: "now"},
		{name: "at a slot", slot: &yes},
		{name: "at a time", at: at(time.Hour)},
		{name: "no slot, which asks for a time", slot: &no,
			more: []string{"scheduledAt: give either scheduledAt or useNextSlot: true"}},
		{name: "both", at: at(time.Hour), slot: &yes,
			more: []string{"scheduledAt: give either scheduledAt or useNextSlot: true, not both"}},
	} {
		in := crier.ContentValidation{PostInput: input, AssetIDs: []crier.ID{assetB},
			ScheduleRequest: crier.ScheduleRequest{ScheduledAt: tc.at, UseNextSlot: tc.slot}}
		wantIssues(t, tc.name, in.Validate(noon), append(slices.Clip(content), tc.more...)...)
	}
}

func TestOutcomeOfCountsEntries(t *testing.T) {
	t.Parallel()
	good, bad := crier.ScheduleEntry{}, crier.ScheduleEntry{Error: &crier.EntryError{Message: "no"}}
	for _, tc := range []struct {
		entries []crier.ScheduleEntry
		want    crier.ScheduleOutcome
	}{
		{want: crier.ScheduleOutcome{Kind: "none_failed"}},
		{entries: []crier.ScheduleEntry{good, good},
			want: crier.ScheduleOutcome{TotalCount: 2, SuccessCount: 2, Kind: "none_failed"}},
		{entries: []crier.ScheduleEntry{good, bad, good},
			want: crier.ScheduleOutcome{TotalCount: 3, SuccessCount: 2, FailureCount: 1, Kind: "partially_failed"}},
		{entries: []crier.ScheduleEntry{bad}, want: crier.ScheduleOutcome{TotalCount: 1, FailureCount: 1,
			Kind: "all_failed"}},
	} {
		if got := crier.OutcomeOf(tc.entries); got != tc.want {
			t.Errorf("%d entries come to %+v, want %+v", len(tc.entries), got, tc.want)
		}
	}
}

// TestScheduledPostUpdateNamesWhatItWasSent: the paths lead to the body of the change, not to that of a schedule.
func TestScheduledPostUpdateNamesWhatItWasSent(t *testing.T) {
	t.Parallel()
	wantIssues(t, "everything is wrong", crier.ScheduledPostUpdate{
		FirstComment: crier.Some(crier.Comment{}),
		PostPublishActions: crier.Some(crier.FollowUpActions{
			EngagementCommentTrigger: &crier.EngagementTrigger{LikeThreshold: 1, WindowHours: 1},
			RepostAfter:              &crier.RepostAfter{OffsetDays: 1, Mode: "repost", Text: "x"}}),
		Recurrence: crier.Some(crier.Recurrence{RecurrenceIntervalDays: 1, RecurrenceEndsAt: at(0)}),
	}.Validate(noon),
		"firstComment.text: a comment needs text or media",
		"postPublishActions.engagementCommentTrigger.comment.text: a comment needs text or media",
		"postPublishActions.repostAfter.text: a plain repost has no text; use the mode quote",
		"recurrence.recurrenceEndsAt: must be in the future")
	wantIssues(t, "everything is right", crier.ScheduledPostUpdate{
		ScheduledAt:        crier.Some(*at(time.Hour)),
		FirstComment:       crier.Some(crier.Comment{Text: "x"}),
		PostPublishActions: crier.Some(crier.FollowUpActions{RepostAfter: &crier.RepostAfter{OffsetDays: 1}}),
		Recurrence:         crier.Some(crier.Recurrence{RecurrenceIntervalDays: 1, RecurrenceEndsAt: at(1000)}),
	}.Validate(noon))
	wantIssues(t, "everything is removed", crier.ScheduledPostUpdate{
		FirstComment:       crier.Null[crier.Comment](),
		PostPublishActions: crier.Null[crier.FollowUpActions](),
		Recurrence:         crier.Null[crier.Recurrence](),
	}.Validate(noon))
}
