package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier"
	"crier/internal/events"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// maxUnpublishTries bounds the attempts to delete a post from a network.
	maxUnpublishTries = 8
	// maxUnpublishPause is the longest pause between two of them: if a network asks for more, a person is faster.
	maxUnpublishPause = 24 * time.Hour
)

// opDelete is the operation of deleting a publication.
const opDelete = "delete"

// The outcomes of a deletion that do not come from a network.
const (
	deletionNotSupported = "not_supported"
	deletionFailed       = "failed"
)

// Unpublish deletes a publication from its network: the comments and the repost that crier added, then all parts of a
// thread, the last first. It is idempotent. What is not known to be public waits until it is. It returns when to
// continue; zero means that it is finished.
func (s *Publisher) Unpublish(ctx context.Context, id crier.ID) (time.Time, error) {
	w := &worker{pub: s}
	var err error
	w.p, err = s.store.Publication(ctx, id)
	if crier.IsKind(err, crier.KindNotFound) { // its team was purged while it waited
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	d, err := w.deletionSoFar(ctx)
	if err != nil || w.nothingToDo(d) {
		return d.lookAgain, err
	}
	if w.account, err = s.store.Account(ctx, w.p.SocialAccountID); err != nil {
		return time.Time{}, err
	}
	network, ok := s.providers.Get(string(w.p.Provider))
	deleter := s.providers.Features(network).Deleter
	if !ok || deleter == nil || !s.providers.InfoFor(network, NetworkAccount(w.account)).Abilities.Delete {
		return d.lookAgain, w.recordDeletion(ctx, d, deletionNotSupported, "",
			fmt.Sprintf("%s does not let apps delete this account's posts; delete it there manually.",
				w.p.Provider), nil)
	}
	if len(w.publicIDs()) == 0 {
		return d.lookAgain, w.recordDeletion(ctx, d, deletionFailed, "",
			network.Info().DisplayName+" has not returned the id of the post; delete it there manually.", nil)
	}
	if until, err := s.actionsSending(ctx, id); err != nil || !until.IsZero() {
		return until, err
	}
	return w.deleteAll(ctx, d, network.Info().DisplayName, deleter)
}

// deleteAll makes one attempt to delete a publication. It returns when to continue.
func (w *worker) deleteAll(ctx context.Context, d deletion, network string, deleter provider.Deleter) (time.Time,
	error) {
	var left []string
	var outcome provider.Deletion
	calls := w.recording(ctx)
	err := w.pub.tokens.Call(calls, w.account, func(client provider.Account) (err error) {
		w.client = client
		if left, err = w.unpublishActions(calls, deleter); err == nil {
			outcome, err = w.unpublish(calls, deleter)
		}
		return err
	})
	if err == nil {
		message := strings.Join(append([]string{"Removed from " + network + "."}, left...), " ")
		if !d.lookAgain.IsZero() {
			message += " Something of it has an unknown outcome: if it is resolved as published, it is deleted, too."
		}
		return d.lookAgain, w.recordDeletion(ctx, d, string(outcome), "", message, nil)
	}
	failure := provider.AsError(err)
	if failure.Kind == provider.Rejected || failure.Kind == provider.AuthExpired || d.tries >= maxUnpublishTries {
		return d.lookAgain, w.recordDeletion(ctx, d, deletionFailed, string(failure.Code), failure.Message, nil)
	}
	next := w.pub.clock().Add(max(failure.RetryAfter, w.pub.backoff(d.tries)))
	if failure.RetryAfter > maxUnpublishPause {
		message := fmt.Sprintf("%s. %s asks to wait until %s; delete it there manually.",
			strings.TrimSuffix(failure.Message, "."), network, crier.TimeOf(next))
		return d.lookAgain, w.recordDeletion(ctx, d, deletionFailed, string(failure.Code), message, nil)
	}
	return next, w.recordDeletion(ctx, d, string(failure.Kind), string(failure.Code), failure.Message, &next)
}

// actionPause is the longest pause before an action that is being published is looked at again.
const actionPause = 2 * time.Second

// actionsSending returns when to look again whether the publication's actions have ended; zero means that none is being
// published. A comment or quote whose call has begun would become public after the deletion, which does not know it.
func (s *Publisher) actionsSending(ctx context.Context, publication crier.ID) (time.Time, error) {
	running, err := s.store.RunningActions(ctx, publication)
	if err != nil {
		return time.Time{}, err
	}
	now := s.clock()
	for _, a := range running {
		last, err := s.store.LastSend(ctx, a)
		if err != nil {
			return time.Time{}, err
		}
		if last != nil && last.SettledAfter != nil && now.Before(last.SettledAfter.Time) {
			return earlier(now.Add(actionPause), last.SettledAfter.Time), nil
		}
	}
	return time.Time{}, nil
}

// unpublish deletes the parts; the outcome is that of the first one.
func (w *worker) unpublish(ctx context.Context, deleter provider.Deleter) (provider.Deletion, error) {
	ids := w.publicIDs()
	slices.Reverse(ids)
	outcome := provider.AlreadyGone
	for _, id := range ids {
		var err error
		if outcome, err = deleter.Delete(ctx, w.client, id); err != nil {
			return "", err
		}
		w.charge(outcome)
	}
	return outcome, nil
}

// charge adds the cost of a deletion, where the network charges for it.
func (w *worker) charge(outcome provider.Deletion) {
	if network, ok := w.pub.providers.Get(string(w.p.Provider)); ok && outcome == provider.Deleted {
		w.spent += network.Info().Cost(provider.CostDelete)
	}
}

// unpublishActions deletes the comments and the repost that crier added. left lists what the network refuses to delete,
// which does not prevent deleting the post.
func (w *worker) unpublishActions(ctx context.Context, deleter provider.Deleter) (left []string, err error) {
	actions, err := w.pub.store.PublishedActions(ctx, w.p.ID)
	if err != nil {
		return nil, err
	}
	for _, a := range actions {
		outcome, err := w.unpublishAction(ctx, deleter, a)
		failure := provider.AsError(err)
		switch {
		case failure == nil:
			w.charge(outcome)
		case failure.Kind == provider.Rejected:
			left = append(left, fmt.Sprintf("The %s is still there: %s", actionNames[a.Kind], failure.Message))
		default:
			return nil, failure
		}
	}
	return left, nil
}

// actionNames are the display names of actions.
var actionNames = map[store.PublicationKind]string{
	store.FirstComment: "first comment", store.EngagementComment: "comment after many likes",
	store.RepostPublication: "repost",
}

func (w *worker) unpublishAction(ctx context.Context, deleter provider.Deleter,
	a store.Publication) (provider.Deletion, error) {
	network, _ := w.pub.providers.Get(string(w.p.Provider))
	if unreposter := w.pub.providers.Features(network).Unreposter; unreposter != nil && w.isPlainRepost(a) {
		return unreposter.Unrepost(ctx, w.client, crier.Text(w.p.PlatformPostID))
	}
	if crier.Text(a.PlatformPostID) == "" {
		return "", &provider.Error{Kind: provider.Rejected, Code: provider.CodeOutcomeUnknown,
			Message: "the network did not return its id"}
	}
	return deleter.Delete(ctx, w.client, *a.PlatformPostID)
}

func (w *worker) isPlainRepost(a store.Publication) bool {
	var spec crier.RepostAfter
	return a.Kind == store.RepostPublication && json.Unmarshal(a.Spec, &spec) == nil && !spec.Quotes()
}

// publicIDs returns the network's ids of the published parts.
func (w *worker) publicIDs() []string {
	ids := slices.DeleteFunc(slices.Clone(w.p.Results.PlatformPostIDs), func(id string) bool { return id == "" })
	if len(ids) == 0 && w.p.PlatformPostID != nil && *w.p.PlatformPostID != "" {
		ids = []string{*w.p.PlatformPostID}
	}
	return ids
}

// IsVerdict reports whether the outcome of a deletion is final.
func IsVerdict(outcome string) bool {
	switch outcome {
	case string(provider.Deleted), string(provider.AlreadyGone), deletionNotSupported, deletionFailed:
		return true
	}
	return false
}

// recordDeletion records the outcome of a deletion. A final one ends the requests that waited for it.
func (w *worker) recordDeletion(ctx context.Context, d deletion, outcome, code, message string,
	next *time.Time) error {
	v := verdict{attempt: w.attemptOver(opDelete), outcome: outcome, code: code, message: message, next: "nothing",
		now: w.pub.clock.Now()}
	if next != nil {
		v.next, v.at = "ask again", *next
	}
	v.attempt.Exchanges = w.exchanges
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.pub.timings.WriteTimeout)
	defer cancel()
	spent := ledger.Spent(ledger.Charge{Organization: w.p.OrganizationID, Publication: &w.p.ID, Amount: w.spent,
		At: v.now})
	err := w.pub.store.WithTx(ctx, func(tx *store.Tx) error {
		if err := tx.AddCredits(ctx, spent...); err != nil {
			return err
		}
		if outcome == string(provider.Deleted) || outcome == string(provider.AlreadyGone) {
			if err := events.Record(tx, v.now, events.Fact{Type: crier.ScheduledPostRemoved,
				OrganizationID: w.p.OrganizationID, TeamID: &w.p.TeamID, Object: Shown(w.p)}); err != nil {
				return err
			}
		}
		if len(d.due) > 0 && IsVerdict(outcome) {
			return w.endRequests(ctx, tx, d.due, *v.endedAttempt())
		}
		return tx.WriteAttempts(ctx, *v.endedAttempt())
	})
	w.pub.report(ctx, w.p, v, err)
	return err
}
