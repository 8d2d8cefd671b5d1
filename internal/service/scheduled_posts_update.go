package service

import (
	"context"

	"crier"
	"crier/internal/access"
	"crier/internal/publish"
	"crier/internal/store"
)

// CheckUpdate returns the issues of an update's publish settings: unknown keys and wrong types.
func (s *ScheduledPosts) CheckUpdate(in crier.ScheduledPostUpdate) []crier.Issue {
	return s.providers.CheckSettings(in.PlatformSettings.Value, "platformSettings")
}

// Update changes a scheduled post that has not started. Omitted fields keep their value.
func (s *ScheduledPosts) Update(ctx context.Context, scope access.TeamScope, id crier.ID,
	in crier.ScheduledPostUpdate) (crier.ScheduledPost, error) {
	if err := scope.Check(); err != nil {
		return crier.ScheduledPost{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.ScheduledPost, error) {
		known, err := tx.ScheduledPost(ctx, scope.Team().ID, id)
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		head, err := tx.LockPostHead(ctx, scope.Team().ID, known.PostID)
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		accounts, err := tx.LockAccounts(ctx, scope.Team().ID, []crier.ID{known.SocialAccountID})
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		p, err := tx.LockPublication(ctx, id)
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		if p.Status != crier.Scheduled {
			return crier.ScheduledPost{}, notScheduled(p.Status)
		}
		head.PayloadID = p.PayloadID
		plan, err := s.planUpdate(ctx, tx, scope, head, p, accounts, in)
		if err != nil {
			return crier.ScheduledPost{}, err
		}
		if plan.changesNothing() {
			return s.read(ctx, tx, id)
		}
		if _, err := s.schedules.put(ctx, tx, scope, plan, plan.deliveries[0]); err != nil {
			return crier.ScheduledPost{}, err
		}
		if err := tx.RefreshPosts(ctx, s.clock.Now(), p.PostID); err != nil {
			return crier.ScheduledPost{}, err
		}
		return s.read(ctx, tx, id)
	})
}

// notScheduled returns why a scheduled post can no longer be changed, and what can be done instead.
func notScheduled(status crier.ScheduledPostStatus) error {
	switch status {
	case crier.Publishing, crier.Processing:
		return crier.Conflict("This is being published: its state is %s. It can no longer be changed.", status)
	case crier.Failed, crier.Missed:
		return crier.Conflict("This is %s. Retry it, or schedule the post again.", status)
	case crier.Unknown:
		return crier.Conflict("Whether this was published is not known. Look at the network and resolve it first.")
	}
	return crier.Conflict("Only what is scheduled can be changed; this is %s.", status)
}

// planUpdate decides how a publication will be after a change. Without new settings and actions nothing of the content
// is checked again: a post can be moved whatever became of its account.
func (s *ScheduledPosts) planUpdate(ctx context.Context, tx *store.Tx, scope access.TeamScope, head store.PostHead,
	p store.Publication, accounts map[crier.ID]store.Account, in crier.ScheduledPostUpdate) (planned, error) {
	plan := planned{post: head, at: p.ScheduledAt, slotAt: p.SlotAt, team: scope.Team(), changes: true,
		zone: requestedZone(scope.Team(), in.Timezone)}
	if in.ScheduledAt.HasValue() && !in.ScheduledAt.Value.Equal(p.ScheduledAt.Time) {
		plan.at, plan.slotAt = in.ScheduledAt.Value, nil
	}
	content, err := s.engine.Content.Post(ctx, tx, scope.Team().ID, p.PayloadID)
	if err != nil {
		return plan, err
	}
	d := delivery{accountID: p.SocialAccountID, account: accounts[p.SocialAccountID],
		content: content.For(p.Provider, p.SocialAccountID), actions: p.Actions, moves: &p}
	d.provider, _ = s.schedules.providers.Get(string(p.Provider))
	d.content.Settings = p.Settings
	if in.PlatformSettings.Set || in.FirstComment.Set || in.PostPublishActions.Set || in.Recurrence.Set {
		if d, err = s.replanDelivery(ctx, tx, scope, head, p, accounts, content, in); err != nil {
			return plan, err
		}
	}
	plan.deliveries = []delivery{d}
	plan.keepSeries = plan.at.Equal(p.ScheduledAt.Time) && plan.zoneOf(d) == p.Timezone &&
		sameJSON(d.actions.RecurrenceIntervalDays, p.Actions.RecurrenceIntervalDays)
	if issues := recurrenceIssues(plan, crier.Targets{}); len(issues) > 0 {
		return plan, crier.Invalid(asSent(issues, in)...)
	}
	return plan, nil
}

// changesNothing reports whether a publication is already as an update plans it: writing it would discard what is
// prepared for it, and record a change.
func (p planned) changesNothing() bool {
	d, now := p.deliveries[0], p.deliveries[0].moves
	return p.at.Equal(now.ScheduledAt.Time) && p.zoneOf(d) == now.Timezone &&
		(len(d.content.Settings)+len(now.Settings) == 0 || sameJSON(d.content.Settings, now.Settings)) &&
		sameJSON(d.actions, now.Actions)
}

