package crier

import "encoding/json"

// ScheduledPostStatus is where the publication of a post on one account stands.
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

// Live is true while a publication may still happen: it occupies its account and its instant.
func (s ScheduledPostStatus) Live() bool {
	return s == Scheduled || s == Publishing || s == Processing || s == Unknown
}

// Running is true while the network is, or may be, working on it.
func (s ScheduledPostStatus) Running() bool { return s == Publishing || s == Processing }

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
	WorkflowID           string                     `json:"workflowId,omitempty" doc:"The job engine's job."`
	WorkflowRunID        string                     `json:"workflowRunId,omitempty" doc:"The job engine's attempt."`
	CreatedAt            Time                       `json:"createdAt"`
	UpdatedAt            Time                       `json:"updatedAt"`
}

// PublishResults is what came out of a publication.
type PublishResults struct {
	PlatformPostIDs []string `json:"platformPostIds" doc:"The parts of a thread in order; one entry otherwise."`
	Permalink       string   `json:"permalink,omitempty"`
	PublishedAt     *Time    `json:"publishedAt,omitempty"`
	FirstCommentID  string   `json:"firstCommentId,omitempty"`
	RepostID        string   `json:"repostId,omitempty"`
	Warnings        []string `json:"warnings,omitempty"`
}

// ProviderPublishState is how far the network is.
type ProviderPublishState struct {
	RequiresPolling bool            `json:"requiresPolling"`
	PublishID       string          `json:"publishId,omitempty"`
	PlatformPostID  string          `json:"platformPostId,omitempty"`
	ProviderStatus  string          `json:"providerStatus,omitempty"`
	PollingReason   string          `json:"pollingReason,omitempty"`
	UploadProgress  *UploadProgress `json:"uploadProgress,omitempty"`
	FailureCode     string          `json:"failureCode,omitempty"`
}

// UploadProgress is how far a file is that is being sent to a network.
type UploadProgress struct {
	NextByteStart int64 `json:"nextByteStart" number:"true"`
	UploadSize    int64 `json:"uploadSize" number:"true"`
}
