package x

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// Steps of an upload, in order. Images are uploaded in one request; videos and GIFs go through all of them.
const (
	stepNew        = ""
	stepAppending  = "appending"  // initialized; the bytes from NextByte are missing
	stepSent       = "sent"       // all bytes are uploaded, not finalized
	stepProcessing = "processing" // finalized; X is processing it
	stepStored     = "stored"     // usable; metadata is missing
	stepReady      = "ready"
)

const (
	// smallestChunk is a size that X's edge is known to accept; the documented 5 MB parts have been rejected.
	smallestChunk = 1 << 20
	// tinyChunk is the minimum size when shrinking after a rejection.
	tinyChunk = 128 << 10
	// largestChunk leaves room for the multipart framing: a request stays below 5 MB.
	largestChunk = 4 << 20
	// maxFile is the maximum size of all segments.
	maxFile = maxSegments * largestChunk
	// maxSegments is the maximum number of chunks of an upload (segment_index 0 to 999).
	maxSegments = 1000
	// processingPatience is how long X may process a file.
	processingPatience = 15 * time.Minute
	// expiryMargin is the minimum remaining lifetime of a usable media id.
	expiryMargin = 5 * time.Minute
	// usualLifetime is the default lifetime of media ids.
	usualLifetime = 24 * time.Hour
	// maxRedone is how often an upload is restarted before it is given up.
	maxRedone = 2
)

// forgetExpired drops uploads that are about to expire.
func forgetExpired(st *provider.State, now time.Time) {
	for i := range st.Uploads {
		u := &st.Uploads[i]
		if u.Part >= st.NextPart() && !u.ExpiresAt.IsZero() && now.Add(expiryMargin).After(u.ExpiresAt) {
			keepFormer(st, u.ID)
			*u = provider.Upload{Part: u.Part, Media: u.Media}
		}
	}
}

// forgetUploads drops the uploads of a part, to repeat them; it reports false if that was already done.
func forgetUploads(st *provider.State, part int) bool {
	forgotten := false
	for i := range st.Uploads {
		if u := &st.Uploads[i]; u.Part == part && u.Redone == 0 {
			keepFormer(st, u.ID)
			*u = provider.Upload{Part: u.Part, Media: u.Media, Redone: 1}
			forgotten = true
		}
	}
	return forgotten
}

// keepFormer notes the id of an upload that is replaced, if an attempt may have published it.
func keepFormer(st *provider.State, id string) {
	if id != "" && st.Data[noteSuspect] != "" {
		st.Note(noteFormer, strings.TrimPrefix(st.Data[noteFormer]+","+id, ","))
	}
}

// uploadStep does the next step of one media file.
func (p *Provider) uploadStep(ctx context.Context, a provider.Account, c provider.Content, st provider.State, part,
	index int) (provider.State, error) {
	if st.Upload(part, index) == nil {
		st.Uploads = append(st.Uploads, provider.Upload{Part: part, Media: index})
	}
	u, m := st.Upload(part, index), c.Parts[part].Media[index]
	var err error
	switch u.Step {
	case stepNew:
		err = p.begin(ctx, a, u, m)
	case stepAppending:
		err = p.appendChunk(ctx, a, u, m)
	case stepSent:
		err = p.finalize(ctx, a, &st, u)
	case stepProcessing:
		err = p.readProcessing(ctx, a, &st, u)
	case stepStored:
		err = p.describe(ctx, a, c, &st, u, m)
	}
	st.UploadProgress = &provider.UploadProgress{NextByteStart: u.NextByte, UploadSize: u.Size}
	return st, err
}

// begin uploads an image at once, or initializes the upload of a larger file.
func (p *Provider) begin(ctx context.Context, a provider.Account, u *provider.Upload, m provider.Media) error {
	u.Size = m.Size
	category := "tweet_image"
	switch {
	case isVideo(m):
		category = "tweet_video"
	case m.MIMEType == "image/gif":
		category = "tweet_gif"
	default:
		return p.storeImage(ctx, a, u, m, category)
	}
	if u.ChunkSize == 0 {
		u.ChunkSize = chunkSize(m.Size)
	}
	var answer mediaAnswer
	request := provider.Request{Operation: provider.OpUpload, Method: http.MethodPost,
		URL: "/2/media/upload/initialize"}
	body := initializeRequest{MediaType: m.MIMEType, TotalBytes: m.Size, MediaCategory: category}
	if err := p.api.Call(ctx, a.Token.Access, request, body, &answer); err != nil {
		return asMediaError(err)
	}
	u.Step, u.NextByte = stepAppending, 0
	return p.note(u, answer)
}

