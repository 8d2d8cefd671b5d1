package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier"
	"crier/internal/provider"
)

// Steps of an upload, in order. Only videos are finalized.
const (
	stepNew        = ""
	stepSending    = "sending"    // initialized; the bytes from NextByte are missing
	stepSent       = "sent"       // all bytes are uploaded, not finalized
	stepProcessing = "processing" // LinkedIn is processing it
	stepReady      = "ready"
)

const (
	// processingPatience is how long LinkedIn may process a file.
	processingPatience = 15 * time.Minute
	imagePollDelay     = 2 * time.Second
	videoPollDelay     = 5 * time.Second
	// settleTime is the minimum wait until a file is usable whose status the token may not read; each further
	// settleBytes add a second, up to maxSettleTime.
	settleTime    = 3 * time.Second
	settleBytes   = 400_000
	maxSettleTime = 20 * time.Second
	// maxRedone is how often an upload is restarted before it is given up.
	maxRedone = 2
)

// resource is the kind of a file in the API.
type resource string

const (
	images    resource = "images"
	videos    resource = "videos"
	documents resource = "documents"
)

func resourceOf(m provider.Media) resource {
	switch {
	case strings.HasPrefix(m.MIMEType, "video/"):
		return videos
	case strings.HasPrefix(m.MIMEType, "image/"):
		return images
	}
	return documents
}

// upload is a file to send, with the captions and thumbnail of a video.
type upload struct {
	provider.Media
	captions  string
	thumbnail *provider.Media
}

// uploads lists the files of a content: its media, the document of its images, or the picture of its article.
func uploads(ctx context.Context, c provider.Content) ([]upload, error) {
	if c.Action == provider.Comment || c.Action == provider.Repost {
		return nil, nil
	}
	p, err := newPlan(c)
	if err != nil {
		return nil, err
	}
	switch {
	case p.article != nil && p.article.Thumbnail != "":
		picture, err := assetOf(c, p.article.Thumbnail, "the picture of the article")
		return []upload{{Media: picture}}, err
	case len(p.pages) > 0:
		document, err := newCarousel(ctx, p.pages)
		return []upload{{Media: document}}, err
	}
	var files []upload
	for _, m := range p.media {
		file := upload{Media: m}
		if resourceOf(m) == videos {
			file.captions = p.VideoCaptions
			if p.VideoThumbnail != "" {
				picture, err := assetOf(c, p.VideoThumbnail, "the thumbnail of the video")
				if err != nil {
					return nil, err
				}
				picture = suitedThumbnail(picture)
				file.thumbnail = &picture
			}
		}
		files = append(files, file)
	}
	return files, nil
}

func assetOf(c provider.Content, id crier.ID, what string) (provider.Media, error) {
	picture, ok := c.Assets[id]
	if !ok {
		return picture, &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: what + " is not there"}
	}
	return picture, nil
}

// thumbnailTypes are the types that LinkedIn accepts as the thumbnail of a video.
var thumbnailTypes = []string{"image/jpeg", "image/png"}

// suitedThumbnail returns the picture, or its JPEG if LinkedIn does not accept the original.
func suitedThumbnail(m provider.Media) provider.Media {
	if m.JPEG != nil && !slices.Contains(thumbnailTypes, m.MIMEType) {
		return *m.JPEG
	}
	return m
}

// uploadStep does the next step of one file.
func (p *Provider) uploadStep(ctx context.Context, a provider.Account, st provider.State, index int,
	m upload) (provider.State, error) {
	if st.Upload(0, index) == nil {
		st.Uploads = append(st.Uploads, provider.Upload{Media: index})
	}
	u := st.Upload(0, index)
	var err error
	switch u.Step {
	case stepNew:
		err = p.initialize(ctx, a, &st, u, m)
	case stepSending:
		err = p.sendBytes(ctx, a, &st, u, m.Media)
	case stepSent:
		err = p.complete(ctx, a, &st, u, m)
	case stepProcessing:
		err = p.readStatus(ctx, a, &st, u, m.Media)
	}
	st.UploadProgress = &provider.UploadProgress{NextByteStart: u.NextByte, UploadSize: u.Size}
	return st, err
}

// uploadTarget is where to upload a file. Its URLs work without credentials, so it is stored among the secrets.
type uploadTarget struct {
	Token        string        `json:"token"`
	Instructions []instruction `json:"instructions"`
	// Captions and Thumbnail are the upload URLs of a video's captions and thumbnail, until these are uploaded.
	Captions  string `json:"captions,omitempty"`
	Thumbnail string `json:"thumbnail,omitempty"`
}

