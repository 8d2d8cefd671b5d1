package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

const (
	// webhookWindow is how many deliveries of one webhook run concurrently; a failing webhook has only one, so a dead
	// endpoint occupies at most one worker.
	webhookWindow = 8
	failingWindow = 1
	failingFrom   = 3
	// organizationWindow is how many deliveries of all webhooks of an organization run concurrently. Each webhook may
	// always have one, because the others may all be dead.
	organizationWindow = 24
	// deliveryLease is after how long a delivery counts as lost.
	deliveryLease = time.Minute
	dispatchBatch = 200
)

// Dispatch assigns new events to their webhooks, on one node at a time. It is called by the loop of every node.
func (s *Dispatcher) Dispatch(ctx context.Context) error {
	for {
		wanted, err := s.store.HasWebhooks(ctx)
		if err != nil || !wanted {
			return err
		}
		present, err := s.store.EventLog(ctx)
		if err != nil {
			return err
		}
		at, err := s.store.Dispatched(ctx)
		if err != nil || at >= present.Last {
			return err
		}
		if err := s.store.WithTx(ctx, func(tx *store.Tx) error { return s.dispatch(ctx, tx) }); err != nil {
			return err
		}
	}
}

func (s *Dispatcher) dispatch(ctx context.Context, tx *store.Tx) error {
	at, err := tx.LockDispatched(ctx)
	if err != nil {
		return err
	}
	// The end of the log is read before the webhooks, and only events up to it are dispatched: those that follow may be
	// for a webhook that is created before they happen and after the webhooks are read.
	present, err := tx.EventLog(ctx)
	if err != nil {
		return err
	}
	webhooks, err := tx.EnabledWebhooks(ctx)
	if err != nil || len(webhooks) == 0 {
		return err
	}
	// Events before the first webhook are not delivered.
	first := slices.MinFunc(webhooks, func(a, b store.Webhook) int { return int(a.AfterSequence - b.AfterSequence) })
	at = max(at, first.AfterSequence)
	list, at, err := nextEvents(ctx, tx, at, present.Last)
	if err != nil {
		return err
	}
	deliveries, receivers := fanOutEvents(webhooks, list)
	if err := s.addDeliveries(ctx, tx, receivers, deliveries, false); err != nil {
		return err
	}
	return tx.SetDispatched(ctx, at)
}

// nextEvents reads a batch of events after a sequence and up to the end of the log, and returns up to which sequence
// all events were read. The log may end with sequences that no event has: those of purged events, or the gap that a
// restore leaves. Sequences become visible in their order and together with the end, so every event up to it is seen.
func nextEvents(ctx context.Context, tx *store.Tx, at, end int64) (list []store.Event, until int64, err error) {
	if list, err = tx.EventsAfter(ctx, at, dispatchBatch); err != nil {
		return nil, at, err
	}
	list = slices.DeleteFunc(list, func(e store.Event) bool { return e.Sequence > end })
	if len(list) == dispatchBatch {
		return list, list[len(list)-1].Sequence, nil
	}
	return list, max(at, end), nil
}

// fanOutEvents returns which webhook receives which event, and the webhooks in order.
func fanOutEvents(webhooks []store.Webhook, list []store.Event) (deliveries []store.Delivery, receivers []crier.ID) {
	of := map[crier.ID][]store.Webhook{}
	for _, w := range webhooks {
		of[w.OrganizationID] = append(of[w.OrganizationID], w)
	}
	for _, e := range list {
		for _, w := range of[e.OrganizationID] {
			if receivesEvent(w, e) {
				deliveries = append(deliveries, newDelivery(w, e))
				receivers = append(receivers, w.ID)
			}
		}
	}
	slices.Sort(receivers)
	return deliveries, slices.Compact(receivers)
}

func newDelivery(w store.Webhook, e store.Event) store.Delivery {
	return store.Delivery{OrganizationID: w.OrganizationID, EventSequence: e.Sequence,
		WebhookDelivery: crier.WebhookDelivery{
			ID: crier.NewID(), WebhookID: w.ID, EventID: e.ID, EventType: e.Type}}
}

// receivesEvent reports whether a webhook receives an event. A test event is only for the webhook it names.
func receivesEvent(w store.Webhook, e store.Event) bool {
	if e.Sequence <= w.AfterSequence {
		return false
	}
	if e.Type == crier.WebhookTest {
		var data struct {
			Object crier.WebhookTestEvent `json:"object"`
		}
		return json.Unmarshal(e.Data, &data) == nil && data.Object.WebhookID == w.ID
	}
	return (slices.Contains(w.Types, crier.AllEvents) || slices.Contains(w.Types, string(e.Type))) &&
		(w.TeamIDs == nil || e.TeamID != nil && slices.Contains(w.TeamIDs, *e.TeamID))
}

// addDeliveries writes deliveries and admits as many as the limits allow. Webhooks are locked in a fixed order.
func (s *Dispatcher) addDeliveries(ctx context.Context, tx *store.Tx, receivers []crier.ID,
	deliveries []store.Delivery, again bool) error {
	enabled := map[crier.ID]store.Webhook{}
	for _, id := range receivers {
		w, err := tx.LockWebhookByID(ctx, id)
		if err != nil {
			return err
		}
		if w != nil && w.Status == crier.WebhookEnabledStatus {
			enabled[id] = *w
		}
	}
	deliveries = slices.DeleteFunc(deliveries, func(d store.Delivery) bool {
		_, isEnabled := enabled[d.WebhookID]
		return !isEnabled
	})
	if err := tx.InsertDeliveries(ctx, deliveries, again, s.clock.Now()); err != nil {
		return err
	}
	for _, id := range receivers {
		if w, isEnabled := enabled[id]; isEnabled {
			if err := s.Admit(ctx, tx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// Admit enqueues due deliveries of a locked webhook, as far as the limits allow.
func (s *Dispatcher) Admit(ctx context.Context, tx *store.Tx, w store.Webhook) error {
	now := s.clock.Now()
	own, all, err := tx.ClaimedDeliveries(ctx, w.OrganizationID, w.ID, now)
	if err != nil {
		return err
	}
	room := webhookWindow
	if w.Failures >= failingFrom {
		room = failingWindow
	}
	room = min(room-own, max(organizationWindow-all, 1-own))
	claims, err := tx.ClaimDeliveries(ctx, w.ID, room, now, crier.TimeOf(now.Add(deliveryLease)))
	if err != nil {
		return err
	}
	jobs := make([]job.Job, len(claims))
	for i, c := range claims {
		jobs[i] = job.Job{Args: job.DeliverWebhook{DeliveryID: c.ID, Epoch: c.Epoch}}
	}
	if err := s.queue.Enqueue(ctx, tx, jobs...); err != nil {
		return err
	}
	return tx.WakeWebhook(ctx, w.ID)
}

// AdmitDue enqueues due deliveries, and again those whose worker was lost. It is called by the loop of every node.
func (s *Dispatcher) AdmitDue(ctx context.Context) error {
	due, err := s.store.DueWebhooks(ctx, s.clock.Now())
	if err != nil {
		return err
	}
	var failed error
	for _, id := range due {
		err := s.store.WithTx(ctx, func(tx *store.Tx) error {
			w, err := tx.LockWebhookByID(ctx, id)
			if err != nil || w == nil || w.Status != crier.WebhookEnabledStatus {
				return err
			}
			return s.Admit(ctx, tx, *w)
		})
		failed = errors.Join(failed, err) // a failure does not stop the others
	}
	return failed
}
