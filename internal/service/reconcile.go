package service

import (
	"context"
	"strconv"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// reconcileFor is how long the outcome of an attempt is looked for before a person has to.
	reconcileFor = 30 * time.Minute
	// clockSlack is by how much clocks may differ without making a difference: networks look a little before an attempt.
	clockSlack = 10 * time.Second
	// keys of what reconciling notes in the state
	noteAbsences   = "crier.absences"
	noteFirstSend  = "crier.firstSend"
	noteClockAhead = "crier.clockAhead"
)

// lostAnswer commits that the answer to a call did not come. Whether it had its effect is found out later.
func (w *publishing) lostAnswer(ctx context.Context, a store.Attempt, failure *provider.Error) (time.Time, error) {
	if w.state.Data[noteFirstSend] == "" {
		w.state.Note(noteFirstSend, a.StartedAt.Format(time.RFC3339Nano))
	}
	next := a.SettledAfter.Time
	code, message := codeOutcomeUnknown, failure.Message
	return w.settle(ctx, settlement{attempt: &a, outcome: store.OutcomeUnknown, code: code, message: message,
		next: "find out whether it was published", nextAt: &next,
		change: func(p *store.Publication) {
			p.Status, p.ErrorCode, p.ErrorMessage, p.WakeAt = crier.Publishing, &code, &message, timeOrNil(next)
		}})
}

// reconcile finds out what became of an attempt without a known result. Nobody looks before the fence, the call's
// time-out and a slack have passed: until then the request may still be under way.
func (w *publishing) reconcile(ctx context.Context, last store.Attempt) (time.Time, error) {
	if settled := last.SettledAfter; settled != nil && w.clock().Before(settled.Time) {
		return w.rest(ctx, settled.Time)
	}
	first := w.firstSend(last)
	reconciler := w.providers.Features(w.network).Reconciler
	if reconciler == nil {
		return w.giveUp(ctx, last, "this network gives no way to find out whether the post was published")
	}
	strategy := w.timings.paced(reconciler.Strategy(networkAccount(w.account), w.content, w.state))
	if earliest := first.Add(strategy.NotBefore); w.clock().Before(earliest) {
		return w.rest(ctx, earliest)
	}
	if strategy.Method == provider.Impossible {
		return w.giveUp(ctx, last, "this connection gives no way to find out whether the post was published")
	}
	if strategy.NotAfter > 0 && w.clock().After(first.Add(strategy.NotAfter)) || w.clock().Sub(first) > reconcileFor {
		return w.giveUp(ctx, last, "it took too long to find out whether the post was published")
	}
	if err := w.authorize(ctx); err != nil {
		return w.lookLater(ctx, last, provider.AsError(err))
	}
	if strategy.Method == provider.ByResending {
		return w.resend(ctx, last, first)
	}
	return w.look(ctx, last, reconciler, strategy)
}

// firstSend is when the first of the attempts began whose outcome is open.
func (w *publishing) firstSend(last store.Attempt) time.Time {
	if t, err := time.Parse(time.RFC3339Nano, w.state.Data[noteFirstSend]); err == nil {
		return t
	}
	return last.StartedAt.Time
}

// look reads what the network knows.
func (w *publishing) look(ctx context.Context, last store.Attempt, r provider.Reconciler, strategy provider.Strategy) (time.Time, error) {
	outcome, st, err := w.ask(ctx, last, r)
	if err != nil {
		return w.lookLater(ctx, last, provider.AsError(err))
	}
	switch outcome {
	case provider.OutcomePublished:
		w.forget(&st)
		w.state = st
		w.closeAttempt(&last, outcomePublished)
		return w.advanced(ctx, w.attemptOver("reconcile"), outcomePublished)
	case provider.OutcomePending:
		w.state = st
		return w.note(ctx, "pending", "look again", later(st.NextPollAfter, w.clock().Add(5*time.Second)))
	case provider.OutcomeAbsent:
		return w.absent(ctx, last, st, strategy)
	}
	return w.giveUp(ctx, last, "what the network shows does not tell whether the post was published")
}

// ask reads what the network knows about an attempt. Networks date posts by their own clocks: when this machine's is ahead of
// theirs, what the attempt has published seems to be older than the attempt, so that it is looked for from an earlier time.
func (w *publishing) ask(ctx context.Context, last store.Attempt, r provider.Reconciler) (provider.Outcome, provider.State, error) {
	ahead, _ := time.ParseDuration(w.state.Data[noteClockAhead]) // absent means not at all
	reconcile := func() (provider.Outcome, provider.State, error) {
		at := provider.Attempt{StartedAt: last.StartedAt.Add(-ahead)}
		return r.Reconcile(w.recording(ctx), w.client, w.content, w.state.Clone(), at)
	}
	outcome, st, err := reconcile()
	measured := provider.ClockAhead(w.exchanges)
	if outcome == provider.OutcomePublished || measured < ahead+clockSlack {
		return outcome, st, err
	}
	ahead = measured
	w.state.Note(noteClockAhead, ahead.String())
	return reconcile()
}

