package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"crier"
	"crier/internal/access"
	"crier/internal/job"
	"crier/internal/ledger"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/social"
	"crier/internal/store"
)

// Schedules schedules posts and publishes them now.
type Schedules struct {
	store     *store.Store
	writes    *access.Idempotency
	providers *provider.Registry
	engine    *publish.Engine
	queue     job.Queue
	views     *social.Views
	clock     crier.Clock
	profiles  *social.Profiles
}

// CheckSettings returns the issues of a request's publish settings: unknown keys and wrong types.
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

// source is the post that a request plans, and the version that its content has to be.
type source struct {
	post  crier.ID
	match crier.VersionMatch
}

// Schedule fans a post out to accounts. Rows, jobs, credits and the idempotency key of all accepted accounts are
// written atomically.
func (s *Schedules) Schedule(ctx context.Context, scope access.TeamScope, post crier.ID,
	in crier.ScheduleRequest) (crier.ScheduleResult, error) {
	return s.ScheduleMatching(ctx, scope, post, crier.VersionMatch{}, in)
}

// ScheduleMatching is Schedule that fails unless the content is the version that match asks for.
func (s *Schedules) ScheduleMatching(ctx context.Context, scope access.TeamScope, post crier.ID,
	match crier.VersionMatch, in crier.ScheduleRequest) (crier.ScheduleResult, error) {
	if err := scope.Check(); err != nil {
		return crier.ScheduleResult{}, err
	}
	w := when{nextSlot: in.UseNextSlot != nil && *in.UseNextSlot}
	if in.ScheduledAt != nil {
		w.at = *in.ScheduledAt
	}
	if err := s.profiles.Refresh(ctx, scope, in.SocialAccountIDs); err != nil {
		return crier.ScheduleResult{}, err
	}
	return access.Write(ctx, s.writes, func(tx *store.Tx) (crier.ScheduleResult, error) {
		return s.fanOut(ctx, tx, scope, source{post, match}, in.Targets, w)
	})
}

// planned is a fan-out whose plan is made and whose time is found.
type planned struct {
	post       store.PostHead
	newest     store.PublicationSums // of the post, before the plan
	deliveries []delivery
	at         crier.Time
	slotAt     *crier.Time
	team       crier.Team
	zone       *crier.Zone // that the request asks for; nil if it does not mention one
	// keepSeries leaves the beginning of a series as it is; without it, the series begins anew at this time.
	keepSeries bool
	// changes is true for a change of what is scheduled: if it costs no more, credits may still be lacking.
	changes bool
}

// zoneOf returns the zone of a delivery's time: the request's, that of what it moves, the team's, or UTC.
func (p planned) zoneOf(d delivery) string {
	if p.zone == nil && d.moves != nil {
		return d.moves.Timezone
	}
	return zoneOf(p.team, p.zone)
}

// fanOut plans and writes.
func (s *Schedules) fanOut(ctx context.Context, tx *store.Tx, scope access.TeamScope, of source, t crier.Targets,
	w when) (crier.ScheduleResult, error) {
	plan, err := s.planFanOut(ctx, tx, scope, of, t, w)
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
		plan.newest.Plan(p.SocialAccountID, p.ScheduledAt)
		shown := publish.Shown(p)
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
	now := s.clock.Now()
	if err := tx.Approve(ctx, plan.post.ID, now); err != nil {
		return err
	}
	return tx.RefreshPost(ctx, now, plan.post.ID, plan.newest)
}

// planFanOut reads what the decision needs, under locks, and decides. It writes nothing.
func (s *Schedules) planFanOut(ctx context.Context, tx *store.Tx, scope access.TeamScope, of source,
	t crier.Targets, w when) (planned, error) {
	read, err := tx.LockForPlanning(ctx, scope.Team().ID, of.post, t.SocialAccountIDs)
	if err != nil {
		return planned{}, err
	}
	if err := of.match.Check(read.Post.PayloadID); err != nil {
		return planned{}, err
	}
	f := fanOut{providers: s.providers, targets: t, saved: read.Post.Actions, accounts: read.Accounts,
		live: read.Live, published: read.Published}
	if f.content, err = s.engine.Content.Stored(ctx, tx, scope.Team().ID, read.Content); err != nil {
		return planned{}, err
	}
	if err := s.mayPlan(ctx, tx, scope, read.Post, f); err != nil {
		return planned{}, err
	}
	if f.assets, err = s.engine.Content.Media(ctx, tx, scope.Team().ID, f.requestedAssets()); err != nil {
		return planned{}, err
	}
	plan := planned{post: read.Post, newest: read.Newest, deliveries: f.plan(), team: scope.Team(),
		zone: requestedZone(scope.Team(), t.Timezone)}
	return s.foresee(ctx, tx, plan, t, w)
}

