package instagram

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Notes in the State.
const (
	// noteQuota means that the daily quota was read and has room for the post.
	noteQuota = "quotaRead"
	// noteCloseComments counts the attempts to close the comments of the new post.
	noteCloseComments = "closeComments"
)

// Closing comments is retried a few times: right after publishing, the post may not be known everywhere.
const (
	maxCloseTries = 4
	closeDelay    = 4 * time.Second
)

// checkQuota reads how many posts the account has left today. Instagram's response is authoritative: its documentation
// names two totals.
func (p *Provider) checkQuota(ctx context.Context, a provider.Account, st provider.State) (provider.State, error) {
	var answer quotaAnswer
	err := p.api.Get(ctx, a.Token.Access,
		"/"+url.PathEscape(a.ProviderAccountID)+"/content_publishing_limit?fields=quota_usage,config", &answer)
	if err != nil {
		return st, err
	}
	if len(answer.Data) > 0 {
		if used, total := answer.Data[0].Used, answer.Data[0].Config.Total; total > 0 && used >= total {
			return st, &provider.Error{
				Kind: provider.RateLimited, Code: provider.CodeQuotaExhausted, Scope: provider.ScopeAccount,
				RetryAfter: graph.QuotaPause,
				Message:    fmt.Sprintf("Instagram allows %d posts within 24 hours, and %d are used", total, used),
			}
		}
	}
	st.Note(noteQuota, p.now().UTC().Format(time.RFC3339))
	return st, nil
}

// publish publishes the container.
func (p *Provider) publish(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	container, err := graph.Publishable(st)
	if err != nil {
		return st, err
	}
	request := provider.Request{
		Operation: provider.OpPublish, URL: "/" + url.PathEscape(a.ProviderAccountID) + "/media_publish",
		Publishes: true, Timeout: p.limits.CommitTimeout,
	}
	var answer idAnswer
	if err := p.api.Post(ctx, a.Token.Access, request, url.Values{"creation_id": {container}}, &answer); err != nil {
		failure := provider.AsError(err)
		if failure.Kind == provider.RateLimited {
			delete(st.Data, noteQuota) // read again before the next attempt
			st.Ready = false
		}
		return st, p.containers.Refused(&st, failure)
	}
	if answer.ID == "" {
		return st, graph.MissingID("Instagram")
	}
	p.enter(&st, c, string(answer.ID), "")
	return st, nil
}

// enter records that the post is public, and what remains to be done.
func (p *Provider) enter(st *provider.State, c provider.Content, id, permalink string) {
	graph.Settled(st)
	if id == "" {
		st.Warnings = append(st.Warnings, "Instagram published the post without telling its id")
	}
	st.Publish(provider.Published{PlatformPostID: id, Permalink: permalink, PublishedAt: p.now().UTC()}, 1)
	if c.Action == provider.Comment || id == "" {
		return
	}
	st.ProviderStatus = graph.Published
	st.RequiresPolling = permalink == ""
	if s, err := decodeSettings(c); err == nil && !on(s.CommentsEnabled) && formatOf(c.Parts[0], s) != story {
		st.Note(noteCloseComments, "0")
		st.RequiresPolling = true
	}
}

// closeComments closes the comments of the new post. If Instagram rejects that, the comments stay open, with a warning.
func (p *Provider) closeComments(ctx context.Context, a provider.Account, st provider.State) provider.State {
	var answer struct{}
	request := provider.Request{Operation: provider.OpPublish, URL: "/" + url.PathEscape(st.PlatformPostID)}
	failure := provider.AsError(p.api.Post(ctx, a.Token.Access, request, url.Values{"comment_enabled": {"false"}},
		&answer))
	tries, _ := strconv.Atoi(st.Data[noteCloseComments]) // written by this package
	if failure != nil && failure.Kind != provider.AuthExpired && tries+1 < maxCloseTries {
		st.Note(noteCloseComments, strconv.Itoa(tries+1))
		now := p.now().UTC()
		st.WaitUntil(now.Add(closeDelay), now, "the comments are to be closed")
		return st
	}
	if failure != nil {
		st.Warnings = append(st.Warnings, "the comments could not be closed: "+failure.Message)
	}
	delete(st.Data, noteCloseComments)
	st.StopWaiting()
	st.RequiresPolling = st.Published[0].Permalink == ""
	return st
}

// comment comments on a post.
func (p *Provider) comment(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if len(c.Parts) == 0 {
		return st, &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "the comment has no text"}
	}
	request := provider.Request{
		Operation: provider.OpComment, Method: http.MethodPost, URL: "/" + url.PathEscape(c.Target.PlatformPostID) +
			"/comments",
		Publishes: true, Timeout: p.limits.CommitTimeout,
	}
	var answer idAnswer
	if err := p.api.Post(ctx, a.Token.Access, request, url.Values{"message": {c.Parts[0].TextWithLinks()}},
		&answer); err != nil {
		return st, err
	}
	if answer.ID == "" {
		return st, graph.MissingID("Instagram")
	}
	p.enter(&st, c, string(answer.ID), c.Target.Permalink)
	return st, nil
}

// Delete deletes a post or a comment. Accounts connected by Instagram's own login cannot delete posts through the API;
// nothing is sent for them.
func (p *Provider) Delete(ctx context.Context, a provider.Account, postID string) (provider.Deletion, error) {
	if p.modeOf(a) == InstagramLogin {
		return "", &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "Instagram lets only accounts connected by Facebook Login delete posts: delete it in the app",
		}
	}
	return p.api.Delete(ctx, a.Token.Access, "/"+url.PathEscape(postID))
}
