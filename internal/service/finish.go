package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/slot"
	"crier/internal/store"
)

// finish ends a publication that is public: credits are captured, what follows it is put on the calendar, and the
// account is healthy again.
func (w *publishing) finish(ctx context.Context, a *store.Attempt, outcome string) (time.Time, error) {
	healed := w.account.AccountHealthIssue != nil
	if healed {
		w.account.AccountHealthIssue, w.account.AccountHealthMessage, w.account.AccountHealthSince = nil, nil, nil
	}
	return w.settle(ctx, settlement{attempt: a, outcome: outcome, next: "nothing: it is public", account: healed, capture: true, ends: true,
		change: w.published, more: w.followUp})
}

// published writes the network's ids into a row.
func (w *publishing) published(p *store.Publication) {
	p.Status, p.Tries, p.ErrorCode, p.ErrorMessage = crier.Published, 0, nil, nil
	at := w.now()
	p.PublishedAt = &at
	results := crier.PublishResults{PlatformPostIDs: []string{}, Warnings: w.state.Warnings}
	for i, part := range w.state.Published {
		results.PlatformPostIDs = append(results.PlatformPostIDs, part.PlatformPostID)
		if i == 0 {
			p.PlatformPostID, p.Permalink = textOrNil(part.PlatformPostID), textOrNil(part.Permalink)
			results.Permalink = part.Permalink
			if !part.PublishedAt.IsZero() {
				at = crier.TimeOf(part.PublishedAt)
			}
		}
	}
	results.PublishedAt = &at
	results.FirstCommentID, results.RepostID = p.Results.FirstCommentID, p.Results.RepostID
	p.Results = results
}

// owed is what the parts that are public cost beyond what was captured.
func owed(p store.Publication, st provider.State) int64 {
	if p.Action {
		if st.Done {
			return p.Reserved
		}
		return 0
	}
	var sum int64
	for i, cost := range p.Actions.PartCosts {
		if i < len(st.Published) || st.Done {
			sum += cost
		}
	}
	return max(0, min(sum-p.Captured, p.Reserved))
}

// handedOn is what a publication that has become public hands on to the actions that follow it.
func handedOn(p store.Publication) int64 {
	if p.Action || p.Status != crier.Published {
		return 0
	}
	var sum int64
	for _, cost := range p.Actions.ActionCosts {
		sum += cost
	}
	return min(sum, p.Reserved)
}

// ensureReserved reserves what a publication of a series costs when that was not possible before. short is true when it
// still is not.
func (w *publishing) ensureReserved(ctx context.Context) (short bool, err error) {
	total := w.p.Actions.Total()
	if w.p.Action || total == 0 || w.p.Reserved > 0 || w.p.Captured > 0 {
		return false, nil
	}
	err = w.store.WithTx(ctx, func(tx *store.Tx) error {
		ok, err := tx.SetReserved(ctx, w.p, w.owner, total)
		if err != nil {
			return err
		}
		if !ok {
			return errLeaseLost
		}
		return w.reserve(ctx, tx, w.p.OrganizationID, total, &w.p.ID)
	})
	if isPaymentRequired(err) {
		return true, nil
	}
	if err == nil {
		w.p.Reserved = total
	}
	return false, err
}

func isPaymentRequired(err error) bool {
	var known *crier.Error
	return errors.As(err, &known) && known.Kind == crier.KindPaymentRequired
}

// failWith ends a publication for good because of what a network said.
func (w *publishing) failWith(ctx context.Context, a *store.Attempt, failure *provider.Error, health bool) (time.Time, error) {
	return w.end(ctx, a, crier.Failed, string(failure.Kind), string(failure.Code), failure.Message, health)
}

// fail ends a publication for good.
func (w *publishing) fail(ctx context.Context, a *store.Attempt, code, message string) (time.Time, error) {
	return w.end(ctx, a, crier.Failed, "failed", code, message, false)
}

