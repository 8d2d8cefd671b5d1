package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// runBudget is how long one run of a job works on a publication before it hands on to the next.
	runBudget = 40 * time.Second
	// stepLease is how long a worker has a publication for one step; a call that may publish has its own.
	stepLease = 2 * time.Minute
	// sendWindow is the fence: a worker that has not sent within it does not send any more.
	sendWindow = 30 * time.Second
	// settleSlack is added to the fence and the call's time-out before the outcome is looked for.
	settleSlack = 5 * time.Second
	// dispatchSlack is how late the first attempt may start whatever the team allows: a busy node is not a missed post.
	dispatchSlack = 30 * time.Second
	// accountWait is how often a publication looks whether its account is back.
	accountWait = time.Minute
	// persistFor is how long a result is tried to be written while the database is away.
	persistFor = 45 * time.Second
)

// PublishObserver is told what an operator watches.
type PublishObserver interface {
	// Late is called with how long after its time a post's call to the network left.
	Late(network crier.Provider, by time.Duration)
	// Attempt is called for everything tried with a network.
	Attempt(network crier.Provider, operation, outcome string)
}

// Publisher makes publications public, exactly once. Its methods are for jobs: they take no scope and have no route.
//
// The order is always the same: state first, effect second, result third, each committed. A call that can publish is
// preceded by an attempt row; an attempt without a result is never repeated blindly.
type Publisher struct {
	*core
	tokens   *Tokens
	observer PublishObserver
	lanes    *lanes
}

// Advance works on a publication until it has to wait or is over. It returns when to come back; zero means never.
func (s *Publisher) Advance(ctx context.Context, job PublishJob, run store.Run) (time.Time, error) {
	ref := store.Ref{Action: job.Action, ID: job.ID}
	for began := s.clock(); ; {
		next, err := s.step(ctx, ref, job.Epoch, run)
		if err != nil || next.IsZero() {
			return next, err
		}
		if next.After(s.clock()) || s.clock().Sub(began) > runBudget {
			return next, nil
		}
	}
}

// step takes the lease, does one thing, and gives the lease back with the row.
func (s *Publisher) step(ctx context.Context, ref store.Ref, epoch int64, run store.Run) (time.Time, error) {
	now := s.now()
	w := &publishing{Publisher: s, owner: crier.NewID()}
	p, ok, err := s.store.Lease(ctx, ref, epoch, w.owner, now, crier.TimeOf(now.Add(stepLease)), run)
	if err != nil || !ok {
		return time.Time{}, err
	}
	w.p = p
	if !s.lanes.enter(p.SocialAccountID) {
		wake := crier.TimeOf(now.Add(s.lanes.wait()))
		return wake.Time, s.store.Rest(ctx, ref, epoch, w.owner, wake)
	}
	defer s.lanes.leave(p.SocialAccountID)
	next, err := w.work(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("work on %s: %w", p.ID, err)
	}
	return next, nil
}

// publishing is one worker's step on one publication.
type publishing struct {
	*Publisher
	owner     crier.ID
	p         store.Publication
	parent    store.Publication // of an action: what it follows
	team      crier.Team
	account   store.Account
	network   provider.Provider
	info      provider.Info
	client    provider.Account // the account with its token, once it is needed
	content   provider.Content
	state     provider.State
	exchanges []provider.Exchange
	// pending is further work for the transaction of the next settlement.
	pending []func(ctx context.Context, tx *store.Tx) error
}

// work decides what the row needs next.
func (w *publishing) work(ctx context.Context) (time.Time, error) {
	if err := w.load(ctx); err != nil {
		return time.Time{}, err
	}
	if w.network == nil {
		return w.fail(ctx, nil, string(provider.CodeProviderUnavailable), fmt.Sprintf("this installation has no client for %s", w.p.Provider))
	}
	switch w.p.Status {
	case crier.Processing:
		return w.poll(ctx)
	case crier.Publishing:
		last, err := w.store.LastSend(ctx, w.p)
		if err != nil {
			return time.Time{}, err
		}
		if last != nil && unresolved(*last) {
			return w.reconcile(ctx, *last)
		}
	}
	return w.forward(ctx)
}

