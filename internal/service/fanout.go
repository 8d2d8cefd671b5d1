package service

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// The error codes of rejected accounts in a request.
const (
	codeAccountNotFound   = "account_not_found"
	codeAccountDisabled   = "account_disabled"
	codeAlreadyPublishing = "already_publishing"
	codeAlreadyPublished  = "already_published"
	codeContentRejected   = "content_rejected"
)

// fanOut is the input for planning which accounts a post is published on, and how.
type fanOut struct {
	providers *provider.Registry
	targets   crier.Targets
	saved     *crier.PostPublishActions // with the post
	content   publish.PostContent
	// assets are those that settings and comments refer to.
	assets    map[crier.ID]provider.Media
	accounts  map[crier.ID]store.Account
	live      map[crier.ID]store.Publication
	published map[crier.ID]bool
}

// delivery is the plan for one account: rejected, or what to publish there.
type delivery struct {
	accountID crier.ID
	refused   *crier.EntryError
	warnings  []crier.Issue

	account  store.Account
	provider provider.Provider
	content  provider.Content
	actions  crier.PlannedActions
	// moves is the publication that the request moves instead of making a new one.
	moves *store.Publication
}

// wakeTime returns when work has to begin for a post that is due at a time. A publication that only moves needs no
// client of its network.
func (d delivery) wakeTime(at crier.Time) crier.Time {
	var info provider.Info
	if d.provider != nil {
		info = d.provider.Info()
	}
	return crier.TimeOf(publish.WakeTime(at.Time, info, d.content))
}

// plan sorts the requested accounts into accepted and rejected, in request order. It is pure.
func (f fanOut) plan() []delivery {
	out := make([]delivery, len(f.targets.SocialAccountIDs))
	for i, id := range f.targets.SocialAccountIDs {
		out[i] = f.deliver(id)
	}
	return out
}

func (f fanOut) deliver(id crier.ID) delivery {
	d := delivery{accountID: id}
	if d.refused = f.refuseAccount(id); d.refused != nil {
		return d
	}
	d.account = f.accounts[id]
	var ok bool
	if d.provider, ok = f.providers.Get(string(d.account.Provider)); !ok {
		d.refused = refuse(codeAccountDisabled, "This installation has no client for %s.", d.account.Provider)
		return d
	}
	if p, live := f.live[id]; live {
		d.moves = &p
	}
	d.content.Settings, d.actions = f.settingsFor(id), f.actionsFor(id)
	if found := f.check(&d); !found.OK() {
		d.refused = refuse(codeContentRejected, "%s does not accept this post: %s", d.provider.Info().DisplayName,
			sentence(found.Issues))
		d.refused.Issues = found.Issues
	}
	return d
}

// check applies the rules of a delivery's network to the content and to what is to follow it, and fills in what is
// published there and what it costs. The settings and the actions of the delivery are the ones that are asked for.
func (f fanOut) check(d *delivery) provider.Findings {
	settings := d.content.Settings
	d.content = publish.Adapt(f.providers.InfoFor(d.provider, publish.NetworkAccount(d.account)),
		f.contentFor(d.accountID))
	d.content.Settings, d.content.Assets = settings, f.assets
	found := d.provider.Check(publish.NetworkAccount(d.account), d.content)
	for _, issues := range [][]crier.Issue{found.Issues, found.Warnings} {
		for i := range issues {
			issues[i].Path = f.content.Path(d.account.Provider, d.accountID, issues[i].Path)
		}
	}
	d.warnings = found.Warnings
	f.planActions(d, &found)
	if found.OK() {
		d.actions.PartCosts = f.providers.Cost(d.provider, d.content)
	}
	return found
}

// contentFor returns what an account publishes, before its network's own form of it.
func (f fanOut) contentFor(id crier.ID) provider.Content {
	return f.content.For(f.accounts[id].Provider, id)
}

