package crier

// ScheduledPostStatus is the status of the publication of a post on one account.
type ScheduledPostStatus string

// The states of a scheduled post.
const (
	Scheduled  ScheduledPostStatus = "scheduled"
	Publishing ScheduledPostStatus = "publishing"
	Processing ScheduledPostStatus = "processing"
	Published  ScheduledPostStatus = "published"
	Failed     ScheduledPostStatus = "failed"
	Canceled   ScheduledPostStatus = "canceled"
	Missed     ScheduledPostStatus = "missed"
	Unknown    ScheduledPostStatus = "unknown"
)

// ScheduledPostStatuses lists the states of a scheduled post.
func ScheduledPostStatuses() []ScheduledPostStatus {
	return []ScheduledPostStatus{Scheduled, Publishing, Processing, Published, Failed, Canceled, Missed, Unknown}
}

// Enum lists the values on the wire.
func (ScheduledPostStatus) Enum() []string { return enumOf(ScheduledPostStatuses()) }

// Live reports whether a publication may still happen: it occupies its account and its instant.
func (s ScheduledPostStatus) Live() bool {
	return s == Scheduled || s == Publishing || s == Processing || s == Unknown
}

// Running reports whether the network is, or may be, processing it.
func (s ScheduledPostStatus) Running() bool { return s == Publishing || s == Processing }
