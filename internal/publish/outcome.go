package publish

import (
	"time"

	"crier"
	"crier/internal/job"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/store"
)

// result is the conclusion of a step, or of a person, about a publication.
type result string

// The results. Those of the first group end a publication.
const (
	published result = "published" // completely published
	failed    result = "failed"    // it will never be published
	missed    result = "missed"    // it would be published too late
	canceled  result = "canceled"  // it is no longer wanted

	partPublished result = "part_published" // a part of a thread was published, the next one follows
	accepted      result = "accepted"       // the network is processing it
	retrying      result = "retrying"       // nothing was published; it is retried
	blocked       result = "blocked"        // it waits for its account
	lost          result = "lost"           // the answer to a call did not come
	undecided     result = "undecided"      // a lookup of a lost answer was inconclusive; there will be another
	absent        result = "absent"         // the lost call had no effect; it is retried
	unclear       result = "unclear"        // a person has to decide
	revived       result = "revived"        // a person asked for a retry
	waiting       result = "waiting"        // nothing to do yet
)

// verdict is a result with everything that explains it.
type verdict struct {
	result result
	// attempt is the attempt that was made; nil for none. outcome, code, message and next complete it; code and message
	// are also the publication's error if the result is one.
	attempt                      *store.Attempt
	outcome, code, message, next string
	// at is when the publication is processed next.
	at time.Time
	// tries counts consecutive failures.
	tries int
	// health is the change of the account's health; nil for none.
	health *store.AccountHealth
	// resolved are earlier attempts whose outcome is known now.
	resolved []store.ResolvedAttempt
	// manual is true for a person's decision: it needs no lease and stops a worker that has one.
	manual bool
	now    crier.Time
	// likePause is when likes are counted first after the publication.
	likePause time.Duration
}

// settlement is what follows from a verdict: the rows to write, the credits to book, the jobs to enqueue.
type settlement struct {
	store.Settlement
	bookings []store.Booking
	jobs     []job.Job
	// events are recorded with the settlement; before is the row before, whose changes they report.
	events []crier.EventType
	before store.Publication
	// read is before as the API showed it, if it may have been dismissed; otherwise it follows from the row.
	read *crier.ScheduledPost
	// encoded are the events, encoded.
	encoded []store.NewEvent
}

// outcome decides what follows from a verdict on a publication. It is pure: its result is written atomically, for one
// publication or many, whether a worker or a person decided. st is the provider state, which the row already contains;
// a caller that has changed it sets the one of before.
func outcome(p store.Publication, st provider.State, v verdict) (*settlement, error) {
	s := &settlement{Settlement: store.Settlement{Publication: p, Epoch: p.Epoch, Attempt: v.endedAttempt(),
		Resolved: v.resolved, Health: v.health}}
	row := &s.Publication
	if v.manual {
		row.Epoch++
	}
	s.Public = s.Attempt != nil && s.Attempt.SendBefore != nil &&
		(v.outcome == outcomePublished || v.outcome == outcomeAccepted)
	applyVerdict(row, st, v)
	s.events, s.before = eventTypes(p, *row, v), p
	if v.result == revived {
		s.bookings = reserveAgain(row, v.now)
		s.jobs = []job.Job{WakeJob(*row, v.now.Time)}
		return s, nil
	}
	if v.result == partPublished && v.manual {
		s.jobs = []job.Job{WakeJob(*row, v.now.Time)}
	}
	var captured, released int64
	if v.captures() {
		captured = toCapture(*row, st)
		row.Reserved, row.Captured = row.Reserved-captured, row.Captured+captured
	}
	if v.ends() {
		released = row.Reserved - passedOn(*row)
		row.Reserved, row.WakeAt = 0, nil
	}
	s.bookings = moved(*row, captured, released, v.now)
	if !v.ends() {
		return s, nil
	}
	return s, s.followUp(v)
}

// ends reports whether the result ends the publication: remaining reservations are released, and a series continues.
func (v verdict) ends() bool {
	switch v.result {
	case published, failed, missed, canceled:
		return true
	}
	return false
}

