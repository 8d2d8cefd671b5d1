package crier

import "encoding/json"

// ScheduledPost is the publication of a post on one account.
type ScheduledPost struct {
	ID                   ID                         `json:"id"`
	TeamID               ID                         `json:"teamId"`
	ContentItemID        ID                         `json:"contentItemId" doc:"The post's id."`
	SocialAccountID      ID                         `json:"socialAccountId"`
	Status               ScheduledPostStatus        `json:"status"`
	ScheduledAt          Time                       `json:"scheduledAt"`
	Timezone             string                     `json:"timezone"`
	ContentPayloadID     ID                         `json:"contentPayloadId" doc:"The version of the content that is, or was, published."`
	PlatformPostID       string                     `json:"platformPostId,omitempty"`
	Permalink            string                     `json:"permalink,omitempty"`
	PublishedAt          *Time                      `json:"publishedAt,omitempty"`
	PlatformSettings     map[string]json.RawMessage `json:"platformSettings"`
	PublishResults       PublishResults             `json:"publishResults"`
	ProviderPublishState ProviderPublishState       `json:"providerPublishState"`
	ErrorCode            string                     `json:"errorCode,omitempty"`
	ErrorMessage         string                     `json:"errorMessage,omitempty"`
	FirstComment         *ScheduledComment          `json:"firstComment" doc:"The comment that follows it, and its state."`
	PostPublishActions   ScheduledActions           `json:"postPublishActions" doc:"The other follow-up actions, and their states."`
	Recurrence           *ScheduledRecurrence       `json:"recurrence"`
	LateMillis           *int64                     `json:"lateMillis,omitempty" number:"true" doc:"Once published: how long after scheduledAt the network was called."`
	NeedsAttention       bool                       `json:"needsAttention" doc:"True when it failed, was missed, has an unknown outcome or a failed action, and was not dismissed."`
	DismissedAt          *Time                      `json:"dismissedAt,omitempty" doc:"When the failure was dismissed."`
	ReplacedBy           *ID                        `json:"replacedBy,omitempty" doc:"The scheduled post that replaced this failed or missed one on its account. While it exists, a retry is a conflict."`
	WorkflowID           string                     `json:"workflowId,omitempty" doc:"The job engine's job."`
	WorkflowRunID        string                     `json:"workflowRunId,omitempty" doc:"The job engine's attempt."`
	CreatedAt            Time                       `json:"createdAt"`
	UpdatedAt            Time                       `json:"updatedAt"`
}

// SetActions sets the follow-up actions of the scheduled post: the planned ones, and the states of those that have
// started.
func (s *ScheduledPost) SetActions(planned PlannedActions, begun map[FollowUpKind]FollowUp, seriesGoesOn bool) {
	state := func(kind FollowUpKind) FollowUp {
		if f, ok := begun[kind]; ok {
			return f
		}
		if s.Status.Live() || s.Status == Published {
			return FollowUp{Status: FollowUpWaiting}
		}
		return FollowUp{Status: FollowUpStatus(Canceled)}
	}
	s.FirstComment, s.PostPublishActions, s.Recurrence = nil, ScheduledActions{}, nil
	if c := planned.FirstComment; c != nil {
		s.FirstComment = &ScheduledComment{Text: c.Text, MediaIDs: append([]ID{}, c.MediaIDs...),
			FollowUp: state(FollowUpFirstComment)}
	}
	if e := planned.EngagementCommentTrigger; e != nil {
		s.PostPublishActions.EngagementCommentTrigger = &ScheduledTrigger{EngagementTrigger: *e,
			FollowUp: state(FollowUpEngagementComment)}
	}
	if r := planned.RepostAfter; r != nil {
		s.PostPublishActions.RepostAfter = &ScheduledRepost{RepostAfter: *r, FollowUp: state(FollowUpRepost)}
	}
	if days := planned.RecurrenceIntervalDays; days != nil {
		s.Recurrence = &ScheduledRecurrence{RecurrenceIntervalDays: *days, RecurrenceEndsAt: planned.RecurrenceEndsAt,
			Status: "ended"}
		if seriesGoesOn || s.Status.Live() {
			s.Recurrence.Status = "active"
		}
	}
}

// FollowUp returns the state of a follow-up action; nil if there is no such action.
func (s *ScheduledPost) FollowUp(kind FollowUpKind) *FollowUp {
	switch c, more := s.FirstComment, s.PostPublishActions; {
	case kind == FollowUpFirstComment && c != nil:
		return &c.FollowUp
	case kind == FollowUpEngagementComment && more.EngagementCommentTrigger != nil:
		return &more.EngagementCommentTrigger.FollowUp
	case kind == FollowUpRepost && more.RepostAfter != nil:
		return &more.RepostAfter.FollowUp
	}
	return nil
}

// PublishResults are the results of a publication.
type PublishResults struct {
	PlatformPostIDs []string `json:"platformPostIds" doc:"The parts of a thread in order; one entry otherwise."`
	Permalink       string   `json:"permalink,omitempty"`
	PublishedAt     *Time    `json:"publishedAt,omitempty"`
	FirstCommentID  string   `json:"firstCommentId,omitempty"`
	RepostID        string   `json:"repostId,omitempty"`
	Warnings        []string `json:"warnings,omitempty"`
}

// ProviderPublishState is the progress at the network.
type ProviderPublishState struct {
	RequiresPolling bool            `json:"requiresPolling"`
	PublishID       string          `json:"publishId,omitempty"`
	PlatformPostID  string          `json:"platformPostId,omitempty"`
	ProviderStatus  string          `json:"providerStatus,omitempty"`
	PollingReason   string          `json:"pollingReason,omitempty"`
	UploadProgress  *UploadProgress `json:"uploadProgress,omitempty"`
	FailureCode     string          `json:"failureCode,omitempty"`
}

// UploadProgress is the progress of a file upload to a network.
type UploadProgress struct {
	NextByteStart int64 `json:"nextByteStart" number:"true"`
	UploadSize    int64 `json:"uploadSize" number:"true"`
}
