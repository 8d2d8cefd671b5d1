package service

import (
	"context"
	"errors"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// commit makes one thing public, behind a fenced attempt.
func (w *publishing) commit(ctx context.Context) (time.Time, error) {
	if short, err := w.ensureReserved(ctx); err != nil || short {
		if err != nil {
			return time.Time{}, err
		}
		return w.fail(ctx, nil, codeCreditsExhausted, "the organization's credits do not cover this post")
	}
	return w.attempt(ctx, opPublish, w.network.Commit, nil)
}

// call is a call to a network that can make something public.
type call func(context.Context, provider.Account, provider.Content, provider.State) (provider.State, error)

// attempt makes a call that can make something public: its row first, then the call, then the result. repeats is the
// attempt that it takes the place of.
func (w *publishing) attempt(ctx context.Context, operation string, send call, repeats *crier.ID) (time.Time, error) {
	done, err := w.lanes.turn(ctx, w.p.SocialAccountID)
	if errors.Is(err, errClosing) {
		return w.rest(ctx, w.clock())
	}
	if err != nil {
		return time.Time{}, err
	}
	defer done()
	a := w.newAttempt(operation)
	begun, err := w.begin(ctx, &store.Beginning{Publication: w.p, Owner: w.owner, Attempt: a, Repeats: repeats})
	switch {
	case err != nil && repeats == nil && store.Unavailable(err):
		// Whether the row was committed is not known, but nothing was sent. That is worth writing down.
		return w.failed(ctx, &a, operation, provider.ErrNotSent)
	case err != nil:
		return time.Time{}, err
	case !begun:
		return time.Time{}, errLeaseLost
	}
	w.p.Status = crier.Publishing
	w.passed(StepBegun)
	st, err := w.send(ctx, a, send)
	w.passed(StepSent)
	return w.sent(ctx, a, st, err)
}

// begin commits the intention to send.
func (w *publishing) begin(ctx context.Context, b *store.Beginning) (begun bool, err error) {
	err = w.beginnings.do(ctx, b)
	return b.Begun && err == nil, err
}

// newAttempt is an attempt that is about to begin, with its fence.
func (w *publishing) newAttempt(operation string) store.Attempt {
	now := w.now()
	sendBefore := crier.TimeOf(now.Add(w.timings.SendWindow))
	settled := crier.TimeOf(sendBefore.Add(w.timings.commitTimeout(w.info) + w.timings.SettleSlack))
	a := store.Attempt{
		Attempt:         crier.Attempt{ID: crier.NewID(), Operation: operation, Part: w.state.NextPart(), StartedAt: now},
		ScheduledPostID: w.p.ScheduledPostID, SendBefore: &sendBefore, SettledAfter: &settled,
	}
	if w.p.Action {
		a.ActionID = &w.p.ID
	}
	return a
}

// attemptOver is an attempt that is written when it is over: one that could not publish anything.
func (w *publishing) attemptOver(operation string) *store.Attempt {
	a := w.newAttempt(operation)
	a.SendBefore, a.SettledAfter = nil, nil
	if len(w.exchanges) > 0 {
		a.StartedAt = w.exchanges[0].StartedAt
	}
	return &a
}

// send makes the call, unless the fence has passed: a process that was frozen and woke up sends nothing.
func (w *publishing) send(ctx context.Context, a store.Attempt, send call) (provider.State, error) {
	// The call is not cut off when the server stops: an answer that is not waited for is an unknown outcome.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.timings.commitTimeout(w.info))
	defer cancel()
	ctx = provider.WithSendBefore(w.recording(ctx), a.SendBefore.Time)
	if w.clock().After(a.SendBefore.Time) {
		return w.state, provider.ErrNotSent
	}
	if !w.p.Action && a.Part == 0 && a.Operation == opPublish {
		w.observer.Late(w.p.Provider, w.clock().Sub(w.p.ScheduledAt.Time))
	}
	return send(ctx, w.client, w.content, w.state.Clone())
}

// sent commits what came of a call.
func (w *publishing) sent(ctx context.Context, a store.Attempt, st provider.State, err error) (time.Time, error) {
	w.state = st
	if err == nil {
		w.forget(&w.state)
		return w.advanced(ctx, &a, outcomePublished)
	}
	failure := provider.AsError(err)
	switch {
	case failure.Kind == provider.OutcomeUnknown:
		return w.lostAnswer(ctx, a, failure)
	case a.Operation == opResend: // which says nothing about the request that it repeats
		w.closeAttempt(&a, store.OutcomeUnknown)
		return w.lookLater(ctx, a, failure)
	}
	return w.failed(ctx, &a, a.Operation, err)
}

// The operations that can make something public.
const (
	opPublish = "publish"
	opResend  = "resend"
)

// The outcomes of attempts that made something public, or have the network work on it.
const (
	outcomePublished = "published"
	outcomeAccepted  = "accepted"
)

// advanced commits a step forward: a part is public, or the network works on it.
func (w *publishing) advanced(ctx context.Context, a *store.Attempt, outcome string) (time.Time, error) {
	next := later(w.state.NextPollAfter, w.clock())
	goOn := func(status crier.ScheduledPostStatus, outcome, step string) (time.Time, error) {
		return w.settle(ctx, settlement{attempt: a, outcome: outcome, next: step, nextAt: &next, capture: true,
			change: func(p *store.Publication) {
				p.Status, p.WakeAt, p.Tries, p.ErrorCode, p.ErrorMessage = status, timeOrNil(next), 0, nil, nil
			}})
	}
	switch {
	case w.state.RequiresPolling:
		return goOn(crier.Processing, outcomeAccepted, "ask the network how it is getting on")
	case !w.state.Done:
		return goOn(crier.Publishing, outcome, "publish the next part of the thread")
	}
	return w.finish(ctx, a, outcome)
}

// pollFor is how long the network is asked how it is getting on before a person has to.
const pollFor = 24 * time.Hour

// poll asks how the network is getting on.
func (w *publishing) poll(ctx context.Context) (time.Time, error) {
	if w.clock().Sub(later(w.p.ScheduledAt.Time, w.state.PollingSince)) > pollFor {
		return w.stopPolling(ctx)
	}
	if err := w.authorize(ctx); err != nil {
		return w.failed(ctx, nil, "poll", err)
	}
	st, err := w.network.Poll(w.recording(ctx), w.client, w.content, w.state.Clone())
	w.state = st
	if err != nil {
		return w.failed(ctx, nil, "poll", err)
	}
	if st.RequiresPolling {
		if err := w.save(ctx); err != nil {
			return time.Time{}, err
		}
		return w.rest(ctx, later(st.NextPollAfter, w.clock().Add(time.Second)))
	}
	return w.advanced(ctx, nil, outcomePublished)
}

// stopPolling ends the questions to a network that has not answered them for too long.
func (w *publishing) stopPolling(ctx context.Context) (time.Time, error) {
	const message = "the network took the post, and has not told for a day what became of it"
	if w.state.Done { // it is public; only what was to be done afterwards is open
		w.state.Warnings = append(w.state.Warnings, message)
		w.state.RequiresPolling = false
		return w.finish(ctx, nil, outcomePublished)
	}
	return w.leaveToPerson(ctx, "poll", message, nil)
}