// captures reports whether the result bills the published parts.
func (v verdict) captures() bool {
	return v.ends() || v.result == partPublished || v.result == accepted
}

// endedAttempt returns the attempt with its result.
func (v verdict) endedAttempt() *store.Attempt {
	if v.attempt == nil {
		return nil
	}
	a, now := *v.attempt, v.now
	a.EndedAt, a.Outcome, a.ErrorCode, a.Message, a.NextStep = &now, v.outcome, v.code, v.message, v.next
	a.NextAt = crier.TimeOrNil(v.at)
	return &a
}

// applyVerdict updates the row for the result; credits are handled later.
func applyVerdict(p *store.Publication, st provider.State, v verdict) {
	code, message, at := v.code, v.message, crier.TimeOrNil(v.at)
	switch v.result {
	case published:
		applyPublished(p, st, v.now)
	case partPublished, accepted:
		p.Status, p.WakeAt, p.Tries, p.ErrorCode, p.ErrorMessage = crier.Publishing, at, 0, nil, nil
		if v.result == accepted {
			p.Status = crier.Processing
		}
	case failed, missed, canceled:
		applyEnd(p, st, v)
	case retrying:
		p.ErrorCode, p.ErrorMessage, p.WakeAt, p.Tries = &code, &message, at, v.tries
		backToScheduled(p, st)
	case blocked:
		p.ErrorCode, p.ErrorMessage, p.WakeAt = &code, &message, at
	case lost:
		p.Status, p.ErrorCode, p.ErrorMessage, p.WakeAt = crier.Publishing, &code, &message, at
	case undecided:
		p.WakeAt, p.Tries = at, v.tries
	case absent:
		p.ErrorCode, p.ErrorMessage, p.WakeAt = nil, nil, at
		backToScheduled(p, st)
	case unclear:
		p.Status, p.ErrorCode, p.ErrorMessage, p.WakeAt = crier.Unknown, &code, &message, nil
		recordParts(p, st, v.now)
	case revived:
		applyRevived(p, st, v.now)
	}
}

// applyEnd ends a publication without success. A person's decision keeps the error that led to it.
func applyEnd(p *store.Publication, st provider.State, v verdict) {
	switch v.result {
	case missed:
		p.Status = crier.Missed
	case canceled:
		p.Status = crier.Canceled
	default:
		p.Status = crier.Failed
	}
	if !v.manual {
		code, message := v.code, v.message
		p.ErrorCode, p.ErrorMessage = &code, &message
	}
	if v.manual && v.result == canceled {
		p.SlotAt = nil
	}
	recordParts(p, st, v.now)
}

// backToScheduled lets a publication be moved and edited again when nothing of it is public.
func backToScheduled(p *store.Publication, st provider.State) {
	if p.Status == crier.Publishing && len(st.Published) == 0 {
		p.Status = crier.Scheduled
	}
}

// applyRevived makes a publication due now.
func applyRevived(p *store.Publication, st provider.State, now crier.Time) {
	if p.Actions.SeriesStart == nil && !p.IsAction() { // the series continues from the planned time, not from this one
		planned := p.ScheduledAt
		p.Actions.SeriesStart = &planned
	}
	p.Status, p.ScheduledAt, p.SlotAt, p.WakeAt, p.Tries = crier.Scheduled, now, nil, &now, 0
	p.ErrorCode, p.ErrorMessage = nil, nil
	if len(st.Published) > 0 {
		p.Status = crier.Publishing
	}
}

// applyPublished records the network's ids.
func applyPublished(p *store.Publication, st provider.State, now crier.Time) {
	p.Status, p.Tries, p.ErrorCode, p.ErrorMessage = crier.Published, 0, nil, nil
	at := now
	results := crier.PublishResults{PlatformPostIDs: []string{}, Warnings: st.Warnings}
	for i, part := range st.Published {
		if part.PlatformPostID != "" { // networks do not return every id: TikTok omits those of private posts
			results.PlatformPostIDs = append(results.PlatformPostIDs, part.PlatformPostID)
		}
		if i > 0 {
			continue
		}
		p.PlatformPostID, p.Permalink = crier.TextOrNil(part.PlatformPostID), crier.TextOrNil(part.Permalink)
		results.Permalink = part.Permalink
		if !part.PublishedAt.IsZero() {
			at = crier.TimeOf(part.PublishedAt)
		}
	}
	p.PublishedAt, results.PublishedAt = &at, &at
	results.FirstCommentID, results.RepostID = p.Results.FirstCommentID, p.Results.RepostID
	p.Results = results
}

