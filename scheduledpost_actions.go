package crier

// FollowUpStatus is where an action that follows a post stands: waiting until the post is public, then as a scheduled
// post.
type FollowUpStatus string

// FollowUpWaiting is the status of an action whose post is not public yet.
const FollowUpWaiting FollowUpStatus = "waiting"

// Enum lists the values on the wire.
func (FollowUpStatus) Enum() []string {
	return append([]string{string(FollowUpWaiting)}, enumOf(ScheduledPostStatuses())...)
}

// FollowUp is how an action that follows a post goes.
type FollowUp struct {
	Status         FollowUpStatus `json:"status"`
	ScheduledAt    *Time          `json:"scheduledAt,omitempty" doc:"Once the post is public."`
	PublishedAt    *Time          `json:"publishedAt,omitempty"`
	PlatformPostID string         `json:"platformPostId,omitempty"`
	Permalink      string         `json:"permalink,omitempty"`
	ErrorCode      string         `json:"errorCode,omitempty"`
	ErrorMessage   string         `json:"errorMessage,omitempty"`
}

// ScheduledComment is the first comment of a scheduled post and how it goes.
type ScheduledComment struct {
	Text     string `json:"text"`
	MediaIDs []ID   `json:"mediaIds"`
	FollowUp
}

// ScheduledTrigger is the comment at a number of likes of a scheduled post and how it goes.
type ScheduledTrigger struct {
	EngagementTrigger
	FollowUp
}

// ScheduledRepost is the repost of a scheduled post and how it goes.
type ScheduledRepost struct {
	RepostAfter
	FollowUp
}

// ScheduledActions are the actions that follow a scheduled post beside its first comment.
type ScheduledActions struct {
	EngagementCommentTrigger *ScheduledTrigger `json:"engagementCommentTrigger,omitempty"`
	RepostAfter              *ScheduledRepost  `json:"repostAfter,omitempty"`
}

// Recurrence repeats a scheduled post.
type Recurrence struct {
	RecurrenceIntervalDays int   `json:"recurrenceIntervalDays" minimum:"1" maximum:"365" doc:"Republish every N days."`
	RecurrenceEndsAt       *Time `json:"recurrenceEndsAt,omitempty" null:"true" doc:"null means no end."`
}

// ScheduledRecurrence is the recurrence of a scheduled post and whether it goes on.
type ScheduledRecurrence struct {
	RecurrenceIntervalDays int    `json:"recurrenceIntervalDays" number:"true"`
	RecurrenceEndsAt       *Time  `json:"recurrenceEndsAt"`
	Status                 string `json:"status" enum:"active,ended" doc:"active while the post is scheduled on the account by this series."`
}

// FollowUpKind tells the actions that follow a post apart.
type FollowUpKind string

// The kinds of actions that follow a post.
const (
	FollowUpFirstComment      FollowUpKind = "first_comment"
	FollowUpEngagementComment FollowUpKind = "engagement_comment"
	FollowUpRepost            FollowUpKind = "repost"
)
