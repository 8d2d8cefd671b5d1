package publish

import (
	"context"

	"crier"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/store"
)

// MayRetry refuses to retry a publication that neither failed nor was missed, or that a newer one replaced.
func (s *Publisher) MayRetry(ctx context.Context, tx *store.Tx, p store.Publication) error {
	switch p.Status {
	case crier.Failed, crier.Missed:
	case crier.Unknown:
		return crier.Conflict("Whether this was published is not known. Check the network and resolve it instead.")
	default:
		return crier.Conflict("Only failed and missed posts can be retried; this one is %s.", p.Status)
	}
	newer, err := tx.Replacement(ctx, p)
	if err != nil {
		return err
	}
	if newer != nil {
		return replaced(*newer)
	}
	return nil
}

// Retry restarts a failed or missed publication on a person's request, unless a newer one replaced it. Its credits are
// reserved again. It does not start a series again: that has gone on without this publication, and as none of it is
// live any more, it was ended since. The caller must have locked post and publication; p is updated.
func (s *Publisher) Retry(ctx context.Context, tx *store.Tx, p *store.Publication) error {
	if err := s.MayRetry(ctx, tx, *p); err != nil {
		return err
	}
	if err := s.checkFiles(ctx, tx, *p); err != nil {
		return err
	}
	p.Actions.RecurrenceIntervalDays, p.Actions.RecurrenceEndsAt = nil, nil
	return s.revive(ctx, tx, p, nil, Progress{})
}

// checkFiles returns an error if a file that a publication needs was deleted, and keeps the others from being deleted
// until the transaction ends.
func (s *Publisher) checkFiles(ctx context.Context, tx *store.Tx, p store.Publication) error {
	network, ok := s.providers.Get(string(p.Provider))
	if !ok {
		return nil // which is the reason that it will fail for
	}
	st, _, err := s.loadState(p)
	if err != nil {
		return err
	}
	post, err := s.content.Post(ctx, tx, p.TeamID, p.PayloadID)
	if err != nil {
		return err
	}
	content, err := s.content.WithSettings(ctx, tx, p.TeamID, network, post.For(p.Provider, p.SocialAccountID),
		p.Settings)
	if err == nil && lacksFiles(network.Info(), content, st) {
		return crier.Conflict(filesDeleted)
	}
	return err
}

// replaced returns the error of retrying a superseded failure: the account would have the post twice.
func replaced(by store.Publication) error {
	switch by.Status {
	case crier.Published:
		return crier.Conflict("The scheduled post %s has published it on this account since. "+
			"To publish it once more, schedule the post with allowRepublish: true.", by.ID)
	case crier.Failed, crier.Missed:
		return crier.Conflict("The scheduled post %s has replaced it and is %s. Retry that one instead.", by.ID,
			by.Status)
	}
	return crier.Conflict("The scheduled post %s has replaced it on this account and is %s.", by.ID, by.Status)
}

// Continues reports whether more of a publication is published once its unknown outcome is resolved: all of it again,
// or the next part of a thread.
func (s *Publisher) Continues(p store.Publication, in crier.Resolution) (bool, error) {
	if p.Status != crier.Unknown || in.Outcome == "failed" {
		return false, nil
	}
	st, _, err := s.loadState(p)
	return in.Outcome == "retry" || st.NextPart()+1 < partsOf(p), err
}

// partsOf returns how many parts a publication has.
func partsOf(p store.Publication) int { return max(1, len(p.Actions.PartCosts)) }

// Resolve applies a person's decision about a publication with an unknown outcome. If its deletion from the network was
// asked for meanwhile, that is continued. The caller must have locked post and publication; p is updated.
func (s *Publisher) Resolve(ctx context.Context, tx *store.Tx, p *store.Publication, in crier.Resolution) error {
	if p.Status != crier.Unknown {
		return crier.Conflict("Only an unknown outcome can be resolved; this is %s.", p.Status)
	}
	if err := s.applyResolution(ctx, tx, p, in); err != nil {
		return err
	}
	return s.continueDeletion(ctx, tx, *p, in.Outcome)
}