// foresee finds the time of a plan, and refuses the deliveries that cannot succeed then.
func (s *Schedules) foresee(ctx context.Context, tx *store.Tx, plan planned, t crier.Targets, w when) (planned, error) {
	if err := s.findTime(ctx, tx, plan.team, t.Timezone.Ptr(), w, &plan); err != nil {
		return plan, err
	}
	if issues := recurrenceIssues(plan, t); len(issues) > 0 {
		return plan, crier.Invalid(issues...)
	}
	s.foreseeConnections(&plan)
	return plan, s.foreseeQuotas(ctx, tx, &plan)
}

// mayPlan refuses a request as a whole: for what the caller may not bring (403), for what the post lacks (400), for
// what the post is (409).
func (s *Schedules) mayPlan(ctx context.Context, tx *store.Tx, scope access.TeamScope, head store.PostHead,
	f fanOut) error {
	if scope.Team().RequireApproval && !scope.Can(crier.ApprovePosts) {
		if what := f.unapproved(); what != "" {
			return crier.Forbidden("This team publishes what was approved, and the approval of the post does not "+
				"cover %s: that needs the permission %s.", what, crier.ApprovePosts)
		}
	}
	issues, err := missingAssets(ctx, tx, scope.Team().ID, f)
	if err != nil {
		return err
	}
	if len(issues) == 0 {
		issues = f.incomplete()
	}
	if len(issues) > 0 {
		return crier.Invalid(issues...)
	}
	return mayPublish(scope.Team(), head)
}

// missingAssets returns the issues of assets that comments of the request name and the team does not have, and of those
// of the post that were deleted.
func missingAssets(ctx context.Context, tx *store.Tx, team crier.ID, f fanOut) ([]crier.Issue, error) {
	named := requestRefs(f.targets)
	var missing []assetRef
	seen := map[string]bool{}
	for _, id := range f.targets.SocialAccountIDs {
		content := f.contentFor(id)
		for i, part := range content.Parts {
			for _, m := range part.Media {
				path := f.content.Path(f.accounts[id].Provider, id, content.MediaPath(i, m, "asset", "assetId"))
				if at := strings.Join(path, "."); m.MIMEType == "" && !seen[at] {
					seen[at] = true
					missing = append(missing, assetRef{m.ID, path})
				}
			}
		}
	}
	facts, err := tx.LockAssetFacts(ctx, team, append(idsOf(named), idsOf(missing)...))
	if err != nil {
		return nil, err
	}
	issues := unknownAssets(named, facts, nil)
	for _, ref := range missing {
		if fact, known := facts[ref.id]; !known || fact.Deleted {
			issues = append(issues, crier.At(fmt.Sprintf("the asset %s of this post was deleted; take it off the "+
				"post, or attach another", ref.id), ref.path...))
		}
	}
	return issues, nil
}

// recurrenceIssues refuses a series that ends before it begins, and an end without a series.
func recurrenceIssues(plan planned, t crier.Targets) []crier.Issue {
	for _, d := range plan.deliveries {
		if d.refused != nil {
			continue
		}
		end := d.actions.RecurrenceEndsAt
		if t.RecurrenceEndsAt.HasValue() && d.actions.RecurrenceIntervalDays == nil {
			return []crier.Issue{crier.At("needs recurrenceIntervalDays: without it, the post is not repeated",
				"recurrenceEndsAt")}
		}
		if end != nil && end.Before(plan.at.Time) {
			return []crier.Issue{crier.At(fmt.Sprintf("the recurrence ends at %s, before the first time, %s", end,
				plan.at), "recurrenceEndsAt")}
		}
	}
	return nil
}

// mayPublish rejects posts that cannot be scheduled.
func mayPublish(team crier.Team, head store.PostHead) error {
	if head.Status == crier.PostArchived || head.Status == crier.PostRejected {
		return crier.Conflict("The post is %s. Move it back to draft first.", head.Status)
	}
	if team.RequireApproval && head.Status != crier.PostApproved {
		return crier.Conflict("This team publishes approved posts only, and this post is %s.", head.Status)
	}
	return nil
}

// zoneOf returns the zone a schedule was chosen in: the request's, else the team's, else UTC.
func zoneOf(team crier.Team, given *crier.Zone) string {
	switch {
	case given != nil:
		return string(*given)
	case team.Timezone != nil:
		return *team.Timezone
	}
	return "UTC"
}

// requestedZone returns the zone that a request asks for; null asks for the one of a new schedule. It is nil if the
// request does not mention one.
func requestedZone(team crier.Team, given crier.Optional[crier.Zone]) *crier.Zone {
	if !given.Set {
		return nil
	}
	zone := crier.Zone(zoneOf(team, given.Ptr()))
	return &zone
}

