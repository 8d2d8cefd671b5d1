package publish

import (
	"context"
	"slices"
	"time"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// A lookup recognizes a post by what the network shows of it, mostly its text. Another post of the same account may
// look the same: if both were sent and one answer was lost, the lookup must not find the other one's post.

// rivals reads the other scheduled posts of the account that a post on the network may belong to, and the ids of the
// posts that do. Comments and reposts are found by the post that they belong to, so they have none: only the other
// parts of its thread and what else follows it can look the same.
func (w *worker) rivals(ctx context.Context) (rivals []store.Rival, taken map[string]bool, err error) {
	if w.p.IsAction() {
		taken, err = w.besides(ctx)
		return nil, taken, err
	}
	if rivals, err = w.pub.store.Rivals(ctx, w.p, crier.TimeOf(w.pub.clock())); err != nil {
		return nil, nil, err
	}
	taken = map[string]bool{}
	for _, r := range rivals {
		taken[r.PlatformPostID] = true
		if r.Publication == nil {
			continue
		}
		st, _, err := w.pub.loadState(*r.Publication)
		if err != nil {
			return nil, nil, err
		}
		for _, part := range st.Published {
			taken[part.PlatformPostID] = true
		}
	}
	delete(taken, "")
	return rivals, taken, nil
}

// besides returns the ids of an action's publication, and of the other actions that follow it.
func (w *worker) besides(ctx context.Context) (map[string]bool, error) {
	actions, err := w.pub.store.PublishedActions(ctx, w.parent.ID)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, id := range w.parent.Results.PlatformPostIDs {
		taken[id] = true
	}
	for _, a := range actions {
		taken[crier.Text(a.PlatformPostID)] = a.ID != w.p.ID
	}
	delete(taken, "")
	return taken, nil
}

// isOwn reports whether a post that a lookup found belongs to this publication. While a rival that looks the same is
// being sent, it may be the rival's. Of several without an answer, the oldest one takes it.
func (w *worker) isOwn(ctx context.Context, found provider.State) (bool, error) {
	rivals, _, err := w.rivals(ctx)
	if err != nil {
		return false, err
	}
	for _, r := range rivals {
		if r.Publication == nil || !w.looksLike(r) {
			continue
		}
		first, err := w.goesFirst(ctx, *r.Publication)
		if err != nil || first {
			return false, err
		}
	}
	_, taken, err := w.rivals(ctx) // again: a rival may have got its answer meanwhile
	if err != nil {
		return false, err
	}
	for _, part := range found.Published[min(len(w.state.Published), len(found.Published)):] {
		if taken[part.PlatformPostID] {
			return false, nil
		}
	}
	return true, nil
}

// looksLike reports whether a lookup may take the post of a rival for the one that it looks for: it has the same text,
// where the network does not know better. Networks change white space and links.
func (w *worker) looksLike(rival store.Rival) bool {
	theirs := PostContent{stored: rival.Content}.For(rival.Publication.Provider, rival.Publication.SocialAccountID)
	if matcher := w.pub.providers.Features(w.network).Matcher; matcher != nil {
		theirs.Settings = rival.Publication.Settings
		return matcher.Matches(w.content, theirs)
	}
	own := w.content.Parts[min(w.state.NextPart(), len(w.content.Parts)-1)]
	return slices.ContainsFunc(theirs.Parts, func(part provider.Part) bool {
		return provider.SameText(part.Text, own.Text) || provider.SameText(part.TextWithLinks(), own.TextWithLinks())
	})
}

// goesFirst reports whether the post that a lookup found may belong to a rival that is being published.
func (w *worker) goesFirst(ctx context.Context, rival store.Publication) (bool, error) {
	if rival.Status == crier.Processing { // the network may not have told its id yet
		st, _, err := w.pub.loadState(rival)
		return !st.Done || st.PlatformPostID == "", err
	}
	last, err := w.pub.store.LastSend(ctx, rival)
	switch {
	case err != nil:
		return false, err
	case last == nil || !last.Unresolved():
		return false, nil
	case last.EndedAt == nil && last.SettledAfter != nil && w.pub.clock().Before(last.SettledAfter.Time):
		return true, nil
	}
	return rival.ID < w.p.ID, nil
}

// lookAgainForRivals is when a post is looked up again that may belong to another publication.
const lookAgainForRivals = 5 * time.Second
