package service

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// Schedules puts posts on the calendar and publishes them at once.
type Schedules struct {
	*core
	profiles *Profiles
}

// CheckSettings finds what is wrong with the publish settings of a request: unknown keys and wrong types.
func (s *Schedules) CheckSettings(t crier.Targets) []crier.Issue {
	issues := s.providers.CheckSettings(t.PlatformSettings, "platformSettings")
	for id, own := range t.PlatformSettingsBySocialAccountID {
		issues = append(issues, s.providers.CheckSettings(own, "platformSettingsBySocialAccountId", string(id))...)
	}
	return issues
}

// when is the time a request asks for: an instant, the next slot, or now.
type when struct {
	at       crier.Time
	nextSlot bool
	now      bool
}

// Schedule fans a post out to accounts. Rows, jobs, credits and the idempotency key of all accepted accounts stand or
// fall together.
func (s *Schedules) Schedule(ctx context.Context, scope TeamScope, post crier.ID, in crier.ScheduleRequest) (crier.ScheduleResult, error) {
	if err := scope.check(); err != nil {
		return crier.ScheduleResult{}, err
	}
	w := when{nextSlot: in.UseNextSlot != nil && *in.UseNextSlot}
	if in.ScheduledAt != nil {
		w.at = *in.ScheduledAt
	}
	if err := s.profiles.freshen(ctx, scope, in.SocialAccountIDs); err != nil {
		return crier.ScheduleResult{}, err
	}
	return write(ctx, s.core, func(tx *store.Tx) (crier.ScheduleResult, error) {
		return s.fanOut(ctx, tx, scope, post, in.Targets, w)
	})
}

// planned is a fan-out whose plan is made and whose time is found.
type planned struct {
	post       store.PostHead
	deliveries []delivery
	at         crier.Time
	slotAt     *crier.Time
	zone       string
}

// fanOut plans and writes.
func (s *Schedules) fanOut(ctx context.Context, tx *store.Tx, scope TeamScope, post crier.ID, t crier.Targets, w when) (crier.ScheduleResult, error) {
	plan, err := s.planFanOut(ctx, tx, scope, post, t, w)
	if err != nil {
		return crier.ScheduleResult{}, err
	}
	entries := make([]crier.ScheduleEntry, len(plan.deliveries))
	accepted := 0
	for i, d := range plan.deliveries {
		entries[i] = crier.ScheduleEntry{SocialAccountID: d.accountID, Error: d.refused, Warnings: d.warnings}
		if d.refused != nil {
			continue
		}
		accepted++
		p, err := s.put(ctx, tx, scope, plan, d)
		if err != nil {
			return crier.ScheduleResult{}, err
		}
		shown := shownPublication(p)
		entries[i].ScheduledPost = &shown
	}
	if accepted > 0 {
		if err := s.markScheduled(ctx, tx, plan); err != nil {
			return crier.ScheduleResult{}, err
		}
	}
	return crier.ScheduleResult{Data: entries, Outcome: crier.OutcomeOf(entries)}, nil
}

func (s *Schedules) markScheduled(ctx context.Context, tx *store.Tx, plan planned) error {
	now := s.now()
	if err := tx.Approve(ctx, plan.post.ID, now); err != nil {
		return err
	}
	return tx.RefreshPosts(ctx, plan.post.ID)
}

// planFanOut reads what the decision needs, under locks, and decides. It writes nothing.
func (s *Schedules) planFanOut(ctx context.Context, tx *store.Tx, scope TeamScope, post crier.ID, t crier.Targets, w when) (planned, error) {
	head, err := tx.LockPostHead(ctx, scope.team.ID, post)
	if err != nil {
		return planned{}, err
	}
	if err := mayPublish(scope.team, head); err != nil {
		return planned{}, err
	}
	f := fanOut{providers: s.providers, targets: t, actions: mergeActions(head.Actions, t)}
	if f.accounts, err = tx.LockAccounts(ctx, scope.team.ID, t.SocialAccountIDs); err != nil {
		return planned{}, err
	}
	if f.live, err = tx.LivePublications(ctx, post); err != nil {
		return planned{}, err
	}
	if f.published, err = tx.PublishedAccounts(ctx, post); err != nil {
		return planned{}, err
	}
	if f.content, err = s.postContent(ctx, tx, scope.team.ID, head.PayloadID); err != nil {
		return planned{}, err
	}
	if problem := incompleteProblem(f.content); problem != "" {
		return planned{}, crier.Invalid(crier.At(problem, "postType"))
	}
	if f.assets, err = s.media(ctx, tx, scope.team.ID, f.namedAssets()); err != nil {
		return planned{}, err
	}
	plan := planned{post: head, deliveries: f.plan(), zone: zoneOf(scope.team, t.Timezone)}
	if err := s.findTime(ctx, tx, scope.team, t.Timezone, w, &plan); err != nil {
		return plan, err
	}
	s.foreseeConnections(&plan)
	return plan, s.foreseeQuotas(ctx, tx, &plan)
}

