package publish

import (
	"context"
	"errors"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// reconcileFor is how long the outcome of an attempt is looked up before a person has to decide.
	reconcileFor = 30 * time.Minute
	// clockSlack is the tolerated clock difference: lookups start a little before the attempt.
	clockSlack = 10 * time.Second
)

// earlyLookups are the delays after a lost answer of lookups made while the request may still be in flight. Where reads
// are scarce there is one such lookup, when most posts are visible.
var (
	earlyLookups       = []time.Duration{time.Second, 3 * time.Second, 8 * time.Second, 20 * time.Second}
	scarceEarlyLookups = []time.Duration{2500 * time.Millisecond}
)

// outcomeNotSent is the outcome of a repetition whose time was over before it was sent.
const outcomeNotSent = "not_sent"

// maxReadings bounds the exchanges of one early lookup: some networks need two to find a post and its id.
const maxReadings = 3

// lostAnswer returns the verdict on a call without an answer, which is reconciled later.
func (w *worker) lostAnswer(a store.Attempt, failure *provider.Error) verdict {
	if w.progress.FirstSend.IsZero() {
		w.progress.FirstSend = a.StartedAt.Time
	}
	w.progress.LostAt, w.progress.EarlyLookups = w.pub.clock(), 0
	return verdict{result: lost, attempt: &a, outcome: store.OutcomeUnknown, code: codeOutcomeUnknown,
		message: failure.Message, next: "find out whether it was published", at: w.nextLookup(a)}
}

// reconcile determines the outcome of an attempt without a known result. Until the fence, the call's timeout and a
// slack have passed, the request may still be in flight: until then a found post is proof, absence is not.
func (w *worker) reconcile(ctx context.Context, last store.Attempt) (verdict, error) {
	now := w.pub.clock()
	if settled := last.SettledAfter; settled != nil && now.Before(settled.Time) {
		return w.lookUpEarly(ctx, last)
	}
	first := w.firstSend(last)
	reconciler, strategy := w.strategy()
	if reconciler == nil {
		return w.giveUp(last, "this network gives no way to find out whether the post was published"), nil
	}
	if earliest := first.Add(strategy.NotBefore); now.Before(earliest) {
		return w.waitUntil(earliest), nil
	}
	if strategy.Method == provider.Impossible {
		return w.giveUp(last, "this connection gives no way to find out whether the post was published"), nil
	}
	if !now.Before(w.lookupsEnd(last)) {
		return w.giveUp(last, "it took too long to find out whether the post was published"), nil
	}
	if err := w.authorize(ctx); err != nil {
		return w.retryLookup(ctx, last, provider.AsError(err))
	}
	if strategy.Method == provider.ByResending {
		return w.resend(ctx, last, first)
	}
	return w.lookUpOutcome(ctx, last, reconciler, strategy)
}

// strategy returns how the network's outcomes can be reconciled; a nil reconciler means that they cannot.
func (w *worker) strategy() (provider.Reconciler, provider.Strategy) {
	reconciler := w.pub.providers.Features(w.network).Reconciler
	if reconciler == nil {
		return nil, provider.Strategy{}
	}
	return reconciler, w.pub.timings.paced(reconciler.Strategy(NetworkAccount(w.account), w.content, w.state))
}

// lookUpEarly looks for a published post before its absence can be trusted. A found post is proof at any time; any
// other result only counts the lookup, because the post may still appear.
func (w *worker) lookUpEarly(ctx context.Context, last store.Attempt) (verdict, error) {
	if w.progress.LostAt.IsZero() { // its worker died some time ago: the first lookup is due
		w.progress.LostAt = w.pub.clock().Add(-w.pub.timings.early(w.lookupTimes(), 0))
	}
	if next := w.nextLookup(last); next.After(w.pub.clock()) {
		return w.waitUntil(next), nil
	}
	outcome, st, err := w.readNow(ctx, last)
	if err != nil {
		return verdict{}, err
	}
	if outcome == provider.OutcomePublished {
		own, err := w.isOwn(ctx, st)
		if err != nil || own {
			return w.foundPost(last, st), err
		}
		outcome = provider.OutcomePending
	}
	w.progress.EarlyLookups++
	return w.lookUpAgain(string(outcome), "look again: the request may still be under way", w.nextLookup(last)), nil
}

// nextLookup returns when to look up an attempt next: early where the network can be read, else when absence can be
// trusted.
func (w *worker) nextLookup(last store.Attempt) time.Time {
	settled := last.SettledAfter.Time
	_, strategy := w.strategy()
	looks := w.lookupTimes()
	if strategy.Method != provider.ByReading || w.progress.EarlyLookups >= len(looks) {
		return settled
	}
	return earlier(w.progress.LostAt.Add(w.pub.timings.early(looks, w.progress.EarlyLookups)), settled)
}