func secretKey(u *provider.Upload) string { return "upload." + strconv.Itoa(u.Media) }

// initialize announces a file and stores its upload URLs.
func (p *Provider) initialize(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m upload) error {
	kind := resourceOf(m.Media)
	body := initializeRequest{Request: initializeUpload{Owner: a.ProviderAccountID}}
	if kind == videos {
		captions, thumbnail := m.captions != "", m.thumbnail != nil
		body.Request.FileSize, body.Request.Captions, body.Request.Thumb = m.Size, &captions, &thumbnail
	}
	answer, err := p.rest(ctx, a, call{
		operation: provider.OpUpload, method: http.MethodPost, path: "/rest/" + string(kind) +
			"?action=initializeUpload", body: body,
	})
	if err != nil {
		return asMediaError(err)
	}
	var initialized initializeAnswer
	if err := answer.Decode(&initialized); err != nil {
		return err
	}
	v := initialized.Value
	to := uploadTarget{Token: v.Token, Instructions: v.Instructions, Captions: v.CaptionsURL,
		Thumbnail: v.ThumbnailURL}
	if kind != videos {
		to.Instructions = []instruction{{URL: v.UploadURL, FirstByte: 0, LastByte: m.Size - 1}}
	}
	u.ID, u.Size = cmp.Or(v.Image, v.Video, v.Document), m.Size
	if u.ID == "" || len(to.Instructions) == 0 || to.Instructions[0].URL == "" {
		return answer.Unavailable("LinkedIn did not say where to upload")
	}
	if m.captions != "" && to.Captions == "" || m.thumbnail != nil && to.Thumbnail == "" {
		return answer.Unavailable("LinkedIn did not say where the captions or the thumbnail of the video go")
	}
	if expires := max(v.ExpiresAt, v.URLsExpireAt); expires > 0 {
		u.ExpiresAt = time.UnixMilli(expires).UTC()
	}
	u.Step, u.NextByte, u.Tags = stepSending, 0, nil
	return hideTarget(st, u, to)
}

func hideTarget(st *provider.State, u *provider.Upload, to uploadTarget) error {
	encoded, err := json.Marshal(to)
	if err != nil {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the upload cannot be encoded", Err: err}
	}
	st.Hide(secretKey(u), provider.Secret(encoded))
	return nil
}

// targetOf returns the upload target; ok is false if it was lost or has expired.
func (p *Provider) targetOf(st *provider.State, u *provider.Upload) (to uploadTarget, ok bool) {
	err := json.Unmarshal([]byte(st.Secrets[secretKey(u)].Reveal()), &to)
	return to, err == nil && (u.ExpiresAt.IsZero() || p.now().Before(u.ExpiresAt))
}

// sendBytes sends the next chunk, in the ranges that LinkedIn defined. Repeating one after a crash replaces it.
func (p *Provider) sendBytes(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m provider.Media) error {
	to, ok := p.targetOf(st, u)
	if !ok || len(u.Tags) >= len(to.Instructions) {
		return restart(u, &provider.Error{Message: "the address of the upload is lost or expired"})
	}
	file, err := m.Open(ctx)
	if err != nil {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media cannot be read from the media store", Err: err}
	}
	defer file.Close()
	part := to.Instructions[len(u.Tags)]
	last := min(part.LastByte, m.Size-1)
	contentType := "application/octet-stream"
	if resourceOf(m) == images {
		contentType = m.MIMEType
	}
	answer, err := p.api.Caller.Send(ctx, provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPut, URL: part.URL, SecretURL: true,
		Timeout: provider.UploadTimeout,
		Body:    provider.SectionBody(contentType, file, part.FirstByte, last-part.FirstByte+1),
		Bearer:  p.bearerFor(a, m, part.URL),
	})
	if err != nil {
		return err
	}
	return p.afterSending(a, st, u, m, answer, len(to.Instructions), last)
}

// bearerFor returns the token for uploads of pictures and documents, which LinkedIn's own hosts require. Chunks of
// videos go to signed URLs, which do not accept one; other hosts never get it.
func (p *Provider) bearerFor(a provider.Account, m provider.Media, address string) provider.Secret {
	if resourceOf(m) == videos {
		return ""
	}
	return p.ownToken(a, address)
}

