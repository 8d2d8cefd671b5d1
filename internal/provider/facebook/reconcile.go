package facebook

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// noteDuplicate means that Facebook rejected a post as a duplicate of one with an unknown outcome, so it must exist.
const noteDuplicate = "calledDuplicate"

// listedCount is how many posts or comments are read.
const listedCount = 25

// errUnclear means that a list does not reach back far enough to tell.
var errUnclear = errors.New("the list does not reach back to the attempt")

// Strategy reads: a video has a status that says whether it was published; everything else is searched in a list, where
// a new post may take a while to appear.
func (p *Provider) Strategy(provider.Account, provider.Content, provider.State) provider.Strategy {
	return provider.Strategy{Method: provider.ByReading, NotBefore: 15 * time.Second, Absences: 2, Apart: time.Minute}
}

// Reconcile searches for what a lost attempt may have published.
func (p *Provider) Reconcile(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	st = st.Clone()
	plan, err := newPlan(c)
	if err != nil {
		return "", st, err
	}
	since := graph.Since(st, at)
	var found bool
	switch {
	case c.Action == provider.Comment:
		found, err = p.findComment(ctx, a, c, plan, &st, at)
	case at.Stale && (plan.isVideo() || plan.format == story):
		return provider.OutcomeUnclear, st, nil // they are recognized by the uploads of the attempt
	case plan.isVideo():
		return p.videoOutcome(ctx, a, plan, st)
	case plan.format == story:
		found, err = p.findStory(ctx, a, &st, at)
	case at.Stale:
		found, err = p.findPost(ctx, a, plan, &st, at, matchesText)
	default:
		found, err = p.findPost(ctx, a, plan, &st, at, matches)
	}
	switch {
	case errors.Is(err, errUnclear):
		return provider.OutcomeUnclear, st, nil
	case err != nil:
		return "", st, err
	case found:
		return provider.OutcomePublished, st, nil
	case st.Data[noteDuplicate] != "":
		return provider.OutcomeUnclear, st, nil
	}
	graph.Suspect(&st, since)
	return provider.OutcomeAbsent, st, nil
}

// findPost searches the newest posts of the Page.
func (p *Provider) findPost(ctx context.Context, a provider.Account, plan plan, st *provider.State,
	at provider.Attempt, matches func(plan, provider.State, listedPost) bool) (bool, error) {
	since := graph.Since(*st, at)
	var list postList
	path := pagePath(a) + "/published_posts?fields=id,message,created_time,permalink_url,attachments{target{id},subattachments{target{id}}}&limit=" + strconv.Itoa(listedCount)
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return false, err
	}
	post, found := graph.Nearest(list.Data, since, listedPost.created,
		func(post listedPost) bool { return matches(plan, *st, post) && at.MayBe(string(post.ID)) })
	if found {
		p.enter(st, string(post.ID), p.permalink(post.Permalink, string(post.ID)))
		st.FoundAt(post.created(), at)
		return true, nil
	}
	return false, unlessUnclear(provider.ReachesBack(list.Data, listedCount, listedPost.created, since))
}

// matches compares a post with the expected one: by its photos, which belong to this attempt only, or by its text.
func matches(plan plan, st provider.State, post listedPost) bool {
	if len(plan.media) == 0 {
		return provider.SameText(plan.text, post.Message)
	}
	shown := targets(post.Attachments.Data)
	if len(shown) == 0 {
		return provider.SameText(plan.text, post.Message)
	}
	return slices.ContainsFunc(st.Uploads, func(u provider.Upload) bool { return slices.Contains(shown, u.ID) })
}

// matchesText compares a post by its text only, if its uploaded photos are unknown.
func matchesText(plan plan, _ provider.State, post listedPost) bool {
	return provider.SameText(plan.text, post.Message)
}

// targets returns the ids of a post's attachments.
func targets(attachments []attachment) []string {
	var ids []string
	for _, a := range attachments {
		if a.Target.ID != "" {
			ids = append(ids, string(a.Target.ID))
		}
		ids = append(ids, targets(a.Subattachments.Data)...)
	}
	return ids
}

// findStory searches the stories for the photo.
func (p *Provider) findStory(ctx context.Context, a provider.Account, st *provider.State,
	at provider.Attempt) (bool, error) {
	photo, err := uploadedID(*st, 0)
	if err != nil {
		return false, err
	}
	list, err := p.stories(ctx, a)
	if err != nil {
		return false, err
	}
	for _, s := range list.Data {
		if string(s.MediaID) == photo {
			p.enter(st, string(s.PostID), s.URL)
			st.FoundAt(s.CreatedTime.Time, at)
			return true, nil
		}
	}
	return false, nil
}

// videoOutcome reads the video. One that is being processed was accepted; one that is neither processed nor published
// was not.
func (p *Provider) videoOutcome(ctx context.Context, a provider.Account, plan plan,
	st provider.State) (provider.Outcome, provider.State, error) {
	id, err := uploadedID(st, 0)
	if err != nil {
		return provider.OutcomeAbsent, st, nil //nolint:nilerr // without an upload nothing can have been published
	}
	video, err := p.readVideo(ctx, a, id)
	if err != nil {
		return "", st, err
	}
	st.ProviderStatus = video.Status.Word
	publishing, processing := video.Status.Publishing.Status, video.Status.Processing.Status
	switch {
	case video.isPublic():
		permalink := video.Permalink
		if plan.format == story && video.PostID != "" {
			id, permalink = string(video.PostID), ""
		}
		p.enterVideo(&st, plan, id, permalink)
		return provider.OutcomePublished, st, nil
	case video.failure() != "":
		st.Uploads, st.PublishID = nil, ""
		delete(st.Secrets, secretUpload)
		return provider.OutcomeAbsent, st, nil
	case publishing == phaseInProgress || processing == phaseInProgress || processing == phaseComplete &&
		plan.format == feed:
		st.NextPollAfter = p.now().UTC().Add(firstLook)
		return provider.OutcomePending, st, nil
	}
	return provider.OutcomeAbsent, st, nil
}

// findComment searches the comments on the post for the Page's.
func (p *Provider) findComment(ctx context.Context, a provider.Account, c provider.Content, plan plan,
	st *provider.State, at provider.Attempt) (bool, error) {
	since := graph.Since(*st, at)
	var list commentList
	path := "/" + url.PathEscape(c.Target.PlatformPostID) +
		"/comments?fields=id,from,message,created_time&order=reverse_chronological&limit=" + strconv.Itoa(listedCount)
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return false, err
	}
	comment, found := graph.Nearest(list.Data, since, listedComment.created, func(comment listedComment) bool {
		own := comment.From == nil || string(comment.From.ID) == a.ProviderAccountID
		return own && at.MayBe(string(comment.ID)) && provider.SameText(plan.text, comment.Message)
	})
	if found {
		p.enter(st, string(comment.ID), c.Target.Permalink)
		st.FoundAt(comment.created(), at)
		return true, nil
	}
	return false, unlessUnclear(provider.ReachesBack(list.Data, listedCount, listedComment.created, since))
}

// unlessUnclear is nil if absence from the list is a proof.
func unlessUnclear(proof bool) error {
	if proof {
		return nil
	}
	return errUnclear
}
