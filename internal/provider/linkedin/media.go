package linkedin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// Steps of an upload, in order. Only videos are finalized.
const (
	stepNew        = ""
	stepSending    = "sending"    // initialized; the bytes from NextByte on are missing
	stepSent       = "sent"       // all bytes are there, not finalized
	stepProcessing = "processing" // LinkedIn works on it
	stepReady      = "ready"
)

const (
	// processingPatience is how long LinkedIn may work on a file.
	processingPatience = 15 * time.Minute
	imagePollDelay     = 2 * time.Second
	videoPollDelay     = 5 * time.Second
	// settleTime is how long files take to become usable that the token may not ask about.
	settleTime = 3 * time.Second
	// maxRedone is how often an upload is begun anew before it is given up.
	maxRedone = 2
)

// resource is the kind of a file as the API names it.
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

// uploads lists the files that a content needs: its media, or the picture of its article.
func uploads(c provider.Content) ([]provider.Media, error) {
	if c.Action == provider.Comment || c.Action == provider.Repost {
		return nil, nil
	}
	p, err := newPlan(c)
	if err != nil {
		return nil, err
	}
	if p.article == nil || p.article.Thumbnail == "" {
		return p.media, nil
	}
	picture, ok := c.Assets[p.article.Thumbnail]
	if !ok {
		return nil, &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: "the picture of the article is not there"}
	}
	return []provider.Media{picture}, nil
}

// uploadStep does the next step of one file.
func (p *Provider) uploadStep(ctx context.Context, a provider.Account, st provider.State, index int, m provider.Media) (provider.State, error) {
	if st.Upload(0, index) == nil {
		st.Uploads = append(st.Uploads, provider.Upload{Media: index})
	}
	u := st.Upload(0, index)
	var err error
	switch u.Step {
	case stepNew:
		err = p.initialize(ctx, a, &st, u, m)
	case stepSending:
		err = p.sendBytes(ctx, a, &st, u, m)
	case stepSent:
		err = p.finalize(ctx, a, &st, u)
	case stepProcessing:
		err = p.readStatus(ctx, a, &st, u, m)
	}
	st.UploadProgress = &provider.UploadProgress{NextByteStart: u.NextByte, UploadSize: u.Size}
	return st, err
}

// target is where the bytes of a file go. Its addresses let everybody send there, so it is kept among the secrets.
type uploadTarget struct {
	Token        string        `json:"token"`
	Instructions []instruction `json:"instructions"`
}

func secretKey(u *provider.Upload) string { return "upload." + strconv.Itoa(u.Media) }

// initialize announces a file and learns where to send it.
func (p *Provider) initialize(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload, m provider.Media) error {
	kind := resourceOf(m)
	body := initializeRequest{Request: initializeUpload{Owner: a.ProviderAccountID}}
	if kind == videos {
		no := false
		body.Request.FileSize, body.Request.Captions, body.Request.Thumb = m.Size, &no, &no
	}
	answer, err := p.rest(ctx, a, call{
		operation: provider.OpUpload, method: http.MethodPost, path: "/rest/" + string(kind) + "?action=initializeUpload", body: body,
	})
	if err != nil {
		return asMediaError(err)
	}
	var initialized initializeAnswer
	if err := answer.Decode(&initialized); err != nil {
		return err
	}
	v := initialized.Value
	to := uploadTarget{Token: v.Token, Instructions: v.Instructions}
	if kind != videos {
		to.Instructions = []instruction{{URL: v.UploadURL, FirstByte: 0, LastByte: m.Size - 1}}
	}
	u.ID, u.Size = firstOf(v.Image, v.Video, v.Document), m.Size
	if u.ID == "" || len(to.Instructions) == 0 || to.Instructions[0].URL == "" {
		return answer.Unavailable("LinkedIn did not say where to upload")
	}
	if expires := max(v.ExpiresAt, v.URLsExpireAt); expires > 0 {
		u.ExpiresAt = time.UnixMilli(expires).UTC()
	}
	return hideTarget(st, u, to)
}

func hideTarget(st *provider.State, u *provider.Upload, to uploadTarget) error {
	encoded, err := json.Marshal(to)
	if err != nil {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "the upload cannot be noted", Err: err}
	}
	st.Hide(secretKey(u), provider.Secret(encoded))
	u.Step, u.NextByte, u.Tags = stepSending, 0, nil
	return nil
}

