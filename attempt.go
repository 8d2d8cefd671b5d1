package crier

// Attempt is one attempt at a network, and its result.
type Attempt struct {
	ID             ID         `json:"id"`
	ActionID       *ID        `json:"actionId,omitempty" doc:"The follow-up action of the post, such as its first comment."`
	Operation      string     `json:"operation" enum:"prepare,publish,resend,reconcile,poll,delete"`
	Part           int        `json:"part" number:"true" doc:"The part of a thread, from 0."`
	StartedAt      Time       `json:"startedAt"`
	EndedAt        *Time      `json:"endedAt" doc:"Null while it runs, or when its process died: then the outcome is looked up. Also null while a deletion waits for an unknown outcome."`
	DurationMillis *int64     `json:"durationMillis" number:"true"`
	Outcome        string     `json:"outcome,omitempty" doc:"How the result was classified."`
	ErrorCode      string     `json:"errorCode,omitempty"`
	Message        string     `json:"message,omitempty"`
	NextStep       string     `json:"nextStep,omitempty" doc:"The next step."`
	NextAt         *Time      `json:"nextAt,omitempty"`
	Exchanges      []Exchange `json:"exchanges" doc:"Requests and responses, without secrets."`
}

// Exchange is one request to a network and its response, for people to see. It contains no credential.
type Exchange struct {
	Operation      string            `json:"operation" doc:"Its purpose, such as publish, upload or read."`
	Method         string            `json:"method"`
	URL            string            `json:"url"`
	RequestBody    string            `json:"requestBody,omitempty"`
	Status         int               `json:"status,omitempty" number:"true" doc:"Absent when there was no response."`
	ResponseHeader map[string]string `json:"responseHeader,omitempty" doc:"The relevant headers."`
	ResponseBody   string            `json:"responseBody,omitempty"`
	Error          string            `json:"error,omitempty" doc:"Why there was no response."`
	StartedAt      Time              `json:"startedAt"`
	DurationMillis int64             `json:"durationMillis" number:"true"`
}

// AttemptList is a list of attempts.
type AttemptList struct {
	Data []Attempt `json:"data"`
}

// PlannedActions are the actions that follow a publication, and their costs.
type PlannedActions struct {
	FirstComment             *Comment           `json:"firstComment,omitempty"`
	EngagementCommentTrigger *EngagementTrigger `json:"engagementCommentTrigger,omitempty"`
	RepostAfter              *RepostAfter       `json:"repostAfter,omitempty"`
	RecurrenceIntervalDays   *int               `json:"recurrenceIntervalDays,omitempty"`
	RecurrenceEndsAt         *Time              `json:"recurrenceEndsAt,omitempty"`
	// Costs in credits: of each part of the post, and of each action.
	PartCosts   []int64          `json:"partCosts,omitempty"`
	ActionCosts map[string]int64 `json:"actionCosts,omitempty"`
	// SeriesStart is the planned time of the first of a series: the others count from it, so that a time moved by a
	// clock change does not persist.
	SeriesStart *Time `json:"seriesStart,omitempty"`
	SeriesIndex int   `json:"seriesIndex,omitempty"`
}

// HasFollowUps reports whether any action follows the publication. A series is not an action.
func (a PlannedActions) HasFollowUps() bool {
	return a.FirstComment != nil || a.EngagementCommentTrigger != nil || a.RepostAfter != nil
}

// Total returns the total cost.
func (a PlannedActions) Total() int64 {
	var sum int64
	for _, c := range a.PartCosts {
		sum += c
	}
	for _, c := range a.ActionCosts {
		sum += c
	}
	return sum
}

// Resolution is the request to resolve an unknown outcome.
type Resolution struct {
	Outcome string `json:"outcome" enum:"published,retry,failed"`
	// Action selects one of the actions that follow the publication; empty selects the publication itself.
	Action         FollowUpKind `json:"action,omitempty" doc:"The follow-up action whose outcome is resolved, of a post that is published. Without it, the outcome of the post itself is resolved."`
	PlatformPostID string       `json:"platformPostId,omitempty" maxLength:"500" doc:"The network's id of the post, when the outcome is published. Without it no comment, quote or repost follows; a part of a thread that is not the last one needs it."`
}
