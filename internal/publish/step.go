package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// step takes the lease, performs one step, and releases the lease with the row.
func (s *Publisher) step(ctx context.Context, id crier.ID, epoch int64, run store.Run) (time.Time, error) {
	w := &worker{pub: s, owner: crier.NewID()}
	lease := &store.LeaseRequest{ID: id, Epoch: epoch, Owner: w.owner, Run: run}
	if err := s.lease(ctx, lease); err != nil {
		return time.Time{}, err
	}
	if !lease.Leased {
		return s.notDue(ctx, id, epoch, lease.Now)
	}
	w.p, w.around = lease.Publication, lease.Context
	w.keepLease(ctx, s.timings.Lease)
	defer w.dropLease() // also if a network's client panics: others must be able to go on
	w.passed(StepLeased)
	next, err := w.work(ctx)
	w.dropLease()
	switch {
	case errors.Is(err, errLeaseLost): // edited, moved or canceled meanwhile
		return time.Time{}, nil
	case err != nil:
		released := s.releaseAfterError(ctx, w.p.ID, w.p.Epoch, w.owner)
		w.passed(StepReleased)
		return time.Time{}, errors.Join(fmt.Errorf("work on %s: %w", w.p.ID, err), released)
	}
	return next, nil
}

// notDue returns when to retry a publication that could not be leased. Zero leaves it to the lease holder, or to the
// sweep if the lease expires.
func (s *Publisher) notDue(ctx context.Context, id crier.ID, epoch int64, now crier.Time) (time.Time, error) {
	wake, err := s.store.NotDueUntil(ctx, id, epoch, now)
	if err != nil || wake == nil {
		return time.Time{}, err
	}
	return wake.Time, nil
}

// worker is one worker's step on one publication.
type worker struct {
	pub       *Publisher
	owner     crier.ID
	p         store.Publication
	parent    store.Publication // of an action: the publication it follows
	around    *store.PublishContext
	account   store.Account
	network   provider.Provider
	info      provider.Info
	client    provider.Account // the account with its token, once it is needed
	content   provider.Content
	state     provider.State
	progress  Progress
	exchanges []crier.Exchange
	spent     int64  // credits that removals have cost
	stopLease func() // set by keepLease
}