// absent counts the readings that missed the post; after enough of them it may be tried again.
func (w *publishing) absent(ctx context.Context, last store.Attempt, st provider.State, strategy provider.Strategy) (time.Time, error) {
	seen, _ := strconv.Atoi(w.state.Data[noteAbsences]) // absent means none yet
	if seen++; seen < strategy.Absences {
		w.state.Note(noteAbsences, strconv.Itoa(seen))
		return w.note(ctx, "absent", "look again to be sure", w.clock().Add(max(time.Second, strategy.Apart)))
	}
	w.forget(&st)
	w.state = st
	if w.clock().After(w.lateUntil()) && len(st.Published) == 0 {
		w.closeAttempt(&last, "absent")
		return w.miss(ctx, w.attemptOver("reconcile"), string(provider.CodeProviderUnavailable), "it was not published, and its time has passed")
	}
	next := w.clock()
	a := w.attemptOver("reconcile")
	return w.settle(ctx, settlement{attempt: a, outcome: "absent", next: "publish it: the earlier call had no effect", nextAt: &next,
		change: func(p *store.Publication) {
			p.ErrorCode, p.ErrorMessage, p.WakeAt = nil, nil, timeOrNil(next)
			if len(st.Published) == 0 {
				p.Status = crier.Scheduled
			}
		},
		more: func(ctx context.Context, tx *store.Tx, _ *store.Publication) error {
			return w.closed(ctx, tx, last, "absent")
		}})
}

// resend sends the very same request again: the network answers with the post that exists already. When the first of
// these requests left is written down before: the network remembers only for so long, whatever happens to this worker.
func (w *publishing) resend(ctx context.Context, last store.Attempt, first time.Time) (time.Time, error) {
	resender := w.providers.Features(w.network).Resender
	if resender == nil {
		return w.giveUp(ctx, last, "this network gives no way to find out whether the post was published")
	}
	w.state.Note(noteFirstSend, first.Format(time.RFC3339Nano))
	if err := w.save(ctx); err != nil {
		return time.Time{}, err
	}
	return w.attempt(ctx, opResend, resender.Resend, &last.ID)
}

// forget drops what was noted about earlier attempts.
func (w *publishing) forget(st *provider.State) {
	for _, note := range []string{noteAbsences, noteFirstSend, noteRenewed} {
		delete(st.Data, note)
	}
}

// closeAttempt completes the attempt in question in the transaction of the next settlement.
func (w *publishing) closeAttempt(last *store.Attempt, outcome string) {
	w.pending = append(w.pending, func(ctx context.Context, tx *store.Tx) error { return w.closed(ctx, tx, *last, outcome) })
}

// closed completes an attempt whose own worker never did, or overwrites that its outcome was unknown.
func (w *publishing) closed(ctx context.Context, tx *store.Tx, a store.Attempt, outcome string) error {
	return tx.ResolveAttempt(ctx, a.ID, outcome, w.now())
}

// note commits a look that did not decide.
func (w *publishing) note(ctx context.Context, outcome, next string, at time.Time) (time.Time, error) {
	return w.settle(ctx, settlement{attempt: w.attemptOver("reconcile"), outcome: outcome, next: next, nextAt: &at,
		change: func(p *store.Publication) { p.WakeAt = timeOrNil(at) }})
}

// lookLater comes back when the network could not be asked.
func (w *publishing) lookLater(ctx context.Context, last store.Attempt, failure *provider.Error) (time.Time, error) {
	if failure.Kind == provider.Rejected || failure.Kind == provider.AuthExpired && w.account.Status != crier.AccountConnected {
		return w.giveUp(ctx, last, "the network could not be asked whether the post was published: "+failure.Message)
	}
	if failure.Kind == provider.AuthExpired {
		if _, err := w.tokens.Renew(ctx, w.account); err != nil && provider.AsError(err).Kind == provider.AuthExpired {
			return w.giveUp(ctx, last, "the network could not be asked whether the post was published: "+failure.Message)
		}
	}
	w.p.Tries++
	at := w.clock().Add(max(failure.RetryAfter, w.backoff(w.p.Tries)))
	return w.settle(ctx, settlement{attempt: w.attemptOver("reconcile"), outcome: string(failure.Kind), code: string(failure.Code),
		message: failure.Message, next: "ask again", nextAt: &at,
		change: func(p *store.Publication) { p.WakeAt, p.Tries = timeOrNil(at), w.p.Tries }})
}

// giveUp ends the search for the outcome of an attempt.
func (w *publishing) giveUp(ctx context.Context, last store.Attempt, message string) (time.Time, error) {
	return w.leaveToPerson(ctx, "reconcile", message, func(ctx context.Context, tx *store.Tx, _ *store.Publication) error {
		return w.closed(ctx, tx, last, store.OutcomeUnknown)
	})
}

// leaveToPerson has a person find out what became of a publication. Credits stay reserved until it is known.
func (w *publishing) leaveToPerson(ctx context.Context, operation, message string, more func(context.Context, *store.Tx, *store.Publication) error) (time.Time, error) {
	code := codeOutcomeUnknown
	return w.settle(ctx, settlement{attempt: w.attemptOver(operation), outcome: "unclear", code: code, message: message,
		next: "a person has to look and resolve it",
		change: func(p *store.Publication) {
			p.Status, p.ErrorCode, p.ErrorMessage, p.WakeAt = crier.Unknown, &code, &message, nil
			w.noteParts(p)
		},
		more: more})
}
