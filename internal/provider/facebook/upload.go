package facebook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"crier/internal/provider"
	"crier/internal/provider/graph"
)

// Steps of an upload. Photos are uploaded in one request; videos are announced, sent, and published later.
const (
	stepNew     = ""
	stepSending = "sending" // announced; the bytes from NextByte are missing
	stepAsking  = "asking"  // a chunk was sent without a response: read how much arrived
	stepSent    = "sent"    // a reel or story is uploaded; Facebook may be processing it
	stepReady   = "ready"
)

const (
	// secretUpload is the upload URL of a reel or story.
	secretUpload = "uploadUrl"
	// sendTimeout limits the sending of a video. What has arrived by then is kept, and the rest is sent next.
	sendTimeout = 100 * time.Second
	// maxRedone is how often an upload is restarted, or polled without progress, before it is given up.
	maxRedone = 3
	// expiryMargin is the minimum remaining lifetime of a usable unpublished photo.
	expiryMargin = 10 * time.Minute
	// beginPatience is how long Facebook may take to start processing a story.
	beginPatience = 30 * time.Second
	// askDelay is the pause before reading the progress after a lost chunk.
	askDelay = 3 * time.Second
)

// forgetExpired drops photos that are about to expire.
func (p *Provider) forgetExpired(st *provider.State) {
	for i := range st.Uploads {
		u := &st.Uploads[i]
		if !u.ExpiresAt.IsZero() && p.now().Add(expiryMargin).After(u.ExpiresAt) {
			*u = provider.Upload{Part: u.Part, Media: u.Media}
		}
	}
}

// uploadStep does the next step of one media file.
func (p *Provider) uploadStep(ctx context.Context, a provider.Account, plan plan, st provider.State,
	index int) (provider.State, error) {
	if st.Upload(0, index) == nil {
		st.Uploads = append(st.Uploads, provider.Upload{Media: index})
	}
	u, m := st.Upload(0, index), plan.media[index]
	u.Size = m.Size
	var err error
	switch {
	case !isVideo(m):
		err = p.storePhoto(ctx, a, u, m)
	case u.Step == stepSent:
		err = p.awaitProcessing(ctx, a, plan, &st, u)
	case u.Step == stepNew || plan.edge() != "" && st.Secrets[secretUpload] == "":
		err = p.announce(ctx, a, plan, &st, u)
	case u.Step == stepAsking:
		err = p.askProgress(ctx, a, u)
	case plan.edge() == "":
		err = p.sendChunk(ctx, a, &st, u, m)
	default:
		err = p.sendRest(ctx, a, &st, u, m)
	}
	st.UploadProgress = &provider.UploadProgress{NextByteStart: u.NextByte, UploadSize: u.Size}
	return st, p.anew(u, mediaError(err))
}

// anew resets an upload where a new one may help; only the second failure is final.
func (p *Provider) anew(u *provider.Upload, err error) error {
	failure := provider.AsError(err)
	if failure == nil {
		return nil
	}
	if errors.Is(failure, graph.ErrTryAnew) {
		*u = provider.Upload{Media: u.Media, Redone: u.Redone + 1}
		if u.Redone > 1 {
			failure.Kind = provider.Rejected
		}
	}
	return failure
}

// storePhoto uploads a photo without publishing it.
func (p *Provider) storePhoto(ctx context.Context, a provider.Account, u *provider.Upload, m provider.Media) error {
	file, err := m.Open(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	fields := []provider.Field{{Name: "published", Value: "false"}}
	if m.AltText != "" {
		fields = append(fields, provider.Field{Name: "alt_text_custom", Value: m.AltText})
	}
	body, err := provider.MultipartBody(fields, provider.FilePart{Field: "source", FileName: fileName(m),
		ContentType: m.MIMEType, File: file, Size: m.Size})
	if err != nil {
		return unreadable(err)
	}
	var answer createAnswer
	if err := p.post(ctx, p.api, a, "/photos", body, &answer); err != nil {
		return err
	}
	if answer.ID == "" {
		return noID("photo")
	}
	u.ID, u.Step, u.NextByte, u.ExpiresAt = string(answer.ID), stepReady, m.Size,
		p.now().Add(p.limits.PhotoLifetime).UTC()
	return nil
}

func noID(what string) error {
	return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
		Message: "Facebook answered without the id of the " + what}
}

func fileName(m provider.Media) string { return cmp.Or(m.FileName, "file") }