// recordParts records the published parts of an incomplete thread.
func recordParts(p *store.Publication, st provider.State, now crier.Time) {
	if len(st.Published) == 0 || p.IsAction() {
		return
	}
	copied := *p
	applyPublished(&copied, st, now)
	p.PlatformPostID, p.Permalink, p.Results = copied.PlatformPostID, copied.Permalink, copied.Results
}

// toCapture returns what the published parts cost beyond what was captured.
func toCapture(p store.Publication, st provider.State) int64 {
	if p.IsAction() {
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

// passedOn returns the reserved credits that a published publication passes on to its actions.
func passedOn(p store.Publication) int64 {
	if p.IsAction() || p.Status != crier.Published {
		return 0
	}
	var sum int64
	for _, cost := range p.Actions.ActionCosts {
		sum += cost
	}
	return min(sum, p.Reserved)
}

// moved returns the ledger entries for the credits that a publication captures and releases.
func moved(p store.Publication, captured, released int64, now crier.Time) []store.Booking {
	charge := ledger.Charge{Organization: p.OrganizationID, Publication: &p.ScheduledPostID, At: now}
	spent, returned := charge, charge
	spent.Amount, returned.Amount = captured, released
	return append(ledger.Captured(spent), ledger.Released(returned)...)
}

// missingCredits returns what must be reserved before a publication can be retried.
func missingCredits(p store.Publication) int64 {
	return max(0, p.Actions.Total()-p.Captured-p.Reserved)
}

// reserveAgain reserves the credits of an ended publication that is retried.
func reserveAgain(p *store.Publication, now crier.Time) []store.Booking {
	needed := missingCredits(*p)
	p.Reserved += needed
	return ledger.Reserved(ledger.Charge{Organization: p.OrganizationID, Publication: &p.ScheduledPostID,
		Amount: needed, At: now})
}

// followUp adds what follows the end of a publication: actions, and the next of a series. Metrics readings are planned
// when analytics counts the post, because other publications wait for the settlement in a burst.
func (s *settlement) followUp(v verdict) error {
	p := s.Publication
	if p.IsAction() {
		s.ParentResults = parentResults(p)
		return nil
	}
	if p.Status == crier.Published {
		var err error
		if s.Actions, err = plannedActions(p, v.now, v.likePause); err != nil {
			return err
		}
		for _, a := range s.Actions {
			s.jobs = append(s.jobs, WakeJob(a, v.now.Time))
		}
	}
	var err error
	s.Next, err = nextOfSeries(p, v.now)
	return err
}

// eventTypes returns the events that a verdict causes: none for internal changes.
func eventTypes(before store.Publication, after store.Publication, v verdict) []crier.EventType {
	if before.IsAction() {
		switch v.result {
		case published:
			return []crier.EventType{crier.ScheduledPostActionDone}
		case failed, missed:
			return []crier.EventType{crier.ScheduledPostActionFailed}
		}
		return nil
	}
	var types []crier.EventType
	if v.manual && before.Status == crier.Unknown {
		types = append(types, crier.ScheduledPostResolved)
	}
	switch v.result {
	case published:
		types = append(types, crier.ScheduledPostPublished)
	case failed:
		types = append(types, crier.ScheduledPostFailed)
	case missed:
		types = append(types, crier.ScheduledPostMissed)
	case canceled:
		types = append(types, crier.ScheduledPostCanceled)
	case unclear:
		types = append(types, crier.ScheduledPostUnknown)
	default:
		if len(types) == 0 && after.Status != before.Status {
			types = append(types, crier.ScheduledPostChanged)
		}
	}
	return types
}
