package youtube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// Steps of an upload.
const (
	stepNew     = ""
	stepSending = "sending" // the session is open; the bytes from NextByte are missing
	stepAsking  = "asking"  // the state of the session must be read first
)

const (
	// secretSession is the key of the session's URL, which works without credentials.
	secretSession = "session"
	// noteVideo is the id of a video that was already complete before Commit.
	noteVideo = "videoId"
	// noteTakenPrivacy is the privacy of that video.
	noteTakenPrivacy = "takenPrivacy"
)

const (
	// unit is the unit of the size of all chunks but the last (resumable uploads, chunked).
	unit = 256 << 10
	// maxPieces is the maximum number of chunks of one upload: larger files have larger chunks.
	maxPieces = 4096
	// maxRedone is how often an upload is restarted, or read after a rejection, before it is given up.
	maxRedone = 3
	// expiryMargin is the minimum remaining lifetime of a usable session.
	expiryMargin = 10 * time.Minute
)

// errSessionGone means that YouTube no longer knows an upload.
var errSessionGone = errors.New("the upload session is gone")

// roundUp returns the next multiple of the unit.
func roundUp(bytes int64) int64 { return (bytes + unit - 1) / unit * unit }

// sendable returns how many bytes may be sent before Commit: whole units, and never the last byte.
func sendable(u *provider.Upload) int64 {
	return max(0, u.Size-u.NextByte-1) / unit * unit
}

// onlyLastPieceMissing reports whether the upload is ready for Commit.
func onlyLastPieceMissing(u *provider.Upload) bool {
	return u.Step == stepSending && sendable(u) == 0
}

// currentUpload returns the upload of the video, reset if its session is lost or about to expire.
func (p *Provider) currentUpload(st *provider.State, m provider.Media) *provider.Upload {
	if st.Upload(0, 0) == nil {
		st.Uploads = append(st.Uploads, provider.Upload{})
	}
	u := st.Upload(0, 0)
	ended := !u.ExpiresAt.IsZero() && p.now().Add(expiryMargin).After(u.ExpiresAt)
	if u.Step != stepNew && (ended || u.Size != m.Size || st.Secrets[secretSession] == "") {
		*u = provider.Upload{Redone: u.Redone}
	}
	return u
}

// uploadStep does the next step of the video.
func (p *Provider) uploadStep(ctx context.Context, a provider.Account, c provider.Content, st provider.State,
	m provider.Media) (provider.State, error) {
	u := st.Upload(0, 0)
	var err error
	switch u.Step {
	case stepNew:
		err = p.startSession(ctx, a, c, &st, u, m)
	case stepAsking:
		err = p.askSession(ctx, a, &st, u)
	case stepSending:
		err = p.sendPiece(ctx, a, &st, u, m)
	}
	st.UploadProgress = &provider.UploadProgress{NextByteStart: u.NextByte, UploadSize: m.Size}
	return st, err
}

// startSession announces the video with its metadata. YouTube responds with the upload URL. If the response is lost,
// another session does no harm: there is no video before the last byte.
func (p *Provider) startSession(ctx context.Context, a provider.Account, c provider.Content, st *provider.State,
	u *provider.Upload, m provider.Media) error {
	s, err := decodeSettings(c)
	if err != nil {
		return err
	}
	body, parts := newVideoRequest(c, s)
	encoded, err := provider.JSONBody(body)
	if err != nil {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeContentRejected,
			Message: "the post cannot be sent", Err: err}
	}
	answer, err := p.api.Send(ctx, a.Token.Access, provider.Request{
		Operation: provider.OpPublish, Method: http.MethodPost, Body: encoded,
		URL: "/upload/youtube/v3/videos?uploadType=resumable&part=" + strings.Join(parts, ",") + "&notifySubscribers=" +
			strconv.FormatBool(s.notify()),
		Header: http.Header{
			"X-Upload-Content-Length": {strconv.FormatInt(m.Size, 10)},
			"X-Upload-Content-Type":   {m.MIMEType},
		},
	})
	if err != nil {
		return err
	}
	session := answer.Header.Get("Location")
	if session == "" {
		return answer.Unavailable("YouTube did not say where to upload")
	}
	st.Hide(secretSession, provider.Secret(session))
	u.Step, u.NextByte, u.Size, u.ChunkSize = stepSending, 0, m.Size, p.chunkSize(m.Size)
	u.ExpiresAt = p.now().Add(p.limits.SessionLifetime).UTC()
	return nil
}

func (p *Provider) chunkSize(size int64) int64 {
	return max(p.limits.ChunkBytes, roundUp(size/maxPieces))
}

// newVideoRequest returns the metadata of a video, and the names of its parts.
func newVideoRequest(c provider.Content, s settings) (videoRequest, []string) {
	r := videoRequest{
		Snippet: videoSnippet{
			Title: s.title(c.Parts[0]), Description: s.description(c.Parts[0]), Tags: s.Tags, CategoryID: s.CategoryID,
			DefaultLanguage: s.DefaultLanguage, DefaultAudioLanguage: s.DefaultAudioLanguage,
		},
		Status: videoStatus{
			PrivacyStatus: s.PrivacyStatus, PublishAt: strings.ToUpper(s.PublishAt), License: s.License,
			Embeddable:          s.Embeddable,
			PublicStatsViewable: s.PublicStatsViewable, SelfDeclaredMadeForKids: s.MadeForKids,
			ContainsSyntheticMedia: s.ContainsSyntheticMedia,
		},
	}
	parts := []string{"snippet", "status"}
	if s.HasPaidProductPlacement != nil {
		r.PaidPlacement = &paidPlacement{HasPaidProductPlacement: *s.HasPaidProductPlacement}
		parts = append(parts, "paidProductPlacementDetails")
	}
	return r, parts
}