// mayPublish refuses posts that are not fit to be scheduled.
func mayPublish(team crier.Team, head store.PostHead) error {
	if head.Status == crier.PostArchived {
		return crier.Conflict("The post is archived. Move it back to draft first.")
	}
	if team.RequireApproval && head.Status != crier.PostApproved {
		return crier.Conflict("This team publishes approved posts only, and this post is %s.", head.Status)
	}
	return nil
}

// zoneOf is the zone a schedule was chosen in: the request's, else the team's, else UTC.
func zoneOf(team crier.Team, given *crier.Zone) string {
	switch {
	case given != nil:
		return string(*given)
	case team.Timezone != nil:
		return *team.Timezone
	}
	return "UTC"
}

// findTime sets the instant of a plan. With the next slot, it is the earliest one at which none of the accepted accounts
// has anything live; the accounts are locked, and the slot is held by a unique index.
func (s *Schedules) findTime(ctx context.Context, tx *store.Tx, team crier.Team, zone *crier.Zone, w when, plan *planned) error {
	switch {
	case w.now:
		plan.at = s.now()
		return nil
	case !w.nextSlot:
		plan.at = w.at
		return nil
	}
	var accepted []crier.ID
	for _, d := range plan.deliveries {
		if d.refused == nil {
			accepted = append(accepted, d.accountID)
		}
	}
	if accepted == nil {
		return nil
	}
	slots, err := tx.Slots(ctx, team.ID)
	if err != nil {
		return err
	}
	g, err := s.grid(ctx, slots, team, zone)
	if err != nil {
		return err
	}
	free, err := s.freeInstants(ctx, tx, g, accepted, 1)
	if err != nil {
		return err
	}
	if len(free) == 0 {
		return crier.Conflict("No slot is free for these accounts within the next 90 days.")
	}
	plan.at = crier.TimeOf(free[0].StartsAt)
	plan.slotAt = &plan.at
	return nil
}

// put writes the publication of one accepted account, with its job and its credits.
func (s *Schedules) put(ctx context.Context, tx *store.Tx, scope TeamScope, plan planned, d delivery) (store.Publication, error) {
	now := s.now()
	wake := crier.TimeOf(wakeTime(plan.at.Time, d.content))
	p := store.Publication{
		Kind: store.PostPublication, Ref: store.Ref{ID: crier.NewID()}, TeamID: scope.team.ID, OrganizationID: scope.team.OrganizationID,
		PostID: plan.post.ID, SocialAccountID: d.accountID, Provider: d.account.Provider, Status: crier.Scheduled, CreatedAt: now,
		Results: crier.PublishResults{PlatformPostIDs: []string{}},
	}
	if d.moves != nil {
		p = *d.moves
		p.Epoch++
	}
	p.ScheduledPostID = p.ID
	p.ScheduledAt, p.Timezone, p.SlotAt, p.PayloadID, p.WakeAt, p.UpdatedAt = plan.at, plan.zone, plan.slotAt, plan.post.PayloadID, &wake, now
	p.Settings, p.Actions, p.State, p.StateSecrets, p.ErrorCode, p.ErrorMessage = d.content.Settings, d.actions, emptyState(), nil, nil, nil
	p.Actions.SeriesStart, p.Actions.SeriesIndex = nil, 0
	before := p.Reserved
	p.Reserved = d.actions.Total()
	if err := s.reserve(ctx, tx, p.OrganizationID, p.Reserved-before, &p.ID); err != nil {
		return p, err
	}
	err := s.save(ctx, tx, p, d.moves != nil)
	if errors.Is(err, store.ErrTaken) {
		return p, crier.Conflict("Another request has just scheduled this post, or taken this slot. Try again.")
	}
	if err != nil {
		return p, err
	}
	return p, s.queue.Enqueue(ctx, tx, publishJob(p, now.Time))
}

func (s *Schedules) save(ctx context.Context, tx *store.Tx, p store.Publication, moves bool) error {
	if moves {
		return tx.MovePublication(ctx, p, s.now())
	}
	return tx.InsertPublication(ctx, p)
}

// jobTime is zero for jobs that are due: the engine starts those at once.
func jobTime(wake, now time.Time) time.Time {
	if !wake.After(now) {
		return time.Time{}
	}
	return wake
}

func emptyState() json.RawMessage {
	return json.RawMessage(`{"ready":false,"done":false,"requiresPolling":false}`)
}

