// Package webhook delivers events to webhooks: it assigns new events, makes the deliveries, and decides about retries.
// Package service manages the webhooks themselves.
package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"crier"
	"crier/internal/auth"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/notify"
	"crier/internal/store"
)

// Mailer sends mail.
type Mailer interface {
	Send(ctx context.Context, to crier.Email, subject, text string) error
}

// Config holds a Dispatcher's dependencies and settings.
type Config struct {
	Store *store.Store
	Keys  *auth.Keyring
	Queue job.Queue
	Clock crier.Clock
	// Mailer is nil when this installation sends no mail.
	Mailer Mailer
	// Guard decides which addresses webhooks may have.
	Guard media.Fetcher
	// Timeout bounds an attempt; 0 means 10 seconds.
	Timeout time.Duration
}

// Dispatcher delivers events to webhooks.
type Dispatcher struct {
	store  *store.Store
	keys   *auth.Keyring
	queue  job.Queue
	clock  crier.Clock
	mailer Mailer
	guard  media.Fetcher
	sender notify.Sender
}

// New returns a Dispatcher.
func New(cfg Config) *Dispatcher {
	return &Dispatcher{store: cfg.Store, keys: cfg.Keys, queue: cfg.Queue, clock: cfg.Clock, mailer: cfg.Mailer,
		guard: cfg.Guard,
		sender: notify.Sender{Transport: cfg.Guard.EncryptedTransport(), Now: cfg.Clock, Timeout: cfg.Timeout,
			Explain: media.RefusedAddress}}
}

// allowedOnly is the guard of unencrypted requests.
func allowedOnly(guard media.Fetcher) media.Fetcher {
	guard.AllowedOnly = true
	return guard
}

// CheckURL returns the issues of a webhook's URL that can be found without resolving it.
func (s *Dispatcher) CheckURL(address string) []crier.Issue {
	if err := s.guard.CheckURL(address); err != nil {
		return []crier.Issue{crier.At("must be an address on the public internet such as https://example.com/hook, "+
			"without a user name", "url")}
	}
	plain := strings.HasPrefix(address, "http://")
	if plain && (s.guard.AllowAddr == nil || allowedOnly(s.guard).CheckURL(address) != nil) {
		return []crier.Issue{crier.At("must begin with https://; to try a receiver on your own machine, run "+
			"crier listen --forward-to", "url")}
	}
	return nil
}

// NewSecret creates a webhook secret, and encrypts it for the database.
func (s *Dispatcher) NewSecret(webhook crier.ID) (secret string, sealed []byte, err error) {
	secret = notify.NewSecret()
	sealed, err = s.keys.Seal([]byte(secret), SecretContext(webhook))
	return secret, sealed, err
}

// SecretContext is what the secrets of a webhook are sealed for.
func SecretContext(webhook crier.ID) string { return "secret of webhook " + string(webhook) }

// secrets returns the current signing secrets, the new one first.
func (s *Dispatcher) secrets(w store.Webhook) ([]string, error) {
	sealed := [][]byte{w.Secret}
	if w.OldSecret != nil && w.OldSecretEndsAt != nil && w.OldSecretEndsAt.After(s.clock()) {
		sealed = append(sealed, w.OldSecret)
	}
	secrets := make([]string, len(sealed))
	for i, data := range sealed {
		secret, err := s.keys.Open(data, SecretContext(w.ID))
		if err != nil {
			return nil, fmt.Errorf("open the secret of webhook %s: %w", w.ID, err)
		}
		secrets[i] = string(secret)
	}
	return secrets, nil
}

// SendTest sends a webhook.test event to this webhook only.
func (s *Dispatcher) SendTest(tx *store.Tx, w store.Webhook) (event crier.ID, err error) {
	return events.RecordOne(tx, s.clock.Now(), events.Fact{Type: crier.WebhookTest, OrganizationID: w.OrganizationID,
		Object: crier.WebhookTestEvent{WebhookID: w.ID, Message: "This is a test. Webhooks of crier arrive here."}})
}

// Shown returns a delivery as the API shows it.
func Shown(d store.Delivery) (crier.WebhookDelivery, error) {
	out := d.WebhookDelivery
	if out.Status == crier.WebhookPending && !d.Claimed {
		out.NextAttemptAt = d.DueAt
	}
	if d.Event != nil {
		entry, err := events.NewEntry(*d.Event)
		if err != nil {
			return out, fmt.Errorf("show the delivery %s: %w", d.ID, err)
		}
		text := string(entry.JSON)
		out.RequestBody = &text
	}
	return out, nil
}
