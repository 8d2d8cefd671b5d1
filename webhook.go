package crier

import (
	"fmt"
	"strconv"
)

// Bounds of webhooks.
const (
	MaxWebhooks = 20
	// MaxWebhookAnswer is how much of an endpoint's answer is kept.
	MaxWebhookAnswer = 4 << 10
)

// AllEvents in a webhook's types stands for every type, those included that are added later.
const AllEvents = "*"

// WebhookStatus tells whether a webhook is told of events.
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

// Webhook is an address that is told of an organization's events.
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

// WebhookWithSecret is the answer to the creation and the rotation of a webhook: the only time the secret is shown.
type WebhookWithSecret struct {
	Webhook
	Secret string `json:"secret,omitempty" doc:"whsec_ and the key that signs deliveries. Shown once. A replayed response does not contain it."`
}

// WithoutSecret returns the answer as it may be kept.
func (w WebhookWithSecret) WithoutSecret() any {
	w.Secret = ""
	return w
}

// WebhookCreate is the body that makes a webhook.
type WebhookCreate struct {
	URL         string   `json:"url" minLength:"1" maxLength:"2048" doc:"Where events are sent, as POST requests. It must be on the public internet, unless the operator allows more."`
	Types       []string `json:"types" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"Types of events, or * for all."`
	TeamIDs     []ID     `json:"teamIds,omitempty" null:"true" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"Only events of these teams."`
	Description *string  `json:"description,omitempty" null:"true" maxLength:"200"`
}

// WebhookUpdate is the body that changes a webhook; what is absent stays.
type WebhookUpdate struct {
	URL         Optional[string]        `json:"url,omitzero" minLength:"1" maxLength:"2048"`
	Types       Optional[[]string]      `json:"types,omitzero" minItems:"1" maxItems:"100" uniqueItems:"true"`
	TeamIDs     Optional[[]ID]          `json:"teamIds,omitzero" null:"true" minItems:"1" maxItems:"100" uniqueItems:"true" doc:"null means all teams."`
	Description Optional[string]        `json:"description,omitzero" null:"true" maxLength:"200"`
	Status      Optional[WebhookStatus] `json:"status,omitzero" doc:"enabled enables a disabled webhook again: it receives new events only. Send missed events with replay."`
}

// CheckEventTypes finds types of events that do not exist.
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

// WebhookRotate is the body that gives a webhook a new secret.
type WebhookRotate struct {
	GraceSeconds int `json:"graceSeconds,omitempty" minimum:"0" maximum:"86400" doc:"How long the old secret also signs; 0, the default, ends it at once."`
}

// WebhookReplay is the body that has past events sent again.
type WebhookReplay struct {
	From Time `json:"from" doc:"Start of the period to replay."`
	To   Time `json:"to" doc:"End of the period, exclusive."`
}

// WebhookReplayed is the answer to a replay.
type WebhookReplayed struct {
	Events int64 `json:"events" number:"true" doc:"Number of the webhook's events in the period."`
}

// WebhookTestEvent is what a test event is about.
type WebhookTestEvent struct {
	WebhookID ID     `json:"webhookId"`
	Message   string `json:"message"`
}

// WebhookTested is the answer to a test.
type WebhookTested struct {
	EventID ID `json:"eventId" doc:"The id of the test event, which is also the webhook-id of its delivery."`
}

// WebhookDeliveryStatus is where a delivery stands.
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

// WebhookDelivery is an event on its way to a webhook.
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
