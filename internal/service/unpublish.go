package service

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

const (
	// maxUnpublishTries bounds how often a network is asked to remove a post.
	maxUnpublishTries = 8
	// deleteWait is how long a deletion waits for the networks.
	deleteWait = 10 * time.Second
)

// The verdicts on a removal that no network gives.
const (
	verdictNotSupported = "not_supported"
	verdictFailed       = "failed"
)

// Unpublish removes what was published from its network: all parts of a thread, the last first. It is safe to repeat. It
// returns when to come back; zero means that the verdict is in.
func (s *Publisher) Unpublish(ctx context.Context, id crier.ID) (time.Time, error) {
	w := &publishing{Publisher: s}
	var err error
	if w.p, err = s.store.Publication(ctx, store.Ref{ID: id}); err != nil {
		return time.Time{}, err
	}
	tries, over, err := s.unpublishTries(ctx, id)
	if err != nil || over {
		return time.Time{}, err
	}
	if w.account, err = s.store.Account(ctx, w.p.SocialAccountID); err != nil {
		return time.Time{}, err
	}
	network, ok := s.providers.Get(string(w.p.Provider))
	deleter := s.providers.Features(network).Deleter
	if !ok || deleter == nil {
		return time.Time{}, w.verdict(ctx, verdictNotSupported, "", fmt.Sprintf("%s does not let apps delete posts; delete it there by hand.", w.p.Provider), nil)
	}
	outcome, err := w.unpublish(ctx, deleter)
	if err == nil {
		return time.Time{}, w.verdict(ctx, string(outcome), "", "Removed from "+network.Info().DisplayName+".", nil)
	}
	failure := provider.AsError(err)
	if failure.Kind == provider.Rejected || failure.Kind == provider.AuthExpired || tries >= maxUnpublishTries {
		return time.Time{}, w.verdict(ctx, verdictFailed, string(failure.Code), failure.Message, nil)
	}
	next := s.clock().Add(max(failure.RetryAfter, s.backoff(tries)))
	return next, w.verdict(ctx, string(failure.Kind), string(failure.Code), failure.Message, &next)
}

// unpublish removes the parts; the outcome is that of the first one.
func (w *publishing) unpublish(ctx context.Context, deleter provider.Deleter) (provider.Deletion, error) {
	if err := w.authorize(ctx); err != nil {
		return "", err
	}
	ids := slices.Clone(w.p.Results.PlatformPostIDs)
	if len(ids) == 0 && w.p.PlatformPostID != nil {
		ids = []string{*w.p.PlatformPostID}
	}
	slices.Reverse(ids)
	outcome := provider.AlreadyGone
	for _, id := range ids {
		var err error
		if outcome, err = deleter.Delete(w.recording(ctx), w.client, id); err != nil {
			return "", err
		}
	}
	return outcome, nil
}

// unpublishTries counts how often the network was asked; over is true when it has decided.
func (s *Publisher) unpublishTries(ctx context.Context, id crier.ID) (tries int, over bool, err error) {
	attempts, err := s.store.DeleteAttempts(ctx, []crier.ID{id})
	for _, a := range attempts {
		tries++
		over = over || isVerdict(a.Outcome)
	}
	return tries, over, err
}

func isVerdict(outcome string) bool {
	switch outcome {
	case string(provider.Deleted), string(provider.AlreadyGone), verdictNotSupported, verdictFailed:
		return true
	}
	return false
}

// verdict keeps what came of asking the network.
func (w *publishing) verdict(ctx context.Context, outcome, code, message string, next *time.Time) error {
	a := w.attemptOver("delete")
	s := settlement{attempt: a, outcome: outcome, code: code, message: message, next: "nothing", nextAt: next}
	if next != nil {
		s.next = "ask again"
	}
	ctx = context.WithoutCancel(ctx)
	err := w.store.WithTx(ctx, func(tx *store.Tx) error { return tx.WriteAttempts(ctx, w.ended(s)) })
	w.report(ctx, s, err)
	return err
}

// AwaitKeptDeletes answers a repeated deletion from what the first one began.
func (s *Posts) AwaitKeptDeletes(ctx context.Context, kept []byte) (crier.PostDeletion, error) {
	var out crier.PostDeletion
	if err := json.Unmarshal(kept, &out); err != nil {
		return out, fmt.Errorf("decode the kept deletion: %w", err)
	}
	return s.awaitDeletes(ctx, out)
}

// awaitDeletes waits for the networks' verdicts and enters them.
func (s *Posts) awaitDeletes(ctx context.Context, out crier.PostDeletion) (crier.PostDeletion, error) {
	if len(out.PlatformDeletes) == 0 {
		return out, nil
	}
	ids := make([]crier.ID, len(out.PlatformDeletes))
	for i, d := range out.PlatformDeletes {
		ids[i] = d.ScheduledPostID
	}
	for deadline := s.clock().Add(deleteWait); ; {
		attempts, err := s.store.DeleteAttempts(ctx, ids)
		if err != nil {
			return out, err
		}
		if enterVerdicts(out.PlatformDeletes, attempts) || !s.clock().Before(deadline) {
			out.PlatformDelete = &out.PlatformDeletes[0]
			return out, nil
		}
		timer := time.NewTimer(postNowPoll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return out, ctx.Err()
		case <-timer.C:
		}
	}
}

// enterVerdicts is true when all are in.
func enterVerdicts(deletes []crier.PlatformDelete, attempts []store.Attempt) bool {
	open := len(deletes)
	for i := range deletes {
		for _, a := range attempts {
			if a.ScheduledPostID == deletes[i].ScheduledPostID && isVerdict(a.Outcome) {
				deletes[i].Verdict, deletes[i].Message = a.Outcome, a.Message
				open--
				break
			}
		}
	}
	return open == 0
}
