package crier

// MaxCalendarDays is the maximum window of a calendar.
const MaxCalendarDays = 92

// Calendar is the scheduled and published posts of a period.
type Calendar struct {
	From     Time            `json:"from"`
	To       Time            `json:"to"`
	Timezone string          `json:"timezone"`
	Entries  []CalendarEntry `json:"entries" doc:"In order of time."`
}

// CalendarEntry is one scheduled post, or a future one of a recurrence.
type CalendarEntry struct {
	Kind            string               `json:"kind" enum:"scheduled_post,recurrence"`
	ScheduledPostID ID                   `json:"scheduledPostId" doc:"For a recurrence: the scheduled post that it repeats."`
	PostID          ID                   `json:"postId"`
	SocialAccountID ID                   `json:"socialAccountId"`
	AccountName     string               `json:"accountName"`
	AccountHandle   *string              `json:"accountHandle"`
	Provider        Provider             `json:"provider"`
	Title           *string              `json:"title"`
	Text            string               `json:"text" doc:"At most the first 280 characters."`
	PostType        PostType             `json:"postType"`
	Status          *ScheduledPostStatus `json:"status,omitempty" doc:"Absent for a recurrence."`
	ScheduledAt     Time                 `json:"scheduledAt"`
	LocalDate       string               `json:"localDate" doc:"In the calendar's timezone, such as 2026-11-15."`
	LocalTime       string               `json:"localTime" doc:"In the calendar's timezone, such as 09:00."`
	Permalink       string               `json:"permalink,omitempty"`
	ErrorCode       string               `json:"errorCode,omitempty"`
	LateMillis      *int64               `json:"lateMillis,omitempty" number:"true" doc:"Once published: how long after scheduledAt the network was called."`
	NeedsAttention  bool                 `json:"needsAttention" doc:"It failed, was missed, has an unknown outcome or a failed action, and was not dismissed."`
	UserTags        []TagSummary         `json:"userTags"`
	ThumbnailURL    *string              `json:"thumbnailUrl" doc:"Of the first picture or video of the post."`
}
