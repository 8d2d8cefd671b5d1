package x

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"crier/internal/provider"
)

// createPost publishes the next part.
func (p *Provider) createPost(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	body, err := newCreateRequest(c, st)
	if err != nil {
		return st, err
	}
	request := provider.Request{
		Operation: provider.OpPublish, Method: http.MethodPost, URL: "/2/tweets", Publishes: true,
		Timeout: commitTimeout,
	}
	if c.Action == provider.Comment {
		request.Operation = provider.OpComment
	}
	var answer createAnswer
	if err := p.api.Call(ctx, a.Token.Access, request, body, &answer); err != nil {
		return p.afterRefusal(c, st, err)
	}
	if answer.Data.ID == "" {
		return st, missingID()
	}
	p.enter(&st, a, c, answer.Data.ID)
	return st, nil
}

// missingID returns the error for a success without an id.
func missingID() error {
	return &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown,
		Message: "X answered without the id of the post"}
}

// enter records a published part.
func (p *Provider) enter(st *provider.State, a provider.Account, c provider.Content, id string) {
	delete(st.Data, noteSuspect)
	delete(st.Data, noteDuplicate)
	delete(st.Data, noteFormer)
	st.Publish(provider.Published{PlatformPostID: id, Permalink: p.permalink(a, id), PublishedAt: p.now().UTC()},
		max(1, len(c.Parts)))
}

// permalink works with any user name; /i/web/status needs none.
func (p *Provider) permalink(a provider.Account, id string) string {
	if a.Handle == "" {
		return p.consentURL + "/i/web/status/" + id
	}
	return p.consentURL + "/" + url.PathEscape(a.Handle) + "/status/" + id
}

// afterRefusal makes two rejections retryable: media that X no longer accepts are uploaded again, once; and a duplicate
// after an attempt with an unknown outcome suggests that this attempt succeeded.
func (p *Provider) afterRefusal(c provider.Content, st provider.State, err error) (provider.State, error) {
	failure := provider.AsError(err)
	switch {
	case errors.Is(failure, errMediaIDs) && forgetUploads(&st, st.NextPart()):
		failure.Kind, failure.Message = provider.Temporary, "X did not take the uploaded media; they are uploaded again"
		st.Ready = false
	case failure.Code == provider.CodeDuplicateContent && st.Data[noteSuspect] != "" && c.Action != provider.Repost:
		failure.Kind, failure.Code = provider.OutcomeUnknown, provider.CodeOutcomeUnknown
		failure.Message = "X calls the post a duplicate: the earlier attempt seems to have worked"
		st.Note(noteDuplicate, "true")
	}
	return st, failure
}

// newCreateRequest returns the body for the next part. Settings about replies, polls, quotes and places apply to the
// first post of a thread; labels and audience to all of them.
func newCreateRequest(c provider.Content, st provider.State) (createRequest, error) {
	s, err := decodeSettings(c)
	if err != nil {
		return createRequest{}, err
	}
	part := st.NextPart()
	if part >= len(c.Parts) {
		return createRequest{}, &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "there is no part left to publish"}
	}
	r := createRequest{
		Text:                  c.Parts[part].TextWithLinks(),
		ForSuperFollowersOnly: s.SuperFollowersOnly,
		MadeWithAI:            s.MadeWithAI,
		PaidPartnership:       s.PaidPartnership,
	}
	for media := range c.Parts[part].Media {
		u := st.Upload(part, media)
		if u == nil || u.Step != stepReady {
			return createRequest{}, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
				Message: "the media are not uploaded yet"}
		}
		if r.Media == nil {
			r.Media = &createMedia{}
		}
		r.Media.MediaIDs = append(r.Media.MediaIDs, u.ID)
	}
	r.relate(c, s, st)
	return r, nil
}