// putSession sends a request to the session. The token is sent to YouTube's own host only.
func (p *Provider) putSession(ctx context.Context, a provider.Account, st *provider.State,
	r provider.Request) (*provider.Response, error) {
	session := st.Secrets[secretSession]
	r.Method, r.URL, r.SecretURL, r.Secrets = http.MethodPut, session.Reveal(), true, []provider.Secret{session}
	if provider.SameHost(r.URL, p.api.BaseURL) {
		r.Bearer = a.Token.Access
	}
	return p.api.Caller.Send(ctx, r)
}

// sendPiece sends the next chunk of the video. One that arrives twice because of a crash does no harm: YouTube reports
// what it has, and the upload continues there.
func (p *Provider) sendPiece(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m provider.Media) error {
	before := u.NextByte
	answer, err := p.putBytes(ctx, a, st, u, m, min(u.ChunkSize, sendable(u)),
		provider.Request{Operation: provider.OpUpload, Timeout: provider.UploadTimeout})
	if err != nil {
		u.Step = stepAsking
		return err
	}
	if err := p.takeProgress(st, u, answer); err != nil {
		return afterRefusedPiece(u, err)
	}
	if u.NextByte <= before && st.Data[noteVideo] == "" {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "YouTube did not store the piece that it was sent"}
	}
	return nil
}

func (p *Provider) putBytes(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	m provider.Media, n int64, r provider.Request) (*provider.Response, error) {
	file, err := m.Open(ctx)
	if err != nil {
		return nil, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media cannot be read from the media store", Err: err,
		}
	}
	defer file.Close()
	r.Body = provider.SectionBody(m.MIMEType, file, u.NextByte, n)
	r.Header = http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", u.NextByte, u.NextByte+n-1, m.Size)}}
	return p.putSession(ctx, a, st, r)
}

// afterRefusedPiece makes the session be read before the chunk is given up.
func afterRefusedPiece(u *provider.Upload, err error) error {
	failure := provider.AsError(err)
	switch {
	case errors.Is(failure, errSessionGone):
		return restart(u, failure)
	case failure.Kind == provider.Temporary:
		u.Step = stepAsking
	case failure.Kind == provider.Rejected && failure.Scope == provider.ScopePost && u.Redone < maxRedone:
		u.Step, u.Redone = stepAsking, u.Redone+1
		failure.Kind, failure.Code = provider.Temporary, provider.CodeProviderUnavailable
	}
	return failure
}

// restart restarts the upload, unless that was done too often.
func restart(u *provider.Upload, failure *provider.Error) error {
	if u.Redone >= maxRedone {
		failure.Kind, failure.Code = provider.Rejected, provider.CodeMediaRejected
		return failure
	}
	*u = provider.Upload{Redone: u.Redone + 1}
	failure.Kind, failure.Code, failure.Message = provider.Temporary, provider.CodeProviderUnavailable,
		"YouTube no longer knows the upload; it is restarted"
	return failure
}

// askSession reads how much of the video has arrived.
func (p *Provider) askSession(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload) error {
	answer, err := p.probe(ctx, a, st, u, provider.OpUpload)
	if err != nil {
		return err
	}
	err = p.takeProgress(st, u, answer)
	if errors.Is(err, errSessionGone) {
		return restart(u, provider.AsError(err))
	}
	return err
}

func (p *Provider) probe(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload,
	op provider.Operation) (*provider.Response, error) {
	return p.putSession(ctx, a, st, provider.Request{
		Operation: op, Header: http.Header{"Content-Range": {fmt.Sprintf("bytes */%d", u.Size)}},
	})
}

// takeProgress updates the upload from the session. A video that is complete although nothing was committed is
// recorded, so that Commit finds it.
func (p *Provider) takeProgress(st *provider.State, u *provider.Upload, answer *provider.Response) error {
	complete, err := p.readSession(u, answer)
	if err != nil || complete == nil {
		return err
	}
	st.Note(noteVideo, complete.ID)
	st.Note(noteTakenPrivacy, complete.Status.PrivacyStatus)
	return nil
}

// readSession decodes the response of a session: the video if it is complete, or the progress.
func (p *Provider) readSession(u *provider.Upload, answer *provider.Response) (*video, error) {
	switch {
	case answer.Status == http.StatusPermanentRedirect:
		stored := storedBytes(answer.Header)
		if stored >= u.Size { // nothing is left to send: only another reading can tell what became of it
			return nil, answer.Unavailable("YouTube has all bytes of the video and has not made it yet")
		}
		u.Step, u.NextByte = stepSending, stored
		return nil, nil
	case answer.OK():
		var complete video
		if err := answer.Decode(&complete); err != nil {
			return nil, err
		}
		if complete.ID == "" {
			return nil, answer.Unreadable(errors.New("the answer has no id"))
		}
		return &complete, nil
	case answer.Status == http.StatusNotFound || answer.Status == http.StatusGone:
		e := answer.Fail(provider.Temporary, provider.CodeProviderUnavailable, "YouTube no longer knows the upload",
			nil)
		e.Err = fmt.Errorf("%w: %w", errSessionGone, e.Err)
		return nil, e
	}
	return nil, p.classify(answer)
}

// storedBytes returns how much the session has; nothing without the header.
func storedBytes(header http.Header) int64 {
	_, last, ok := strings.Cut(strings.TrimPrefix(header.Get("Range"), "bytes="), "-")
	end, err := strconv.ParseInt(last, 10, 64)
	if !ok || err != nil || end < 0 {
		return 0
	}
	return end + 1
}