// targetOf reads where the bytes go; ok is false when that was lost or has expired.
func (p *Provider) targetOf(st *provider.State, u *provider.Upload) (to uploadTarget, ok bool) {
	err := json.Unmarshal([]byte(st.Secrets[secretKey(u)].Reveal()), &to)
	return to, err == nil && (u.ExpiresAt.IsZero() || p.now().Before(u.ExpiresAt))
}

// sendBytes sends the next piece, exactly as LinkedIn cut it. Sending one again after a crash replaces it.
func (p *Provider) sendBytes(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload, m provider.Media) error {
	to, ok := p.targetOf(st, u)
	if !ok || len(u.Tags) >= len(to.Instructions) {
		return restart(u, &provider.Error{Message: "the address of the upload is lost or expired"})
	}
	file, err := m.Open(ctx)
	if err != nil {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, Message: "the media cannot be read from the media store", Err: err}
	}
	defer file.Close()
	part := to.Instructions[len(u.Tags)]
	last := min(part.LastByte, m.Size-1)
	contentType := "application/octet-stream"
	if resourceOf(m) == images {
		contentType = m.MIMEType
	}
	answer, err := p.caller.Send(ctx, provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPut, URL: part.URL, SecretURL: true, Timeout: provider.UploadTimeout,
		Body: provider.SectionBody(contentType, file, part.FirstByte, last-part.FirstByte+1), Bearer: p.bearerFor(a, part.URL),
	})
	if err != nil {
		return err
	}
	return p.afterSending(a, st, u, m, answer, len(to.Instructions), last)
}

// bearerFor is the token for addresses on LinkedIn's own hosts; others get none.
func (p *Provider) bearerFor(a provider.Account, address string) provider.Secret {
	if provider.SameHost(address, p.apiURL, p.consentURL) {
		return a.Token.Access
	}
	return ""
}

func (p *Provider) afterSending(a provider.Account, st *provider.State, u *provider.Upload, m provider.Media, answer *provider.Response, parts int, last int64) error {
	if !answer.OK() {
		failure := classify(answer, p.now())
		if failure.Kind == provider.Rejected || failure.Code == provider.CodePermissionMissing {
			return restart(u, failure)
		}
		return failure
	}
	u.Tags = append(u.Tags, answer.Header.Get("ETag"))
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
	st.Note(noteSettled, p.now().Add(settleTime).UTC().Format(time.RFC3339Nano))
	return nil
}

// settling is true while the last file that cannot be asked about is still young. Trying the post too early would not
// harm, but cost the second it is due at.
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

// canReadMedia is false for tokens of members: LinkedIn refuses to tell them how far an image is, so the post is simply
// tried.
func canReadMedia(a provider.Account) bool { return isOrganization(a) && a.HasScope(scopeOrgRead) }

// finalize says that all pieces of a video are there.
func (p *Provider) finalize(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload) error {
	to, ok := p.targetOf(st, u)
	if !ok {
		return restart(u, &provider.Error{Message: "the token of the upload is lost or expired"})
	}
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

// readStatus asks how far LinkedIn is.
func (p *Provider) readStatus(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload, m provider.Media) error {
	var status mediaStatus
	err := p.get(ctx, a, "/rest/"+string(resourceOf(m))+"/"+urn(u.ID), "", &status)
	switch failure := provider.AsError(err); {
	case failure != nil && failure.Code == provider.CodePermissionMissing:
		return p.finish(st, u) // this token may not ask after all: the post will tell
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

// restart begins an upload anew, unless that was done too often.
func restart(u *provider.Upload, failure *provider.Error) error {
	if u.Redone >= maxRedone {
		failure.Kind, failure.Code, failure.Scope = provider.Rejected, provider.CodeMediaRejected, provider.ScopePost
		return failure
	}
	*u = provider.Upload{Part: u.Part, Media: u.Media, Redone: u.Redone + 1}
	failure.Kind, failure.Code, failure.Scope = provider.Temporary, provider.CodeProviderUnavailable, provider.ScopePost
	failure.Message = "the upload begins anew: " + failure.Message
	return failure
}

// forgetUploads drops all uploads, to do them again; false when that was done before.
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

// asMediaError makes a refusal of an upload one of the media instead of the text.
func asMediaError(err error) error {
	if failure := provider.AsError(err); failure.Code == provider.CodeContentRejected {
		failure.Code = provider.CodeMediaRejected
		return failure
	}
	return err
}