// relate adds the references to other posts, and the settings that apply to the first part only.
func (r *createRequest) relate(c provider.Content, s settings, st provider.State) {
	switch part := st.NextPart(); {
	case part > 0:
		r.Reply = &createReply{InReplyToID: st.Published[part-1].PlatformPostID}
		return
	case c.Action == provider.Comment:
		r.Reply = &createReply{InReplyToID: c.Target.PlatformPostID}
		return
	case c.Action == provider.Quote:
		r.QuoteID = c.Target.PlatformPostID
		return
	case s.ReplyToPostID != "":
		r.Reply = &createReply{InReplyToID: s.ReplyToPostID, ExcludeUserIDs: s.ExcludeReplyUserIDs}
	}
	if s.ReplySettings != everyone {
		r.ReplySettings = s.ReplySettings
	}
	r.QuoteID = s.QuotePostID
	r.CommunityID, r.ShareWithFollowers = s.CommunityID, s.ShareWithFollowers
	if s.Poll != nil {
		r.Poll = &createPoll{Options: s.Poll.Options, DurationMinutes: s.Poll.DurationMinutes}
	}
	if s.PlaceID != "" {
		r.Geo = &createGeo{PlaceID: s.PlaceID}
	}
	if r.Media != nil {
		r.Media.TaggedUserIDs = s.TaggedUserIDs
	}
}

// repost reposts a post.
func (p *Provider) repost(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	request := provider.Request{
		Operation: provider.OpRepost, Method: http.MethodPost, URL: "/2/users/" + url.PathEscape(a.ProviderAccountID) +
			"/retweets",
		Publishes: true, Timeout: commitTimeout,
	}
	var answer repostAnswer
	body := repostRequest{PostID: c.Target.PlatformPostID}
	if err := p.api.Call(ctx, a.Token.Access, request, body, &answer); err != nil {
		return st, err
	}
	id := cmp.Or(answer.Data.RestID, answer.Data.ID)
	if !answer.Data.Reposted && id == "" {
		return st, missingID()
	}
	p.enter(&st, a, c, cmp.Or(id, c.Target.PlatformPostID))
	return st, nil
}

// Delete deletes a post, reply or repost of the account. Deleting the first post of a thread leaves the others.
func (p *Provider) Delete(ctx context.Context, a provider.Account, postID string) (provider.Deletion, error) {
	request := provider.Request{Operation: provider.OpDelete, Method: http.MethodDelete, URL: "/2/tweets/" +
		url.PathEscape(postID)}
	var answer deleteAnswer
	err := p.api.Call(ctx, a.Token.Access, request, nil, &answer)
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Status == http.StatusNotFound:
		return provider.AlreadyGone, nil
	case failure != nil:
		return "", failure
	case !answer.Data.Deleted:
		return "", &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "X did not delete the post"}
	}
	return provider.Deleted, nil
}

// Unrepost undoes the account's repost of a post. X also accepts this for one that is gone.
func (p *Provider) Unrepost(ctx context.Context, a provider.Account, postID string) (provider.Deletion, error) {
	request := provider.Request{Operation: provider.OpDelete, Method: http.MethodDelete, URL: "/2/users/" +
		url.PathEscape(a.ProviderAccountID) + "/retweets/" + url.PathEscape(postID)}
	var answer repostAnswer
	err := p.api.Call(ctx, a.Token.Access, request, nil, &answer)
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Status == http.StatusNotFound:
		return provider.AlreadyGone, nil
	case failure != nil:
		return "", failure
	case answer.Data.Reposted:
		return "", &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "X did not take the repost back"}
	}
	return provider.Deleted, nil
}

// Cost returns the price of each part: more with a URL in it, and a little for every media file with metadata.
func (p *Provider) Cost(c provider.Content) []int64 {
	if c.Action == provider.Repost {
		return []int64{p.info.Cost(costRepost)}
	}
	s, err := decodeSettings(c)
	warned := err == nil && s.SensitiveMedia != nil
	costs := make([]int64, len(c.Parts))
	for i, part := range c.Parts {
		costs[i] = p.info.Cost(costPost)
		if len(findURLs(part.TextWithLinks())) > 0 {
			costs[i] = p.info.Cost(costPostWithURL)
		}
		for _, m := range part.Media {
			if m.AltText != "" || warned {
				costs[i] += p.info.Cost(costAltText)
			}
		}
	}
	return costs
}
