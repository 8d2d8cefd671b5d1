package tiktok

import (
	"context"
	"net/http"

	"crier/internal/provider"
)

// Paths that start a post.
const (
	videoPath  = "/v2/post/publish/video/init/"
	inboxPath  = "/v2/post/publish/inbox/video/init/"
	photosPath = "/v2/post/publish/content/init/"
)

// Ways to transfer files to TikTok.
const (
	sourceUpload = "FILE_UPLOAD"
	sourcePull   = "PULL_FROM_URL"
)

// sendLastChunk sends the missing part of the video. TikTok then posts it.
func (p *Provider) sendLastChunk(ctx context.Context, plan plan, st provider.State) (provider.State, error) {
	u := st.Upload(0, 0)
	if u == nil || !onlyLastChunkMissing(u) || st.Secrets[secretUpload] == "" {
		st.Ready = false
		return st, &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the video is not uploaded yet"}
	}
	answer, err := p.putChunk(ctx, plan.video, &st, u, u.Size-1,
		provider.Request{Publishes: true, Timeout: commitTimeout})
	if err != nil {
		st.Ready, u.Step = false, stepAsking
		return st, err
	}
	switch answer.Status {
	case http.StatusCreated, http.StatusOK:
		p.accept(&st)
		return st, nil
	case http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		st.Ready, u.Step = false, stepAsking
		return st, answer.Fail(provider.OutcomeUnknown, provider.CodeOutcomeUnknown,
			"TikTok counts the bytes of the video differently; whether it has all is not known", nil)
	}
	st.Ready = false
	err = afterRefusedChunk(&st, u, classifyUpload(answer))
	return st, err
}

// accept records that TikTok has everything and is processing the post.
func (p *Provider) accept(st *provider.State) {
	delete(st.Secrets, secretUpload)
	delete(st.Data, noteTaken)
	delete(st.Data, noteCreatorAt)
	st.UploadProgress = nil
	st.RequiresPolling = true
	now := p.now().UTC()
	st.WaitUntil(now.Add(pollDelay(0)), now, processingReason)
}

// postByAddress makes TikTok fetch the files and post them. The request publishes, so a lost response leaves the
// outcome unknown.
func (p *Provider) postByAddress(ctx context.Context, a provider.Account, plan plan, st provider.State) (provider.State,
	error) {
	path, body, err := newPullRequest(ctx, plan, st)
	if err != nil {
		return st, err
	}
	request := provider.Request{Operation: provider.OpPublish, Method: http.MethodPost, URL: path, Publishes: true,
		Timeout: commitTimeout}
	var answer initAnswer
	if err := p.send(ctx, a, request, body, &answer); err != nil {
		return st, err
	}
	if answer.PublishID == "" {
		return st, &provider.Error{Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown,
			Message: "TikTok answered without the id of the publication"}
	}
	st.PublishID = answer.PublishID
	p.accept(&st)
	return st, nil
}

func newPullRequest(ctx context.Context, plan plan, st provider.State) (path string, request initRequest, err error) {
	if len(plan.photos) == 0 {
		address, err := addressOf(ctx, plan.video)
		path, request := newVideoRequest(plan, st, sourceInfo{Source: sourcePull, VideoURL: address})
		return path, request, err
	}
	cover := 0
	if plan.PhotoCoverIndex != nil {
		cover = *plan.PhotoCoverIndex
	}
	source := sourceInfo{Source: sourcePull, CoverIndex: &cover}
	for _, m := range plan.photos {
		address, err := addressOf(ctx, m)
		if err != nil {
			return "", initRequest{}, err
		}
		source.Images = append(source.Images, address)
	}
	return photosPath, newPhotosRequest(plan, st, source), nil
}

func addressOf(ctx context.Context, m provider.Media) (string, error) {
	address, err := m.URL(ctx)
	if err != nil {
		return "", &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media has no address from which TikTok could fetch it", Err: err,
		}
	}
	return address, nil
}

// newVideoRequest returns the path and body for a video. Drafts have nothing but their source.
func newVideoRequest(plan plan, st provider.State, source sourceInfo) (path string, request initRequest) {
	if plan.inbox() {
		return inboxPath, initRequest{Source: &source}
	}
	creator := notedCreator(st)
	return videoPath, initRequest{Source: &source, PostInfo: &postInfo{
		Title: plan.text, PrivacyLevel: plan.PrivacyLevel,
		DisableDuet:    flag(!plan.AllowDuet || creator.DuetDisabled),
		DisableComment: flag(!plan.AllowComment || creator.CommentDisabled),
		DisableStitch:  flag(!plan.AllowStitch || creator.StitchDisabled),
		CoverTimestamp: plan.VideoCoverTimestampMs,
		BrandContent:   flag(plan.BrandContent), BrandOrganic: flag(plan.BrandOrganic),
		IsAIGenerated: flag(plan.IsAIGenerated),
	}}
}

func newPhotosRequest(plan plan, st provider.State, source sourceInfo) initRequest {
	r := initRequest{
		MediaType: "PHOTO", PostMode: "DIRECT_POST", Source: &source,
		PostInfo: &postInfo{Title: plan.Title, Description: plan.text},
	}
	if plan.inbox() {
		r.PostMode = "MEDIA_UPLOAD"
		return r
	}
	r.PostInfo.PrivacyLevel = plan.PrivacyLevel
	r.PostInfo.DisableComment = flag(!plan.AllowComment || notedCreator(st).CommentDisabled)
	r.PostInfo.AutoAddMusic = plan.AutoAddMusic
	r.PostInfo.BrandContent, r.PostInfo.BrandOrganic = flag(plan.BrandContent), flag(plan.BrandOrganic)
	return r
}

func flag(on bool) *bool { return &on }
