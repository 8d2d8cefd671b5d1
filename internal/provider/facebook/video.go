package facebook

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/internal/provider"
)

// noteAfterwards lists what remains to be done once the post is public, separated by commas.
const noteAfterwards = "afterwards"

// What may remain to be done.
const (
	doPermalink    = "permalink"
	doThumbnail    = "thumbnail"
	doCollaborator = "collaborator:" // and the id of a Page
)

// finishVideo completes the upload of a video, which publishes it. Facebook only confirms that it was accepted; whether
// and when the video is public is polled afterwards.
func (p *Provider) finishVideo(ctx context.Context, a provider.Account, plan plan, st provider.State) (provider.State,
	error) {
	video, err := uploadedID(st, 0)
	if err != nil {
		return st, err
	}
	form, err := finishForm(plan, st, video)
	if err != nil {
		return st, err
	}
	client, edge := p.api, "/"+plan.edge()
	if plan.edge() == "" {
		client, edge = p.videos, "/videos"
	}
	var answer createAnswer
	if err := p.publish(ctx, client, a, edge, form, &answer); err != nil {
		return afterRefusal(plan, st, provider.AsError(err))
	}
	p.accepted(&st, plan, video, string(answer.PostID))
	return st, nil
}

func finishForm(plan plan, st provider.State, video string) (url.Values, error) {
	form := url.Values{"upload_phase": {"finish"}}
	switch plan.format {
	case story:
		form.Set("video_id", video)
		return form, nil
	case reel:
		form.Set("video_id", video)
		form.Set("video_state", "PUBLISHED")
		if plan.Draft {
			form.Set("video_state", "DRAFT")
		}
	default:
		form.Set("upload_session_id", st.PublishID)
		form.Set("published", "true")
	}
	setIf(form, "description", plan.text)
	setIf(form, "title", plan.VideoTitle)
	return form, addAudience(form, plan)
}

// accepted records that Facebook accepted a video. A story already has its id, and a draft does not become public.
func (p *Provider) accepted(st *provider.State, plan plan, video, postID string) {
	switch {
	case plan.format == story && postID != "":
		p.enter(st, postID, "")
		st.Note(noteAfterwards, doPermalink)
	case plan.format == reel && plan.Draft:
		p.enterVideo(st, plan, video, "")
	default:
		now := p.now().UTC()
		st.ProviderStatus = "accepted"
		st.WaitUntil(now.Add(firstLook), now, processing)
	}
	st.RequiresPolling = !st.Done || st.Data[noteAfterwards] != ""
}

// firstLook is when the processing of a video is first checked.
const firstLook = 5 * time.Second

const processing = "Facebook is processing the video"

// enterVideo records that a video is public, and what remains to be done for it.
func (p *Provider) enterVideo(st *provider.State, plan plan, video, permalink string) {
	if plan.format != story && permalink == "" {
		permalink = "/reel/" + video
	}
	p.enter(st, video, p.permalink(permalink, video))
	var left []string
	if plan.ThumbnailMediaID != "" && plan.format != story {
		left = append(left, doThumbnail)
	}
	if plan.format == reel {
		for _, page := range plan.CollaboratorPageIDs {
			left = append(left, doCollaborator+page)
		}
	}
	if plan.format == story {
		left = append(left, doPermalink)
	}
	if len(left) > 0 {
		st.Note(noteAfterwards, strings.Join(left, ","))
		st.RequiresPolling = true
	}
}

// followVideo checks whether an accepted video is public. A failed check is repeated later: the video has been
// accepted, and nothing must publish it again. If Facebook knows no such video in the end, only a person can find out.
func (p *Provider) followVideo(ctx context.Context, a provider.Account, plan plan, st provider.State) (provider.State,
	error) {
	id, err := uploadedID(st, 0)
	if err != nil {
		return st, err
	}
	video, err := p.readVideo(ctx, a, id)
	now := p.now().UTC()
	waited := now.Sub(st.PollingSince)
	if st.PollingSince.IsZero() {
		waited = 0
	}
	if err == nil {
		st.ProviderStatus = cmp.Or(video.Status.Word, st.ProviderStatus)
		if problem := video.failure(); problem != "" {
			st.FailureCode = video.Status.Word
			return st, &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: problem}
		}
		if video.isPublic() {
			p.enterVideo(&st, plan, id, video.Permalink)
			return st, nil
		}
	}
	failure := provider.AsError(err)
	switch {
	case failure != nil && failure.Kind == provider.AuthExpired:
		return st, failure
	case failure != nil && failure.Kind == provider.Rejected && waited > p.limits.Patience:
		return st, unreadVideo(failure)
	case waited > p.limits.Patience:
		p.enterVideo(&st, plan, id, video.Permalink)
		st.Warnings = append(st.Warnings, "Facebook has accepted the video and is still processing it")
		return st, nil
	}
	st.WaitUntil(now.Add(min(max(waited/2, firstLook), 30*time.Second)), now, processing)
	return st, nil
}

