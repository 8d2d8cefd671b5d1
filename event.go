package crier

import "encoding/json"

// EventType is the type of an event. Types are only added.
type EventType string

// The types of events.
const (
	PostCreated       EventType = "post.created"
	PostUpdated       EventType = "post.updated"
	PostDeletedEvent  EventType = "post.deleted"
	PostStatusChanged EventType = "post.status_changed"

	ScheduledPostCreated      EventType = "scheduled_post.created"
	ScheduledPostMoved        EventType = "scheduled_post.moved"
	ScheduledPostChanged      EventType = "scheduled_post.changed"
	ScheduledPostCanceled     EventType = "scheduled_post.canceled"
	ScheduledPostPublishing   EventType = "scheduled_post.publishing"
	ScheduledPostPublished    EventType = "scheduled_post.published"
	ScheduledPostFailed       EventType = "scheduled_post.failed"
	ScheduledPostMissed       EventType = "scheduled_post.missed"
	ScheduledPostUnknown      EventType = "scheduled_post.unknown"
	ScheduledPostResolved     EventType = "scheduled_post.resolved"
	ScheduledPostRemoved      EventType = "scheduled_post.removed"
	ScheduledPostActionDone   EventType = "scheduled_post.action_done"
	ScheduledPostActionFailed EventType = "scheduled_post.action_failed"

	AccountConnectedEvent    EventType = "social_account.connected"
	AccountReconnected       EventType = "social_account.reconnected"
	AccountHealthChanged     EventType = "social_account.health_changed"
	AccountDisconnectedEvent EventType = "social_account.disconnected"
	ConnectionFailedEvent    EventType = "social_account.connection_failed"

	AssetReadyEvent  EventType = "asset.ready"
	AssetFailedEvent EventType = "asset.failed"

	CreditsLow       EventType = "credits.low"
	CreditsGranted   EventType = "credits.granted"
	CreditsRecharged EventType = "credits.recharged"

	MemberInvited EventType = "member.invited"
	MemberJoined  EventType = "member.joined"
	MemberChanged EventType = "member.changed"
	MemberRemoved EventType = "member.removed"

	APIKeyCreated EventType = "api_key.created"
	APIKeyRevoked EventType = "api_key.revoked"

	WebhookDisabled EventType = "webhook.disabled"
	WebhookTest     EventType = "webhook.test"

	MetricsUpdated EventType = "metrics.updated"
)

// EventTypes lists the types of events.
func EventTypes() []EventType {
	return []EventType{
		PostCreated, PostUpdated, PostDeletedEvent, PostStatusChanged,
		ScheduledPostCreated, ScheduledPostMoved, ScheduledPostChanged, ScheduledPostCanceled, ScheduledPostPublishing,
		ScheduledPostPublished, ScheduledPostFailed, ScheduledPostMissed, ScheduledPostUnknown, ScheduledPostResolved,
		ScheduledPostRemoved, ScheduledPostActionDone, ScheduledPostActionFailed,
		AccountConnectedEvent, AccountReconnected, AccountHealthChanged, AccountDisconnectedEvent,
		ConnectionFailedEvent,
		AssetReadyEvent, AssetFailedEvent,
		CreditsLow, CreditsGranted, CreditsRecharged,
		MemberInvited, MemberJoined, MemberChanged, MemberRemoved,
		APIKeyCreated, APIKeyRevoked,
		WebhookDisabled, WebhookTest,
		MetricsUpdated,
	}
}

// Enum lists the values on the wire.
func (EventType) Enum() []string { return enumOf(EventTypes()) }

// Event is a change, recorded in the transaction of the change.
type Event struct {
	ID             ID        `json:"id"`
	Sequence       int64     `json:"sequence" number:"true" doc:"The order of the log: it increases with every event, across all organizations of the installation."`
	Type           EventType `json:"type"`
	OrganizationID ID        `json:"organizationId"`
	TeamID         *ID       `json:"teamId" doc:"null for events of the whole organization."`
	CreatedAt      Time      `json:"createdAt"`
	Data           EventData `json:"data"`
}

// EventData is the subject of an event.
type EventData struct {
	Object   json.RawMessage `json:"object" doc:"The object as returned by the API, at the time of the event."`
	Previous json.RawMessage `json:"previous,omitempty" doc:"The changed fields with their previous values."`
}

// EventPage is a page of the event log, oldest first.
type EventPage struct {
	Data       []Event `json:"data"`
	NextCursor string  `json:"nextCursor" doc:"Send it as after to continue after this page. It is always present: at the end of the log it leads to future events."`
	HasMore    bool    `json:"hasMore" doc:"false when the page reached the end of the log."`
}

// ScheduledPostAction is the object of events about a follow-up action: a first comment, a repost.
type ScheduledPostAction struct {
	ID              ID                  `json:"id"`
	ScheduledPostID ID                  `json:"scheduledPostId"`
	Kind            string              `json:"kind"`
	Status          ScheduledPostStatus `json:"status"`
	PlatformPostID  string              `json:"platformPostId,omitempty"`
	Permalink       string              `json:"permalink,omitempty"`
	ErrorCode       string              `json:"errorCode,omitempty"`
	ErrorMessage    string              `json:"errorMessage,omitempty"`
}

// FailedConnection is the object of events about a failed connection.
type FailedConnection struct {
	ID       ID       `json:"id" doc:"connectionId of the response that started it."`
	Provider Provider `json:"provider"`
	Refused  bool     `json:"refused" doc:"The person said no, at the network or on crier's page."`
	Message  string   `json:"message"`
}

// MetricsEvent is the object of events about new metrics of a publication.
type MetricsEvent struct {
	ScheduledPostID ID            `json:"scheduledPostId"`
	ContentItemID   ID            `json:"contentItemId" doc:"The post's id."`
	SocialAccountID ID            `json:"socialAccountId"`
	ReadAt          Time          `json:"readAt"`
	Metrics         JSON[Metrics] `json:"metrics"`
}