func (s *Publisher) applyResolution(ctx context.Context, tx *store.Tx, p *store.Publication,
	in crier.Resolution) error {
	last, err := tx.LastSend(ctx, *p)
	if err != nil {
		return err
	}
	var resolved []store.ResolvedAttempt
	if last != nil {
		resolved = []store.ResolvedAttempt{{ID: last.ID, Outcome: outcomeAbsent}}
	}
	switch in.Outcome {
	case "published":
		for i := range resolved {
			resolved[i].Outcome = outcomePublished
		}
		return s.resolvePublished(ctx, tx, p, in.PlatformPostID, resolved)
	case "retry":
		progress, err := s.lookedByHand(ctx, tx)
		if err != nil {
			return err
		}
		if p.Kind == store.EngagementComment { // the post had the likes when it was tried
			progress.LikesReached = true
		}
		return s.revive(ctx, tx, p, resolved, progress)
	}
	st, _, err := s.loadState(*p)
	if err != nil {
		return err
	}
	return s.settleManually(ctx, tx, p, st, Progress{}, verdict{result: failed, resolved: resolved})
}

// Cancel ends publications that have not started, on a person's request. The caller must have locked them and their
// posts.
func (s *Publisher) Cancel(ctx context.Context, tx *store.Tx, list []store.Publication) error {
	settlements := make([]*settlement, len(list))
	for i, p := range list {
		st, _, err := s.loadState(p)
		if err != nil {
			return err
		}
		v := verdict{result: canceled, manual: true, now: s.clock.Now()}
		if settlements[i], err = outcome(p, st, v); err != nil {
			return err
		}
	}
	return s.writeSettlements(ctx, tx, store.Patient, settlements...)
}

// lookedByHand returns the progress of a publication that a person has looked for at its network: after a restore, it
// would be looked up again, and left to the person again.
func (s *Publisher) lookedByHand(ctx context.Context, tx *store.Tx) (Progress, error) {
	r, err := s.restoration(ctx, tx)
	if err != nil || r == nil {
		return Progress{}, err
	}
	return Progress{LookedFor: r.ServedAt.Time}, nil
}

// revive makes a publication due now. Of the provider state, only the published parts are kept.
func (s *Publisher) revive(ctx context.Context, tx *store.Tx, p *store.Publication, resolved []store.ResolvedAttempt,
	progress Progress) error {
	st, _, err := s.loadState(*p)
	if err != nil {
		return err
	}
	if needed := missingCredits(*p); needed > 0 {
		if err := ledger.CheckFree(ctx, tx, p.OrganizationID, needed); err != nil {
			return err
		}
	}
	st = provider.State{Published: st.Published, PlatformPostID: st.PlatformPostID}
	return s.settleManually(ctx, tx, p, st, progress, verdict{result: revived, resolved: resolved})
}

// resolvePublished applies a person's decision that the open part was published. Of a deleted post, the rest of a
// thread is not published any more: it has failed there, and its public parts are recorded.
func (s *Publisher) resolvePublished(ctx context.Context, tx *store.Tx, p *store.Publication, platformPostID string,
	resolved []store.ResolvedAttempt) error {
	st, _, err := s.loadState(*p)
	if err != nil {
		return err
	}
	status, err := tx.PostStatus(ctx, p.PostID)
	if err != nil {
		return err
	}
	deleted := status == crier.PostDeleted
	if platformPostID == "" && st.NextPart()+1 < partsOf(*p) && !deleted {
		return crier.Invalid(crier.At("is needed: the next part of the thread is a reply to this one",
			"platformPostId"))
	}
	st.Data = nil
	st.Publish(provider.Published{PlatformPostID: platformPostID, PublishedAt: s.clock()}, partsOf(*p))
	v := verdict{result: published, resolved: resolved}
	switch {
	case st.Done:
	case deleted:
		v.result, p.ErrorCode, p.ErrorMessage = failed, nil, crier.TextOrNil(restNotPublished)
	default:
		v.result, v.at = partPublished, s.clock()
	}
	return s.settleManually(ctx, tx, p, st, Progress{}, v)
}

// restNotPublished is the error of a thread that ends with an unknown part, because its post was deleted.
const restNotPublished = "the post was deleted before the rest of the thread was published"

// settleManually writes the settlement of a person's decision.
func (s *Publisher) settleManually(ctx context.Context, tx *store.Tx, p *store.Publication, st provider.State,
	progress Progress, v verdict) error {
	v.manual, v.now, v.likePause = true, s.clock.Now(), s.timings.LikePause
	before, err := tx.ScheduledPosts(ctx, []crier.ID{p.ID})
	if err != nil {
		return err
	}
	if err := s.encodeState(p, st, progress); err != nil {
		return err
	}
	one, err := outcome(*p, st, v)
	if err != nil {
		return err
	}
	if shown, ok := before[p.ID]; ok {
		one.read = &shown
	}
	if err := s.writeSettlements(ctx, tx, store.Patient, one); err != nil {
		return err
	}
	*p = one.Publication
	return nil
}
