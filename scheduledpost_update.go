package crier

import (
	"encoding/json"
	"time"
)

// ScheduledPostUpdate is the request to update a scheduled post: absent fields keep their value, given ones replace the
// whole value, null removes it.
type ScheduledPostUpdate struct {
	ScheduledAt        Optional[Time]                       `json:"scheduledAt,omitzero" doc:"At least 60 seconds ahead, within 90 days."`
	Timezone           Optional[Zone]                       `json:"timezone,omitzero" null:"true" doc:"The zone the time was chosen in; null means the team's."`
	PlatformSettings   Optional[map[string]json.RawMessage] `json:"platformSettings,omitzero" null:"true" doc:"Publish settings by key; GET /v1/providers lists them."`
	FirstComment       Optional[Comment]                    `json:"firstComment,omitzero" null:"true"`
	PostPublishActions Optional[FollowUpActions]            `json:"postPublishActions,omitzero" null:"true"`
	Recurrence         Optional[Recurrence]                 `json:"recurrence,omitzero" null:"true"`
}

// FollowUpActions are the follow-up actions of a post besides its first comment.
type FollowUpActions struct {
	EngagementCommentTrigger *EngagementTrigger `json:"engagementCommentTrigger,omitempty" null:"true"`
	RepostAfter              *RepostAfter       `json:"repostAfter,omitempty" null:"true"`
}

// Validate checks the rules across fields.
func (in ScheduledPostUpdate) Validate(now time.Time) []Issue {
	var issues []Issue
	if in.ScheduledAt.HasValue() {
		if problem := leadProblem(in.ScheduledAt.Value.Time, now); problem != "" {
			issues = append(issues, At(problem, "scheduledAt"))
		}
	}
	issues = append(issues, PostPublishActions{FirstComment: in.FirstComment.Ptr()}.validate(now)...)
	if a := in.PostPublishActions.Ptr(); a != nil {
		actions := PostPublishActions{EngagementCommentTrigger: a.EngagementCommentTrigger, RepostAfter: a.RepostAfter}
		issues = append(issues, actions.validate(now, "postPublishActions")...)
	}
	if r := in.Recurrence.Ptr(); r != nil && r.RecurrenceEndsAt != nil && !r.RecurrenceEndsAt.After(now) {
		issues = append(issues, At("must be in the future", "recurrence", "recurrenceEndsAt"))
	}
	return issues
}
