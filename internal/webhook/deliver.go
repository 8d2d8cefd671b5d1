package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"crier"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/notify"
	"crier/internal/store"
)

// Deliver makes one attempt of a claimed delivery. It is called by jobs.
func (s *Dispatcher) Deliver(ctx context.Context, in job.DeliverWebhook) error {
	claim := store.Claim{ID: in.DeliveryID, Epoch: in.Epoch}
	d, err := s.store.ClaimedDelivery(ctx, claim)
	if err != nil || d == nil {
		return err
	}
	w, err := s.store.WebhookByID(ctx, d.WebhookID)
	if err != nil || w == nil || w.Status != crier.WebhookEnabledStatus {
		return err
	}
	start := s.clock()
	result, err := s.send(ctx, *w, *d)
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // the node is stopping: it is sent again with the same id, whatever the result
		return ctx.Err()
	}
	attempt := crier.WebhookAttempt{At: crier.TimeOf(start), URL: w.URL, Status: result.Status, Answer: result.Answer,
		DurationMillis: s.clock().Sub(start).Milliseconds(), Error: result.Error}
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return s.finish(ctx, tx, *d, attempt, result.Gone()) })
}

func (s *Dispatcher) send(ctx context.Context, w store.Webhook, d store.Delivery) (notify.Result, error) {
	if d.Event == nil {
		return notify.Result{Error: "The event is no longer kept."}, nil
	}
	secrets, err := s.secrets(w)
	if err != nil {
		return notify.Result{}, err
	}
	entry, err := events.NewEntry(*d.Event)
	if err != nil {
		return notify.Result{}, err
	}
	return s.sender.Send(ctx, notify.Message{URL: w.URL, ID: string(d.EventID), Body: entry.JSON,
		Secrets: secrets}), nil
}

// finish writes the result of an attempt and admits the next deliveries.
func (s *Dispatcher) finish(ctx context.Context, tx *store.Tx, d store.Delivery, attempt crier.WebhookAttempt,
	gone bool) error {
	w, err := tx.LockWebhookByID(ctx, d.WebhookID)
	if err != nil || w == nil {
		return err
	}
	after, d := settle(*w, d, attempt, gone, s.clock.Now())
	ok, err := tx.FinishDelivery(ctx, d)
	if err != nil || !ok {
		return err
	}
	if after.Failures != w.Failures || after.Status != w.Status {
		if err := tx.UpdateWebhook(ctx, after, false); err != nil {
			return err
		}
	}
	if after.Status == crier.WebhookDisabledStatus {
		return s.disabled(ctx, tx, *w, after)
	}
	return s.Admit(ctx, tx, after)
}

// disabled ends the pending deliveries of a disabled webhook, records an event, and has the owners notified.
func (s *Dispatcher) disabled(ctx context.Context, tx *store.Tx, before, w store.Webhook) error {
	if err := tx.GiveUpDeliveries(ctx, w.ID, s.clock.Now()); err != nil {
		return err
	}
	err := events.Record(tx, s.clock.Now(), events.Fact{Type: crier.WebhookDisabled, OrganizationID: w.OrganizationID,
		Object: w.Webhook, Before: before.Webhook})
	if err != nil || s.mailer == nil {
		return err
	}
	return s.enqueueMails(ctx, tx, w)
}

// enqueueMails enqueues one job for each recipient: a retry for one of them does not mail the others again.
func (s *Dispatcher) enqueueMails(ctx context.Context, tx *store.Tx, w store.Webhook) error {
	owners, err := tx.OwnersToMail(ctx, w.OrganizationID)
	if err != nil {
		return err
	}
	jobs := make([]job.Job, len(owners))
	for i, owner := range owners {
		jobs[i] = job.Job{Args: job.MailWebhookDisabled{WebhookID: w.ID, UserID: owner.UserID,
			OrganizationID: w.OrganizationID}}
	}
	return s.queue.Enqueue(ctx, tx, jobs...)
}

// MailDisabled notifies an owner that a webhook was disabled. It is called by jobs.
func (s *Dispatcher) MailDisabled(ctx context.Context, in job.MailWebhookDisabled) error {
	w, err := s.store.WebhookByID(ctx, in.WebhookID)
	if err != nil || w == nil || w.Status != crier.WebhookDisabledStatus {
		return err
	}
	if s.mailer == nil {
		return errors.New("this node cannot send mail: set CRIER_SMTP_URL and CRIER_MAIL_FROM on every worker node")
	}
	if in.UserID == "" {
		return s.store.WithTx(ctx, func(tx *store.Tx) error { return s.enqueueMails(ctx, tx, *w) })
	}
	owners, err := s.store.OwnersToMail(ctx, w.OrganizationID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(owners, func(to store.Recipient) bool { return to.UserID == in.UserID })
	if i < 0 { // no longer an owner
		return nil
	}
	text := fmt.Sprintf("crier no longer sends events to this webhook:\n\n%s\n\n%s\n\nFix the endpoint, enable "+
		"the webhook again, and replay the events that it has missed.\n", crier.BareURL(w.URL),
		crier.Text(w.DisabledReason))
	if err := s.mailer.Send(ctx, owners[i].Email, "A webhook was switched off", text); err != nil {
		return fmt.Errorf("mail that webhook %s was disabled: %w", w.ID, err)
	}
	return nil
}
