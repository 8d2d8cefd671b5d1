package linkedin

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// Notes in the State.
const (
	// noteSuspect means that an earlier attempt may have succeeded.
	noteSuspect = "suspect"
	// noteOthers are the posts that look the same and belong to other publications, separated by commas.
	noteOthers = "others"
	// noteSettled is when uploads whose status the token may not read should be usable.
	noteSettled = "settledAt"
	// noteCloseComments counts the attempts to close the comments of the new post.
	noteCloseComments = "closeComments"
	// noteCommentRoute is the API for comments, if the versioned one was rejected.
	noteCommentRoute = "commentRoute"
	// noteYoungMedia counts how often LinkedIn rejected pictures that may only be too new.
	noteYoungMedia = "youngMedia"
	routeLegacy    = "v2"
)

// createPost publishes the post or the reshare. LinkedIn responds with the id in a header and nothing else.
func (p *Provider) createPost(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	request, err := newPostRequest(a, c, st)
	if err != nil {
		return st, err
	}
	answer, err := p.rest(ctx, a, call{
		operation: operationOf(c), method: http.MethodPost, path: "/rest/posts", body: request, publishes: true,
		timeout: commitTimeout,
	})
	if err != nil {
		return p.afterRefusal(ctx, a, c, st, provider.AsError(err))
	}
	id := cmp.Or(answer.Header.Get("X-Restli-Id"), answer.Header.Get("X-Linkedin-Id"))
	if id == "" && answer.Status != http.StatusCreated {
		return st, notCreated(answer)
	}
	p.enter(&st, c, id)
	return st, nil
}

// notCreated returns the error of a success that LinkedIn does not answer with: it may come from a proxy.
func notCreated(answer *provider.Response) *provider.Error {
	return answer.Unreadable(errors.New("neither created nor with an id"))
}

// Rejected pictures are retried a few times within a minute: they may only be too new.
const (
	maxYoungMedia   = 3
	youngMediaPause = 20 * time.Second
)

// afterRefusal checks whether a rejection can be resolved: a duplicate of what may have been published before is that
// very post, media that LinkedIn does not accept are uploaded again, once, and pictures may only be too new.
func (p *Provider) afterRefusal(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	failure *provider.Error) (provider.State, error) {
	if duplicate, ok := errors.AsType[*duplicateError](failure); ok && st.Data[noteSuspect] != "" &&
		!slices.Contains(strings.FieldsFunc(st.Data[noteOthers], isComma), duplicate.urn) {
		return p.enterDuplicate(ctx, a, c, st, duplicate.urn, failure)
	}
	tries, _ := strconv.Atoi(st.Data[noteYoungMedia]) // written by this package
	switch {
	case errors.Is(failure, errMediaID) && forgetUploads(&st):
		failure.Kind, failure.Message = provider.Temporary,
			"LinkedIn did not take the uploaded media; they are uploaded again"
		st.Ready = false
	case errors.Is(failure, errYoungMedia) && len(st.Uploads) > 0 && tries < maxYoungMedia:
		st.Note(noteYoungMedia, strconv.Itoa(tries+1))
		failure.Kind, failure.Code, failure.RetryAfter = provider.Temporary, provider.CodeProviderUnavailable,
			youngMediaPause
	}
	return st, failure
}

func isComma(r rune) bool { return r == ',' }

// enterDuplicate records the post that LinkedIn reports as the duplicate. Sometimes that does not exist: then the
// outcome is unknown. Tokens that may not read posts have to trust it.
func (p *Provider) enterDuplicate(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	named string, failure *provider.Error) (provider.State, error) {
	if named != "" {
		_, err := p.rest(ctx, a, call{operation: provider.OpRead, method: http.MethodGet,
			path: "/rest/posts/" + urn(named)})
		if problem := provider.AsError(err); problem != nil && problem.Status != http.StatusForbidden {
			failure.Kind, failure.Code = provider.OutcomeUnknown, provider.CodeOutcomeUnknown
			failure.Message = "LinkedIn calls the post a duplicate of " + named + ", which cannot be read: " +
				problem.Message
			return st, failure
		}
	}
	p.enter(&st, c, named)
	return st, nil
}

func operationOf(c provider.Content) provider.Operation {
	if c.Action == provider.Repost || c.Action == provider.Quote {
		return provider.OpRepost
	}
	return provider.OpPublish
}

// enter records that the post is public. A success without an id still counts.
func (p *Provider) enter(st *provider.State, c provider.Content, id string) {
	delete(st.Data, noteSuspect)
	delete(st.Data, noteOthers)
	published := provider.Published{PlatformPostID: id, PublishedAt: p.now().UTC()}
	if id == "" {
		st.Warnings = append(st.Warnings, "LinkedIn published the post without telling its id")
	} else {
		published.Permalink = p.permalink(id)
	}
	st.Publish(published, 1)
	if s, err := decodeSettings(c); err == nil && s.CommentsState == commentsClosed && id != "" &&
		c.Action == provider.Post {
		st.RequiresPolling = true
		st.Note(noteCloseComments, "0")
	}
}

func (p *Provider) permalink(id string) string { return p.consentURL + "/feed/update/" + id + "/" }