// findTime sets the instant of a plan. With the next slot, it is the earliest one at which none of the accepted
// accounts has anything live; the accounts are locked, and the slot is held by a unique index.
func (s *Schedules) findTime(ctx context.Context, tx *store.Tx, team crier.Team, zone *crier.Zone, w when,
	plan *planned) error {
	switch {
	case w.now:
		plan.at = s.clock.Now()
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
	g, err := gridOf(ctx, slots, team, zone)
	if err != nil {
		return err
	}
	free, err := freeInstants(ctx, s.clock.Now(), tx, g, busy{accounts: accepted, except: plan.post.ID}, 1)
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
func (s *Schedules) put(ctx context.Context, tx *store.Tx, scope access.TeamScope, plan planned,
	d delivery) (store.Publication, error) {
	now := s.clock.Now()
	wake := d.wakeTime(plan.at)
	p := store.Publication{
		Kind: store.PostPublication, ID: crier.NewID(), TeamID: scope.Team().ID,
		OrganizationID: scope.Team().OrganizationID,
		PostID:         plan.post.ID, SocialAccountID: d.accountID, Provider: d.account.Provider,
		Status:    crier.Scheduled,
		CreatedAt: now,
		Results:   crier.PublishResults{PlatformPostIDs: []string{}},
	}
	if d.moves != nil {
		p = *d.moves
		p.Epoch++
	}
	p.ScheduledPostID = p.ID
	p.ScheduledAt, p.Timezone, p.SlotAt, p.PayloadID, p.WakeAt, p.UpdatedAt = plan.at, plan.zoneOf(d), plan.slotAt,
		plan.post.PayloadID, &wake, now
	p.Settings, p.Actions, p.State, p.StateSecrets, p.ErrorCode, p.ErrorMessage = d.content.Settings, d.actions,
		publish.EmptyState(), nil, nil, nil
	if !plan.keepSeries {
		p.Actions.SeriesStart, p.Actions.SeriesIndex = nil, 0
	}
	if err := reserve(ctx, tx, &p, d.moves, plan.changes, now); err != nil {
		return p, err
	}
	if err := s.save(ctx, tx, p, d.moves != nil); err != nil {
		return p, err
	}
	if err := recordScheduled(tx, s.clock.Now(), d.moves, p); err != nil {
		return p, err
	}
	return p, s.queue.Enqueue(ctx, tx, publish.WakeJob(p, now.Time))
}

// reserve reserves what a publication costs beyond what it had reserved before it was changed. The next of a series may
// have none while credits are lacking; unless the change costs more, it stays so, and reserves them when it is due.
func reserve(ctx context.Context, tx *store.Tx, p, before *store.Publication, changes bool, now crier.Time) error {
	had := int64(0)
	if before != nil {
		had = before.Reserved
	}
	p.Reserved = p.Actions.Total()
	err := ledger.Adjust(ctx, tx, ledger.Charge{Organization: p.OrganizationID, Publication: &p.ID,
		Amount: p.Reserved - had, At: now})
	if crier.IsKind(err, crier.KindPaymentRequired) && changes && had == 0 && before.RecurrenceOf != nil &&
		p.Reserved <= before.Actions.Total() {
		p.Reserved = 0
		return nil
	}
	return err
}

func (s *Schedules) save(ctx context.Context, tx *store.Tx, p store.Publication, moves bool) error {
	if moves {
		return tx.MovePublication(ctx, p, p.UpdatedAt)
	}
	return tx.InsertPublication(ctx, p)
}

// Validate is a dry run of Schedule, or of PostNow when the body asks for no time: the same plan, and nothing written.
func (s *Schedules) Validate(ctx context.Context, scope access.TeamScope, post crier.ID,
	in crier.ScheduleRequest) (crier.ValidationResult, error) {
	w := dryRunTime(in.ScheduledAt, in.UseNextSlot)
	return s.dryRun(ctx, scope, in.SocialAccountIDs, func(tx *store.Tx) (planned, error) {
		return s.planFanOut(ctx, tx, scope, source{post: post}, in.Targets, w)
	})
}

// dryRunTime returns the time that a dry run asks for: now when the request has none.
func dryRunTime(at *crier.Time, useNextSlot *bool) when {
	w := when{nextSlot: useNextSlot != nil && *useNextSlot}
	if at != nil {
		w.at = *at
	}
	w.now = at == nil && !w.nextSlot
	return w
}

// dryRun returns the result of a plan for some accounts without writing.
func (s *Schedules) dryRun(ctx context.Context, scope access.TeamScope, accounts []crier.ID,
	makePlan func(*store.Tx) (planned, error)) (crier.ValidationResult, error) {
	out := crier.ValidationResult{Data: []crier.ValidationEntry{}}
	if err := scope.Check(); err != nil {
		return out, err
	}
	if err := s.profiles.Refresh(ctx, scope, accounts); err != nil {
		return out, err
	}
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		plan, err := makePlan(tx)
		if err != nil {
			return err
		}
		credits, err := tx.LockCredits(ctx, scope.Team().OrganizationID)
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
		entry := crier.ValidationEntry{SocialAccountID: d.accountID, OK: d.refused == nil, Error: d.refused,
			Warnings: d.warnings}
		if entry.Warnings == nil {
			entry.Warnings = []crier.Issue{}
		}
		entry.Texts = measure(d)
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
