package tiktok

import (
	"cmp"
	"context"
	"strings"
	"time"

	"crier/internal/provider"
)

const (
	// readBack is how far before the attempt posts are searched: clocks differ.
	readBack = 30 * time.Second
	// listPatience is how long a post may take to appear in the list; after that the outcome stays unknown.
	listPatience = 15 * time.Minute
	listDelay    = time.Minute
)

// Strategy reads the status of an upload, which is certain. A post whose files TikTok fetches has no id without the
// response: it is searched in the list, where public ones with a text can be found, and never concluded to be absent.
func (p *Provider) Strategy(a provider.Account, c provider.Content, st provider.State) provider.Strategy {
	plan, err := p.newPlan(c)
	switch {
	case err != nil:
		return provider.Strategy{Method: provider.Impossible}
	case !plan.pulled && st.PublishID != "":
		return provider.Strategy{Method: provider.ByReading, Absences: 2, Apart: 5 * time.Second}
	case plan.PrivacyLevel != privacyPublic || plan.inbox() || wantedText(plan) == "" || len(a.Scopes) > 0 &&
		!a.HasScope(scopeList):
		return provider.Strategy{Method: provider.Impossible}
	}
	return provider.Strategy{Method: provider.ByReading, NotBefore: listDelay, Absences: 1}
}

// Reconcile reads the status of the upload, or searches for the post.
func (p *Provider) Reconcile(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	st = st.Clone()
	plan, err := p.newPlan(c)
	if err != nil {
		return "", st, err
	}
	if u := st.Upload(0, 0); !plan.pulled && u != nil && st.PublishID != "" {
		return p.reconcileUpload(ctx, a, st, u, at)
	}
	return p.findPost(ctx, a, plan, st, at)
}

// reconcileUpload trusts the status: with all bytes TikTok posts, and Poll reads the result. If the State is older than
// the attempt, only a success counts: the attempt may have had another upload, and a failed one would be restarted.
func (p *Provider) reconcileUpload(ctx context.Context, a provider.Account, st provider.State, u *provider.Upload,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	status, err := p.readStatus(ctx, a, st)
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Code == provider.CodeOutcomeUnknown:
		return provider.OutcomeUnclear, st, nil
	case failure != nil:
		return "", st, failure
	case at.Stale && (status.Status == statusFailed || !status.taken(u.Size)):
		return provider.OutcomeUnclear, st, nil
	case status.taken(u.Size):
		p.accept(&st)
		return provider.OutcomePublished, st, nil
	}
	u.Step, u.NextByte = stepSending, wholeChunks(status.UploadedBytes, u)
	return provider.OutcomeAbsent, st, nil
}

// findPost searches the newest public posts.
func (p *Provider) findPost(ctx context.Context, a provider.Account, plan plan, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	const path = "/v2/video/list/?fields=id,create_time,title,video_description"
	var list videosAnswer
	if err := p.read(ctx, a, path, listRequest{MaxCount: 20}, &list); err != nil {
		return "", st, err
	}
	since, wanted := at.StartedAt.Add(-readBack).Unix(), wantedText(plan)
	for _, v := range list.Videos {
		named := provider.SameText(v.Description, wanted) || provider.SameText(v.Title, wanted)
		if named && v.CreateTime >= since && at.MayBe(v.ID) {
			p.enter(&st, a, plan, v.ID)
			st.FoundAt(time.Unix(v.CreateTime, 0), at)
			finish(&st)
			return provider.OutcomePublished, st, nil
		}
	}
	now := p.now().UTC()
	if now.Sub(at.StartedAt) > listPatience {
		return provider.OutcomeUnclear, st, nil
	}
	st.NextPollAfter = now.Add(listDelay)
	return provider.OutcomePending, st, nil
}

// Matches reports whether the text by which a post is recognized is the text or the title of the other one. A post
// without a text is not searched.
func (*Provider) Matches(wanted, other provider.Content) bool {
	own, err := decodeSettings(wanted)
	theirs, otherErr := decodeSettings(other)
	if err != nil || otherErr != nil {
		return true
	}
	text := wantedText(plan{settings: own, text: wanted.Parts[0].TextWithLinks()})
	return text != "" && (provider.SameText(text, theirs.Title) ||
		provider.SameText(text, other.Parts[0].TextWithLinks()))
}

// wantedText returns the text by which the post is recognized.
func wantedText(plan plan) string { return strings.TrimSpace(cmp.Or(plan.text, plan.Title)) }
