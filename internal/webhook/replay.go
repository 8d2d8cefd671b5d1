package webhook

import (
	"context"
	"slices"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

// maxReplayBatch is the number of events per transaction.
const maxReplayBatch = 500

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

// replayFilter returns the filter for the events of a period that a webhook receives, including those from before it
// was created or enabled. Like receivesEvent, it selects a test only for the webhook that the test names.
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
	for {
		var after int64
		var more bool
		err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			after, more, err = s.replayBatch(ctx, tx, in)
			return err
		})
		if err != nil || !more {
			return err
		}
		in.After = after // only now: after a deadlock, the transaction reads the same events again
	}
}

// replayBatch sends a batch of events again and returns the sequence of the last one; more is true if others may
// follow.
func (s *Dispatcher) replayBatch(ctx context.Context, tx *store.Tx, in job.ReplayWebhook) (after int64, more bool,
	err error) {
	w, err := tx.LockWebhookByID(ctx, in.WebhookID)
	if err != nil || w == nil || w.Status != crier.WebhookEnabledStatus {
		return 0, false, err
	}
	filter := replayFilter(*w, crier.WebhookReplay{From: in.From, To: in.To})
	list, err := tx.OrganizationEvents(ctx, w.OrganizationID, in.After, filter, maxReplayBatch)
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	deliveries := make([]store.Delivery, len(list))
	for i, e := range list {
		deliveries[i] = newDelivery(*w, e)
	}
	return list[len(list)-1].Sequence, len(list) == maxReplayBatch,
		s.addDeliveries(ctx, tx, []crier.ID{w.ID}, deliveries, true)
}