// incomplete returns the issues of content that is incomplete for the accounts of the request.
func (f fanOut) incomplete() []crier.Issue {
	for _, id := range f.targets.SocialAccountIDs {
		if problem := incompleteProblem(f.contentFor(id)); problem != "" {
			return []crier.Issue{crier.At(problem, "postType")}
		}
	}
	return nil
}

// settingsFor returns the publish settings of an account. An existing scheduled post keeps the settings that the
// request omits.
func (f fanOut) settingsFor(id crier.ID) provider.Settings {
	network, ok := f.providers.Get(string(f.accounts[id].Provider))
	if !ok {
		return nil
	}
	return f.providers.MergeSettings(network, f.live[id].Settings, f.targets.PlatformSettings,
		f.targets.PlatformSettingsBySocialAccountID[id])
}

// actionsFor returns the actions of an account: those of what is scheduled there, else those saved with the post, with
// the request's own over them.
func (f fanOut) actionsFor(id crier.ID) crier.PlannedActions {
	if p, live := f.live[id]; live {
		return mergeActions(p.Actions, f.targets)
	}
	return mergeActions(plannedActions(f.saved), f.targets)
}

// refuseAccount returns why nothing can be scheduled on an account, whatever the content.
func (f fanOut) refuseAccount(id crier.ID) *crier.EntryError {
	a, ok := f.accounts[id]
	if !ok {
		return refuse(codeAccountNotFound, "There is no social account %s in this team.", id)
	}
	switch a.Status {
	case crier.AccountDisabled:
		return refuse(codeAccountDisabled, "The account is disabled. Enable it first.")
	case crier.AccountRefreshNeeded:
		return refuse(string(provider.CodeAuthExpired), "The account's connection has ended. Connect it again.")
	case crier.AccountDisconnected:
		return refuse(string(provider.CodeAccountDisconnected), "The account is disconnected. Connect it again.")
	}
	if p, live := f.live[id]; live && p.Status != crier.Scheduled {
		return refuse(codeAlreadyPublishing, "This post is being published on the account: its state is %s.", p.Status)
	}
	if f.published[id] && !f.targets.AllowRepublish {
		return refuse(codeAlreadyPublished,
			"This post was published on the account already. Send allowRepublish: true to publish it again.")
	}
	return nil
}

func refuse(code, format string, args ...any) *crier.EntryError {
	return &crier.EntryError{Code: code, Message: fmt.Sprintf(format, args...)}
}

func sentence(issues []crier.Issue) string {
	parts := make([]string, len(issues))
	for i, issue := range issues {
		parts[i] = strings.TrimPrefix(strings.Join(issue.Path, ".")+" "+issue.Message, " ")
	}
	return strings.Join(parts, "; ") + "."
}

// planActions keeps the actions that the network supports, with their costs; the others are skipped with a warning.
func (f fanOut) planActions(d *delivery, found *provider.Findings) {
	can := f.providers.InfoFor(d.provider, publish.NetworkAccount(d.account)).Abilities
	wanted := d.actions
	d.actions.ActionCosts = map[string]int64{}
	name := d.provider.Info().DisplayName
	drop := func(supported bool, field, what string) bool {
		if !supported {
			d.warnings = append(d.warnings, crier.At(fmt.Sprintf("%s has no %s through its interface; it is ignored",
				name, what), field))
		}
		return !supported
	}
	closed := f.noComments(d)
	if c := wanted.FirstComment; c != nil {
		if drop(can.Comment, "firstComment", "comments") || closed("firstComment") {
			d.actions.FirstComment = nil
		} else {
			f.checkAction(d, found, store.FirstComment, f.comment(*c), "firstComment")
		}
	}
	if e := wanted.EngagementCommentTrigger; e != nil {
		if drop(can.Comment && can.PostMetrics, "engagementCommentTrigger", "comments or like counts") ||
			closed("engagementCommentTrigger") {
			d.actions.EngagementCommentTrigger = nil
		} else {
			f.checkAction(d, found, store.EngagementComment, f.comment(e.Comment),
				"engagementCommentTrigger", "comment")
		}
	}
	if r := wanted.RepostAfter; r != nil {
		if drop(r.Quotes() && can.Quote || !r.Quotes() && can.Repost, "repostAfter",
			map[bool]string{true: "quotes", false: "reposts"}[r.Quotes()]) {
			d.actions.RepostAfter = nil
		} else {
			content := publish.RepostContent(provider.Content{}, *r)
			f.checkAction(d, found, store.RepostPublication, content, "repostAfter")
		}
	}
}

