package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
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
	timings  Timings
	lanes    *lanes
	// leasings, beginnings and settlements are the commits of a publication. In a second in which many are due, many share one.
	leasings    *together[*store.Leasing]
	beginnings  *together[*store.Beginning]
	settlements *together[*simpleSettlement]
	// checkpoint is Config.Checkpoint.
	checkpoint func(crier.ID, Step)
}

func newPublisher(c *core, tokens *Tokens, cfg Config) *Publisher {
	p := &Publisher{core: c, tokens: tokens, observer: cfg.Observer, timings: cfg.Timings.withDefaults(), lanes: newLanes(), checkpoint: cfg.Checkpoint}
	settling := 2
	if c.store.Dialect() == store.SQLite { // which has one writer
		settling = 1
	}
	p.leasings = &together[*store.Leasing]{run: c.store.Lease, lines: 1}
	p.beginnings = &together[*store.Beginning]{run: c.store.BeginAttempts, lines: 1}
	p.settlements = &together[*simpleSettlement]{run: p.settleAll, lines: settling}
	return p
}

// Advance works on a publication until it has to wait or is over. It returns when to come back; zero means never.
func (s *Publisher) Advance(ctx context.Context, job PublishJob, run store.Run) (time.Time, error) {
	ref := store.Ref{Action: job.Action, ID: job.ID}
	if !s.lanes.enter(job.SocialAccountID) {
		return s.sendAway(ctx, ref, job.Epoch)
	}
	defer s.lanes.leave(job.SocialAccountID)
	for began := s.clock(); ; {
		next, err := s.step(ctx, ref, job.Epoch, run)
		if err != nil || next.IsZero() {
			return next, err
		}
		if next.After(s.clock()) || s.clock().Sub(began) > runBudget || s.lanes.closing() {
			return next, nil
		}
	}
}

// Drain lets calls that are being made finish and has everything else given back, for other nodes or the next start: a
// server that stops does not publish what stands in line before. It may be called once.
func (s *Publisher) Drain() { s.lanes.close() }

// sendAway puts a publication off whose account has too many at work.
func (s *Publisher) sendAway(ctx context.Context, ref store.Ref, epoch int64) (time.Time, error) {
	wake := crier.TimeOf(s.clock().Add(s.lanes.pause()))
	return wake.Time, s.store.Postpone(ctx, ref, epoch, s.now(), wake)
}

// step takes the lease, does one thing, and gives the lease back with the row.
func (s *Publisher) step(ctx context.Context, ref store.Ref, epoch int64, run store.Run) (time.Time, error) {
	now := s.now()
	w := &publishing{Publisher: s, owner: crier.NewID()}
	lease := &store.Leasing{Ref: ref, Epoch: epoch, Owner: w.owner, Now: now, Until: crier.TimeOf(now.Add(s.timings.Lease)), Run: run}
	if err := s.leasings.do(ctx, lease); err != nil {
		return time.Time{}, err
	}
	if !lease.Leased {
		return s.notDue(ctx, ref, epoch, now)
	}
	w.p, w.around = lease.Publication, lease.Around
	stop := w.keepLease(ctx)
	w.passed(StepLeased)
	next, err := w.work(ctx)
	stop()
	switch {
	case errors.Is(err, errLeaseLost): // edited, moved or cancelled meanwhile: it is somebody else's
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, errors.Join(fmt.Errorf("work on %s: %w", w.p.ID, err), w.letGo(ctx))
	}
	return next, nil
}

// notDue is when a publication that could not be leased wants to be looked at. Zero leaves it to whoever has the lease:
// should that be nobody any more, the sweep finds it.
func (s *Publisher) notDue(ctx context.Context, ref store.Ref, epoch int64, now crier.Time) (time.Time, error) {
	wake, err := s.store.NotDueUntil(ctx, ref, epoch, now)
	if err != nil || wake == nil {
		return time.Time{}, err
	}
	return wake.Time, nil
}

// publishing is one worker's step on one publication.
type publishing struct {
	*Publisher
	owner     crier.ID
	p         store.Publication
	parent    store.Publication // of an action: what it follows
	around    *store.Around
	account   store.Account
	network   provider.Provider
	info      provider.Info
	client    provider.Account // the account with its token, once it is needed
	content   provider.Content
	state     provider.State
	exchanges []crier.Exchange
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
		if last != nil && last.Unresolved() {
			return w.reconcile(ctx, *last)
		}
	}
	return w.forward(ctx)
}

// load reads everything that the step needs.
func (w *publishing) load(ctx context.Context) (err error) {
	if w.around == nil {
		return fmt.Errorf("the content or the account of %s is gone", w.p.ID)
	}
	w.account = w.around.Account
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
	if w.content, err = w.contentOf(ctx, w.store, w.p.TeamID, w.around.Content); err != nil {
		return err
	}
	w.content, err = w.withSettings(ctx, w.store, w.p.TeamID, w.network, suited(w.info, w.content), w.p.Settings)
	return err
}

// lateUntil is when nothing goes out by itself any more. A comment that waits for likes has its window instead.
func (w *publishing) lateUntil() time.Time {
	allowed := time.Duration(w.around.LateMinutes) * time.Minute
	if w.p.Kind == store.EngagementComment && w.p.ExpiresAt != nil {
		return w.p.ExpiresAt.Add(max(dispatchSlack, allowed))
	}
	return w.p.ScheduledAt.Add(max(dispatchSlack, allowed))
}

// tooLate is true when nothing of the publication is public and nothing may become so any more.
func (w *publishing) tooLate() bool {
	return w.clock().After(w.lateUntil()) && len(w.state.Published) == 0
}

// forward prepares, waits for the second, and commits.
func (w *publishing) forward(ctx context.Context) (time.Time, error) {
	switch {
	case w.around.Gone && len(w.state.Published) == 0:
		return w.end(ctx, nil, crier.Canceled, "canceled", "", "the post or its team was deleted", false)
	case w.tooLate():
		return w.miss(ctx, nil, w.lastCode(), "its time had passed before it could be published")
	case w.account.Status != crier.AccountConnected:
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
	if w.tooLate() { // the machine slept much longer than this worker wanted to
		return w.rest(ctx, w.clock())
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
	next := w.accountCheck()
	return w.settle(ctx, settlement{change: func(p *store.Publication) {
		p.ErrorCode, p.ErrorMessage, p.WakeAt = &code, &message, timeOrNil(next)
	}})
}

// accountCheck is when to look again whether the account is back: soon, and when the time is over.
func (w *publishing) accountCheck() time.Time {
	next := w.clock().Add(w.timings.AccountPause)
	if end := w.lateUntil().Add(time.Second); end.After(w.clock()) {
		next = earlier(next, end)
	}
	return next
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
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

// recording keeps the exchanges made under the context, for the attempt, and counts them against quotas.
func (w *publishing) recording(ctx context.Context) context.Context {
	return provider.WithExchanges(w.metered(ctx, w.account), func(e crier.Exchange) { w.exchanges = append(w.exchanges, e) })
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

// saveIfChanged spares the write for posts that need no preparation. What it would note, the attempt's result notes.
func (w *publishing) saveIfChanged(ctx context.Context) error {
	if len(w.state.Uploads) == 0 && w.state.ContainerID == "" && len(w.state.Secrets) == 0 {
		return nil
	}
	return w.save(ctx)
}
