package webhook

import (
	"context"
	"slices"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

const replayBatch = 500

// StartReplay sends the events of a period to a webhook again, including delivered ones, and returns their number.
func (s *Dispatcher) StartReplay(ctx context.Context, tx *store.Tx, w store.Webhook,
	in crier.WebhookReplay) (int64, error) {
	count, err := tx.CountEvents(ctx, w.OrganizationID, replayFilter(w, in))
	if err != nil || count == 0 {
		return 0, err
	}
	return count, s.queue.Enqueue(ctx, tx, job.Job{
		Args: job.ReplayWebhook{WebhookID: w.ID, From: in.From, To: in.To, OrganizationID: w.OrganizationID}})
}

// replayFilter returns the filter for the events of a period that a webhook receives, including those from before it was
// created or enabled. Like receivesEvent, it selects a test only for the webhook that the test names.
func replayFilter(w store.Webhook, in crier.WebhookReplay) store.EventFilter {
	f := store.EventFilter{From: &in.From, To: &in.To, TeamIDs: w.TeamIDs, Webhook: w.ID}
	if !slices.Contains(w.Types, crier.AllEvents) {
		for _, t := range w.Types {
			f.Types = append(f.Types, crier.EventType(t))
		}
	}
	return f
}

// ReplayEvents sends the events of a period again, in batches. It is called by jobs.
func (s *Dispatcher) ReplayEvents(ctx context.Context, in job.ReplayWebhook) error {
	for more := true; more; {
		err := s.store.WithTx(ctx, func(tx *store.Tx) error {
			w, err := tx.LockWebhookByID(ctx, in.WebhookID)
			if err != nil || w == nil || w.Status != crier.WebhookEnabledStatus {
				more = false
				return err
			}
			filter := replayFilter(*w, crier.WebhookReplay{From: in.From, To: in.To})
			list, err := tx.OrganizationEvents(ctx, w.OrganizationID, in.After, filter, replayBatch)
			if err != nil {
				return err
			}
			if more = len(list) == replayBatch; len(list) == 0 {
				return nil
			}
			deliveries := make([]store.Delivery, len(list))
			for i, e := range list {
				deliveries[i] = newDelivery(*w, e)
			}
			in.After = list[len(list)-1].Sequence
			return s.deliver(ctx, tx, []crier.ID{w.ID}, deliveries, true)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