// note copies X's response about a media file.
func (p *Provider) note(u *provider.Upload, answer mediaAnswer) error {
	if answer.Data.ID == "" && u.ID == "" {
		u.Step = stepNew
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "X answered without the id of the media"}
	}
	u.ID = cmp.Or(answer.Data.ID, u.ID)
	lifetime := time.Duration(answer.Data.ExpiresAfterSecs) * time.Second
	if lifetime == 0 && u.ExpiresAt.IsZero() {
		lifetime = usualLifetime
	}
	if lifetime > 0 {
		u.ExpiresAt = p.now().Add(lifetime).UTC()
	}
	return nil
}

func (p *Provider) storeImage(ctx context.Context, a provider.Account, u *provider.Upload, m provider.Media,
	category string) error {
	file, err := m.Open(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	body, err := provider.MultipartBody([]provider.Field{{Name: "media_category", Value: category}}, provider.FilePart{
		Field: "media", FileName: fileName(m), ContentType: m.MIMEType, File: file, Size: m.Size,
	})
	if err != nil {
		return unreadable(err)
	}
	request := provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPost, URL: "/2/media/upload", Body: body,
		Timeout: provider.UploadTimeout,
	}
	answer, err := p.api.Send(ctx, a.Token.Access, request)
	if err != nil {
		return asMediaError(err)
	}
	var stored mediaAnswer
	if err := answer.Decode(&stored); err != nil {
		return err
	}
	u.Step, u.NextByte = stepStored, m.Size
	return p.note(u, stored)
}

// appendChunk sends the next chunk. Repeating one after a crash replaces it, because it has the same segment index.
func (p *Provider) appendChunk(ctx context.Context, a provider.Account, u *provider.Upload, m provider.Media) error {
	file, err := m.Open(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	size := min(u.ChunkSize, m.Size-u.NextByte)
	body, err := provider.MultipartBody([]provider.Field{{Name: "segment_index",
		Value: strconv.FormatInt(u.NextByte/u.ChunkSize, 10)}}, provider.FilePart{
		Field: "media", FileName: fileName(m), ContentType: "application/octet-stream", File: file, Offset: u.NextByte,
		Size: size,
	})
	if err != nil {
		return unreadable(err)
	}
	request := provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPost, URL: "/2/media/upload/" + url.PathEscape(u.ID) +
			"/append",
		Body: body, Timeout: provider.UploadTimeout,
	}
	if _, err := p.api.Send(ctx, a.Token.Access, request); err != nil {
		return afterAppend(u, asMediaError(err))
	}
	if u.NextByte += size; u.NextByte >= m.Size {
		u.Step = stepSent
	}
	return nil
}

// chunkSize returns the chunk size of a file: what X's edge is known to accept, or more if the segments would not
// suffice.
func chunkSize(size int64) int64 { return max(smallestChunk, (size+maxSegments-1)/maxSegments) }

// afterAppend restarts with smaller chunks if X's edge rejects one as too large, and from the start if the upload is
// gone.
func afterAppend(u *provider.Upload, err error) error {
	failure := provider.AsError(err)
	switch failure.Status {
	case http.StatusRequestEntityTooLarge:
		half := u.ChunkSize / 2
		if half < tinyChunk || u.Size > half*maxSegments {
			failure.Kind, failure.Code = provider.Rejected, provider.CodeMediaRejected
			return failure
		}
		*u = provider.Upload{Part: u.Part, Media: u.Media, ChunkSize: half, Redone: u.Redone}
		failure.Kind, failure.Code, failure.Message = provider.Temporary, provider.CodeProviderUnavailable,
			"X only accepts smaller chunks; the upload is restarted"
	case http.StatusNotFound:
		return restart(u, failure)
	}
	return failure
}

// restart restarts an upload, unless that was done too often.
func restart(u *provider.Upload, failure *provider.Error) error {
	if u.Redone >= maxRedone {
		failure.Kind, failure.Code = provider.Rejected, provider.CodeMediaRejected
		return failure
	}
	*u = provider.Upload{Part: u.Part, Media: u.Media, ChunkSize: u.ChunkSize, Redone: u.Redone + 1}
	failure.Kind, failure.Code, failure.Message = provider.Temporary, provider.CodeProviderUnavailable,
		"X no longer knows the upload; it is restarted"
	return failure
}

// finalize completes the upload. An empty body is rejected, so it sends an empty object.
func (p *Provider) finalize(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload) error {
	var answer mediaAnswer
	request := provider.Request{
		Operation: provider.OpUpload, Method: http.MethodPost, URL: "/2/media/upload/" + url.PathEscape(u.ID) +
			"/finalize",
	}
	if err := p.api.Call(ctx, a.Token.Access, request, struct{}{}, &answer); err != nil {
		failure := provider.AsError(asMediaError(err))
		if failure.Status == http.StatusNotFound {
			return restart(u, failure)
		}
		return failure
	}
	return p.takeProcessing(st, u, answer)
}