func (w *worker) lookupTimes() []time.Duration {
	if _, strategy := w.strategy(); strategy.Scarce {
		return scarceEarlyLookups
	}
	return earlyLookups
}

// readNow reads what the network shows now. Like absence, an error of the network proves nothing.
func (w *worker) readNow(ctx context.Context, last store.Attempt) (provider.Outcome, provider.State, error) {
	reconciler, strategy := w.strategy()
	st := w.state
	if err := w.authorize(ctx); err != nil {
		return provider.Outcome(provider.AsError(err).Kind), st, nil
	}
	_, taken, err := w.rivals(ctx)
	if err != nil {
		return "", st, err
	}
	attempt := provider.Attempt{StartedAt: last.StartedAt.Time, Taken: taken}
	for readings := 1; ; readings++ {
		outcome, found, err := w.lookUpAttempt(ctx, attempt, reconciler, st)
		if err != nil {
			return provider.Outcome(provider.AsError(err).Kind), st, nil
		}
		if outcome != provider.OutcomePending || strategy.Scarce || readings == maxReadings ||
			found.NextPollAfter.After(w.pub.clock()) {
			return outcome, found, nil
		}
		st = found
	}
}

// firstSend returns when the first attempt with an unknown outcome started.
func (w *worker) firstSend(last store.Attempt) time.Time {
	if w.progress.FirstSend.IsZero() {
		return last.StartedAt.Time
	}
	return w.progress.FirstSend
}

// lookUpOutcome reads the outcome from the network.
func (w *worker) lookUpOutcome(ctx context.Context, last store.Attempt, r provider.Reconciler,
	strategy provider.Strategy) (verdict, error) {
	_, taken, err := w.rivals(ctx)
	if err != nil {
		return verdict{}, err
	}
	attempt := provider.Attempt{StartedAt: last.StartedAt.Time, Taken: taken}
	outcome, st, err := w.lookUpAttempt(ctx, attempt, r, w.state)
	if err != nil {
		return w.retryLookup(ctx, last, provider.AsError(err))
	}
	switch outcome {
	case provider.OutcomePublished:
		own, err := w.isOwn(ctx, st)
		if err != nil || own {
			return w.foundPost(last, st), err
		}
		return w.lookUpAgain("pending", "look again: another post looks the same",
			w.pub.clock().Add(lookAgainForRivals)), nil
	case provider.OutcomePending:
		w.state = st
		return w.lookUpAgain("pending", "look again", later(st.NextPollAfter, w.pub.clock().Add(5*time.Second))), nil
	case provider.OutcomeAbsent:
		return w.absent(last, st, strategy), nil
	}
	return w.giveUp(last, "what the network shows does not prove whether the post was published"), nil
}

// foundPost returns the verdict of a lookup that found the post.
func (w *worker) foundPost(last store.Attempt, st provider.State) verdict {
	w.progress.settled()
	attempt := w.attemptOver("reconcile") // before the state advances to the next part
	w.state = st
	v := w.advanced(attempt)
	v.resolved = []store.ResolvedAttempt{{ID: last.ID, Outcome: outcomePublished}}
	return v
}

// lookUpAttempt looks up an attempt at the network. Networks date posts by their own clocks: if this machine's clock is
// ahead, the post seems older than its attempt, so the lookup starts earlier.
func (w *worker) lookUpAttempt(ctx context.Context, last provider.Attempt, r provider.Reconciler,
	st provider.State) (provider.Outcome, provider.State, error) {
	reconcile := func() (provider.Outcome, provider.State, error) {
		at := last
		at.StartedAt = last.StartedAt.Add(-w.progress.ClockAhead)
		return r.Reconcile(ctx, w.client, w.content, st.Clone(), at)
	}
	outcome, found, err := reconcile()
	measured := provider.ClockAhead(w.exchanges)
	if outcome == provider.OutcomePublished || measured < w.progress.ClockAhead+clockSlack {
		return outcome, found, err
	}
	w.progress.ClockAhead = measured
	return reconcile()
}

// absent counts lookups that did not find the post; after enough of them it may be retried.
func (w *worker) absent(last store.Attempt, st provider.State, strategy provider.Strategy) verdict {
	if w.progress.Absences++; w.progress.Absences < strategy.Absences {
		return w.lookUpAgain(outcomeAbsent, "look again to be sure",
			w.pub.clock().Add(max(time.Second, strategy.Apart)))
	}
	w.progress.settled()
	w.state = st
	v := verdict{result: absent, attempt: w.attemptOver("reconcile"), outcome: outcomeAbsent,
		next: "publish it: the earlier call had no effect", at: w.pub.clock()}
	if w.pub.clock().After(w.lateUntil()) && len(st.Published) == 0 {
		v = w.finishMissed(v.attempt, string(provider.CodeProviderUnavailable),
			"it was not published, and its time has passed")
	}
	v.resolved = []store.ResolvedAttempt{{ID: last.ID, Outcome: outcomeAbsent}}
	return v
}

