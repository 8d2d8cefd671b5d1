package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"crier/internal/provider"
)

// comment comments on a post. The versioned API accepts comments only from apps with the Community Management product;
// the legacy one still accepts them from all, so it is used without those scopes, and after a rejection.
func (p *Provider) comment(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	request := call{
		operation: provider.OpComment, method: http.MethodPost, publishes: true, timeout: commitTimeout,
		body: commentRequest{Actor: a.ProviderAccountID, Object: c.Target.PlatformPostID,
			Message: commentMessage{Text: commentText(c)}},
	}
	send, prefix := p.commentAPI(a, st)
	request.path = prefix + "/socialActions/" + urn(c.Target.PlatformPostID) + "/comments"
	answer, err := send(ctx, a, request)
	if err != nil {
		failure := provider.AsError(err)
		if prefix == versionedPrefix && isProductMissing(failure) {
			st.Note(noteCommentRoute, routeLegacy)
			failure.Kind, failure.Scope = provider.Temporary, provider.ScopePost
			failure.Message = "LinkedIn's new interface refused the comment; the old one is tried"
		}
		return st, failure
	}
	id := commentID(answer, c.Target.PlatformPostID)
	if id == "" && answer.Status != http.StatusCreated {
		return st, notCreated(answer)
	}
	p.enterComment(&st, c, id)
	return st, nil
}

// Prefixes of the two APIs.
const (
	versionedPrefix = "/rest"
	legacyPrefix    = "/v2"
)

// commentAPI returns the API for the account's comments, with the prefix of its paths.
func (p *Provider) commentAPI(a provider.Account, st provider.State) (send func(context.Context, provider.Account,
	call) (*provider.Response, error), prefix string) {
	if st.Data[noteCommentRoute] == routeLegacy || !mayCommentVersioned(a) {
		return p.legacy, legacyPrefix
	}
	return p.rest, versionedPrefix
}

func (p *Provider) enterComment(st *provider.State, c provider.Content, id string) {
	st.Publish(provider.Published{PlatformPostID: id, Permalink: p.permalink(c.Target.PlatformPostID),
		PublishedAt: p.now().UTC()}, 1)
}

// mayCommentVersioned reports whether the scopes for it were granted or are unknown.
func mayCommentVersioned(a provider.Account) bool {
	return len(a.Scopes) == 0 || a.HasScope(scopeMemberFeed, scopeOrgFeed)
}

func commentText(c provider.Content) string {
	if len(c.Parts) == 0 {
		return ""
	}
	return c.Parts[0].Text
}

// commentID returns the URN of the new comment on a post, or "" if LinkedIn does not return its id.
func commentID(answer *provider.Response, post string) string {
	var created commentAnswer
	if json.Unmarshal(answer.Body, &created) != nil {
		created = commentAnswer{} // the header has to suffice
	}
	return commentURN(post, cmp.Or(created.URN, answer.Header.Get("X-Restli-Id"), created.ID))
}

// commentURN returns the URN of a comment on a post, from the URN itself or from the plain id: only the URN says where
// the comment can be deleted.
func commentURN(post, id string) string {
	if id == "" || strings.HasPrefix(id, "urn:") {
		return id
	}
	return "urn:li:comment:(" + post + "," + id + ")"
}