// readProcessing reads the processing status. An unknown id means that the upload expired.
func (p *Provider) readProcessing(ctx context.Context, a provider.Account, st *provider.State,
	u *provider.Upload) error {
	var answer mediaAnswer
	err := p.api.Get(ctx, a.Token.Access, "/2/media/upload?command=STATUS&media_id="+url.QueryEscape(u.ID), &answer)
	if err != nil {
		failure := provider.AsError(err)
		if failure.Status == http.StatusBadRequest || failure.Status == http.StatusNotFound {
			return restart(u, failure)
		}
		return failure
	}
	return p.takeProcessing(st, u, answer)
}

// takeProcessing updates an upload from X's processing status.
func (p *Provider) takeProcessing(st *provider.State, u *provider.Upload, answer mediaAnswer) error {
	if err := p.note(u, answer); err != nil {
		return err
	}
	processing := answer.Data.Processing
	if processing == nil {
		u.Step = stepStored
		st.StopWaiting()
		return nil
	}
	st.ProviderStatus = processing.State
	switch processing.State {
	case "succeeded":
		u.Step = stepStored
		st.StopWaiting()
		return nil
	case "failed":
		return processingFailed(st, processing)
	}
	u.Step = stepProcessing
	now := p.now().UTC()
	reason := fmt.Sprintf("X is processing media %d of part %d", u.Media+1, u.Part+1)
	if st.PollingReason == reason && now.Sub(st.PollingSince) > processingPatience {
		st.StopWaiting()
		return restart(u, &provider.Error{Message: "X did not finish processing the media in time"})
	}
	st.WaitUntil(now.Add(pollDelay(processing.CheckAfterSecs)), now, reason)
	return nil
}

// pollDelay returns the pause that X asks for, within limits.
func pollDelay(checkAfterSecs int64) time.Duration {
	if checkAfterSecs <= 0 {
		return 2 * time.Second
	}
	return min(time.Duration(checkAfterSecs)*time.Second, 15*time.Second)
}

func processingFailed(st *provider.State, processing *processingInfo) error {
	message := "X could not process the media"
	if processing.Error != nil {
		st.FailureCode = processing.Error.Name
		message += ": " + cmp.Or(processing.Error.Message, processing.Error.Name)
	}
	return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: message}
}

// describe sets the alt text and content warning of the media. A failure does not affect the post: it becomes a
// warning.
func (p *Provider) describe(ctx context.Context, a provider.Account, c provider.Content, st *provider.State,
	u *provider.Upload, m provider.Media) error {
	s, err := decodeSettings(c)
	if err != nil {
		return err
	}
	metadata := newMetadata(m, s)
	if metadata == (mediaMetadata{}) {
		u.Step = stepReady
		return nil
	}
	request := provider.Request{Operation: provider.OpUpload, Method: http.MethodPost, URL: "/2/media/metadata"}
	err = p.api.Call(ctx, a.Token.Access, request, metadataRequest{ID: u.ID, Metadata: metadata}, nil)
	if failure := provider.AsError(err); failure != nil {
		if failure.Kind == provider.AuthExpired && failure.Code == provider.CodeAuthExpired || ctx.Err() != nil {
			return failure
		}
		st.Warnings = append(st.Warnings, fmt.Sprintf("media %d of part %d went without its alt text or warning: %s",
			u.Media+1, u.Part+1, failure.Message))
	}
	u.Step = stepReady
	return nil
}

func newMetadata(m provider.Media, s settings) mediaMetadata {
	var metadata mediaMetadata
	if m.AltText != "" {
		metadata.AltText = &altText{Text: m.AltText}
	}
	if s.SensitiveMedia != nil {
		metadata.Sensitive = &sensitiveWarning{
			AdultContent: s.SensitiveMedia.AdultContent, GraphicViolence: s.SensitiveMedia.GraphicViolence,
			Other: s.SensitiveMedia.Other,
		}
	}
	return metadata
}

// asMediaError turns the rejection of an upload into an error about media instead of the text.
func asMediaError(err error) error {
	if failure, ok := errors.AsType[*provider.Error](err); ok && failure.Code == provider.CodeContentRejected {
		failure.Code = provider.CodeMediaRejected
	}
	return err
}

func unreadable(err error) error {
	return &provider.Error{
		Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
		Message: "the media cannot be read from the media store", Err: err,
	}
}

// fileName is never empty: X requires one.
func fileName(m provider.Media) string { return cmp.Or(m.FileName, "media") }
