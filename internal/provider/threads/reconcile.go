package threads

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// notePage is where the reading of a long list continues.
const notePage = "listPage"

// Strategy reads the container, and then the list of posts or replies for the id.
func (p *Provider) Strategy(provider.Account, provider.Content, provider.State) provider.Strategy {
	return graph.Strategy()
}

// Reconcile reads whether the container of the lost attempt was published, then searches the list for the post. Reposts
// have no container: only the list tells.
func (p *Provider) Reconcile(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	st = st.Clone()
	if c.Action != provider.Repost && !graph.NeedsListing(st) {
		outcome, err := p.containers.Outcome(ctx, a, &st, at)
		return outcome, st, err
	}
	return p.findPost(ctx, a, c, st, at)
}

func (p *Provider) findPost(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	wanted, err := wantedPost(c, st)
	if err != nil {
		return "", st, err
	}
	since := graph.Since(st, at)
	var list listAnswer
	if err := p.api.Get(ctx, a.Token.Access, listPath(wanted.repliesTo != "", since.Add(-graph.ReadBack).Unix(),
		st.Data[notePage]), &list); err != nil {
		return "", st, err
	}
	delete(st.Data, notePage)
	post, found := graph.Nearest(list.Data, since, listedPost.created, func(post listedPost) bool {
		return wanted.matches(post) && !isPublished(st, string(post.ID)) && at.MayBe(string(post.ID))
	})
	if found {
		p.enter(&st, c, string(post.ID), post.Permalink)
		st.FoundAt(post.created(), at)
		return provider.OutcomePublished, st, nil
	}
	if list.Paging.Next != "" && list.Paging.Cursors.After != "" {
		st.Note(notePage, list.Paging.Cursors.After)
		return provider.OutcomePending, st, nil
	}
	if c.Action == provider.Repost || at.Stale { // all pages since then were read
		graph.Suspect(&st, graph.Since(st, at))
		return provider.OutcomeAbsent, st, nil
	}
	return p.unlisted(c, st)
}

// unlisted handles a post that the list does not show. A chain cannot continue below a post whose id is unknown.
func (p *Provider) unlisted(c provider.Content, st provider.State) (provider.Outcome, provider.State, error) {
	outcome := graph.Unlisted(&st, p.now())
	if outcome == provider.OutcomePublished {
		if st.NextPart()+1 < len(c.Parts) {
			return provider.OutcomeUnclear, st, nil
		}
		p.enter(&st, c, "", "")
	}
	return outcome, st, nil
}

// listPath returns the path of the account's posts or replies since a time. Chains and comments are replies.
func listPath(replies bool, since int64, page string) string {
	path := "/me/threads"
	if replies {
		path = "/me/replies"
	}
	path += "?fields=id,media_type,text,permalink,timestamp,replied_to,quoted_post,reposted_post&limit=50&since=" +
		strconv.FormatInt(since, 10)
	if page != "" {
		path += "&after=" + url.QueryEscape(page)
	}
	return path
}

func isPublished(st provider.State, id string) bool {
	return slices.ContainsFunc(st.Published, func(p provider.Published) bool { return p.PlatformPostID == id })
}

// wanted describes the lost post.
type wanted struct {
	text      string
	mediaType string
	repostOf  string
	repliesTo string
}

func wantedPost(c provider.Content, st provider.State) (wanted, error) {
	if c.Action == provider.Repost {
		return wanted{repostOf: c.Target.PlatformPostID}, nil
	}
	s, err := decodeSettings(c)
	if err != nil {
		return wanted{}, err
	}
	part := c.Parts[min(st.NextPart(), len(c.Parts)-1)]
	form := url.Values{}
	if err := relate(form, c, s, st); err != nil {
		return wanted{}, err
	}
	text, _ := compose(part, s.LinkAttachment != "" && isRoot(c, st))
	return wanted{text: text, mediaType: listedType(part), repliesTo: form.Get("reply_to_id")}, nil
}

// listedType returns the list's type of a part.
func listedType(p provider.Part) string {
	switch {
	case len(p.Media) > 1:
		return "CAROUSEL_ALBUM"
	case len(p.Media) == 0:
		return "TEXT_POST"
	case isVideo(p.Media[0]):
		return "VIDEO"
	}
	return "IMAGE"
}

func (w wanted) matches(post listedPost) bool {
	if w.repostOf != "" {
		return post.RepostedPost != nil && string(post.RepostedPost.ID) == w.repostOf
	}
	if post.RepliedTo != nil && w.repliesTo != "" && string(post.RepliedTo.ID) != w.repliesTo {
		return false
	}
	return post.MediaType == w.mediaType && provider.SameText(w.text, post.Text)
}