// Validate is a dry run of Schedule, or of PostNow when the body asks for no time: the same plan, and nothing written.
func (s *Schedules) Validate(ctx context.Context, scope TeamScope, post crier.ID, in crier.ScheduleRequest) (crier.ValidationResult, error) {
	out := crier.ValidationResult{Data: []crier.ValidationEntry{}}
	if err := scope.check(); err != nil {
		return out, err
	}
	w := when{nextSlot: in.UseNextSlot != nil && *in.UseNextSlot, now: in.ScheduledAt == nil}
	if in.ScheduledAt != nil {
		w.at = *in.ScheduledAt
	}
	w.now = w.now && !w.nextSlot
	if err := s.profiles.freshen(ctx, scope, in.SocialAccountIDs); err != nil {
		return out, err
	}
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		plan, err := s.planFanOut(ctx, tx, scope, post, in.Targets, w)
		if err != nil {
			return err
		}
		credits, err := tx.LockCredits(ctx, scope.team.OrganizationID)
		if err != nil {
			return err
		}
		out = validation(plan, credits)
		return errDryRun
	})
	if !errors.Is(err, errDryRun) {
		return out, err
	}
	return out, nil
}

// errDryRun rolls a dry run back.
var errDryRun = errors.New("dry run")

func validation(plan planned, credits store.Credits) crier.ValidationResult {
	out := crier.ValidationResult{AvailableCredits: credits.Balance - credits.Reserved}
	for _, d := range plan.deliveries {
		entry := crier.ValidationEntry{SocialAccountID: d.accountID, OK: d.refused == nil, Error: d.refused, Warnings: d.warnings}
		if entry.Warnings == nil {
			entry.Warnings = []crier.Issue{}
		}
		if d.refused == nil {
			entry.CreditCost = d.actions.Total()
			already := int64(0)
			if d.moves != nil {
				already = d.moves.Reserved
			}
			out.CreditCost += entry.CreditCost - already
			at := plan.at
			out.ScheduledAt = &at
		}
		out.Data = append(out.Data, entry)
	}
	out.SlotAt = plan.slotAt
	out.AffordableNow = out.CreditCost <= out.AvailableCredits
	return out
}

// replan checks the new content of a post against the accounts that it is scheduled on, and moves their publications to
// it in a new epoch. A rule that it breaks is a 400 that names account and rule; a higher price is reserved (402).
func (c *core) replan(ctx context.Context, tx *store.Tx, team, post, payload crier.ID) error {
	live, err := tx.LivePublications(ctx, post)
	if err != nil || len(live) == 0 {
		return err
	}
	content, err := c.postContent(ctx, tx, team, payload)
	if err != nil {
		return err
	}
	for _, id := range sortedIDs(live) {
		p := live[id]
		if p.Status != crier.Scheduled {
			return crier.Conflict("The content cannot change while the post is %s on account %s.", p.Status, id)
		}
		if err := c.replanOne(ctx, tx, team, p, content, payload); err != nil {
			return err
		}
	}
	return nil
}

func (c *core) replanOne(ctx context.Context, tx *store.Tx, team crier.ID, p store.Publication, content provider.Content, payload crier.ID) error {
	account, err := tx.SocialAccount(ctx, team, p.SocialAccountID)
	if err != nil {
		return err
	}
	network, ok := c.providers.Get(string(p.Provider))
	if !ok {
		return crier.Conflict("This installation has no client for %s.", p.Provider)
	}
	content = suited(c.providers.InfoFor(network, networkAccount(account)), content)
	content, err = c.withSettings(ctx, tx, team, network, content, p.Settings)
	if err != nil {
		return err
	}
	found := network.Check(networkAccount(account), content)
	if !found.OK() {
		issues := make([]crier.Issue, len(found.Issues))
		for i, issue := range found.Issues {
			issues[i] = crier.At("account "+string(account.ID)+" ("+network.Info().DisplayName+"): "+issue.Message, issue.Path...)
		}
		return crier.Invalid(issues...)
	}
	before := p.Reserved
	p.Actions.PartCosts = c.providers.Cost(network, content)
	p.Reserved = p.Actions.Total()
	if err := c.reserve(ctx, tx, p.OrganizationID, p.Reserved-before, &p.ID); err != nil {
		return err
	}
	now := c.now()
	wake := crier.TimeOf(wakeTime(p.ScheduledAt.Time, content))
	p.PayloadID, p.WakeAt, p.State, p.Epoch = payload, &wake, emptyState(), p.Epoch+1
	if err := tx.MovePublication(ctx, p, now); err != nil {
		return err
	}
	return c.queue.Enqueue(ctx, tx, publishJob(p, now.Time))
}
