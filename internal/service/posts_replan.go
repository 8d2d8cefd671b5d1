package service

import (
	"context"
	"fmt"
	"slices"

	"crier"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// replan checks a changed post against the accounts that it is scheduled on, and moves their publications to it in a
// new epoch: the new content, and the actions that have changed. What breaks rules is a 400 that names every account
// and rule; a higher price is reserved (402).
func (s *Posts) replan(ctx context.Context, tx *store.Tx, before, after store.Post, sent crier.PostUpdate) error {
	live, err := tx.LivePublications(ctx, after.ID)
	if err != nil || len(live) == 0 {
		return err
	}
	f, err := s.replanned(ctx, tx, before, after, live)
	if err != nil {
		return err
	}
	var issues []crier.Issue
	deliveries := make([]delivery, 0, len(live))
	for _, id := range sortedIDs(live) {
		p := live[id]
		if p.Status != crier.Scheduled {
			return crier.Conflict("The content cannot change while the post is %s on account %s.", p.Status, id)
		}
		d := delivery{accountID: id, account: f.accounts[id], moves: &p}
		d.content.Settings, d.actions = p.Settings, reviseActions(p.Actions, before.PostPublishActions,
			after.PostPublishActions)
		var ok bool
		if d.provider, ok = s.providers.Get(string(p.Provider)); !ok {
			return crier.Conflict("This installation has no client for %s.", p.Provider)
		}
		issues = append(issues, accountIssues(f, &d, sent)...)
		deliveries = append(deliveries, d)
	}
	if len(issues) > 0 {
		return crier.Invalid(issues...)
	}
	for _, d := range deliveries {
		if err := s.rewrite(ctx, tx, d, after.ContentPayloadID); err != nil {
			return err
		}
	}
	return nil
}

// replanned returns what decides whether the new content and actions of a post suit the accounts that it is scheduled
// on.
func (s *Posts) replanned(ctx context.Context, tx *store.Tx, before, after store.Post,
	live map[crier.ID]store.Publication) (fanOut, error) {
	f := fanOut{providers: s.providers}
	var err error
	if f.accounts, err = tx.LockAccounts(ctx, after.TeamID, sortedIDs(live)); err != nil {
		return f, err
	}
	if f.content, err = s.engine.Content.Post(ctx, tx, after.TeamID, after.ContentPayloadID); err != nil {
		return f, err
	}
	settings, actions := map[crier.ID]provider.Settings{}, map[crier.ID]crier.PlannedActions{}
	for id, p := range live {
		settings[id] = p.Settings
		actions[id] = reviseActions(p.Actions, before.PostPublishActions, after.PostPublishActions)
	}
	f.assets, err = s.engine.Content.Media(ctx, tx, after.TeamID, f.namedAssets(settings, actions))
	return f, err
}

// accountIssues returns what an account has against a changed post, at the places of the request that they follow from.
func accountIssues(f fanOut, d *delivery, sent crier.PostUpdate) []crier.Issue {
	found := f.check(d)
	if end := d.actions.RecurrenceEndsAt; end != nil && end.Before(d.moves.ScheduledAt.Time) {
		found.Reject([]string{"recurrenceEndsAt"},
			fmt.Sprintf("the recurrence ends at %s, before the first time, %s", end, d.moves.ScheduledAt))
	}
	issues := make([]crier.Issue, len(found.Issues))
	for i, issue := range found.Issues {
		issues[i] = crier.At(fmt.Sprintf("account %s (%s): %s", d.accountID, d.provider.Info().DisplayName,
			issue.Message), sentPath(sent, issue.Path)...)
	}
	return issues
}

// sentPath returns where a request has what an issue is about, or else the first thing that it changes.
func sentPath(sent crier.PostUpdate, path []string) []string {
	if len(path) > 0 && slices.Contains([]string{"firstComment", "engagementCommentTrigger", "repostAfter",
		"recurrenceEndsAt"}, path[0]) {
		if sent.PostPublishActions.Set {
			return append([]string{"postPublishActions"}, path...)
		}
		path = nil
	}
	inPost := len(path) > 1 && path[0] == "postInput"
	switch {
	case inPost && sent.PostInput.HasValue():
		return path
	case inPost && path[1] == "text" && sent.Text.Set:
		return []string{"text"}
	case inPost && path[1] == "attachments" && sent.AssetIDs.Set:
		return append([]string{"assetIds"}, path[2:min(3, len(path))]...)
	}
	for _, field := range []struct {
		name string
		set  bool
	}{{"postInput", sent.PostInput.Set}, {"text", sent.Text.Set}, {"assetIds", sent.AssetIDs.Set},
		{"postType", sent.PostType.Set}, {"postPublishActions", sent.PostPublishActions.Set}} {
		if field.set {
			return []string{field.name}
		}
	}
	return path
}

// rewrite moves a publication to new content and actions.
func (s *Posts) rewrite(ctx context.Context, tx *store.Tx, d delivery, payload crier.ID) error {
	p, now := *d.moves, s.clock.Now()
	p.Actions = d.actions
	if err := reserve(ctx, tx, &p, d.moves, true, now); err != nil {
		return err
	}
	wake := d.wakeTime(p.ScheduledAt)
	p.PayloadID, p.WakeAt, p.State, p.Epoch = payload, &wake, publish.EmptyState(), p.Epoch+1
	if err := tx.MovePublication(ctx, p, now); err != nil {
		return err
	}
	p.UpdatedAt = now
	if err := recordScheduled(tx, now, d.moves, p); err != nil {
		return err
	}
	return s.queue.Enqueue(ctx, tx, publish.WakeJob(p, now.Time))
}
