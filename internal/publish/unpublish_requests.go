package publish

import (
	"context"
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/store"
)

const (
	// deletionWaits is the outcome of a deletion that was asked for while it was unknown what is public.
	deletionWaits = "waiting"
	// deletionNotNeeded is its outcome when nothing is.
	deletionNotNeeded = "not_needed"
	// DeletionWaits tells people about it.
	DeletionWaits = "Whether it was published is not known. If it is resolved as published, it is deleted there."
)

const (
	// outcomePause is the first pause before an unknown outcome is looked at again whose deletion waits for it.
	outcomePause = time.Minute
	// outcomesFor is how long that goes on. A person's decision is not waited for: it continues the deletion itself.
	outcomesFor = 30 * 24 * time.Hour
)

// RequestDeletion records that a publication whose outcome is unknown is to be deleted from its network, if it turns
// out to be public: as an attempt to delete it that has not ended. The caller must have locked post and publication,
// and enqueues the deletion, which waits.
func (s *Publisher) RequestDeletion(ctx context.Context, tx *store.Tx, p store.Publication) error {
	a := store.Attempt{ScheduledPostID: p.ScheduledPostID, Attempt: crier.Attempt{ID: crier.NewID(),
		Operation: opDelete, StartedAt: s.clock.Now(), Outcome: deletionWaits, Message: DeletionWaits,
		NextStep: "delete it there, once it is resolved as published"}}
	if p.IsAction() {
		a.ActionID = &p.ID
	}
	return tx.InsertAttempt(ctx, a)
}

// continueDeletion carries out or ends the deletion that was asked for while the outcome of a publication was unknown,
// now that a person has told it.
func (s *Publisher) continueDeletion(ctx context.Context, tx *store.Tx, p store.Publication, outcome string) error {
	attempts, err := tx.DeleteAttempts(ctx, []crier.ID{p.ScheduledPostID})
	if err != nil || outcome == "retry" {
		return err
	}
	for _, a := range attempts {
		if !DeletionWaiting(a) || subject(a) != p.ID {
			continue
		}
		if outcome == "published" {
			return s.queue.Enqueue(ctx, tx, job.Job{Args: job.Unpublish{ScheduledPostID: p.ScheduledPostID,
				Provider: p.Provider, TeamID: p.TeamID}})
		}
		now := s.clock.Now()
		a.EndedAt, a.Outcome, a.Message, a.NextStep = &now, deletionNotNeeded, "It was not published.", "nothing"
		if _, err := tx.EndAttempt(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// DeletionWaiting reports whether an attempt to delete a publication waits for an unknown outcome.
func DeletionWaiting(a store.Attempt) bool { return a.EndedAt == nil && a.Outcome == deletionWaits }

// subject returns the id of the publication that an attempt is about.
func subject(a store.Attempt) crier.ID {
	if a.ActionID != nil {
		return *a.ActionID
	}
	return a.ScheduledPostID
}

// deletion is what is recorded about the deletion of a publication from its network.
type deletion struct {
	// over is true when the network's last word was final, and tries counts the attempts since.
	over  bool
	tries int
	// due are the requests whose unknown outcome is known now: something is public.
	due []store.Attempt
	// lookAgain is when to look again for outcomes that are unknown; zero if there are none.
	lookAgain time.Time
}

// deletionSoFar reads what is recorded about the deletion of the worker's publication.
func (w *worker) deletionSoFar(ctx context.Context) (deletion, error) {
	var d deletion
	attempts, err := w.pub.store.DeleteAttempts(ctx, []crier.ID{w.p.ID})
	if err != nil {
		return d, err
	}
	var verdictAt time.Time
	for _, a := range attempts {
		if IsVerdict(a.Outcome) {
			d.over, verdictAt = true, later(verdictAt, a.EndedAt.Time)
		}
	}
	for _, a := range attempts {
		if !DeletionWaiting(a) {
			if a.Outcome != deletionNotNeeded && a.StartedAt.After(verdictAt) {
				d.tries++
			}
			continue
		}
		if err := w.lookAtRequest(ctx, &d, a); err != nil {
			return d, err
		}
	}
	return d, nil
}

// lookAtRequest adds a request to delete what was unknown to be public. The outcome may become known without a person:
// a worker that was frozen in its call brings the answer. So it is looked at again, less and less often.
func (w *worker) lookAtRequest(ctx context.Context, d *deletion, a store.Attempt) error {
	about := w.p
	if id := subject(a); id != w.p.ID {
		var err error
		if about, err = w.pub.store.Publication(ctx, id); err != nil {
			return err
		}
	}
	now := w.pub.clock()
	waited := now.Sub(a.StartedAt.Time)
	switch {
	case about.Status.Live():
		if next := now.Add(max(outcomePause, waited)); waited < outcomesFor &&
			(d.lookAgain.IsZero() || next.Before(d.lookAgain)) {
			d.lookAgain = next
		}
	case about.Status == crier.Published || len(about.Results.PlatformPostIDs) > 0:
		d.due = append(d.due, a)
	}
	return nil
}

// nothingToDo reports whether nothing is left to delete for now: all is said, or nothing is known to be public.
func (w *worker) nothingToDo(d deletion) bool {
	return d.over && len(d.due) == 0 || w.p.Status != crier.Published && len(w.publicIDs()) == 0
}

// endRequests ends the requests that a verdict answers; the first one becomes its record.
func (w *worker) endRequests(ctx context.Context, tx *store.Tx, due []store.Attempt, verdict store.Attempt) error {
	for i, a := range due {
		verdict.ID = a.ID
		if i > 0 {
			verdict.Exchanges = nil
		}
		if _, err := tx.EndAttempt(ctx, verdict); err != nil {
			return err
		}
	}
	return nil
}
