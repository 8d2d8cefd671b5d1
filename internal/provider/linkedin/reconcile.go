package linkedin

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

const (
	// readBack is how far before the attempt posts are searched: clocks differ.
	readBack = 30 * time.Second
	// listedCount is how many posts are read.
	listedCount = 50
	// resendFrom and resendUntil are when LinkedIn recognizes a repetition: not too soon, and for about ten minutes.
	resendFrom  = 5 * time.Second
	resendUntil = 8 * time.Minute
)

// Strategy reads if the account may read, which only organizations can. Members' posts are resent: LinkedIn responds to
// the repetition with the id of the existing post. The outcome of members' comments cannot be determined.
func (p *Provider) Strategy(a provider.Account, c provider.Content, _ provider.State) provider.Strategy {
	switch {
	case isOrganization(a) && a.HasScope(scopeOrgRead):
		return provider.Strategy{Method: provider.ByReading, NotBefore: 10 * time.Second, Absences: 2,
			Apart: 20 * time.Second}
	case c.Action == provider.Comment:
		return provider.Strategy{Method: provider.Impossible}
	}
	return provider.Strategy{Method: provider.ByResending, NotBefore: resendFrom, NotAfter: resendUntil}
}

// Resend sends the post of a lost attempt again. A duplicate proves that the attempt succeeded.
func (p *Provider) Resend(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	st = st.Clone()
	st.Note(noteSuspect, "true")
	return p.createPost(ctx, a, c, st)
}

// Reconcile searches the newest posts or comments.
func (p *Provider) Reconcile(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	st = st.Clone()
	since := at.StartedAt.Add(-readBack).UnixMilli()
	if c.Action == provider.Comment {
		return p.findComment(ctx, a, c, st, at)
	}
	plan, err := newPlan(c)
	if err != nil {
		return "", st, err
	}
	var posts listedPosts
	path := "/rest/posts?q=author&author=" + urn(a.ProviderAccountID) + "&count=" + strconv.Itoa(listedCount) +
		"&sortBy=CREATED"
	if err := p.get(ctx, a, path, methodFinder, &posts); err != nil {
		return "", st, err
	}
	wanted := visible(commentary(plan.text, plan.Mentions))
	var others []string
	for _, post := range posts.Elements {
		if !provider.SameText(visible(post.Commentary), wanted) || !reshares(post, plan.reshare) {
			continue
		}
		if !at.MayBe(post.ID) {
			others = append(others, post.ID)
		} else if post.CreatedAt >= since {
			p.enter(&st, c, post.ID)
			st.FoundAt(post.created(), at)
			return provider.OutcomePublished, st, nil
		}
	}
	if !provider.ReachesBack(posts.Elements, listedCount, listedPost.created, time.UnixMilli(since)) {
		return provider.OutcomeUnclear, st, nil
	}
	st.Note(noteSuspect, "true")
	if len(others) > 0 {
		st.Note(noteOthers, strings.Join(others, ","))
	}
	return provider.OutcomeAbsent, st, nil
}

// reshares reports whether the post shares the expected one; lists do not always contain it.
func reshares(post listedPost, wanted string) bool {
	return post.Reshare == nil || post.Reshare.Parent == wanted
}

func (p *Provider) findComment(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	at provider.Attempt) (provider.Outcome, provider.State, error) {
	var comments listedComments
	path := "/rest/socialActions/" + urn(c.Target.PlatformPostID) + "/comments?count=" + strconv.Itoa(listedCount)
	if err := p.get(ctx, a, path, "", &comments); err != nil {
		return "", st, err
	}
	since := at.StartedAt.Add(-readBack).UnixMilli()
	for _, comment := range comments.Elements {
		id := commentURN(c.Target.PlatformPostID, cmp.Or(comment.URN, comment.ID))
		if comment.Created.Time >= since && at.MayBe(id) && comment.Actor == a.ProviderAccountID &&
			provider.SameText(comment.Message.Text, commentText(c)) {
			p.enterComment(&st, c, id)
			st.FoundAt(time.UnixMilli(comment.Created.Time), at)
			return provider.OutcomePublished, st, nil
		}
	}
	if len(comments.Elements) >= listedCount { // their order is not documented
		return provider.OutcomeUnclear, st, nil
	}
	return provider.OutcomeAbsent, st, nil
}