// miss ends a publication that would go out too late; a person decides what becomes of it.
func (w *publishing) miss(ctx context.Context, a *store.Attempt, code, message string) (time.Time, error) {
	return w.end(ctx, a, crier.Missed, "missed", code, message, false)
}

func (w *publishing) end(ctx context.Context, a *store.Attempt, status crier.ScheduledPostStatus, outcome, code, message string, health bool) (time.Time, error) {
	if a == nil {
		a = w.attemptOver("prepare")
	}
	return w.settle(ctx, settlement{attempt: a, outcome: outcome, code: code, message: message, next: "nothing by itself: a person decides",
		account: health, capture: true, ends: true,
		change: func(p *store.Publication) {
			p.Status, p.ErrorCode, p.ErrorMessage = status, &code, &message
			w.noteParts(p)
		}})
}

// noteParts enters the parts of a thread that are public although the whole is not.
func (w *publishing) noteParts(p *store.Publication) {
	if len(w.state.Published) == 0 || p.Action {
		return
	}
	w2 := *p
	w.published(&w2)
	p.PlatformPostID, p.Permalink, p.Results = w2.PlatformPostID, w2.Permalink, w2.Results
}

// followUp writes the actions that a publication is followed by, with their jobs; an action notes its own id with the
// publication that it follows.
func (w *publishing) followUp(ctx context.Context, tx *store.Tx, p *store.Publication) error {
	if p.Action {
		return w.noteAction(ctx, tx, *p)
	}
	actions, err := w.plannedActions(*p)
	if err != nil {
		return err
	}
	var jobs []Job
	if first, ok := snapshotJob(*p, 0); ok {
		jobs = append(jobs, first)
	}
	now := w.now()
	for _, a := range actions {
		if err := tx.InsertAction(ctx, a); err != nil {
			return err
		}
		jobs = append(jobs, publishJob(a, now.Time))
	}
	return w.queue.Enqueue(ctx, tx, jobs...)
}