// work reaches a verdict on the publication and commits it.
func (w *worker) work(ctx context.Context) (time.Time, error) {
	v, err := w.decide(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if v.result == waiting {
		return w.releaseUntil(ctx, v.at)
	}
	return w.settle(ctx, v)
}

// waitUntil returns the verdict that there is nothing to do yet.
func (w *worker) waitUntil(at time.Time) verdict { return verdict{result: waiting, at: at} }

// decide performs the next step of the row.
func (w *worker) decide(ctx context.Context) (verdict, error) {
	if err := w.load(ctx); err != nil {
		return verdict{}, err
	}
	if w.network == nil {
		return w.finishFailed(nil, string(provider.CodeProviderUnavailable),
			fmt.Sprintf("this installation has no client for %s", w.p.Provider)), nil
	}
	ctx = w.recording(ctx) // the limits are those of the account, which is loaded by now
	if w.p.Status == crier.Processing {
		return w.poll(ctx)
	}
	if restore, err := w.fromBackup(ctx); err != nil {
		return verdict{}, err
	} else if restore != nil {
		return w.lookUpAfterRestore(ctx, *restore)
	}
	if w.p.Status == crier.Publishing {
		last, err := w.pub.store.LastSend(ctx, w.p)
		if err != nil {
			return verdict{}, err
		}
		if last != nil && last.Unresolved() {
			return w.reconcile(ctx, *last)
		}
	}
	return w.forward(ctx)
}

// load reads everything that the step needs.
func (w *worker) load(ctx context.Context) (err error) {
	if w.around == nil {
		return fmt.Errorf("the content or the account of %s no longer exists", w.p.ID)
	}
	w.account = w.around.Account
	var ok bool
	if w.network, ok = w.pub.providers.Get(string(w.p.Provider)); !ok {
		return nil
	}
	w.info = w.pub.providers.InfoFor(w.network, NetworkAccount(w.account))
	if w.state, w.progress, err = w.pub.loadState(w.p); err != nil {
		return err
	}
	if w.p.IsAction() {
		if w.parent, err = w.pub.store.Publication(ctx, w.p.ScheduledPostID); err != nil {
			return err
		}
		w.content, err = w.pub.content.action(ctx, w.pub.store, w.p, w.parent)
		w.content = Adapt(w.info, w.content)
		return err
	}
	post, err := w.pub.content.Stored(ctx, w.pub.store, w.p.TeamID, w.around.Content)
	if err != nil {
		return err
	}
	w.content = post.For(w.p.Provider, w.p.SocialAccountID)
	w.content, err = w.pub.content.WithSettings(ctx, w.pub.store, w.p.TeamID, w.network, Adapt(w.info, w.content),
		w.p.Settings)
	return err
}

// pollFor is how long a processing post is polled before a person has to decide.
const pollFor = 24 * time.Hour

// poll asks the network for the state of a processing post.
func (w *worker) poll(ctx context.Context) (verdict, error) {
	if w.pub.clock().After(w.pollUntil()) {
		return w.stopPolling("the network accepted the post, but has not reported a result for a day"), nil
	}
	if err := w.authorize(ctx); err != nil {
		return w.handleError(ctx, nil, "poll", err)
	}
	st, err := w.network.Poll(ctx, w.client, w.content, w.state.Clone())
	w.state = st
	if failure, ok := errors.AsType[*provider.Error](err); ok && failure.Kind == provider.OutcomeUnknown {
		return w.stopPolling(failure.Message), nil
	}
	if err != nil {
		return w.handleError(ctx, nil, "poll", err)
	}
	if st.RequiresPolling {
		return w.waitUntil(later(st.NextPollAfter, w.pub.clock().Add(time.Second))), w.save(ctx)
	}
	return w.advanced(nil), nil
}

// pollUntil returns how long a processing post is polled.
func (w *worker) pollUntil() time.Time {
	return later(w.p.ScheduledAt.Time, w.state.PollingSince).Add(pollFor)
}

// stopPolling gives up on a post that has been processing for too long, or that the network accepted and lost. It may
// be public, so nothing may publish it again.
func (w *worker) stopPolling(message string) verdict {
	w.state.RequiresPolling = false
	if w.state.Done { // it is published; only the follow-up is open
		w.state.Warnings = append(w.state.Warnings, message)
		return w.finishPublished(nil, outcomePublished)
	}
	return w.leaveToPerson("poll", message)
}

// lateUntil returns the deadline for automatic publishing. A comment that waits for likes has its window instead.
func (w *worker) lateUntil() time.Time {
	allowed := time.Duration(w.around.LateMinutes) * time.Minute
	if w.p.Kind == store.EngagementComment && w.p.ExpiresAt != nil {
		return w.p.ExpiresAt.Add(max(dispatchSlack, allowed))
	}
	return w.p.ScheduledAt.Add(max(dispatchSlack, allowed))
}

// tooLate reports whether nothing has been published and the deadline has passed.
func (w *worker) tooLate() bool {
	return w.pub.clock().After(w.lateUntil()) && len(w.state.Published) == 0
}

// forward prepares, waits for the scheduled second, and commits.
func (w *worker) forward(ctx context.Context) (verdict, error) {
	switch {
	case w.around.Gone && len(w.state.Published) == 0:
		return w.finishCanceled("canceled", "the post or its team was deleted"), nil
	case w.tooLate():
		return w.finishMissed(nil, w.lastCode(), "its time had passed before it could be published"), nil
	case w.followsNothing():
		return w.finishFailed(nil, string(provider.CodeContentRejected), "the id of the post that this belongs to is "+
			"not known, and without it this would become a post of its own"), nil
	case lacksFiles(w.info, w.content, w.state):
		return w.finishFailed(nil, string(provider.CodeMediaRejected), filesDeleted), nil
	case w.account.Status != crier.AccountConnected:
		return w.awaitAccount(), nil
	}
	if v, err := w.prepareCall(ctx); v != nil || err != nil {
		return orZero(v), err
	}
	due := w.p.ScheduledAt.Time
	if early := due.Add(-settleLead); w.pub.clock().Before(early) {
		return w.waitUntil(early), nil
	}
	if err := sleepUntil(ctx, w.pub.clock, due); err != nil {
		return verdict{}, err
	}
	if w.tooLate() { // the machine was suspended while the worker slept
		return w.waitUntil(w.pub.clock()), nil
	}
	return w.commit(ctx)
}

// followsNothing reports whether the next thing to publish belongs to a post whose id nobody has told: the network, or
// the person who said that the post is public.
func (w *worker) followsNothing() bool {
	if w.p.IsAction() {
		return crier.Text(w.parent.PlatformPostID) == ""
	}
	parts := w.state.Published
	return len(parts) > 0 && parts[len(parts)-1].PlatformPostID == ""
}

// prepareCall does everything that must precede the publishing call. It returns nil when that is done.
func (w *worker) prepareCall(ctx context.Context) (*verdict, error) {
	if w.p.Kind == store.EngagementComment {
		if v, err := w.awaitLikes(ctx); v != nil || err != nil {
			return v, err
		}
	}
	if err := w.authorize(ctx); err != nil {
		v, err := w.handleError(ctx, nil, "prepare", err)
		return &v, err
	}
	return w.prepare(ctx)
}

func orZero(v *verdict) verdict {
	if v == nil {
		return verdict{}
	}
	return *v
}

func (w *worker) lastCode() string {
	if w.p.ErrorCode != nil {
		return *w.p.ErrorCode
	}
	return string(provider.CodeProviderUnavailable)
}

// awaitAccount waits until the account is reconnected, within the post's allowed delay.
func (w *worker) awaitAccount() verdict {
	code, message := string(provider.CodeAccountDisconnected),
		"the account is "+string(w.account.Status)+"; connect or enable it, and the post is published"
	if w.account.Status == crier.AccountRefreshNeeded {
		code = string(provider.CodeAuthExpired)
	}
	if w.pub.clock().After(w.lateUntil()) {
		return w.finishMissed(nil, code, message)
	}
	return verdict{result: blocked, code: code, message: message, at: w.accountCheck()}
}

// accountCheck returns when to check the account again: soon, and at the deadline.
func (w *worker) accountCheck() time.Time {
	next := w.pub.clock().Add(w.pub.timings.AccountPause)
	if end := w.lateUntil().Add(time.Second); end.After(w.pub.clock()) {
		next = earlier(next, end)
	}
	return next
}

// authorize gets a token that is valid for the call.
func (w *worker) authorize(ctx context.Context) (err error) {
	if w.client.ID != "" {
		return nil
	}
	w.client, err = w.pub.tokens.For(ctx, w.account)
	return err
}

// recording records all exchanges of the step for its attempts, and counts them against quotas.
func (w *worker) recording(ctx context.Context) context.Context {
	return provider.WithExchanges(w.pub.quotas.Metered(ctx, w.account),
		func(e crier.Exchange) { w.exchanges = append(w.exchanges, e) })
}

// prepare uploads media and creates containers, saving the state after each exchange. It returns nil when everything is
// ready.
func (w *worker) prepare(ctx context.Context) (*verdict, error) {
	for start := w.pub.clock(); ; {
		if v, err := w.awaitNetwork(ctx); v != nil || err != nil {
			return v, err
		}
		st, err := w.network.Prepare(ctx, w.client, w.content, w.state.Clone())
		w.state = st
		if err != nil {
			v, err := w.handleError(ctx, nil, "prepare", err)
			return &v, err
		}
		if st.Ready {
			return nil, w.saveIfChanged(ctx)
		}
		if err := w.save(ctx); err != nil {
			return nil, err
		}
		now := w.pub.clock()
		ends := st.NextPollAfter.After(now) || w.pub.limiter.closing()
		if ends && !w.isPauseShort() || now.Sub(start) > runBudget {
			v := w.waitUntil(later(st.NextPollAfter, now))
			return &v, nil
		}
	}
}

// isPauseShort reports whether the worker should wait out the pause before the next call itself: the pause is short and
// reaches into the last moments before the publication's time, or is after it. Releasing the publication would add the
// job engine's poll interval to the pause.
func (w *worker) isPauseShort() bool {
	now, next := w.pub.clock(), w.state.NextPollAfter
	return next.After(now) && !next.After(now.Add(settleLead)) && !next.Before(w.p.ScheduledAt.Add(-settleLead))
}

// awaitNetwork waits out a short pause before the next call. When the node stops first, it returns the verdict that
// another node should continue at once: that one waits for the rest of the pause.
func (w *worker) awaitNetwork(ctx context.Context) (*verdict, error) {
	if !w.isPauseShort() {
		return nil, nil
	}
	pause := time.NewTimer(w.state.NextPollAfter.Sub(w.pub.clock()))
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-w.pub.limiter.closed:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w.pub.limiter.closing() {
		v := w.waitUntil(w.pub.clock())
		return &v, nil
	}
	return nil, nil
}

// saveIfChanged skips the write for posts that need no preparation: the attempt's result includes the state.
func (w *worker) saveIfChanged(ctx context.Context) error {
	if len(w.state.Uploads) == 0 && w.state.ContainerID == "" && len(w.state.Secrets) == 0 {
		return nil
	}
	return w.save(ctx)
}

// save commits the provider state and extends the lease.
func (w *worker) save(ctx context.Context) error {
	if err := w.pub.encodeState(&w.p, w.state, w.progress); err != nil {
		return err
	}
	defer w.passed(StepSaved)
	ok, err := w.pub.store.SaveProgress(ctx, w.p, w.owner, crier.TimeOf(w.pub.clock().Add(w.pub.timings.Lease)))
	if err == nil && !ok {
		err = errLeaseLost
	}
	return err
}