// noComments returns a function that skips a comment, with a warning, if the post itself takes none.
func (f fanOut) noComments(d *delivery) func(field string) bool {
	why := ""
	if checker := f.providers.Features(d.provider).CommentChecker; checker != nil {
		why = checker.NoComments(d.content)
	}
	return func(field string) bool {
		if why != "" {
			d.warnings = append(d.warnings, crier.At(why+"; it is ignored", field))
		}
		return why != ""
	}
}

// checkAction applies the network's rules to the action at a path of the request, and adds its cost.
func (f fanOut) checkAction(d *delivery, found *provider.Findings, kind store.PublicationKind,
	content provider.Content, at ...string) {
	result := d.provider.Check(publish.NetworkAccount(d.account), content)
	for _, issue := range result.Issues {
		rest := slices.Clone(issue.Path[min(1, len(issue.Path)):])
		if len(rest) > 0 && rest[0] == "attachments" { // as comments call them
			rest[0] = "mediaIds"
		}
		found.Reject(slices.Concat(at, rest), issue.Message)
	}
	for _, cost := range f.providers.Cost(d.provider, content) {
		if cost > 0 {
			d.actions.ActionCosts[string(kind)] += cost
		}
	}
}

func (f fanOut) comment(c crier.Comment) provider.Content {
	part := provider.Part{Text: c.Text}
	for i, id := range c.MediaIDs {
		m, ok := f.assets[id]
		if !ok {
			m = provider.Media{ID: id}
		}
		m.Position = i
		part.Media = append(part.Media, m)
	}
	return provider.Content{Action: provider.Comment, Parts: []provider.Part{part}}
}

// plannedActions returns the actions that are saved with a post.
func plannedActions(saved *crier.PostPublishActions) crier.PlannedActions {
	if saved == nil {
		return crier.PlannedActions{}
	}
	return crier.PlannedActions{
		FirstComment: saved.FirstComment, EngagementCommentTrigger: saved.EngagementCommentTrigger,
		RepostAfter: saved.RepostAfter, RecurrenceIntervalDays: saved.RecurrenceIntervalDays,
		RecurrenceEndsAt: saved.RecurrenceEndsAt.Ptr(),
	}
}

// mergeActions overrides actions with those of a request, one by one; null removes one. Costs and the place in a series
// are not merged: they follow from what is planned.
func mergeActions(base crier.PlannedActions, t crier.Targets) crier.PlannedActions {
	base.PartCosts, base.ActionCosts, base.SeriesStart, base.SeriesIndex = nil, nil, nil, 0
	if t.FirstComment.Set {
		base.FirstComment = t.FirstComment.Ptr()
	}
	if t.EngagementCommentTrigger.Set {
		base.EngagementCommentTrigger = t.EngagementCommentTrigger.Ptr()
	}
	if t.RepostAfter.Set {
		base.RepostAfter = t.RepostAfter.Ptr()
	}
	if t.RecurrenceIntervalDays.Set {
		base.RecurrenceIntervalDays = t.RecurrenceIntervalDays.Ptr()
	}
	if t.RecurrenceEndsAt.Set {
		base.RecurrenceEndsAt = t.RecurrenceEndsAt.Ptr()
	}
	if base.RecurrenceIntervalDays == nil {
		base.RecurrenceEndsAt = nil
	}
	return base
}