// unreadVideo returns the error of an accepted video whose status Facebook refuses to tell.
func unreadVideo(failure *provider.Error) *provider.Error {
	failure.Kind, failure.Code, failure.Scope = provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost
	failure.Message = "Facebook accepted the video and does not tell what became of it; look at the Page before it " +
		"is posted again: " + failure.Message
	return failure
}

// failure returns the problem of the video, or "".
func (v videoAnswer) failure() string {
	for _, phase := range []phase{v.Status.Uploading, v.Status.Processing, v.Status.Publishing} {
		if problem := phase.problem(); problem != "" {
			return problem
		}
	}
	if v.Status.Word == videoFailed || v.Status.Word == videoExpired {
		return "Facebook could not process the video (" + v.Status.Word + ")"
	}
	return ""
}

// isPublic reports whether the video is visible. Feed videos do not always have a publishing phase.
func (v videoAnswer) isPublic() bool {
	if v.Status.Publishing.Status != "" {
		return v.Status.Publishing.Status == phaseComplete
	}
	return v.Status.Word == videoReady && (v.Published == nil || *v.Published)
}

// afterwards does one of the remaining things. A failure is only a warning: the post is public.
func (p *Provider) afterwards(ctx context.Context, a provider.Account, plan plan, st provider.State) provider.State {
	left := strings.Split(st.Data[noteAfterwards], ",")
	if err := p.doAfterwards(ctx, a, plan, &st, left[0]); err != nil {
		st.Warnings = append(st.Warnings, provider.AsError(err).Message)
	}
	delete(st.Data, noteAfterwards)
	st.RequiresPolling = len(left) > 1
	if st.RequiresPolling {
		st.Note(noteAfterwards, strings.Join(left[1:], ","))
	}
	return st
}

func (p *Provider) doAfterwards(ctx context.Context, a provider.Account, plan plan, st *provider.State,
	what string) error {
	page, invites := strings.CutPrefix(what, doCollaborator)
	switch {
	case invites:
		var answer createAnswer
		request := provider.Request{Operation: provider.OpPublish, URL: "/" + url.PathEscape(st.PlatformPostID) +
			"/collaborators"}
		return explained("the Page "+page+" could not be invited",
			p.api.Post(ctx, a.Token.Access, request, url.Values{"target_id": {page}}, &answer))
	case what == doThumbnail:
		return explained("the thumbnail could not be set", p.setThumbnail(ctx, a, plan, st.PlatformPostID))
	case what == doPermalink:
		return explained("the address of the story could not be read", p.readStoryURL(ctx, a, st))
	}
	return nil
}

// explained wraps an error with what was being done.
func explained(what string, err error) error {
	failure := provider.AsError(err)
	if failure == nil {
		return nil
	}
	failure.Message = what + ": " + failure.Message
	return failure
}

func (p *Provider) setThumbnail(ctx context.Context, a provider.Account, plan plan, video string) error {
	m, ok := plan.assets[plan.ThumbnailMediaID]
	if !ok {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: "the asset is not there any more"}
	}
	file, err := m.Open(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	body, err := provider.MultipartBody([]provider.Field{{Name: "is_preferred", Value: "true"}},
		provider.FilePart{Field: "source", FileName: fileName(m), ContentType: m.MIMEType, File: file, Size: m.Size})
	if err != nil {
		return unreadable(err)
	}
	_, err = p.api.Send(ctx, a.Token.Access, provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPost, URL: "/" + url.PathEscape(video) + "/thumbnails",
		Body: body, Timeout: provider.UploadTimeout,
	})
	return err
}

// readStoryURL finds the URL of the story in the list of stories.
func (p *Provider) readStoryURL(ctx context.Context, a provider.Account, st *provider.State) error {
	stories, err := p.stories(ctx, a)
	if err != nil {
		return err
	}
	media := ""
	if u := st.Upload(0, 0); u != nil {
		media = u.ID
	}
	for _, s := range slices.Backward(stories.Data) {
		if string(s.PostID) == st.PlatformPostID || media != "" && string(s.MediaID) == media {
			st.Published[0].Permalink = s.URL
		}
	}
	return nil
}

func (p *Provider) stories(ctx context.Context, a provider.Account) (storyList, error) {
	var list storyList
	err := p.api.Get(ctx, a.Token.Access, pagePath(a)+"/stories?status="+url.QueryEscape(`["PUBLISHED"]`)+"&limit=25",
		&list)
	return list, err
}