// load reads everything that the step needs.
func (w *publishing) load(ctx context.Context) (err error) {
	if w.team, err = w.store.Team(ctx, w.p.TeamID); err != nil {
		return err
	}
	if w.account, err = w.store.Account(ctx, w.p.SocialAccountID); err != nil {
		return err
	}
	var ok bool
	if w.network, ok = w.providers.Get(string(w.p.Provider)); !ok {
		return nil
	}
	w.info = w.providers.InfoFor(w.network, networkAccount(w.account))
	if w.state, err = w.loadState(w.p); err != nil {
		return err
	}
	if w.p.Action {
		if w.parent, err = w.store.Publication(ctx, store.Ref{ID: w.p.ScheduledPostID}); err != nil {
			return err
		}
		w.content, err = w.actionContent(ctx, w.store, w.p, w.parent)
		w.content = suited(w.info, w.content)
		return err
	}
	if w.content, err = w.postContent(ctx, w.store, w.p.TeamID, w.p.PayloadID); err != nil {
		return err
	}
	w.content, err = w.withSettings(ctx, w.store, w.p.TeamID, w.network, suited(w.info, w.content), w.p.Settings)
	return err
}

// lateUntil is when nothing goes out by itself any more. A comment that waits for likes has its window instead.
func (w *publishing) lateUntil() time.Time {
	if w.p.Kind == store.EngagementComment && w.p.ExpiresAt != nil {
		return w.p.ExpiresAt.Add(time.Duration(w.team.PublishLateMinutes) * time.Minute)
	}
	return w.p.ScheduledAt.Add(max(dispatchSlack, time.Duration(w.team.PublishLateMinutes)*time.Minute))
}

// forward prepares, waits for the second, and commits.
func (w *publishing) forward(ctx context.Context) (time.Time, error) {
	if w.clock().After(w.lateUntil()) && len(w.state.Published) == 0 {
		return w.miss(ctx, nil, w.lastCode(), "its time had passed before it could be published")
	}
	if w.account.Status != crier.AccountConnected {
		return w.awaitAccount(ctx)
	}
	if w.p.Kind == store.EngagementComment {
		if next, waiting, err := w.awaitLikes(ctx); waiting || err != nil {
			return next, err
		}
	}
	if err := w.authorize(ctx); err != nil {
		return w.failed(ctx, nil, "prepare", err)
	}
	if next, ready, err := w.prepare(ctx); !ready || err != nil {
		return next, err
	}
	due := w.p.ScheduledAt.Time
	if early := due.Add(-settleLead); w.clock().Before(early) {
		return w.rest(ctx, early)
	}
	if err := w.sleepUntil(ctx, due); err != nil {
		return time.Time{}, err
	}
	return w.commit(ctx)
}

func (w *publishing) lastCode() string {
	if w.p.ErrorCode != nil {
		return *w.p.ErrorCode
	}
	return string(provider.CodeProviderUnavailable)
}