// post sends a body of an upload to an edge of the Page.
func (p *Provider) post(ctx context.Context, client graph.Client, a provider.Account, edge string, body provider.Body,
	v any) error {
	answer, err := client.Send(ctx, a.Token.Access, provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPost, URL: pagePath(a) + edge, Body: body,
		Timeout: provider.UploadTimeout,
	})
	if err != nil {
		return err
	}
	return answer.Decode(v)
}

func pagePath(a provider.Account) string { return "/" + url.PathEscape(a.ProviderAccountID) }

// announce starts the upload of a video. Reels and stories get a URL, other videos a session with offsets.
func (p *Provider) announce(ctx context.Context, a provider.Account, plan plan, st *provider.State,
	u *provider.Upload) error {
	client, edge, form := p.api, "/"+plan.edge(), url.Values{"upload_phase": {"start"}}
	if plan.edge() == "" {
		client, edge = p.videos, "/videos"
		form.Set("file_size", strconv.FormatInt(u.Size, 10))
	}
	var answer startAnswer
	if err := p.post(ctx, client, a, edge, provider.FormBody(form), &answer); err != nil {
		return err
	}
	*u = provider.Upload{Media: u.Media, Size: u.Size, Redone: u.Redone, ID: string(answer.VideoID), Step: stepSending}
	switch {
	case answer.VideoID == "":
		u.Step = stepNew
		return noID("video")
	case plan.edge() == "":
		st.PublishID = string(answer.SessionID)
		return moveTo(u, answer.offsets)
	case !provider.SameHost(answer.UploadURL, p.uploadURL):
		u.Step = stepNew
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "Facebook named an address for the upload that is not its own"}
	}
	st.Hide(secretUpload, provider.Secret(answer.UploadURL))
	return nil
}

// sendChunk sends the chunk of a video that Facebook asks for.
func (p *Provider) sendChunk(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m provider.Media) error {
	file, err := m.Open(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	fields := []provider.Field{
		{Name: "upload_phase", Value: "transfer"}, {Name: "upload_session_id", Value: st.PublishID},
		{Name: "start_offset", Value: strconv.FormatInt(u.NextByte, 10)},
	}
	body, err := provider.MultipartBody(fields, provider.FilePart{
		Field: "video_file_chunk", FileName: fileName(m), ContentType: "application/octet-stream", File: file,
		Offset: u.NextByte, Size: min(u.ChunkSize, u.Size-u.NextByte),
	})
	if err != nil {
		return unreadable(err)
	}
	answer, err := p.videos.SendRaw(ctx, a.Token.Access, provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPost, URL: pagePath(a) + "/videos", Body: body,
		Timeout: provider.UploadTimeout,
	})
	if err != nil {
		return err
	}
	if !answer.OK() {
		return resync(u, answer)
	}
	var next offsets
	if err := answer.Decode(&next); err != nil {
		return err
	}
	before := u.NextByte
	if err := moveTo(u, next); err != nil {
		return err
	}
	if u.Step == stepSending && u.NextByte <= before { // sending it again at once could go on forever
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "Facebook did not store the part of the video that it was sent"}
	}
	return nil
}

// badOffset is the error for an unexpected chunk; it contains the expected offset.
const badOffset = 1363037

// resync continues at the offset that Facebook reports.
func resync(u *provider.Upload, answer *provider.Response) error {
	var envelope struct {
		Error struct {
			Data offsets `json:"error_data"`
		} `json:"error"`
	}
	if problem := graph.ReadProblem(answer); problem.Code == badOffset || problem.Subcode == badOffset {
		if json.Unmarshal(answer.Body, &envelope) == nil && envelope.Error.Data.Start != "" && u.Redone < maxRedone {
			u.Redone++
			return moveTo(u, envelope.Error.Data)
		}
	}
	return graph.Classify(answer, rules)
}

// moveTo sets the range that Facebook wants next. Equal offsets mean that it has everything.
func moveTo(u *provider.Upload, o offsets) error {
	start, errStart := strconv.ParseInt(string(o.Start), 10, 64)
	end, errEnd := strconv.ParseInt(string(o.End), 10, 64)
	if errStart != nil || errEnd != nil || start < 0 || end < start || end > u.Size {
		return &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: fmt.Sprintf("Facebook asked for the bytes from %q to %q of %d", o.Start, o.End, u.Size),
		}
	}
	u.NextByte, u.ChunkSize = start, end-start
	if start == end {
		u.Step = stepReady
	}
	return nil
}