func (w *publishing) plannedActions(p store.Publication) ([]store.Publication, error) {
	var out []store.Publication
	at := p.PublishedAt.Time
	add := func(kind store.PublicationKind, spec any, due time.Time, expires *crier.Time) error {
		data, err := json.Marshal(spec)
		if err != nil {
			return fmt.Errorf("encode the action: %w", err)
		}
		wake := crier.TimeOf(due)
		if kind == store.RepostPublication {
			wake = crier.TimeOf(due.Add(-settleLead))
		}
		out = append(out, store.Publication{
			Ref: store.Ref{Action: true, ID: crier.NewID()}, Kind: kind, ScheduledPostID: p.ID, Spec: data, ExpiresAt: expires, TeamID: p.TeamID,
			OrganizationID: p.OrganizationID, PostID: p.PostID, SocialAccountID: p.SocialAccountID, Provider: p.Provider,
			Status: crier.Scheduled, ScheduledAt: crier.TimeOf(due), PayloadID: p.PayloadID, Settings: map[string]json.RawMessage{},
			State: emptyState(), WakeAt: &wake, Reserved: p.Actions.ActionCosts[string(kind)], CreatedAt: w.now(),
		})
		return nil
	}
	if c := p.Actions.FirstComment; c != nil {
		if err := add(store.FirstComment, c, at, nil); err != nil {
			return nil, err
		}
	}
	if e := p.Actions.EngagementCommentTrigger; e != nil {
		expires := crier.TimeOf(at.Add(time.Duration(e.WindowHours) * time.Hour))
		if err := add(store.EngagementComment, e, at.Add(w.timings.LikePause), &expires); err != nil {
			return nil, err
		}
	}
	if r := p.Actions.RepostAfter; r != nil {
		due, err := wallClockDaysLater(at, r.OffsetDays, p.Timezone)
		if err != nil {
			return nil, err
		}
		if err := add(store.RepostPublication, r, due, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func wallClockDaysLater(t time.Time, days int, zone string) (time.Time, error) {
	location, err := crier.Zone(zone).Location()
	if err != nil {
		return t, fmt.Errorf("load the zone of a publication: %w", err)
	}
	return slot.DaysLater(t, days, location), nil
}

// noteAction enters what an action brought into the results of the publication that it follows.
func (w *publishing) noteAction(ctx context.Context, tx *store.Tx, p store.Publication) error {
	parent, err := tx.LockPublication(ctx, store.Ref{ID: p.ScheduledPostID})
	if err != nil {
		return err
	}
	switch p.Kind {
	case store.FirstComment:
		parent.Results.FirstCommentID = text(p.PlatformPostID)
	case store.RepostPublication:
		parent.Results.RepostID = text(p.PlatformPostID)
	default:
		return nil
	}
	return tx.NotePublished(ctx, parent.ID, parent.Results, w.now())
}

// recur puts the next publication of a series on the calendar: N days after the planned time, at the same wall-clock
// time. A failure never ends a series, and neither does a lack of credits: the next one reserves them when it is due.
func (c *core) recur(ctx context.Context, tx *store.Tx, p store.Publication) error {
	interval := p.Actions.RecurrenceIntervalDays
	if interval == nil || p.Status == crier.Canceled {
		return nil
	}
	gone, err := tx.PostGone(ctx, p.PostID)
	if err != nil || gone {
		return err
	}
	start, index := p.ScheduledAt, p.Actions.SeriesIndex
	if p.Actions.SeriesStart != nil {
		start = *p.Actions.SeriesStart
	}
	at := start.Time
	for now := c.clock(); !at.After(now); { // a series that slept goes on with the first time that lies ahead
		index++
		if at, err = wallClockDaysLater(start.Time, index**interval, p.Timezone); err != nil {
			return err
		}
	}
	if index == p.Actions.SeriesIndex {
		index++
		if at, err = wallClockDaysLater(start.Time, index**interval, p.Timezone); err != nil {
			return err
		}
	}
	if ends := p.Actions.RecurrenceEndsAt; ends != nil && at.After(ends.Time) {
		return nil
	}
	return c.insertRecurrence(ctx, tx, p, crier.TimeOf(at), start, index)
}

func (c *core) insertRecurrence(ctx context.Context, tx *store.Tx, p store.Publication, at, start crier.Time, index int) error {
	now := c.now()
	first := p.ID
	if p.RecurrenceOf != nil {
		first = *p.RecurrenceOf
	}
	head, err := tx.CurrentPayload(ctx, p.PostID)
	if err != nil {
		return err
	}
	wake := crier.TimeOf(at.Add(-uploadLead))
	next := store.Publication{
		Kind: store.PostPublication, Ref: store.Ref{ID: crier.NewID()}, TeamID: p.TeamID, OrganizationID: p.OrganizationID, PostID: p.PostID,
		SocialAccountID: p.SocialAccountID, Provider: p.Provider, Status: crier.Scheduled, ScheduledAt: at, Timezone: p.Timezone,
		PayloadID: head, Settings: p.Settings, Actions: p.Actions, State: emptyState(), WakeAt: &wake, RecurrenceOf: &first,
		Results: crier.PublishResults{PlatformPostIDs: []string{}}, CreatedAt: now, UpdatedAt: now,
	}
	next.Actions.SeriesStart, next.Actions.SeriesIndex = &start, index
	live, err := tx.HasLive(ctx, p.PostID, p.SocialAccountID)
	if err != nil || live { // scheduled anew by hand: that one goes on with the series
		return err
	}
	err = c.reserve(ctx, tx, p.OrganizationID, next.Actions.Total(), &next.ID)
	switch {
	case isPaymentRequired(err): // it is tried again when it is due
	case err != nil:
		return err
	default:
		next.Reserved = next.Actions.Total()
	}
	if err := tx.InsertPublication(ctx, next); err != nil {
		return err
	}
	return c.queue.Enqueue(ctx, tx, publishJob(next, now.Time))
}
