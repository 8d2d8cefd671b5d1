package publish

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// Error codes of publications that do not come from a network.
const (
	codeCreditsExhausted = "credits_exhausted"
	codeOutcomeUnknown   = "outcome_unknown"
	// codeWindowPassed is the code of a publication that was missed only because of the time.
	codeWindowPassed = "window_passed"
)

// handleError decides what follows from an error without a published post.
func (w *worker) handleError(ctx context.Context, a *store.Attempt, operation string, err error) (verdict, error) {
	if errors.Is(err, errLeaseLost) || ctx.Err() != nil && a == nil {
		return verdict{}, err
	}
	var failure *provider.Error
	if a == nil && !errors.As(err, &failure) {
		return verdict{}, err // internal, such as an unavailable database
	}
	failure = provider.AsError(err)
	if a == nil {
		a = w.attemptOver(operation)
	}
	switch failure.Kind {
	case provider.Rejected:
		return w.rejected(a, failure), nil
	case provider.AuthExpired:
		return w.unauthorized(ctx, a, failure)
	}
	return w.retryLater(a, failure), nil
}

// rejected ends a publication that the network will never accept.
func (w *worker) rejected(a *store.Attempt, failure *provider.Error) verdict {
	if w.state.Done { // it is published; only the follow-up was rejected
		w.state.Warnings = append(w.state.Warnings, failure.Message)
		w.state.RequiresPolling = false
		return w.finishPublished(a, string(failure.Kind))
	}
	v := w.finishFailed(a, string(failure.Code), failure.Message)
	v.outcome = string(failure.Kind)
	if failure.Scope == provider.ScopeAccount {
		status, issue := crier.AccountConnected, HealthAuthFailed
		if failure.Code == provider.CodePermissionMissing {
			status = crier.AccountRefreshNeeded
		}
		if failure.Code == provider.CodeAccountRestricted {
			issue = HealthVerification
		}
		v.health = w.unhealthy(status, issue, failure.Message)
	}
	return v
}

// unauthorized refreshes the token once and retries; if that fails, the publication waits until the account is
// reconnected.
func (w *worker) unauthorized(ctx context.Context, a *store.Attempt, failure *provider.Error) (verdict, error) {
	if !w.progress.Renewed && w.account.Status == crier.AccountConnected {
		_, err := w.pub.tokens.Renew(ctx, w.account)
		if err == nil {
			w.progress.Renewed = true
			return w.retryAt(a, failure, "try again with a renewed token", w.pub.clock()), nil
		}
		if reason := provider.AsError(err); reason.Kind != provider.AuthExpired {
			return w.retryLater(a, reason), nil
		}
		if w.account, err = w.pub.store.Account(ctx, w.account.ID); err != nil {
			return verdict{}, err
		}
	}
	w.progress.Renewed = false
	v := w.retryAt(a, failure, "wait until the account is connected again", w.accountCheck())
	v.health = w.unhealthy(crier.AccountRefreshNeeded, HealthAuthFailed, failure.Message)
	if w.p.Status == crier.Processing { // each poll records an attempt, and polling may last long
		v.at = later(v.at, w.pub.clock().Add(w.pub.backoff(w.p.Tries)))
		v.tries++
	}
	return v, nil
}

// retryLater retries after a pause, or gives up when that would be too late. A processing post is polled again when a
// person has to decide, however long the network asks to wait.
func (w *worker) retryLater(a *store.Attempt, failure *provider.Error) verdict {
	next := w.pub.clock().Add(max(failure.RetryAfter, w.pub.backoff(w.p.Tries)))
	if w.p.Status == crier.Processing {
		next = earlier(next, w.pollUntil().Add(time.Second))
	} else if next.After(w.lateUntil()) {
		return w.finishMissed(a, string(failure.Code), failure.Message)
	}
	v := w.retryAt(a, failure, "try again", next)
	v.tries++
	if failure.Kind == provider.RateLimited && failure.Scope == provider.ScopeAccount {
		v.health = w.unhealthy(crier.AccountConnected, HealthRateLimited, failure.Message)
	}
	return v
}

// retryAt reschedules a publication for another try.
func (w *worker) retryAt(a *store.Attempt, failure *provider.Error, next string, at time.Time) verdict {
	return verdict{result: retrying, attempt: a, outcome: string(failure.Kind), code: string(failure.Code),
		message: failure.Message, next: next, at: at, tries: w.p.Tries}
}

// maxBackoff bounds the pause between automatic retries.
const maxBackoff = 10 * time.Minute

// backoff doubles with every try, with jitter so that retries are spread out.
func (s *Publisher) backoff(tries int) time.Duration {
	base := min(s.timings.RetryPause<<min(tries, 8), maxBackoff)
	return base * time.Duration(80+rand.IntN(40)) / 100 //nolint:gosec // jitter, not a secret
}

// finishPublished ends a published publication. It clears the account's health issue except a rate limit: a post that
// was sent before the limit proves nothing about it.
func (w *worker) finishPublished(a *store.Attempt, outcome string) verdict {
	v := verdict{result: published, attempt: a, outcome: outcome, next: "nothing: it is public"}
	if issue := w.account.AccountHealthIssue; issue != nil && *issue != HealthRateLimited {
		v.health = w.recovered()
	}
	return v
}

// recovered clears the account's health issue with the next settlement; nil if there was none.
func (w *worker) recovered() *store.AccountHealth {
	if w.account.AccountHealthIssue == nil {
		return nil
	}
	w.account.AccountHealthIssue, w.account.AccountHealthMessage, w.account.AccountHealthSince = nil, nil, nil
	return w.health()
}

// finishFailed ends a publication for good.
func (w *worker) finishFailed(a *store.Attempt, code, message string) verdict {
	return w.finish(a, failed, "failed", code, message)
}

// finishMissed ends a publication that would be published too late; a person decides what to do.
func (w *worker) finishMissed(a *store.Attempt, code, message string) verdict {
	if code == "" || code == string(provider.CodeProviderUnavailable) {
		code, message = codeWindowPassed, "the time in which it could be published has passed: "+message
	}
	return w.finish(a, missed, "missed", code, message)
}

// finishCanceled ends a publication that is no longer wanted.
func (w *worker) finishCanceled(outcome, message string) verdict {
	return w.finish(nil, canceled, outcome, "", message)
}

func (w *worker) finish(a *store.Attempt, r result, outcome, code, message string) verdict {
	if a == nil {
		a = w.attemptOver("prepare")
	}
	w.state.RequiresPolling = false // polling has ended
	return verdict{result: r, attempt: a, outcome: outcome, code: code, message: message,
		next: "nothing by itself: a person decides"}
}
