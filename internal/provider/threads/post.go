package threads

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// noteQuota means that the daily quota was read and has room for the post.
const noteQuota = "quotaRead"

// checkQuota reads how many posts and replies the account has left today. A chain is not started unless it can be
// completed.
func (p *Provider) checkQuota(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	posts, replies := needs(c, st)
	fields := "quota_usage,config"
	if replies > 0 && (len(a.Scopes) == 0 || a.HasScope(scopeReply)) { // without the scope they cannot be read
		fields += ",reply_quota_usage,reply_config"
	}
	var answer quotaAnswer
	err := p.api.Get(ctx, a.Token.Access, "/me/threads_publishing_limit?fields="+fields, &answer)
	if err != nil {
		return st, err
	}
	if len(answer.Data) > 0 {
		q := answer.Data[0]
		if over(q.PostsUsed, posts, q.Posts.Total) {
			return st, quotaError("posts", q.PostsUsed, q.Posts.Total)
		}
		if over(q.RepliesUsed, replies, q.Replies.Total) {
			return st, quotaError("replies", q.RepliesUsed, q.Replies.Total)
		}
	}
	st.Note(noteQuota, p.now().UTC().Format("2006-01-02T15:04:05Z07:00"))
	return st, nil
}

// needs returns how many posts and replies are still to be published.
func needs(c provider.Content, st provider.State) (posts, replies int64) {
	left := int64(max(1, len(c.Parts)) - st.NextPart())
	if st.NextPart() > 0 || c.Action == provider.Comment {
		return 0, left
	}
	return 1, left - 1
}

// over reports whether the quota has no room. A missing total means no limit.
func over(used, wanted, total int64) bool { return wanted > 0 && total > 0 && used+wanted > total }

func quotaError(what string, used, total int64) error {
	return &provider.Error{
		Kind: provider.RateLimited, Code: provider.CodeQuotaExhausted, Scope: provider.ScopeAccount,
		RetryAfter: graph.QuotaPause,
		Message:    fmt.Sprintf("Threads allows %d %s within 24 hours, and %d are used", total, what, used),
	}
}

// publish publishes the container of the next part.
func (p *Provider) publish(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	container, err := graph.Publishable(st)
	if err != nil {
		return st, err
	}
	request := provider.Request{Operation: operationOf(c, st), URL: "/me/threads_publish", Publishes: true,
		Timeout: p.limits.CommitTimeout}
	var answer idAnswer
	if err := p.api.Post(ctx, a.Token.Access, request, url.Values{"creation_id": {container}}, &answer); err != nil {
		return p.afterRefusal(st, provider.AsError(err))
	}
	if answer.ID == "" {
		return st, graph.MissingID("Threads")
	}
	p.enter(&st, c, string(answer.ID), "")
	return st, nil
}

func operationOf(c provider.Content, st provider.State) provider.Operation {
	if c.Action == provider.Comment || st.NextPart() > 0 {
		return provider.OpComment
	}
	return provider.OpPublish
}

// afterRefusal decides what to try next. A used up quota is read again before the next attempt.
func (p *Provider) afterRefusal(st provider.State, failure *provider.Error) (provider.State, error) {
	if failure.Kind == provider.RateLimited || errors.Is(failure, graph.ErrQuota) {
		delete(st.Data, noteQuota)
		st.Ready = false
	}
	return st, p.containers.Refused(&st, failure)
}

// enter records a published part. The permalink is read when all parts are published.
func (p *Provider) enter(st *provider.State, c provider.Content, id, permalink string) {
	graph.Settled(st)
	if id == "" {
		st.Warnings = append(st.Warnings, "Threads published the post without telling its id")
	}
	st.Publish(provider.Published{PlatformPostID: id, Permalink: permalink, PublishedAt: p.now().UTC()},
		max(1, len(c.Parts)))
	st.ProviderStatus = graph.Published
	st.RequiresPolling = st.Done && st.Published[0].Permalink == "" && st.PlatformPostID != ""
}

// repost reposts a post.
func (p *Provider) repost(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	request := provider.Request{
		Operation: provider.OpRepost, URL: "/" + url.PathEscape(c.Target.PlatformPostID) + "/repost", Publishes: true,
		Timeout: p.limits.CommitTimeout,
	}
	var answer idAnswer
	if err := p.api.Post(ctx, a.Token.Access, request, url.Values{}, &answer); err != nil {
		return st, err
	}
	if answer.ID == "" {
		return st, graph.MissingID("Threads")
	}
	p.enter(&st, c, string(answer.ID), c.Target.Permalink)
	return st, nil
}

// Delete deletes a post, reply or repost of the account. Deleting the first post of a chain leaves the others.
func (p *Provider) Delete(ctx context.Context, a provider.Account, postID string) (provider.Deletion, error) {
	deletion, err := p.api.Delete(ctx, a.Token.Access, "/"+url.PathEscape(postID))
	if errors.Is(err, graph.ErrUnknownContainer) {
		return provider.AlreadyGone, nil // the same error as for a container: Threads knows no media of that id
	}
	return deletion, err
}