// sendRest sends all missing bytes of a reel or story in one request: Facebook accepts no chunks here, but keeps what
// arrived of an interrupted request.
func (p *Provider) sendRest(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m provider.Media) error {
	file, err := m.Open(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	header := http.Header{}
	header.Set("Authorization", "OAuth "+a.Token.Access.Reveal()) // this host does not support Bearer
	header.Set("offset", strconv.FormatInt(u.NextByte, 10))
	header.Set("file_size", strconv.FormatInt(u.Size, 10))
	answer, err := p.api.Caller.Send(ctx, provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPost, URL: st.Secrets[secretUpload].Reveal(), SecretURL: true,
		Header:  header,
		Body:    provider.SectionBody("application/octet-stream", file, u.NextByte, u.Size-u.NextByte),
		Secrets: []provider.Secret{a.Token.Access}, Timeout: sendTimeout,
	})
	switch {
	case err != nil:
		p.askLater(st, u)
		if u.Redone++; u.Redone > maxRedone {
			return err
		}
		return nil
	case !answer.OK():
		return p.uploadRefused(st, u, answer)
	}
	u.Step, u.NextByte = stepSent, u.Size
	return nil
}

func (p *Provider) askLater(st *provider.State, u *provider.Upload) {
	u.Step = stepAsking
	now := p.now().UTC()
	st.WaitUntil(now.Add(askDelay), now, "the upload was interrupted")
}

// uploadRefused handles the errors of the upload host: after a wrong offset or an interrupted request the progress is
// read, anything else restarts, once.
func (p *Provider) uploadRefused(st *provider.State, u *provider.Upload, answer *provider.Response) error {
	var problem uploadProblem
	if json.Unmarshal(answer.Body, &problem) != nil || problem.DebugInfo.Type == "" {
		return graph.Classify(answer, rules)
	}
	switch info := problem.DebugInfo; {
	case (info.Type == "OffsetInvalidError" || info.Type == "PartialRequestError") && u.Redone < maxRedone:
		u.Redone++
		p.askLater(st, u)
		return nil
	default:
		e := answer.Fail(provider.Temporary, provider.CodeMediaRejected, info.Message, nil)
		e.Err = errors.Join(graph.ErrTryAnew, e.Err)
		delete(st.Secrets, secretUpload)
		return e
	}
}

// askProgress reads how many bytes of a reel or story arrived.
func (p *Provider) askProgress(ctx context.Context, a provider.Account, u *provider.Upload) error {
	video, err := p.readVideo(ctx, a, u.ID)
	if err != nil {
		return err
	}
	uploading := video.Status.Uploading
	arrived := max(uploading.Transfered, uploading.Transferred)
	if arrived > u.NextByte {
		u.Redone = 0
	}
	u.Step, u.NextByte = stepSending, min(arrived, u.Size)
	if uploading.Status == phaseComplete || u.NextByte == u.Size {
		u.Step, u.NextByte = stepSent, u.Size
	}
	return nil
}

// awaitProcessing waits while Facebook processes an uploaded video: its problems show before anything is published.
// Processing of a reel may start only once it is published, a story has to be finished before; so the wait for the
// start is short for the one and longer for the other.
func (p *Provider) awaitProcessing(ctx context.Context, a provider.Account, plan plan, st *provider.State,
	u *provider.Upload) error {
	video, err := p.readVideo(ctx, a, u.ID)
	if err != nil {
		return err
	}
	if problem := video.failure(); problem != "" {
		st.FailureCode = video.Status.Word
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: problem}
	}
	now := p.now().UTC()
	var waited time.Duration
	if st.PollingReason == processing {
		waited = now.Sub(st.PollingSince)
	}
	idle := video.Status.Processing.Status != phaseInProgress && video.Status.Processing.Status != phaseComplete
	switch {
	case video.Status.Processing.Status == phaseComplete, idle && plan.format == reel, idle && waited > beginPatience,
		waited > p.limits.Patience:
		u.Step = stepReady
		st.StopWaiting()
	default:
		st.WaitUntil(now.Add(min(max(waited/2, askDelay), 30*time.Second)), now, processing)
	}
	return nil
}

// readVideo reads the status of a video.
func (p *Provider) readVideo(ctx context.Context, a provider.Account, id string) (videoAnswer, error) {
	var answer videoAnswer
	err := p.api.Get(ctx, a.Token.Access, "/"+url.PathEscape(id)+"?fields=id,status,post_id,permalink_url,published",
		&answer)
	return answer, err
}
