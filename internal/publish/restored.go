package publish

import (
	"context"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// restoredLookupTime is how long after the first start since a restore networks are queried, before a person has to
// decide.
const restoredLookupTime = 30 * time.Minute

// restorationReader reads the restore of the store, inside or outside a transaction.
type restorationReader interface {
	Restoration(ctx context.Context) (*store.Restoration, error)
}

// restoration returns the restore of the store; nil if there was none. It is read once: no node runs during a restore,
// and the first one records its start before its workers begin.
func (s *Publisher) restoration(ctx context.Context, from restorationReader) (*store.Restoration, error) {
	s.restored.Lock()
	defer s.restored.Unlock()
	if s.restored.known {
		return s.restored.at, nil
	}
	at, err := from.Restoration(ctx)
	if err != nil {
		return nil, err
	}
	s.restored.at, s.restored.known = at, true
	return at, nil
}

// fromBackup returns the restore after which the publication must be looked up before anything is sent: it comes from
// the backup, or follows a post that was due before the first start since then, and may have been published in between.
func (w *worker) fromBackup(ctx context.Context) (*store.Restoration, error) {
	r, err := w.pub.restoration(ctx, w.pub.store)
	if err != nil || r == nil || w.progress.LookedFor.Equal(r.ServedAt.Time) {
		return nil, err
	}
	if w.p.CreatedAt.After(r.ServedAt.Time) &&
		(!w.p.IsAction() || w.parent.ScheduledAt.After(r.ServedAt.Time)) {
		return nil, nil
	}
	return r, nil
}

// wasDue reports whether the publication may have been sent between the backup and the first start since the restore.
// Actions of a post that was found are planned again, from the time it was found.
func (w *worker) wasDue(r store.Restoration) bool {
	return !w.p.ScheduledAt.After(r.ServedAt.Time) || w.p.CreatedAt.After(r.ServedAt.Time)
}

// lookUpAfterRestore looks for posts that were published since the backup, and adopts what the network shows.
// A post that was due in that time and is not found is left to a person, because it may have been edited before it was
// published; comments and reposts cannot be edited, so they continue when absent. Publications that are not yet due
// wait for their time.
func (w *worker) lookUpAfterRestore(ctx context.Context, r store.Restoration) (verdict, error) {
	last, err := w.openAttempt(ctx)
	if err != nil {
		return verdict{}, err
	}
	reconciler, strategy := w.strategy()
	switch {
	case reconciler == nil || strategy.Method != provider.ByReading || !w.recognizable():
		return w.notFound(ctx, r, last, "this network gives no way to find out whether it was published")
	case w.pub.clock().Sub(r.ServedAt.Time) > restoredLookupTime:
		return w.notFound(ctx, r, last, "it took too long to find out whether it was published")
	case w.account.Status != crier.AccountConnected:
		return w.notFound(ctx, r, last, "the account is "+string(w.account.Status))
	}
	if earliest := r.ServedAt.Add(strategy.NotBefore); w.pub.clock().Before(earliest) {
		return w.waitUntil(earliest), nil
	}
	if err := w.authorize(ctx); err != nil {
		return w.askAgain(ctx, r, last, provider.AsError(err))
	}
	since := r.BackedUpAt.Time
	if last != nil {
		since = earlier(since, last.StartedAt.Time)
	}
	outcome, st, err := w.lookUpAttempt(ctx, provider.Attempt{StartedAt: since, Stale: true}, reconciler, w.state)
	switch {
	case err != nil:
		return w.askAgain(ctx, r, last, provider.AsError(err))
	case outcome == provider.OutcomePublished:
		return w.foundAfterRestore(ctx, r, last, st)
	case outcome == provider.OutcomePending:
		w.state = st
		return w.lookUpAgain("pending", "look again", later(st.NextPollAfter, w.pub.clock().Add(time.Second))), nil
	case outcome == provider.OutcomeAbsent && w.p.IsAction():
		return w.proceed(ctx, r)
	}
	return w.notFound(ctx, r, last, "the network does not show it")
}

// openAttempt returns the attempt whose outcome was open when the backup was made; nil if there is none.
func (w *worker) openAttempt(ctx context.Context) (*store.Attempt, error) {
	if w.p.Status != crier.Publishing {
		return nil, nil
	}
	last, err := w.pub.store.LastSend(ctx, w.p)
	if err != nil || last == nil || !last.Unresolved() {
		return nil, err
	}
	return last, nil
}

// recognizable reports whether the part has a text; without one it could be confused with another.
func (w *worker) recognizable() bool {
	if w.content.Action == provider.Repost {
		return true
	}
	next := w.state.NextPart()
	return next < len(w.content.Parts) && w.content.Parts[next].Text != ""
}

// foundAfterRestore adopts a post that the network shows. A post of another publication proves nothing, nor does one
// with the same text before this one is due.
func (w *worker) foundAfterRestore(ctx context.Context, r store.Restoration, last *store.Attempt,
	st provider.State) (verdict, error) {
	if len(st.Published) > len(w.state.Published) {
		found := st.Published[len(st.Published)-1].PlatformPostID
		known, err := w.pub.store.HasPlatformPost(ctx, w.p.SocialAccountID, found, w.p.ID)
		if err != nil {
			return verdict{}, err
		}
		if known && found != "" {
			return w.notFound(ctx, r, last, "the network shows another post with the same text")
		}
	}
	if !w.wasDue(r) {
		return w.hold(last, "the network shows a post with this text from after the backup: it may have been "+
			"published early"), nil
	}
	attempt := w.attemptOver("reconcile") // before the state advances to the next part
	w.state = st
	v := w.advanced(attempt)
	v.resolved = closed(last, outcomePublished)
	return v, nil
}

// notFound leaves publications that were due since the backup to a person; later ones are published as planned.
func (w *worker) notFound(ctx context.Context, r store.Restoration, last *store.Attempt, why string) (verdict, error) {
	if last == nil && !w.wasDue(r) && len(w.state.Published) == 0 {
		return w.proceed(ctx, r)
	}
	return w.hold(last, "crier was restored from a backup of "+r.BackedUpAt.UTC().Format(time.RFC3339)+
		", and this may have been published since: "+why), nil
}

func (w *worker) hold(last *store.Attempt, message string) verdict {
	v := w.leaveToPerson("reconcile", message)
	v.resolved = closed(last, store.OutcomeUnknown)
	return v
}

// closed returns the outcome of the open call, if there was one.
func closed(last *store.Attempt, outcome string) []store.ResolvedAttempt {
	if last == nil {
		return nil
	}
	return []store.ResolvedAttempt{{ID: last.ID, Outcome: outcome}}
}

// proceed records that the publication was looked up, and schedules it as planned.
func (w *worker) proceed(ctx context.Context, r store.Restoration) (verdict, error) {
	w.state = provider.State{Published: w.state.Published, PlatformPostID: w.state.PlatformPostID}
	w.progress = Progress{LookedFor: r.ServedAt.Time, LikesReached: w.progress.LikesReached}
	return w.waitUntil(later(WakeTime(w.p.ScheduledAt.Time, w.info, w.content), w.pub.clock())), w.save(ctx)
}

// askAgain retries when the network could not be queried.
func (w *worker) askAgain(ctx context.Context, r store.Restoration, last *store.Attempt,
	failure *provider.Error) (verdict, error) {
	if failure.Kind == provider.Rejected || failure.Kind == provider.AuthExpired {
		return w.notFound(ctx, r, last, "the network could not be asked: "+failure.Message)
	}
	v := w.lookUpAgain(string(failure.Kind), "ask again", time.Time{})
	v.tries++
	v.code, v.message = string(failure.Code), failure.Message
	v.at = earlier(w.pub.clock().Add(max(failure.RetryAfter, w.pub.backoff(v.tries))),
		r.ServedAt.Add(restoredLookupTime+time.Second))
	return v, nil
}
