package crier

// FollowUpStatus is the status of a follow-up action: waiting until the post is public, then that of a scheduled post.
type FollowUpStatus string

// FollowUpWaiting is the status of an action whose post is not public yet.
const FollowUpWaiting FollowUpStatus = "waiting"

// Enum lists the values on the wire.
func (FollowUpStatus) Enum() []string {
	return append([]string{string(FollowUpWaiting)}, enumOf(ScheduledPostStatuses())...)
}

// FollowUp is the state of a follow-up action.
type FollowUp struct {
	Status         FollowUpStatus `json:"status"`
	ScheduledAt    *Time          `json:"scheduledAt,omitempty" doc:"Once the post is public."`
	PublishedAt    *Time          `json:"publishedAt,omitempty"`
	PlatformPostID string         `json:"platformPostId,omitempty"`
	Permalink      string         `json:"permalink,omitempty"`
	ErrorCode      string         `json:"errorCode,omitempty"`
	ErrorMessage   string         `json:"errorMessage,omitempty"`
}

// ScheduledComment is the first comment of a scheduled post and its state.
type ScheduledComment struct {
	Text     string `json:"text"`
	MediaIDs []ID   `json:"mediaIds"`
	FollowUp
}

// ScheduledTrigger is the comment at a number of likes of a scheduled post and its state.
type ScheduledTrigger struct {
	EngagementTrigger
	FollowUp
}

// ScheduledRepost is the repost of a scheduled post and its state.
type ScheduledRepost struct {
	RepostAfter
	FollowUp
}

// ScheduledActions are the follow-up actions of a scheduled post besides its first comment.
type ScheduledActions struct {
	EngagementCommentTrigger *ScheduledTrigger `json:"engagementCommentTrigger,omitempty"`
	RepostAfter              *ScheduledRepost  `json:"repostAfter,omitempty"`
}

// Recurrence repeats a scheduled post.
type Recurrence struct {
	RecurrenceIntervalDays int   `json:"recurrenceIntervalDays" minimum:"1" maximum:"365" doc:"Republish every N days."`
	RecurrenceEndsAt       *Time `json:"recurrenceEndsAt,omitempty" null:"true" doc:"null means no end."`
}

// ScheduledRecurrence is the recurrence of a scheduled post and whether it continues.
type ScheduledRecurrence struct {
	RecurrenceIntervalDays int    `json:"recurrenceIntervalDays" number:"true"`
	RecurrenceEndsAt       *Time  `json:"recurrenceEndsAt"`
	Status                 string `json:"status" enum:"active,ended" doc:"active while the post is scheduled on the account by this series."`
}

// FollowUpKind is the kind of a follow-up action.
type FollowUpKind string

// The kinds of follow-up actions.
const (
	FollowUpFirstComment      FollowUpKind = "first_comment"
	FollowUpEngagementComment FollowUpKind = "engagement_comment"
	FollowUpRepost            FollowUpKind = "repost"
)

// FollowUpKinds lists all of them.
func FollowUpKinds() []FollowUpKind {
	return []FollowUpKind{FollowUpFirstComment, FollowUpEngagementComment, FollowUpRepost}
}

// Enum lists the values on the wire.
func (FollowUpKind) Enum() []string { return enumOf(FollowUpKinds()) }
