package publish

import (
	"context"
	"errors"

	"crier"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/store"
)

// commit publishes one part under a fenced attempt.
func (w *worker) commit(ctx context.Context) (verdict, error) {
	short, err := w.ensureReserved(ctx)
	if err != nil {
		return verdict{}, err
	}
	if short {
		return w.finishFailed(nil, codeCreditsExhausted, "the organization's credits do not cover this post"), nil
	}
	return w.attempt(ctx, opPublish, w.network.Commit, nil)
}

// ensureReserved reserves the credits of a publication in a series that could not reserve them earlier. short is true
// when it still cannot.
func (w *worker) ensureReserved(ctx context.Context) (short bool, err error) {
	total := w.p.Actions.Total()
	if w.p.IsAction() || total == 0 || w.p.Reserved > 0 || w.p.Captured > 0 {
		return false, nil
	}
	err = w.pub.store.WithTx(ctx, func(tx *store.Tx) error {
		ok, err := tx.SetReserved(ctx, w.p, w.owner, total)
		if err != nil {
			return err
		}
		if !ok {
			return errLeaseLost
		}
		return ledger.Reserve(ctx, tx, ledger.Charge{Organization: w.p.OrganizationID, Publication: &w.p.ID,
			Amount: total, At: w.pub.clock.Now()})
	})
	if crier.IsKind(err, crier.KindPaymentRequired) {
		return true, nil
	}
	if err == nil {
		w.p.Reserved = total
	}
	return false, err
}

// call is a network call that can publish something.
type call func(context.Context, provider.Account, provider.Content, provider.State) (provider.State, error)

// attempt makes a call that can publish something: it writes the attempt row, makes the call, then records the result.
// repeats is the attempt it replaces.
func (w *worker) attempt(ctx context.Context, operation string, send call, repeats *crier.ID) (verdict, error) {
	release, err := w.pub.limiter.acquire(ctx, w.p.SocialAccountID)
	switch {
	case errors.Is(err, errClosing):
		return w.waitUntil(w.pub.clock()), nil
	case errors.Is(err, errAccountBusy):
		return w.waitUntil(w.pub.clock().Add(w.pub.limiter.pause())), nil
	case err != nil:
		return verdict{}, err
	}
	defer release()
	a := w.newAttempt(operation)
	started, err := w.startAttempt(ctx, &store.AttemptStart{Publication: w.p, Owner: w.owner, Attempt: a,
		Repeats: repeats, LeaseUntil: crier.TimeOf(a.StartedAt.Add(w.pub.timings.CallLease))})
	switch {
	case err != nil && repeats == nil && store.Unavailable(err):
		// It is not known whether the row was committed, but nothing was sent: record that.
		return w.handleError(ctx, &a, operation, provider.ErrNotSent)
	case err != nil:
		return verdict{}, err
	case !started:
		return w.notStarted(ctx)
	}
	w.p.Status = crier.Publishing
	w.keepLease(ctx, w.pub.timings.CallLease)
	w.passed(StepBegun)
	st, err := w.send(ctx, a, send)
	w.passed(StepSent)
	return w.sent(ctx, a, st, err)
}

// notStarted tells why an attempt may not begin: the account is not connected any more, or the row was taken.
func (w *worker) notStarted(ctx context.Context) (verdict, error) {
	account, err := w.pub.store.Account(ctx, w.account.ID)
	if err != nil {
		return verdict{}, err
	}
	if account.Status == crier.AccountConnected {
		return verdict{}, errLeaseLost
	}
	w.account.Status = account.Status
	return w.awaitAccount(), nil
}

// startAttempt commits the start of an attempt.
func (w *worker) startAttempt(ctx context.Context, b *store.AttemptStart) (started bool, err error) {
	if b.Event, err = startedEvent(b.Publication, b.Attempt.StartedAt); err != nil {
		return false, err
	}
	if err := b.Encode(); err != nil {
		return false, err
	}
	err = w.pub.starts.do(ctx, write{start: b})
	return b.Begun && err == nil, err
}