// resend sends the identical request again: the network answers with the existing post. The time of the first send is
// recorded before, because the network deduplicates only for a limited time.
func (w *worker) resend(ctx context.Context, last store.Attempt, first time.Time) (verdict, error) {
	resender := w.pub.providers.Features(w.network).Resender
	if resender == nil {
		return w.giveUp(last, "this network gives no way to find out whether the post was published"), nil
	}
	w.progress.FirstSend = first
	if err := w.save(ctx); err != nil {
		return verdict{}, err
	}
	sent := false
	v, err := w.attempt(ctx, opResend, func(ctx context.Context, a provider.Account, c provider.Content,
		st provider.State) (provider.State, error) {
		st, err := resender.Resend(ctx, a, c, st)
		sent = !errors.Is(err, provider.ErrNotSent)
		return st, err
	}, &last.ID)
	if err != nil || sent {
		return v, err
	}
	return w.notSent(ctx, last, v)
}

// notSent completes the verdict on a repetition whose fence passed before it was sent: the earlier call is in doubt as
// before, and the record tells that nothing was sent. Only the settlement may end the repetition, because an ended one
// leaves nothing in doubt. If another worker has the row, it has repeated the call or will.
func (w *worker) notSent(ctx context.Context, last store.Attempt, v verdict) (verdict, error) {
	begun := len(v.resolved) - 1
	if begun < 0 {
		return v, nil // it did not start
	}
	a := w.attemptOver(opResend)
	a.ID = v.resolved[begun].ID
	v.resolved = []store.ResolvedAttempt{{ID: last.ID, Outcome: store.OutcomeUnknown},
		{ID: a.ID, Outcome: outcomeNotSent}}
	said := verdict{attempt: a, outcome: outcomeNotSent, message: provider.ErrNotSent.Message, next: v.next, at: v.at,
		now: w.pub.clock.Now()}
	if v.result == undecided { // nothing was asked of the network: this is all there is to tell
		a.Exchanges, v.attempt = w.exchanges, nil
	}
	err := w.pub.store.NoteNotSent(context.WithoutCancel(ctx), *said.endedAttempt())
	w.pub.report(ctx, w.p, said, err)
	return v, err
}

// lookUpAgain returns the verdict of an inconclusive lookup.
func (w *worker) lookUpAgain(outcome, next string, at time.Time) verdict {
	return verdict{result: undecided, attempt: w.attemptOver("reconcile"), outcome: outcome, next: next, at: at,
		tries: w.p.Tries}
}

// retryLookup retries a lookup that failed.
func (w *worker) retryLookup(ctx context.Context, last store.Attempt, failure *provider.Error) (verdict, error) {
	const message = "the network could not be asked whether the post was published: "
	if failure.Kind == provider.Rejected || failure.Kind == provider.AuthExpired &&
		w.account.Status != crier.AccountConnected {
		return w.giveUp(last, message+failure.Message), nil
	}
	if failure.Kind == provider.AuthExpired {
		_, err := w.pub.tokens.Renew(ctx, w.account)
		if err != nil && provider.AsError(err).Kind == provider.AuthExpired {
			return w.giveUp(last, message+failure.Message), nil
		}
	}
	now, end := w.pub.clock(), w.lookupsEnd(last)
	if !now.Add(failure.RetryAfter).Before(end) {
		return w.giveUp(last, message+failure.Message), nil
	}
	v := w.lookUpAgain(string(failure.Kind), "ask again", time.Time{})
	v.tries++
	v.code, v.message = string(failure.Code), failure.Message
	v.at = earlier(now.Add(max(failure.RetryAfter, w.pub.backoff(v.tries))), end)
	return v, nil
}

// lookupsEnd returns when a person has to decide if no lookup has told the outcome by then.
func (w *worker) lookupsEnd(last store.Attempt) time.Time {
	most := reconcileFor
	if _, strategy := w.strategy(); strategy.NotAfter > 0 {
		most = min(most, strategy.NotAfter)
	}
	return w.firstSend(last).Add(most)
}

// giveUp ends the search for the outcome of an attempt.
func (w *worker) giveUp(last store.Attempt, message string) verdict {
	v := w.leaveToPerson("reconcile", message)
	v.resolved = []store.ResolvedAttempt{{ID: last.ID, Outcome: store.OutcomeUnknown}}
	return v
}

// leaveToPerson leaves an unknown outcome to a person. Credits stay reserved until it is resolved.
func (w *worker) leaveToPerson(operation, message string) verdict {
	return verdict{result: unclear, attempt: w.attemptOver(operation), outcome: "unclear", code: codeOutcomeUnknown,
		message: message, next: "a person has to check the network and resolve it"}
}