// asSent leads issues of a request to schedule to where a change has the same things. A recurrence that was not sent
// ends too early for the new time.
func asSent(issues []crier.Issue, in crier.ScheduledPostUpdate) []crier.Issue {
	out := make([]crier.Issue, len(issues))
	for i, issue := range issues {
		out[i] = issue
		switch path := issue.Path; {
		case len(path) == 0:
		case path[0] == "engagementCommentTrigger", path[0] == "repostAfter":
			out[i].Path = append([]string{"postPublishActions"}, path...)
		case path[0] == "recurrenceEndsAt" && !in.Recurrence.Set:
			out[i].Path = []string{"scheduledAt"}
		case path[0] == "recurrenceEndsAt", path[0] == "recurrenceIntervalDays":
			out[i].Path = append([]string{"recurrence"}, path...)
		}
	}
	return out
}

// replanDelivery checks new settings and actions as scheduling does. What the network cannot do is refused here: it was
// asked for on this account alone.
func (s *ScheduledPosts) replanDelivery(ctx context.Context, tx *store.Tx, scope access.TeamScope, head store.PostHead,
	p store.Publication, accounts map[crier.ID]store.Account, content publish.PostContent,
	in crier.ScheduledPostUpdate) (delivery, error) {
	live := p
	if in.PlatformSettings.Set && !sameJSON(in.PlatformSettings.Value, p.Settings) { // the given ones replace all
		live.Settings = nil
	}
	f := fanOut{providers: s.providers, saved: head.Actions, content: content, accounts: accounts,
		targets: updateTargets(p, in), live: map[crier.ID]store.Publication{p.SocialAccountID: live}}
	err := s.schedules.mayPlan(ctx, tx, scope, head, f)
	if err != nil {
		return delivery{}, err
	}
	if f.assets, err = s.engine.Content.Media(ctx, tx, scope.Team().ID, f.requestedAssets()); err != nil {
		return delivery{}, err
	}
	d := f.deliver(p.SocialAccountID)
	if d.refused != nil {
		if len(d.refused.Issues) > 0 {
			return d, crier.Invalid(asSent(d.refused.Issues, in)...)
		}
		return d, crier.Conflict("%s", d.refused.Message)
	}
	if ignored := ignoredActions(d.warnings, in); len(ignored) > 0 {
		return d, crier.Invalid(ignored...)
	}
	d.moves = &p
	d.actions.SeriesStart, d.actions.SeriesIndex = p.Actions.SeriesStart, p.Actions.SeriesIndex
	return d, nil
}

// updateTargets returns a change as a request to schedule on the same account.
func updateTargets(p store.Publication, in crier.ScheduledPostUpdate) crier.Targets {
	t := crier.Targets{SocialAccountIDs: []crier.ID{p.SocialAccountID}, PlatformSettings: in.PlatformSettings.Value,
		FirstComment: in.FirstComment, AllowRepublish: true}
	if in.PostPublishActions.Set {
		t.EngagementCommentTrigger = optional(in.PostPublishActions.Value.EngagementCommentTrigger)
		t.RepostAfter = optional(in.PostPublishActions.Value.RepostAfter)
	}
	if in.Recurrence.Set {
		t.RecurrenceIntervalDays, t.RecurrenceEndsAt = crier.Null[int](), crier.Null[crier.Time]()
		if r := in.Recurrence.Ptr(); r != nil {
			t.RecurrenceIntervalDays, t.RecurrenceEndsAt = crier.Some(r.RecurrenceIntervalDays),
				optional(r.RecurrenceEndsAt)
		}
	}
	return t
}

// optional returns a field that is there: the value, or null.
func optional[T any](v *T) crier.Optional[T] {
	if v == nil {
		return crier.Null[T]()
	}
	return crier.Some(*v)
}

// ignoredActions returns the warnings about actions of a change that the network cannot do, and about planned actions
// that the new settings would end.
func ignoredActions(warnings []crier.Issue, in crier.ScheduledPostUpdate) []crier.Issue {
	var ignored []crier.Issue
	for _, w := range warnings {
		if len(w.Path) == 0 {
			continue
		}
		sent := in.PostPublishActions.HasValue()
		switch w.Path[0] {
		case "firstComment":
			sent = in.FirstComment.HasValue()
		case "engagementCommentTrigger", "repostAfter":
		default:
			continue
		}
		switch {
		case sent:
			ignored = append(ignored, w)
		case in.PlatformSettings.Set:
			ignored = append(ignored, crier.At(w.Path[0]+": "+w.Message, "platformSettings"))
		}
	}
	return asSent(ignored, in)
}

// Cancel stops the publication on one account; the credits that were reserved for it are released. A series ends with
// it.
func (s *ScheduledPosts) Cancel(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.ScheduledPost, error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		switch p.Status {
		case crier.Canceled:
			return nil
		case crier.Scheduled:
		case crier.Publishing, crier.Processing:
			return crier.Conflict("This is being published: its state is %s. It can no longer be canceled.", p.Status)
		default:
			return crier.Conflict("Only what is scheduled can be canceled; this is %s.", p.Status)
		}
		return s.engine.Publisher.Cancel(ctx, tx, []store.Publication{*p})
	})
}

// Dismiss removes a failure from the list of what needs attention. The record stays, and a new failure needs attention
// again.
func (s *ScheduledPosts) Dismiss(ctx context.Context, scope access.TeamScope, id crier.ID) (crier.ScheduledPost,
	error) {
	return s.decide(ctx, scope, id, func(tx *store.Tx, p *store.Publication) error {
		now := s.clock.Now()
		known, changed, err := tx.Dismiss(ctx, id, now)
		if err == nil && !known {
			err = crier.Conflict("There is nothing to dismiss: this is %s, and none of its actions failed.", p.Status)
		}
		if err != nil || !changed {
			return err
		}
		return recordDismissed(tx, now, publish.Shown(*p))
	})
}