// newAttempt returns an attempt that is about to start, with its fence.
func (w *worker) newAttempt(operation string) store.Attempt {
	now := w.pub.clock.Now()
	sendBefore := crier.TimeOf(now.Add(w.pub.timings.SendWindow))
	settled := crier.TimeOf(sendBefore.Add(w.pub.timings.commitTimeout(w.info) + w.pub.timings.SettleSlack))
	a := store.Attempt{
		Attempt: crier.Attempt{ID: crier.NewID(), Operation: operation, Part: w.state.NextPart(),
			StartedAt: now},
		ScheduledPostID: w.p.ScheduledPostID, SendBefore: &sendBefore, SettledAfter: &settled,
	}
	if w.p.IsAction() {
		a.ActionID = &w.p.ID
	}
	return a
}

// attemptOver returns an attempt that is recorded after the fact, because it could not publish anything.
func (w *worker) attemptOver(operation string) *store.Attempt {
	a := w.newAttempt(operation)
	a.SendBefore, a.SettledAfter = nil, nil
	if len(w.exchanges) > 0 {
		a.StartedAt = w.exchanges[0].StartedAt
	}
	return &a
}

// send makes the call unless the fence has passed, so that a process that was frozen does not send when it wakes up.
func (w *worker) send(ctx context.Context, a store.Attempt, send call) (provider.State, error) {
	// The call is not canceled at shutdown: an abandoned answer would be an unknown outcome.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.pub.timings.commitTimeout(w.info))
	defer cancel()
	ctx = provider.WithSendBefore(ctx, a.SendBefore.Time)
	if w.pub.clock().After(a.SendBefore.Time) {
		return w.state, provider.ErrNotSent
	}
	if !w.p.IsAction() && a.Part == 0 && a.Operation == opPublish {
		w.pub.observer.Late(w.p.Provider, w.pub.clock().Sub(w.p.ScheduledAt.Time))
	}
	return send(ctx, w.client, w.content, w.state.Clone())
}

// sent turns the result of a call into a verdict.
func (w *worker) sent(ctx context.Context, a store.Attempt, st provider.State, err error) (verdict, error) {
	if err == nil && a.Operation == opResend {
		if v, err := w.unlessTaken(ctx, a, st); v != nil || err != nil {
			return orZero(v), err
		}
	}
	w.state = st
	if err == nil {
		w.progress.settled()
		v := w.advanced(&a)
		if v.health == nil { // the network accepted a call, so no rate limit applies any more
			v.health = w.recovered()
		}
		return v, nil
	}
	failure := provider.AsError(err)
	switch {
	case failure.Kind == provider.OutcomeUnknown:
		return w.lostAnswer(a, failure), nil
	case a.Operation == opResend: // which says nothing about the request that it repeats
		v, err := w.retryLookup(ctx, a, failure)
		v.resolved = append(v.resolved, store.ResolvedAttempt{ID: a.ID, Outcome: store.OutcomeUnknown})
		return v, err
	}
	return w.handleError(ctx, &a, a.Operation, err)
}

// unlessTaken returns the verdict on a repetition that the network takes for the post of another publication: then it
// has probably accepted neither call. It returns nil for any other post.
func (w *worker) unlessTaken(ctx context.Context, a store.Attempt, st provider.State) (*verdict, error) {
	_, taken, err := w.rivals(ctx)
	if err != nil {
		return nil, err
	}
	for _, part := range st.Published[min(len(w.state.Published), len(st.Published)):] {
		if taken[part.PlatformPostID] {
			v := w.leaveToPerson(opResend, "the network takes it for a duplicate of the post "+part.PlatformPostID+
				", which belongs to another scheduled post")
			v.attempt, v.outcome = &a, store.OutcomeUnknown
			return &v, nil
		}
	}
	return nil, nil
}

// The operations that can publish something.
const (
	opPublish = "publish"
	opResend  = "resend"
)

// The outcomes of attempts that the engine sets itself.
const (
	outcomePublished = "published" // something is public
	outcomeAccepted  = "accepted"  // the network is processing it
	outcomeAbsent    = "absent"    // nothing is public
)

// advanced returns the verdict of progress: a part was published, or the network is processing it.
func (w *worker) advanced(a *store.Attempt) verdict {
	next := later(w.state.NextPollAfter, w.pub.clock())
	switch {
	case w.state.RequiresPolling:
		return verdict{result: accepted, attempt: a, outcome: outcomeAccepted, at: next,
			next: "ask the network for its progress"}
	case !w.state.Done:
		return verdict{result: partPublished, attempt: a, outcome: outcomePublished, at: next,
			next: "publish the next part of the thread"}
	}
	return w.finishPublished(a, outcomePublished)
}