// reviseActions returns the actions of what is scheduled after those of its post have changed: each one that has
// changed there changes here.
func reviseActions(planned crier.PlannedActions, before, after *crier.PostPublishActions) crier.PlannedActions {
	old, revised := plannedActions(before), plannedActions(after)
	if !sameJSON(old.FirstComment, revised.FirstComment) {
		planned.FirstComment = revised.FirstComment
	}
	if !sameJSON(old.EngagementCommentTrigger, revised.EngagementCommentTrigger) {
		planned.EngagementCommentTrigger = revised.EngagementCommentTrigger
	}
	if !sameJSON(old.RepostAfter, revised.RepostAfter) {
		planned.RepostAfter = revised.RepostAfter
	}
	if !sameJSON(old.RecurrenceIntervalDays, revised.RecurrenceIntervalDays) ||
		!sameJSON(old.RecurrenceEndsAt, revised.RecurrenceEndsAt) {
		planned.RecurrenceIntervalDays, planned.RecurrenceEndsAt = revised.RecurrenceIntervalDays,
			revised.RecurrenceEndsAt
		planned.SeriesStart, planned.SeriesIndex = nil, 0 // a new series begins with this one
	}
	return planned
}

// namedAssets returns the assets that the settings and comments of accounts refer to.
func (f fanOut) namedAssets(settings map[crier.ID]provider.Settings,
	actions map[crier.ID]crier.PlannedActions) []crier.ID {
	seen := map[crier.ID]bool{}
	for id, s := range settings {
		if network, ok := f.providers.Get(string(f.accounts[id].Provider)); ok {
			for asset := range network.Info().AssetIDs(s) {
				seen[asset] = true
			}
		}
	}
	for _, a := range actions {
		if c := a.FirstComment; c != nil {
			mark(seen, c.MediaIDs)
		}
		if e := a.EngagementCommentTrigger; e != nil {
			mark(seen, e.Comment.MediaIDs)
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// requestedAssets are namedAssets of the accounts of the request.
func (f fanOut) requestedAssets() []crier.ID {
	settings, actions := map[crier.ID]provider.Settings{}, map[crier.ID]crier.PlannedActions{}
	for _, id := range f.targets.SocialAccountIDs {
		settings[id], actions[id] = f.settingsFor(id), f.actionsFor(id)
	}
	return f.namedAssets(settings, actions)
}

func mark(seen map[crier.ID]bool, ids []crier.ID) {
	for _, id := range ids {
		seen[id] = true
	}
}

// unapproved returns what in a request was not approved with the post, or nothing.
func (f fanOut) unapproved() string {
	saved := plannedActions(f.saved)
	for _, id := range f.targets.SocialAccountIDs {
		known, asked := f.live[id].Actions, f.actionsFor(id)
		for what, values := range map[string][3]any{
			"first comment": {asked.FirstComment, known.FirstComment, saved.FirstComment},
			"comment for likes": {asked.EngagementCommentTrigger, known.EngagementCommentTrigger,
				saved.EngagementCommentTrigger},
			"repost": {asked.RepostAfter, known.RepostAfter, saved.RepostAfter},
		} {
			if !sameJSON(values[0], nil) && !sameJSON(values[0], values[1]) && !sameJSON(values[0], values[2]) {
				return "this " + what
			}
		}
		if asked.RecurrenceIntervalDays != nil && !withinSeries(asked, known) && !withinSeries(asked, saved) {
			return "this recurrence"
		}
		if s := f.settingsFor(id); len(s) > 0 && !sameJSON(s, f.live[id].Settings) {
			return "these platform settings"
		}
	}
	return ""
}

// withinSeries reports whether a series repeats as often as an approved one, and not longer.
func withinSeries(asked, approved crier.PlannedActions) bool {
	if approved.RecurrenceIntervalDays == nil || *approved.RecurrenceIntervalDays != *asked.RecurrenceIntervalDays {
		return false
	}
	end := approved.RecurrenceEndsAt
	return end == nil || asked.RecurrenceEndsAt != nil && !asked.RecurrenceEndsAt.After(end.Time)
}