// ownToken returns the token for URLs on LinkedIn's own hosts.
func (p *Provider) ownToken(a provider.Account, address string) provider.Secret {
	if provider.SameHost(address, p.api.BaseURL, p.consentURL) {
		return a.Token.Access
	}
	return ""
}

func (p *Provider) afterSending(a provider.Account, st *provider.State, u *provider.Upload, m provider.Media,
	answer *provider.Response, parts int, last int64) error {
	if !answer.OK() {
		failure := p.classify(answer)
		if failure.Kind == provider.Rejected || failure.Code == provider.CodePermissionMissing {
			return restart(u, failure)
		}
		return failure
	}
	u.Tags = append(u.Tags, strings.Trim(answer.Header.Get("ETag"), `"`)) // finalizing names parts without the quotes
	u.NextByte = last + 1
	switch {
	case len(u.Tags) < parts:
		return nil
	case resourceOf(m) == videos:
		u.Step = stepSent
		return nil
	}
	u.ExpiresAt = time.Time{}
	delete(st.Secrets, secretKey(u))
	if canReadMedia(a) {
		p.wait(st, u, imagePollDelay)
		return nil
	}
	u.Step = stepReady
	settled := p.now().Add(settleTimeOf(m.Size)).UTC()
	if known, err := time.Parse(time.RFC3339Nano, st.Data[noteSettled]); err != nil || known.Before(settled) {
		st.Note(noteSettled, settled.Format(time.RFC3339Nano))
	}
	return nil
}

// settleTimeOf returns the wait until a file is usable whose status the token may not read.
func settleTimeOf(size int64) time.Duration {
	return min(settleTime+time.Duration(size/settleBytes)*time.Second, maxSettleTime)
}

// settling reports whether the last file whose status cannot be read is still too new. Trying the post too early would
// do no harm, but could miss its due second.
func (p *Provider) settling(st *provider.State) bool {
	settled, err := time.Parse(time.RFC3339Nano, st.Data[noteSettled])
	now := p.now().UTC()
	if err != nil || !now.Before(settled) {
		delete(st.Data, noteSettled)
		return false
	}
	st.WaitUntil(settled, now, "LinkedIn is storing the media")
	return true
}

// canReadMedia reports false for tokens of members: LinkedIn does not let them read the status of an image, so the post
// is simply tried.
func canReadMedia(a provider.Account) bool { return isOrganization(a) && a.HasScope(scopeOrgRead) }

// complete sends the captions and thumbnail of an uploaded video, one per call, and then finalizes it.
func (p *Provider) complete(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m upload) error {
	to, ok := p.targetOf(st, u)
	switch {
	case !ok:
		return restart(u, &provider.Error{Message: "the token of the upload is lost or expired"})
	case m.captions != "" && to.Captions != "":
		if err := p.sendCaptions(ctx, a, u, to.Captions, m.captions); err != nil {
			return err
		}
		to.Captions = ""
		return hideTarget(st, u, to)
	case m.thumbnail != nil && to.Thumbnail != "":
		if err := p.sendThumbnail(ctx, u, to.Thumbnail, *m.thumbnail); err != nil {
			return err
		}
		to.Thumbnail = ""
		return hideTarget(st, u, to)
	}
	return p.finalize(ctx, a, st, u, to)
}

// sendCaptions sends the captions of a video. Repeating it replaces them.
func (p *Provider) sendCaptions(ctx context.Context, a provider.Account, u *provider.Upload, address,
	captions string) error {
	metadata, err := json.Marshal(englishCaptions)
	if err != nil {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: "the captions cannot be sent", Err: err}
	}
	body, err := provider.MultipartBody([]provider.Field{{Name: "metadata", Value: string(metadata)}},
		provider.FilePart{Field: "file", FileName: "captions.srt", ContentType: "text/plain",
			File: strings.NewReader(captions), Size: int64(len(captions))})
	if err != nil {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: "the captions cannot be sent", Err: err}
	}
	return p.sendBeside(ctx, u, provider.Request{Method: http.MethodPost, URL: address, Body: body,
		Bearer: p.ownToken(a, address)})
}

// sendThumbnail sends the thumbnail of a video to its signed URL. Repeating it replaces it.
func (p *Provider) sendThumbnail(ctx context.Context, u *provider.Upload, address string,
	picture provider.Media) error {
	file, err := picture.Open(ctx)
	if err != nil {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media cannot be read from the media store", Err: err}
	}
	defer file.Close()
	return p.sendBeside(ctx, u, provider.Request{Method: http.MethodPut, URL: address,
		Header: http.Header{"Media-Type-Family": {"STILLIMAGE"}},
		Body:   provider.SectionBody("application/octet-stream", file, 0, picture.Size)})
}

