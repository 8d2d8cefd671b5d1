package queue

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"crier/internal/job"
	"crier/internal/webhook"
)

const (
	// webhookQueue is the queue of webhook deliveries. Workers mostly wait for endpoints; the share of a webhook or
	// organization is decided when deliveries are admitted.
	webhookQueue   = "webhooks"
	webhookWorkers = 500
	// webhookTick is the interval at which due deliveries are admitted.
	webhookTick = time.Second
)

type deliverWebhookWorker struct {
	river.WorkerDefaults[job.DeliverWebhook]
	dispatcher *webhook.Dispatcher
}

// Work makes one delivery attempt.
func (w *deliverWebhookWorker) Work(ctx context.Context, job *river.Job[job.DeliverWebhook]) error {
	return w.dispatcher.Deliver(ctx, job.Args)
}

type replayWebhookWorker struct {
	river.WorkerDefaults[job.ReplayWebhook]
	dispatcher *webhook.Dispatcher
	shares     *defaultShares
}

// Work replays past events.
func (w *replayWebhookWorker) Work(ctx context.Context, job *river.Job[job.ReplayWebhook]) error {
	return w.shares.run(job.Args.OrganizationID, func() error { return w.dispatcher.ReplayEvents(ctx, job.Args) })
}

type mailWebhookDisabledWorker struct {
	river.WorkerDefaults[job.MailWebhookDisabled]
	dispatcher *webhook.Dispatcher
	shares     *defaultShares
}

// Work notifies an owner that a webhook was disabled.
func (w *mailWebhookDisabledWorker) Work(ctx context.Context, job *river.Job[job.MailWebhookDisabled]) error {
	return w.shares.mail(job.Args.OrganizationID,
		func() error { return w.dispatcher.MailDisabled(ctx, job.Args) })
}

// webhookLoop assigns new events to webhooks, and admits due deliveries.
func (q *Queue) webhookLoop(ctx context.Context) {
	ticker := time.NewTicker(webhookTick)
	defer ticker.Stop()
	for {
		if err := q.dispatcher.Dispatch(ctx); err != nil && ctx.Err() == nil {
			q.log.WarnContext(ctx, "could not dispatch events to webhooks", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-q.newEvents:
		case <-ticker.C:
			if err := q.dispatcher.AdmitDue(ctx); err != nil && ctx.Err() == nil {
				q.log.WarnContext(ctx, "could not start due deliveries", "error", err)
			}
		}
	}
}
