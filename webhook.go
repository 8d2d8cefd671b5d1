package crier

import (
	"fmt"
	"strconv"
)

// Bounds of webhooks.
const (
	MaxWebhooks = 20
	// MaxWebhookAnswer is the maximum size of the stored part of an endpoint's response.
	MaxWebhookAnswer = 4 << 10
)

// AllEvents in a webhook's types means every type, including those added later.
const AllEvents = "*"

// WebhookStatus says whether a webhook receives events.
type WebhookStatus string

// The states of a webhook.
const (
	WebhookEnabledStatus  WebhookStatus = "enabled"
	WebhookDisabledStatus WebhookStatus = "disabled"
)

// Enum lists the values on the wire.
func (WebhookStatus) Enum() []string {
	return enumOf([]WebhookStatus{WebhookEnabledStatus, WebhookDisabledStatus})
}

// Webhook is a URL that receives an organization's events.
type Webhook struct {
	ID             ID            `json:"id"`
	OrganizationID ID            `json:"organizationId"`
	URL            string        `json:"url"`
	Types          []string      `json:"types" doc:"The types of events it receives; * means all."`
	TeamIDs        []ID          `json:"teamIds" null:"true" doc:"The teams whose events it receives; null means all, and events of the whole organization too."`
	Description    *string       `json:"description"`
	Status         WebhookStatus `json:"status"`
	DisabledReason *string       `json:"disabledReason" doc:"Why it was disabled."`
	FailingSince   *Time         `json:"failingSince" doc:"Start of the current series of failed deliveries; null when the last one succeeded."`
	CreatedAt      Time          `json:"createdAt"`
	UpdatedAt      Time          `json:"updatedAt"`
}

// WebhookWithSecret is the response to the creation and the rotation of a webhook: the only time the secret is shown.
type WebhookWithSecret struct {
	Webhook
	Secret string `json:"secret,omitempty" doc:"whsec_ and the key that signs deliveries. Shown once. A replayed response does not contain it."`
}

// WithoutSecret returns the response as it may be stored.
func (w WebhookWithSecret) WithoutSecret() any {
	w.Secret = ""
	return w
}

// WebhookCreate is the request to create a webhook.
type WebhookCreate struct {
	URL         string   `json:"url" minLength:"1" maxLength:"2048" example:"https://example.com/hook" doc:"Where events are sent, as POST requests. It must be on the public internet, unless the operator allows more."`
	Types       []string `json:"types" minItems:"1" maxItems:"100" uniqueItems:"true" example:"scheduled_post.published" doc:"Types of events, or * for all."`
	TeamIDs     []ID     `json:"teamIds,omitempty" null:"true" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"Only events of these teams."`
	Description *string  `json:"description,omitempty" null:"true" maxLength:"200"`
}

// WebhookUpdate is the request to update a webhook; absent fields keep their value.
type WebhookUpdate struct {
	URL         Optional[string]        `json:"url,omitzero" minLength:"1" maxLength:"2048" example:"https://example.com/hook"`
	Types       Optional[[]string]      `json:"types,omitzero" minItems:"1" maxItems:"100" uniqueItems:"true"`
	TeamIDs     Optional[[]ID]          `json:"teamIds,omitzero" null:"true" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"null means all teams."`
	Description Optional[string]        `json:"description,omitzero" null:"true" maxLength:"200"`
	Status      Optional[WebhookStatus] `json:"status,omitzero" doc:"enabled enables a disabled webhook again: it receives new events only. Send missed events with replay."`
}

// CheckEventTypes returns the issues for unknown types of events.
func CheckEventTypes(types []string, path ...string) []Issue {
	var issues []Issue
	known := map[string]bool{AllEvents: true}
	for _, t := range EventTypes() {
		known[string(t)] = true
	}
	for i, t := range types {
		if !known[t] {
			issues = append(issues, At(
				fmt.Sprintf("has %.60q, which is not a type of event; GET …/events lists them in its description", t),
				append(append([]string{}, path...), strconv.Itoa(i))...))
		}
	}
	return issues
}

// WebhookRotate is the request to rotate the secret of a webhook.
type WebhookRotate struct {
	GraceSeconds int `json:"graceSeconds,omitempty" minimum:"0" maximum:"86400" doc:"How long the old secret also signs; 0, the default, ends it at once."`
}

// WebhookReplay is the request to send past events again.
type WebhookReplay struct {
	From Time `json:"from" doc:"Start of the period to replay." example:"2026-11-15T09:00:00Z"`
	To   Time `json:"to" doc:"End of the period, exclusive." example:"2026-11-15T10:00:00Z"`
}

// WebhookReplayed is the response to a replay.
type WebhookReplayed struct {
	Events int64 `json:"events" number:"true" doc:"Number of the webhook's events in the period."`
}

// WebhookTestEvent is the object of a test event.
type WebhookTestEvent struct {
	WebhookID ID     `json:"webhookId"`
	Message   string `json:"message"`
}

// WebhookTested is the response to a test.
type WebhookTested struct {
	EventID ID `json:"eventId" doc:"The id of the test event, which is also the webhook-id of its delivery."`
}

// WebhookDeliveryStatus is the status of a delivery.
type WebhookDeliveryStatus string

// The states of a delivery.
const (
	WebhookPending   WebhookDeliveryStatus = "pending"
	WebhookDelivered WebhookDeliveryStatus = "delivered"
	WebhookFailed    WebhookDeliveryStatus = "failed"
)

// Enum lists the values on the wire.
func (WebhookDeliveryStatus) Enum() []string {
	return enumOf([]WebhookDeliveryStatus{WebhookPending, WebhookDelivered, WebhookFailed})
}

// WebhookDelivery is the delivery of an event to a webhook.
type WebhookDelivery struct {
	ID            ID                    `json:"id"`
	WebhookID     ID                    `json:"webhookId"`
	EventID       ID                    `json:"eventId" doc:"The webhook-id of every attempt."`
	EventType     EventType             `json:"eventType"`
	Status        WebhookDeliveryStatus `json:"status" doc:"pending: the next attempt is at nextAttemptAt; failed: it was given up."`
	Tries         int64                 `json:"tries" number:"true" doc:"Number of attempts since it was created or redelivered."`
	NextAttemptAt *Time                 `json:"nextAttemptAt" doc:"Time of the next attempt; null while an attempt is running, or when there is none."`
	Attempts      []WebhookAttempt      `json:"attempts" doc:"The latest attempts, newest first."`
	RequestBody   *string               `json:"requestBody" doc:"The body; null when the event is no longer stored."`
	CreatedAt     Time                  `json:"createdAt"`
	UpdatedAt     Time                  `json:"updatedAt"`
}

// WebhookAttempt is one request to a webhook.
type WebhookAttempt struct {
	At             Time   `json:"at"`
	URL            string `json:"url"`
	DurationMillis int64  `json:"durationMillis" number:"true"`
	Status         int    `json:"status,omitempty" doc:"The HTTP status of the response; absent when there was none."`
	Answer         string `json:"answer,omitempty" doc:"The start of the response, at most 4 KiB; stored for the newest attempt."`
	Error          string `json:"error,omitempty" doc:"Why the attempt failed."`
}