// newPostRequest returns the body of a post. It depends only on the content and the uploads, so that resending sends
// the identical request.
func newPostRequest(a provider.Account, c provider.Content, st provider.State) (postRequest, error) {
	plan, err := newPlan(c)
	if err != nil {
		return postRequest{}, err
	}
	r := postRequest{
		Author:     a.ProviderAccountID,
		Commentary: commentary(plan.text, plan.Mentions),
		Visibility: wireVisibility[plan.Visibility],
		Distribution: distribution{
			FeedDistribution: wireFeed[plan.FeedDistribution], TargetEntities: plan.TargetEntities,
			ThirdParty: []string{},
		},
		Lifecycle:    "PUBLISHED",
		NoReshare:    plan.DisableReshare,
		LandingPage:  plan.LandingPageURL,
		CallToAction: plan.CallToActionLabel,
	}
	if r.Distribution.TargetEntities == nil {
		r.Distribution.TargetEntities = []targetEntity{}
	}
	if plan.reshare != "" {
		r.Reshare = &reshareContext{Parent: plan.reshare}
		return r, nil
	}
	r.Content, err = newContent(plan, st)
	return r, err
}

// newContent returns the attachment of a post: a poll, an article or media; nil for a text.
func newContent(plan plan, st provider.State) (*postContent, error) {
	switch {
	case plan.Poll != nil:
		return &postContent{Poll: newPoll(plan.Poll)}, nil
	case plan.article != nil:
		article := &contentArticle{Source: plan.article.URL, Title: plan.article.Title,
			Description: plan.article.Description}
		if plan.article.Thumbnail != "" {
			id, err := uploadedID(st, 0)
			if err != nil {
				return nil, err
			}
			article.Thumbnail = id
		}
		return &postContent{Article: article}, nil
	case len(plan.media) == 0:
		return nil, nil
	}
	return newMediaContent(plan, st)
}

func newMediaContent(plan plan, st provider.State) (*postContent, error) {
	var media []contentMedia
	for i, m := range plan.media {
		id, err := uploadedID(st, i)
		if err != nil {
			return nil, err
		}
		item := contentMedia{ID: id}
		switch resourceOf(m) {
		case images:
			item.AltText = m.AltText
		case videos:
			item.Title = plan.VideoTitle
		case documents:
			item.Title = cmp.Or(plan.DocumentTitle, m.FileName, "Document")
		}
		media = append(media, item)
	}
	if len(media) > 1 {
		return &postContent{MultiImage: &contentImages{Images: media}}, nil
	}
	return &postContent{Media: &media[0]}, nil
}

func newPoll(s *pollSetting) *contentPoll {
	poll := &contentPoll{
		Question: s.Question,
		Settings: pollSettings{Duration: wireDuration[s.Duration], VoteSelection: "SINGLE_VOTE", VoterVisible: true},
	}
	for _, option := range s.Options {
		poll.Options = append(poll.Options, pollOption{Text: option})
	}
	return poll
}

func uploadedID(st provider.State, index int) (string, error) {
	u := st.Upload(0, index)
	if u == nil || u.Step != stepReady {
		return "", &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media are not uploaded yet"}
	}
	return u.ID, nil
}

// Closing comments is retried a few times: right after publishing, the post may not be known everywhere.
const (
	maxCloseTries = 5
	closeDelay    = 4 * time.Second
)

// closeComments closes the comments of the new post. If LinkedIn rejects that, the comments stay open, with a warning.
func (p *Provider) closeComments(ctx context.Context, a provider.Account, st provider.State) (provider.State, error) {
	if st.Data[noteCloseComments] == "" {
		st.RequiresPolling = false
		return st, nil
	}
	var patch patchRequest
	patch.Patch.Set = map[string]string{"commentsState": "CLOSED"}
	_, err := p.rest(ctx, a, call{
		operation: provider.OpPublish, method: http.MethodPost, restli: methodPartialUpdate, body: patch,
		path: "/rest/socialMetadata/" + urn(st.PlatformPostID) + "?actor=" + urn(a.ProviderAccountID),
	})
	failure := provider.AsError(err)
	tries, _ := strconv.Atoi(st.Data[noteCloseComments]) // written by this package
	switch {
	case failure != nil && failure.Kind == provider.AuthExpired && failure.Code == provider.CodeAuthExpired:
		return st, failure
	case failure != nil && tries+1 < maxCloseTries && failure.Code != provider.CodePermissionMissing:
		st.Note(noteCloseComments, strconv.Itoa(tries+1))
		now := p.now().UTC()
		st.WaitUntil(now.Add(max(closeDelay, failure.RetryAfter)), now, "the comments are to be closed")
		return st, nil
	case failure != nil:
		st.Warnings = append(st.Warnings, "the comments could not be closed: "+failure.Message)
	}
	delete(st.Data, noteCloseComments)
	st.StopWaiting()
	st.RequiresPolling = false
	return st, nil
}

// Delete deletes a post or a comment. LinkedIn responds in the same way if a post is already gone.
func (p *Provider) Delete(ctx context.Context, a provider.Account, postID string) (provider.Deletion, error) {
	c := call{operation: provider.OpDelete, method: http.MethodDelete, restli: methodDelete, path: "/rest/posts/" +
		urn(postID)}
	send := p.rest
	if post, id, ok := splitComment(postID); ok {
		api, prefix := p.commentAPI(a, provider.State{})
		send, c.restli = api, ""
		c.path = prefix + "/socialActions/" + urn(post) + "/comments/" + urn(id) + "?actor=" + urn(a.ProviderAccountID)
	}
	_, err := send(ctx, a, c)
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Status == http.StatusNotFound:
		return provider.AlreadyGone, nil
	case failure != nil:
		return "", failure
	}
	return provider.Deleted, nil
}

// splitComment splits urn:li:comment:(urn:li:activity:1,2).
func splitComment(id string) (post, comment string, ok bool) {
	inner, ok := strings.CutPrefix(id, "urn:li:comment:(")
	if !ok {
		return "", "", false
	}
	return strings.Cut(strings.TrimSuffix(inner, ")"), ",")
}
