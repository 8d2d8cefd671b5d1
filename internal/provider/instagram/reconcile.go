package instagram

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// listedComments is how many comments are read.
const listedComments = 50

// Strategy reads the container, and then the list of posts for the id. Comments are searched below the post.
func (p *Provider) Strategy(provider.Account, provider.Content, provider.State) provider.Strategy {
	return graph.Strategy()
}

// Reconcile reads whether the container of the lost attempt was published, then searches the list for the post.
func (p *Provider) Reconcile(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	st = st.Clone()
	switch {
	case c.Action == provider.Comment:
		return p.findComment(ctx, a, c, st, at)
	case graph.NeedsListing(st):
		return p.findPost(ctx, a, c, st, at)
	}
	outcome, err := p.containers.Outcome(ctx, a, &st, at)
	return outcome, st, err
}

// findPost searches the newest posts; stories have their own list.
func (p *Provider) findPost(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return "", st, err
	}
	edge := "media"
	if formatOf(c.Parts[0], s) == story {
		edge = "stories"
	}
	if at.Stale && edge == "stories" { // only their container distinguishes them
		return provider.OutcomeUnclear, st, nil
	}
	var list listAnswer
	path := "/" + url.PathEscape(a.ProviderAccountID) + "/" + edge +
		"?fields=id,caption,media_type,media_product_type,permalink,timestamp&limit=25"
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return "", st, err
	}
	post, found := graph.Nearest(list.Data, graph.Since(st, at), listedPost.created,
		func(post listedPost) bool { return matches(c.Parts[0], s, post) && at.MayBe(string(post.ID)) })
	if found {
		p.enter(&st, c, string(post.ID), post.Permalink)
		st.FoundAt(post.created(), at)
		return provider.OutcomePublished, st, nil
	}
	if at.Stale { // the list shows only the newest
		return provider.OutcomeUnclear, st, nil
	}
	outcome := graph.Unlisted(&st, p.now())
	if outcome == provider.OutcomePublished {
		p.enter(&st, c, "", "")
	}
	return outcome, st, nil
}

// Matches reports whether two contents have the same caption. Stories have none: all of them match.
func (*Provider) Matches(wanted, other provider.Content) bool {
	own, err := decodeSettings(wanted)
	theirs, otherErr := decodeSettings(other)
	switch {
	case err != nil || otherErr != nil:
		return true
	case own.PostType == story || theirs.PostType == story:
		return own.PostType == theirs.PostType
	}
	return provider.SameText(wanted.Parts[0].TextWithLinks(), other.Parts[0].TextWithLinks())
}

// matches compares an entry of the list with the expected post. Stories have no caption.
func matches(part provider.Part, s settings, post listedPost) bool {
	mediaType := "IMAGE"
	switch {
	case len(part.Media) > 1:
		mediaType = "CAROUSEL_ALBUM"
	case isVideo(part.Media[0]):
		mediaType = "VIDEO"
	}
	return post.MediaType == mediaType &&
		(formatOf(part, s) == story || provider.SameText(part.TextWithLinks(), post.Caption))
}

// findComment searches the comments on the post.
func (p *Provider) findComment(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	var list commentList
	path := "/" + url.PathEscape(c.Target.PlatformPostID) + "/comments?fields=id,text,username,timestamp&limit=" +
		strconv.Itoa(listedComments)
	if err := p.api.Get(ctx, a.Token.Access, path, &list); err != nil {
		return "", st, err
	}
	since := graph.Since(st, at)
	comment, found := graph.Nearest(list.Data, since, listedComment.created, func(comment listedComment) bool {
		own := comment.Username == "" || a.Handle == "" || strings.EqualFold(comment.Username, a.Handle)
		return own && at.MayBe(string(comment.ID)) && provider.SameText(c.Parts[0].TextWithLinks(), comment.Text)
	})
	switch {
	case found:
		p.enter(&st, c, string(comment.ID), c.Target.Permalink)
		st.FoundAt(comment.created(), at)
		return provider.OutcomePublished, st, nil
	case !provider.ReachesBack(list.Data, listedComments, listedComment.created, since):
		return provider.OutcomeUnclear, st, nil
	}
	graph.Suspect(&st, since)
	return provider.OutcomeAbsent, st, nil
}
