package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"crier/internal/store"
)

const (
	// handedBackSize is how many jobs can be handed back while a notification is sent.
	handedBackSize = 10_000
	// notifyTimeout bounds one notification; without it, other nodes find the jobs when they poll.
	notifyTimeout = 2 * time.Second
	// insertTopic is where River's nodes listen for jobs that are ready to run.
	insertTopic = "river_insert"
)

// drain starts no more jobs and waits for the running ones, of which handBack makes some end early. Other nodes are
// notified of those at once: River itself notifies only of new jobs, so that other nodes would find them when they poll
// next.
func (e *riverEngine[TTx]) drain(ctx context.Context, handBack func()) error {
	snoozed, cancel := e.client.SubscribeConfig(&river.SubscribeConfig{
		Kinds: []river.EventKind{river.EventKindJobSnoozed}, ChanSize: handedBackSize,
	})
	notified := make(chan struct{})
	go func() {
		defer close(notified)
		for event := range snoozed {
			e.notify(ctx, readyQueues(event, snoozed))
		}
	}()
	handBack()
	err := e.client.Stop(ctx)
	cancel()
	<-notified
	return err
}

// readyQueues returns the queues of the snoozed jobs that are due now or in a moment: of the first one, and of all
// others that are known by now.
func readyQueues(first *river.Event, more <-chan *river.Event) map[string]bool {
	ready := map[string]bool{}
	for event, open := first, true; open && event != nil; {
		if event.Job.State == rivertype.JobStateAvailable {
			ready[event.Job.Queue] = true
		}
		select {
		case event, open = <-more:
		default:
			return ready
		}
	}
	return ready
}

// notify makes the nodes that listen fetch the jobs of the queues.
func (e *riverEngine[TTx]) notify(ctx context.Context, queues map[string]bool) {
	if len(queues) == 0 || !e.client.Driver().SupportsListenNotify() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyTimeout)
	defer cancel()
	_ = e.client.Driver().GetExecutor().NotifyMany(ctx, insertedInto(queues)) // otherwise they are found by polling
}

// notifyIn is notify for jobs of a transaction, as a part of it.
func (e *riverEngine[TTx]) notifyIn(ctx context.Context, tx *store.Tx, queues map[string]bool) error {
	return e.join(ctx, tx, func(t TTx) error {
		if err := e.client.Driver().UnwrapExecutor(t).NotifyMany(ctx, insertedInto(queues)); err != nil {
			return fmt.Errorf("notify of jobs: %w", err)
		}
		return nil
	})
}

// insertedInto returns River's notification of new jobs.
func insertedInto(queues map[string]bool) *riverdriver.NotifyManyParams {
	params := &riverdriver.NotifyManyParams{Topic: insertTopic}
	for queue := range queues {
		params.Payload = append(params.Payload, fmt.Sprintf(`{"queue": %q}`, queue))
	}
	return params
}