// sendBeside sends captions or a thumbnail to its own URL.
func (p *Provider) sendBeside(ctx context.Context, u *provider.Upload, r provider.Request) error {
	r.Operation, r.SecretURL, r.Timeout = provider.OpUpload, true, provider.UploadTimeout
	answer, err := p.api.Caller.Send(ctx, r)
	if err != nil || answer.OK() {
		return err
	}
	failure := p.classify(answer)
	if failure.Kind == provider.Rejected || failure.Code == provider.CodePermissionMissing {
		return restart(u, failure)
	}
	return failure
}

// finalize completes the upload of a video.
func (p *Provider) finalize(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	to uploadTarget) error {
	_, err := p.rest(ctx, a, call{
		operation: provider.OpUpload, method: http.MethodPost, path: "/rest/videos?action=finalizeUpload",
		body: finalizeRequest{Request: finalizeUpload{Video: u.ID, Token: to.Token, PartIDs: u.Tags}},
	})
	if err != nil {
		return asMediaError(err)
	}
	u.ExpiresAt = time.Time{}
	delete(st.Secrets, secretKey(u))
	p.wait(st, u, videoPollDelay)
	return nil
}

func (p *Provider) wait(st *provider.State, u *provider.Upload, delay time.Duration) {
	u.Step = stepProcessing
	now := p.now().UTC()
	st.WaitUntil(now.Add(delay), now, processingReason(u))
}

func processingReason(u *provider.Upload) string {
	return fmt.Sprintf("LinkedIn is processing media %d", u.Media+1)
}

// readStatus reads the processing status.
func (p *Provider) readStatus(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m provider.Media) error {
	var status mediaStatus
	err := p.get(ctx, a, "/rest/"+string(resourceOf(m))+"/"+urn(u.ID), "", &status)
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Code == provider.CodePermissionMissing:
		return p.finish(st, u) // this token may not read it after all: the post will show
	case failure != nil && failure.Status == http.StatusNotFound:
		return restart(u, failure)
	case failure != nil:
		return failure
	}
	st.ProviderStatus = status.Status
	switch status.Status {
	case "AVAILABLE":
		return p.finish(st, u)
	case "PROCESSING_FAILED":
		st.FailureCode = status.Failure
		return &provider.Error{
			Kind: provider.Rejected, Code: provider.CodeMediaRejected,
			Message: strings.TrimSuffix("LinkedIn could not process the media: "+status.Failure, ": "),
		}
	}
	if p.now().Sub(st.PollingSince) > processingPatience && st.PollingReason == processingReason(u) {
		st.StopWaiting()
		return restart(u, &provider.Error{Message: "LinkedIn did not finish processing the media in time"})
	}
	delay := imagePollDelay
	if resourceOf(m) == videos {
		delay = videoPollDelay
	}
	p.wait(st, u, delay)
	return nil
}

func (p *Provider) finish(st *provider.State, u *provider.Upload) error {
	u.Step = stepReady
	st.StopWaiting()
	return nil
}

// restart restarts an upload, unless that was done too often.
func restart(u *provider.Upload, failure *provider.Error) error {
	if u.Redone >= maxRedone {
		failure.Kind, failure.Code, failure.Scope = provider.Rejected, provider.CodeMediaRejected, provider.ScopePost
		return failure
	}
	*u = provider.Upload{Part: u.Part, Media: u.Media, Redone: u.Redone + 1}
	failure.Kind, failure.Code, failure.Scope = provider.Temporary, provider.CodeProviderUnavailable, provider.ScopePost
	failure.Message = "the upload is restarted: " + failure.Message
	return failure
}

// forgetUploads drops all uploads, to repeat them; it reports false if that was already done.
func forgetUploads(st *provider.State) bool {
	forgotten := false
	for i := range st.Uploads {
		if u := &st.Uploads[i]; u.Redone == 0 {
			*u = provider.Upload{Media: u.Media, Redone: 1}
			forgotten = true
		}
	}
	return forgotten
}

// asMediaError turns the rejection of an upload into an error about media instead of the text.
func asMediaError(err error) error {
	if failure := provider.AsError(err); failure.Code == provider.CodeContentRejected {
		failure.Code = provider.CodeMediaRejected
		return failure
	}
	return err
}
