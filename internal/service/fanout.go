package service

import (
	"encoding/json"
	"fmt"
	"strings"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// The reasons for which one account of a request is refused; they are the code of its error.
const (
	codeAccountNotFound   = "account_not_found"
	codeAccountDisabled   = "account_disabled"
	codeAlreadyPublishing = "already_publishing"
	codeAlreadyPublished  = "already_published"
	codeContentRejected   = "content_rejected"
)

// fanOut is everything that decides which accounts a post goes to, and how.
type fanOut struct {
	providers *provider.Registry
	targets   crier.Targets
	actions   crier.PlannedActions // of the post, with the request's own merged over them
	content   provider.Content
	// assets are what settings and comments name.
	assets    map[crier.ID]provider.Media
	accounts  map[crier.ID]store.Account
	live      map[crier.ID]store.Publication
	published map[crier.ID]bool
}

// delivery is the plan for one account: refused, or what to publish there.
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

// plan sorts the requested accounts into accepted and refused, in request order. It is pure.
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
	d.content = suited(f.providers.InfoFor(d.provider, networkAccount(d.account)), f.content)
	d.content.Settings = f.providers.MergeSettings(d.provider, f.targets.PlatformSettings, f.targets.PlatformSettingsBySocialAccountID[id])
	d.content.Assets = f.assets
	found := d.provider.Check(networkAccount(d.account), d.content)
	d.warnings = found.Warnings
	f.planActions(&d, &found)
	if !found.OK() {
		d.refused = refuse(codeContentRejected, "%s does not accept this post: %s", d.provider.Info().DisplayName, sentence(found.Issues))
		d.refused.Issues = found.Issues
		return d
	}
	d.actions.PartCosts = f.providers.Cost(d.provider, d.content)
	return d
}

// refuseAccount says why nothing can be scheduled on an account, whatever the content.
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
		return refuse(codeAlreadyPublished, "This post was published on the account already. Send allowRepublish: true to publish it again.")
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

// planActions keeps the actions that the network can do, with their costs; the others are said and left out.
func (f fanOut) planActions(d *delivery, found *provider.Findings) {
	can := f.providers.InfoFor(d.provider, networkAccount(d.account)).Abilities
	d.actions = f.actions
	d.actions.ActionCosts = map[string]int64{}
	name := d.provider.Info().DisplayName
	drop := func(supported bool, field, what string) bool {
		if !supported {
			d.warnings = append(d.warnings, crier.At(fmt.Sprintf("%s has no %s through its interface; it is ignored", name, what), field))
		}
		return !supported
	}
	if c := f.actions.FirstComment; c != nil {
		if drop(can.Comment, "firstComment", "comments") {
			d.actions.FirstComment = nil
		} else {
			f.checkAction(d, found, store.FirstComment, "firstComment", f.comment(*c))
		}
	}
	if e := f.actions.EngagementCommentTrigger; e != nil {
		if drop(can.Comment && can.PostMetrics, "engagementCommentTrigger", "comments or like counts") {
			d.actions.EngagementCommentTrigger = nil
		} else {
			f.checkAction(d, found, store.EngagementComment, "engagementCommentTrigger", f.comment(e.Comment))
		}
	}
	if r := f.actions.RepostAfter; r != nil {
		if drop(r.Quotes() && can.Quote || !r.Quotes() && can.Repost, "repostAfter", map[bool]string{true: "quotes", false: "reposts"}[r.Quotes()]) {
			d.actions.RepostAfter = nil
		} else {
			f.checkAction(d, found, store.RepostPublication, "repostAfter", repostContent(provider.Content{}, *r))
		}
	}
}

// checkAction applies the network's rules to an action and notes what it costs.
func (f fanOut) checkAction(d *delivery, found *provider.Findings, kind store.PublicationKind, field string, content provider.Content) {
	result := d.provider.Check(networkAccount(d.account), content)
	for _, issue := range result.Issues {
		path := append([]string{field}, issue.Path[min(1, len(issue.Path)):]...)
		found.Reject(path, issue.Message)
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

// mergeActions puts the actions of a request over those of the post, one by one; null switches one off.
func mergeActions(saved *crier.PostPublishActions, t crier.Targets) crier.PlannedActions {
	var out crier.PlannedActions
	if saved != nil {
		out.FirstComment, out.EngagementCommentTrigger, out.RepostAfter = saved.FirstComment, saved.EngagementCommentTrigger, saved.RepostAfter
		out.RecurrenceIntervalDays, out.RecurrenceEndsAt = saved.RecurrenceIntervalDays, saved.RecurrenceEndsAt.Ptr()
	}
	if t.FirstComment.Set {
		out.FirstComment = t.FirstComment.Ptr()
	}
	if t.EngagementCommentTrigger.Set {
		out.EngagementCommentTrigger = t.EngagementCommentTrigger.Ptr()
	}
	if t.RepostAfter.Set {
		out.RepostAfter = t.RepostAfter.Ptr()
	}
	if t.RecurrenceIntervalDays.Set {
		out.RecurrenceIntervalDays = t.RecurrenceIntervalDays.Ptr()
	}
	if t.RecurrenceEndsAt.Set {
		out.RecurrenceEndsAt = t.RecurrenceEndsAt.Ptr()
	}
	if out.RecurrenceIntervalDays == nil {
		out.RecurrenceEndsAt = nil
	}
	return out
}

// namedAssets are the assets that settings and comments refer to.
func (f fanOut) namedAssets() []crier.ID {
	seen := map[crier.ID]bool{}
	for _, p := range f.providers.All() {
		info := p.Info()
		settings := []map[string]json.RawMessage{f.targets.PlatformSettings}
		for _, own := range f.targets.PlatformSettingsBySocialAccountID {
			settings = append(settings, own)
		}
		for _, s := range settings {
			for id := range info.AssetIDs(s) {
				seen[id] = true
			}
		}
	}
	if c := f.actions.FirstComment; c != nil {
		mark(seen, c.MediaIDs)
	}
	if e := f.actions.EngagementCommentTrigger; e != nil {
		mark(seen, e.Comment.MediaIDs)
	}
	ids := make([]crier.ID, 0, len(seen))
	for id := range seen {
		ids = append(ids, id)
	}
	return ids
}

func mark(seen map[crier.ID]bool, ids []crier.ID) {
	for _, id := range ids {
		seen[id] = true
	}
}
