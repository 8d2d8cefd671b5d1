package service

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// failed commits what follows from an error that says that nothing became public.
func (w *publishing) failed(ctx context.Context, a *store.Attempt, operation string, err error) (time.Time, error) {
	if errors.Is(err, errLeaseLost) || ctx.Err() != nil && a == nil {
		return time.Time{}, err
	}
	var failure *provider.Error
	if a == nil && !errors.As(err, &failure) {
		return time.Time{}, err // of our own, such as a database that is away
	}
	failure = provider.AsError(err)
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

// rejected ends a publication that the network will never take.
func (w *publishing) rejected(ctx context.Context, a *store.Attempt, failure *provider.Error) (time.Time, error) {
	if w.state.Done { // it is public; only what was to be done afterwards is refused
		w.state.Warnings = append(w.state.Warnings, failure.Message)
		w.state.RequiresPolling = false
		return w.finish(ctx, a, string(failure.Kind))
	}
	if failure.Scope != provider.ScopeAccount {
		return w.failWith(ctx, a, failure, false)
	}
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

// noteRenewed means that the token was renewed because of a refusal, and that this has not been followed by a success.
const noteRenewed = "crier.renewed"

// unauthorized renews the token once and tries again; when that does not help, the account has to be connected again
// and the publication waits for it.
func (w *publishing) unauthorized(ctx context.Context, a *store.Attempt, failure *provider.Error) (time.Time, error) {
	if w.state.Data[noteRenewed] == "" && w.account.Status == crier.AccountConnected {
		_, err := w.tokens.Renew(ctx, w.account)
		if err == nil {
			w.state.Note(noteRenewed, "yes")
			return w.again(ctx, a, failure, "try again with a renewed token", w.clock(), false)
		}
		if reason := provider.AsError(err); reason.Kind != provider.AuthExpired {
			return w.retry(ctx, a, reason)
		}
		if w.account, err = w.store.Account(ctx, w.account.ID); err != nil {
			return time.Time{}, err
		}
	}
	delete(w.state.Data, noteRenewed)
	markUnhealthy(&w.account, crier.AccountRefreshNeeded, healthAuthFailed, failure.Message, w.now())
	next := w.accountCheck()
	if w.p.Status == crier.Processing { // each look leaves an attempt, and nothing ends them soon
		next = later(next, w.clock().Add(w.backoff(w.p.Tries)))
		w.p.Tries++
	}
	return w.again(ctx, a, failure, "wait until the account is connected again", next, true)
}

// retry comes back later, or gives up when that would be too late. What the network works on is asked for until it
// gives an answer.
func (w *publishing) retry(ctx context.Context, a *store.Attempt, failure *provider.Error) (time.Time, error) {
	next := w.clock().Add(max(failure.RetryAfter, w.backoff(w.p.Tries)))
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

// longestBackoff bounds the pause between two tries that nobody asked for.
const longestBackoff = 10 * time.Minute

// backoff doubles with every try, with jitter so that many do not come back at once.
func (s *Publisher) backoff(tries int) time.Duration {
	base := min(s.timings.RetryPause<<min(tries, 8), longestBackoff)
	return base * time.Duration(80+rand.IntN(40)) / 100 //nolint:gosec // jitter, not a secret
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
