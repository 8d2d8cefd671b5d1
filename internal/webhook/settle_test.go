package webhook

import (
	"slices"
	"testing"
	"time"

	"crier"
	"crier/internal/store"
)

func TestDeliveryRetrySchedule(t *testing.T) {
	t.Parallel()
	start := crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	now, d := start, store.Delivery{WebhookDelivery: crier.WebhookDelivery{Status: crier.WebhookPending}}
	w := store.Webhook{Webhook: crier.Webhook{Status: crier.WebhookEnabledStatus}}
	var pauses []time.Duration
	for d.Status == crier.WebhookPending {
		w, d = settle(w, d, crier.WebhookAttempt{At: now, Status: 500, Answer: "no", Error: "500"}, false, now)
		if d.DueAt != nil {
			pauses = append(pauses, d.DueAt.Sub(now.Time))
			now = *d.DueAt
		}
	}
	want := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour,
		3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 12 * time.Hour, 12 * time.Hour, 12 * time.Hour, 12 * time.Hour}
	if !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
	if now.Sub(start.Time) > giveUpAfter || d.Status != crier.WebhookFailed {
		t.Errorf("given up as %s after %s", d.Status, now.Sub(start.Time))
	}
	if len(d.Attempts) != len(want)+1 || d.Attempts[0].Answer != "no" || d.Attempts[1].Answer != "" {
		t.Errorf("attempts %+v", d.Attempts)
	}
}

func TestAttemptUpdatesWebhookState(t *testing.T) {
	t.Parallel()
	now := crier.TimeOf(time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC))
	ago := func(d time.Duration) *crier.Time { at := crier.TimeOf(now.Add(-d)); return &at }
	for name, c := range map[string]struct {
		since    *crier.Time
		failures int64
		error    string
		gone     bool
		status   crier.WebhookStatus
		after    int64
	}{
		"a success":                {nil, 0, "", false, crier.WebhookEnabledStatus, 0},
		"a success at last":        {ago(71 * time.Hour), 40, "", false, crier.WebhookEnabledStatus, 0},
		"a first failure":          {nil, 0, "500", false, crier.WebhookEnabledStatus, 1},
		"failures for two days":    {ago(48 * time.Hour), 7, "500", false, crier.WebhookEnabledStatus, 8},
		"failures for long":        {ago(72 * time.Hour), 7, "500", false, crier.WebhookDisabledStatus, 8},
		"an endpoint that is gone": {nil, 0, "410", true, crier.WebhookDisabledStatus, 1},
	} {
		w := store.Webhook{Failures: c.failures, Webhook: crier.Webhook{Status: crier.WebhookEnabledStatus,
			FailingSince: c.since}}
		w, _ = settle(w, store.Delivery{}, crier.WebhookAttempt{At: now, Error: c.error}, c.gone, now)
		if w.Status != c.status || w.Failures != c.after || (w.FailingSince == nil) != (c.error == "") {
			t.Errorf("%s makes it %s with %d failures since %v", name, w.Status, w.Failures, w.FailingSince)
		}
	}
}
