package youtube

import (
	"cmp"
	"context"
	"net/http"

	"crier/internal/provider"
)

// comment comments on a video. YouTube rejects that for videos that are private, made for children or closed for
// comments.
func (p *Provider) comment(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	if len(c.Parts) != 1 {
		return st, &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "a comment has one text"}
	}
	var body, created commentThread
	// Both are required; crier comments on videos of the account's own channel.
	body.Snippet.ChannelID, body.Snippet.VideoID = a.ProviderAccountID, c.Target.PlatformPostID
	body.Snippet.TopLevel.Snippet.TextOriginal = c.Parts[0].Text
	request := provider.Request{
		Operation: provider.OpComment, Method: http.MethodPost, URL: "/youtube/v3/commentThreads?part=snippet",
		Publishes: true, Timeout: commitTimeout,
	}
	if err := p.api.Call(ctx, a.Token.Access, request, body, &created); err != nil {
		return st, err
	}
	id := cmp.Or(created.Snippet.TopLevel.ID, created.ID)
	if id == "" {
		return st, &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown,
			Message: "YouTube answered without the id of the comment"}
	}
	p.enterComment(&st, c, id)
	return st, nil
}

func (p *Provider) enterComment(st *provider.State, c provider.Content, id string) {
	st.Publish(provider.Published{
		PlatformPostID: id, PublishedAt: p.now().UTC(),
		Permalink: p.permalink(c, settings{}, c.Target.PlatformPostID) + "&lc=" + id,
	}, 1)
}
