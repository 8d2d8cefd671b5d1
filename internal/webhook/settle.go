package webhook

import (
	"time"

	"crier"
	"crier/internal/store"
)

const (
	// giveUpAfter is how long a delivery is retried, and how long a webhook may fail.
	giveUpAfter = 3 * 24 * time.Hour
	// maxStoredAttempts is how many attempts of a delivery are shown.
	maxStoredAttempts = 20
)

// retryDelays are the pauses between attempts; the last one is repeated.
var retryDelays = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour,
	3 * time.Hour, 6 * time.Hour, 12 * time.Hour}

// settle returns the delivery and its webhook after an attempt.
func settle(w store.Webhook, d store.Delivery, attempt crier.WebhookAttempt, gone bool,
	now crier.Time) (store.Webhook, store.Delivery) {
	if d.BegunAt == nil {
		d.BegunAt = &attempt.At
	}
	d.Tries++
	d.UpdatedAt, d.DueAt = now, nil
	d.Attempts = addAttempt(d.Attempts, attempt)
	if attempt.Error == "" {
		d.Status, w.Failures, w.FailingSince = crier.WebhookDelivered, 0, nil
		return w, d
	}
	w.Failures++
	if w.FailingSince == nil {
		w.FailingSince = &attempt.At
	}
	delay := retryDelays[min(int(d.Tries), len(retryDelays))-1]
	next := crier.TimeOf(now.Add(delay))
	if next.Sub(d.BegunAt.Time) > giveUpAfter {
		d.Status = crier.WebhookFailed
	} else {
		d.DueAt = &next
	}
	var reason string
	switch {
	case gone:
		reason = "The endpoint answered 410 Gone: it wants no more events."
	case now.Sub(w.FailingSince.Time) >= giveUpAfter:
		reason = "No delivery has succeeded for three days."
	default:
		return w, d
	}
	w.Status, w.DisabledReason, w.UpdatedAt = crier.WebhookDisabledStatus, &reason, now
	return w, d
}

// addAttempt prepends an attempt to the earlier ones, whose responses are dropped.
func addAttempt(earlier []crier.WebhookAttempt, attempt crier.WebhookAttempt) []crier.WebhookAttempt {
	list := []crier.WebhookAttempt{attempt}
	for _, a := range earlier[:min(len(earlier), maxStoredAttempts-1)] {
		a.Answer = ""
		list = append(list, a)
	}
	return list
}