// awaitAccount waits for the account to be connected again, as long as the post may be late.
func (w *publishing) awaitAccount(ctx context.Context) (time.Time, error) {
	code, message := string(provider.CodeAccountDisconnected), "the account is "+string(w.account.Status)+"; connect or enable it, and the post goes out"
	if w.account.Status == crier.AccountRefreshNeeded {
		code = string(provider.CodeAuthExpired)
	}
	if w.clock().After(w.lateUntil()) {
		return w.miss(ctx, nil, code, message)
	}
	next := earlier(w.clock().Add(accountWait), w.lateUntil().Add(time.Second))
	return w.settle(ctx, settlement{change: func(p *store.Publication) {
		p.ErrorCode, p.ErrorMessage, p.WakeAt = &code, &message, timeOrNil(next)
	}})
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// authorize gets a token that is good for the call.
func (w *publishing) authorize(ctx context.Context) (err error) {
	if w.client.ID != "" {
		return nil
	}
	w.client, err = w.tokens.For(w.recording(ctx), w.account)
	return err
}

// recording keeps the exchanges made under the context, for the attempt.
func (w *publishing) recording(ctx context.Context) context.Context {
	return provider.WithExchanges(ctx, func(e provider.Exchange) { w.exchanges = append(w.exchanges, e) })
}

// prepare does uploads and containers, saving the state after each exchange. ready is false when it has to wait.
func (w *publishing) prepare(ctx context.Context) (next time.Time, ready bool, err error) {
	for began := w.clock(); ; {
		st, err := w.network.Prepare(w.recording(ctx), w.client, w.content, w.state.Clone())
		w.state = st
		if err != nil {
			next, err := w.failed(ctx, nil, "prepare", err)
			return next, false, err
		}
		if st.Ready {
			return time.Time{}, true, w.saveIfChanged(ctx)
		}
		if err := w.save(ctx); err != nil {
			return time.Time{}, false, err
		}
		if wait := st.NextPollAfter; wait.After(w.clock()) {
			next, err := w.rest(ctx, wait)
			return next, false, err
		}
		if w.clock().Sub(began) > runBudget {
			next, err := w.rest(ctx, w.clock())
			return next, false, err
		}
	}
}

var errLeaseLost = errors.New("the publication has moved on")

// save commits how far the network is; the lease is renewed with it.
func (w *publishing) save(ctx context.Context) error {
	if err := w.keepState(&w.p, w.state); err != nil {
		return err
	}
	ok, err := w.store.SaveProgress(ctx, w.p, w.owner, crier.TimeOf(w.clock().Add(stepLease)))
	if err == nil && !ok {
		err = errLeaseLost
	}
	return err
}

// saveIfChanged spares the write for posts that need no preparation. What it would note, the attempt's result notes.
func (w *publishing) saveIfChanged(ctx context.Context) error {
	if len(w.state.Uploads) == 0 && w.state.ContainerID == "" && len(w.state.Secrets) == 0 {
		return nil
	}
	return w.save(ctx)
}

// rest gives the lease back until a time.
func (w *publishing) rest(ctx context.Context, until time.Time) (time.Time, error) {
	wake := crier.TimeOf(until)
	return wake.Time, w.store.Rest(ctx, w.p.Ref, w.p.Epoch, w.owner, wake)
}

// sleepUntil waits for the second that was asked for, never less.
func (w *publishing) sleepUntil(ctx context.Context, at time.Time) error {
	for {
		left := at.Sub(w.clock())
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// commit makes one thing public, behind a fenced attempt.
func (w *publishing) commit(ctx context.Context) (time.Time, error) {
	if short, err := w.ensureReserved(ctx); err != nil || short {
		if err != nil {
			return time.Time{}, err
		}
		return w.fail(ctx, nil, codeCreditsExhausted, "the organization's credits do not cover this post")
	}
	attempt, ok, err := w.begin(ctx, "publish")
	if err != nil || !ok {
		return time.Time{}, err
	}
	st, err := w.send(ctx, attempt, w.network.Commit)
	return w.sent(ctx, attempt, st, err)
}

// begin commits the attempt before anything is sent. ok is false when the row was moved, edited or cancelled meanwhile.
func (w *publishing) begin(ctx context.Context, operation string) (store.Attempt, bool, error) {
	now := w.now()
	sendBefore := crier.TimeOf(now.Add(sendWindow))
	settled := crier.TimeOf(sendBefore.Add(w.info.CommitTimeout + settleSlack))
	a := store.Attempt{
		Attempt:         crier.Attempt{ID: crier.NewID(), Operation: operation, Part: w.state.NextPart(), StartedAt: now},
		ScheduledPostID: w.p.ScheduledPostID, SendBefore: &sendBefore, SettledAfter: &settled,
	}
	if w.p.Action {
		a.ActionID = &w.p.ID
	}
	ok, err := w.store.BeginAttempt(ctx, w.p, w.owner, a, crier.TimeOf(settled.Add(stepLease)))
	if ok {
		w.p.Status = crier.Publishing
	}
	return a, ok, err
}

// send makes the call, unless the fence has passed: a process that was frozen and woke up sends nothing.
func (w *publishing) send(ctx context.Context, a store.Attempt, call func(context.Context, provider.Account, provider.Content, provider.State) (provider.State, error)) (provider.State, error) {
	// The call is not cut off when the server stops: an answer that is not waited for is an unknown outcome.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.info.CommitTimeout)
	defer cancel()
	ctx = provider.WithSendBefore(w.recording(ctx), a.SendBefore.Time)
	if w.clock().After(a.SendBefore.Time) {
		return w.state, provider.ErrNotSent
	}
	if !w.p.Action && a.Part == 0 && a.Operation == "publish" {
		w.observer.Late(w.p.Provider, w.clock().Sub(w.p.ScheduledAt.Time))
	}
	return call(ctx, w.client, w.content, w.state.Clone())
}

// sent commits what came of a call.
func (w *publishing) sent(ctx context.Context, a store.Attempt, st provider.State, err error) (time.Time, error) {
	w.state = st
	if err == nil {
		return w.advanced(ctx, &a, "published")
	}
	if failure := provider.AsError(err); failure.Kind == provider.OutcomeUnknown {
		return w.lostAnswer(ctx, a, failure)
	}
	return w.failed(ctx, &a, a.Operation, err)
}

// advanced commits a step forward: a part is public, or the network works on it.
func (w *publishing) advanced(ctx context.Context, a *store.Attempt, outcome string) (time.Time, error) {
	switch {
	case w.state.RequiresPolling:
		next := later(w.state.NextPollAfter, w.clock())
		return w.settle(ctx, settlement{attempt: a, outcome: "accepted", next: "ask the network how it is getting on", nextAt: &next,
			change: func(p *store.Publication) {
				p.Status, p.WakeAt, p.Tries, p.ErrorCode, p.ErrorMessage = crier.Processing, timeOrNil(next), 0, nil, nil
			}, capture: true})
	case !w.state.Done:
		next := later(w.state.NextPollAfter, w.clock())
		return w.settle(ctx, settlement{attempt: a, outcome: outcome, next: "publish the next part of the thread", nextAt: &next,
			change: func(p *store.Publication) {
				p.Status, p.WakeAt, p.Tries, p.ErrorCode, p.ErrorMessage = crier.Publishing, timeOrNil(next), 0, nil, nil
			}, capture: true})
	}
	return w.finish(ctx, a, outcome)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// poll asks how the network is getting on.
func (w *publishing) poll(ctx context.Context) (time.Time, error) {
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
	return w.advanced(ctx, nil, "published")
}

// failed commits what follows from an error that says that nothing became public.
func (w *publishing) failed(ctx context.Context, a *store.Attempt, operation string, err error) (time.Time, error) {
	if errors.Is(err, errLeaseLost) || ctx.Err() != nil && a == nil {
		return time.Time{}, err
	}
	failure := provider.AsError(err)
	if a == nil {
		a = w.attemptOver(operation)
	}
	switch failure.Kind {
	case provider.Rejected:
		return w.rejected(ctx, a, failure)
	case provider.AuthExpired:
		return w.unauthorized(ctx, a, failure)
	}
	return w.retry(ctx, a, failure)
}

// attemptOver is an attempt that is written when it is over: one that could not publish anything.
func (w *publishing) attemptOver(operation string) *store.Attempt {
	a := &store.Attempt{
		Attempt:         crier.Attempt{ID: crier.NewID(), Operation: operation, Part: w.state.NextPart(), StartedAt: w.now()},
		ScheduledPostID: w.p.ScheduledPostID,
	}
	if len(w.exchanges) > 0 {
		a.StartedAt = crier.TimeOf(w.exchanges[0].StartedAt)
	}
	if w.p.Action {
		a.ActionID = &w.p.ID
	}
	return a
}

// rejected ends a publication that the network will never take.
func (w *publishing) rejected(ctx context.Context, a *store.Attempt, failure *provider.Error) (time.Time, error) {
	if failure.Scope == provider.ScopeAccount {
		status := crier.AccountConnected
		if failure.Code == provider.CodePermissionMissing {
			status = crier.AccountRefreshNeeded
		}
		issue := healthAuthFailed
		if failure.Code == provider.CodeAccountRestricted {
			issue = healthVerification
		}
		markUnhealthy(&w.account, status, issue, failure.Message, w.now())
		return w.failWith(ctx, a, failure, true)
	}
	return w.failWith(ctx, a, failure, false)
}

// unauthorized renews the token once and tries again; when that does not help, the account has to be connected again
// and the publication waits for it.
func (w *publishing) unauthorized(ctx context.Context, a *store.Attempt, failure *provider.Error) (time.Time, error) {
	const renewed = "crier.renewed"
	if w.state.Data[renewed] == "" && w.account.Status == crier.AccountConnected {
		if _, err := w.tokens.Renew(ctx, w.account); err == nil {
			w.state.Note(renewed, "yes")
			next := w.clock()
			return w.again(ctx, a, failure, "try again with a renewed token", next, false)
		} else if reason := provider.AsError(err); reason.Kind != provider.AuthExpired {
			return w.retry(ctx, a, reason)
		}
		var err error
		if w.account, err = w.store.Account(ctx, w.account.ID); err != nil {
			return time.Time{}, err
		}
	}
	delete(w.state.Data, renewed)
	markUnhealthy(&w.account, crier.AccountRefreshNeeded, healthAuthFailed, failure.Message, w.now())
	next := earlier(w.clock().Add(accountWait), w.lateUntil().Add(time.Second))
	return w.again(ctx, a, failure, "wait until the account is connected again", next, true)
}

// retry comes back later, or gives up when that would be too late.
func (w *publishing) retry(ctx context.Context, a *store.Attempt, failure *provider.Error) (time.Time, error) {
	next := w.clock().Add(max(failure.RetryAfter, backoff(w.p.Tries)))
	if next.After(w.lateUntil()) && w.p.Status != crier.Processing {
		return w.miss(ctx, a, string(failure.Code), failure.Message)
	}
	limited := failure.Kind == provider.RateLimited && failure.Scope == provider.ScopeAccount
	if limited {
		markUnhealthy(&w.account, crier.AccountConnected, healthRateLimited, failure.Message, w.now())
	}
	w.p.Tries++
	return w.again(ctx, a, failure, "try again", next, limited)
}

// backoff grows from three seconds to ten minutes, with jitter so that many do not come back at once.
func backoff(tries int) time.Duration {
	base := 3 * time.Second << min(tries, 8)
	return min(base, 10*time.Minute) * time.Duration(80+rand.IntN(40)) / 100 //nolint:gosec // jitter, not a secret
}

// again puts a publication back to where it can be tried.
func (w *publishing) again(ctx context.Context, a *store.Attempt, failure *provider.Error, next string, at time.Time, health bool) (time.Time, error) {
	code, message := string(failure.Code), failure.Message
	return w.settle(ctx, settlement{attempt: a, outcome: string(failure.Kind), code: code, message: message, next: next, nextAt: &at, account: health,
		change: func(p *store.Publication) {
			p.ErrorCode, p.ErrorMessage, p.WakeAt, p.Tries = &code, &message, timeOrNil(at), w.p.Tries
			if p.Status == crier.Publishing && len(w.state.Published) == 0 {
				p.Status = crier.Scheduled
			}
		}})
}

// settlement is what a step changes in one transaction.
type settlement struct {
	change  func(*store.Publication)
	attempt *store.Attempt
	// outcome, code, message, next and nextAt complete the attempt.
	outcome, code, message, next string
	nextAt                       *time.Time
	// capture spends the credits of parts that have become public.
	capture bool
	// account writes the account's health with it.
	account bool
	// ends is true when the publication is over: what is still reserved is released, and a series goes on.
	ends bool
	more func(ctx context.Context, tx *store.Tx, p *store.Publication) error
}

// settle commits the result of a step. It does not give up while the database is away for a short time, because the
// result of a call that has been made exists nowhere else.
func (w *publishing) settle(ctx context.Context, s settlement) (time.Time, error) {
	ctx = context.WithoutCancel(ctx)
	var next time.Time
	err := w.persist(ctx, func() error {
		return w.store.WithTx(ctx, func(tx *store.Tx) (err error) {
			next, err = w.settleTx(ctx, tx, s)
			return err
		})
	})
	w.report(ctx, s, err)
	return next, err
}

func (w *publishing) persist(ctx context.Context, write func() error) error {
	deadline := w.clock().Add(persistFor)
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := write()
		if err == nil || !store.Unavailable(err) || w.clock().After(deadline) {
			return err
		}
		if err := w.sleepUntil(ctx, w.clock().Add(pause)); err != nil {
			return err
		}
	}
}

func (w *publishing) settleTx(ctx context.Context, tx *store.Tx, s settlement) (time.Time, error) {
	if err := tx.LockPost(ctx, w.p.PostID); err != nil {
		return time.Time{}, err
	}
	if s.account {
		if err := w.writeHealth(ctx, tx); err != nil {
			return time.Time{}, err
		}
	}
	p := w.p
	if err := w.keepState(&p, w.state); err != nil {
		return time.Time{}, err
	}
	s.change(&p)
	captured := int64(0)
	if s.capture {
		captured = owed(p, w.state)
	}
	p.Reserved, p.Captured = p.Reserved-captured, p.Captured+captured
	released := int64(0)
	if s.ends {
		released = p.Reserved - handedOn(p)
		p.Reserved, p.WakeAt = 0, nil
	}
	ok, err := w.write(ctx, tx, p, s)
	if err != nil || !ok {
		return time.Time{}, err
	}
	return w.follow(ctx, tx, p, s, captured, released)
}

// follow books credits and writes what comes after the row itself.
func (w *publishing) follow(ctx context.Context, tx *store.Tx, p store.Publication, s settlement, captured, released int64) (time.Time, error) {
	if err := w.capture(ctx, tx, p.OrganizationID, captured, p.ScheduledPostID); err != nil {
		return time.Time{}, err
	}
	if err := w.reserve(ctx, tx, p.OrganizationID, -released, &p.ScheduledPostID); err != nil {
		return time.Time{}, err
	}
	for _, fn := range w.pending {
		if err := fn(ctx, tx); err != nil {
			return time.Time{}, err
		}
	}
	if s.more != nil {
		if err := s.more(ctx, tx, &p); err != nil {
			return time.Time{}, err
		}
	}
	if s.ends && !p.Action {
		if err := w.recur(ctx, tx, p); err != nil {
			return time.Time{}, err
		}
	}
	if !p.Action {
		if err := tx.RefreshPost(ctx, p.PostID); err != nil {
			return time.Time{}, err
		}
	}
	if p.WakeAt == nil {
		return time.Time{}, nil
	}
	return p.WakeAt.Time, nil
}

// write commits row and attempt. A row that has meanwhile been taken from a worker whose call succeeded is still told
// the result, if nobody has decided otherwise: that knowledge exists nowhere else.
func (w *publishing) write(ctx context.Context, tx *store.Tx, p store.Publication, s settlement) (bool, error) {
	if s.attempt != nil {
		if err := w.endAttempt(ctx, tx, *s.attempt, s); err != nil {
			return false, err
		}
	}
	ok, err := tx.Settle(ctx, p, w.owner, w.now())
	if err != nil || ok || s.attempt == nil || s.attempt.SendBefore == nil || s.outcome != "published" {
		return ok, err
	}
	current, err := tx.LockPublication(ctx, p.Ref)
	if err != nil {
		return false, err
	}
	last, err := tx.LastSend(ctx, current)
	if err != nil || last == nil || last.ID != s.attempt.ID || current.Epoch != p.Epoch || current.Status != crier.Unknown && current.Status != crier.Publishing {
		return false, err
	}
	return true, tx.Overwrite(ctx, p, w.now())
}

func (w *publishing) endAttempt(ctx context.Context, tx *store.Tx, a store.Attempt, s settlement) error {
	now := w.now()
	a.EndedAt, a.Outcome, a.ErrorCode, a.Message, a.NextStep = &now, s.outcome, s.code, s.message, s.next
	if s.nextAt != nil {
		a.NextAt = timeOrNil(*s.nextAt)
	}
	exchanges, err := json.Marshal(w.exchanges)
	if err != nil {
		return fmt.Errorf("encode the exchanges: %w", err)
	}
	a.Exchanges = exchanges
	if a.SendBefore != nil {
		return tx.EndAttempt(ctx, a)
	}
	return tx.InsertAttempt(ctx, a)
}

// report leaves one log line and one measurement per attempt.
func (w *publishing) report(ctx context.Context, s settlement, err error) {
	if s.attempt == nil {
		return
	}
	w.observer.Attempt(w.p.Provider, s.attempt.Operation, s.outcome)
	attrs := []slog.Attr{
		slog.String("scheduled_post", string(w.p.ScheduledPostID)), slog.String("kind", string(w.p.Kind)),
		slog.String("provider", string(w.p.Provider)), slog.String("account", string(w.p.SocialAccountID)),
		slog.String("operation", s.attempt.Operation), slog.Int("part", s.attempt.Part), slog.String("outcome", s.outcome),
		slog.Duration("took", w.clock().Sub(s.attempt.StartedAt.Time).Round(time.Microsecond)),
	}
	if s.code != "" {
		attrs = append(attrs, slog.String("code", s.code), slog.String("message", s.message), slog.String("next", s.next))
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.Any("error", err))
	}
	w.log.LogAttrs(ctx, level, "attempt", attrs...)
}

// writeHealth writes what was learnt about the account, over what others may have written meanwhile.
func (w *publishing) writeHealth(ctx context.Context, tx *store.Tx) error {
	locked, err := tx.LockAccounts(ctx, w.p.TeamID, []crier.ID{w.account.ID})
	if err != nil {
		return err
	}
	a, ok := locked[w.account.ID]
	if !ok {
		return nil
	}
	if a.Status == crier.AccountConnected {
		a.Status = w.account.Status
	}
	a.AccountHealthIssue, a.AccountHealthMessage, a.AccountHealthSince = w.account.AccountHealthIssue, w.account.AccountHealthMessage, w.account.AccountHealthSince
	a.UpdatedAt = w.now()
	return tx.UpdateAccount(ctx, a)
}
