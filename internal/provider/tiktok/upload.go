package tiktok

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"crier/internal/provider"
)

// Steps of an upload.
const (
	stepNew     = ""
	stepSending = "sending" // started; the bytes from NextByte are missing
	stepAsking  = "asking"  // the progress must be read first
)

// Limits of chunks (media transfer guide). TikTok's megabytes are decimal.
const (
	smallestChunk = 5_000_000
	usualChunk    = 10_000_000
	largestChunk  = 64_000_000
	maxChunks     = 1000
)

const (
	// secretUpload is the key of the upload URL, which works without credentials.
	secretUpload = "upload"
	// noteTaken means that TikTok already had all bytes before Commit.
	noteTaken = "taken"
	// noteRedone counts the restarts of the post.
	noteRedone = "redone"
	// maxRedone is the maximum number of restarts.
	maxRedone = 3
	// expiryMargin is the minimum remaining lifetime of a usable upload URL.
	expiryMargin = 5 * time.Minute
)

// chunkSize returns the size of all chunks but the last. A file of one chunk has a chunk of its own size: TikTok
// accepts no other. Larger files have at least two.
func (p *Provider) chunkSize(size int64) int64 {
	if size <= p.limits.SingleChunkBytes || size < 2*smallestChunk {
		return size
	}
	return min(size/2, max(p.limits.ChunkBytes, (size+maxChunks-1)/maxChunks))
}

// chunkCount returns the number of chunks: the remainder goes into the last one.
func chunkCount(size, chunk int64) int64 { return max(1, size/chunk) }

// chunkEnd returns the last byte of the chunk that starts at first.
func chunkEnd(first, size, chunk int64) int64 {
	if first/chunk >= chunkCount(size, chunk)-1 {
		return size - 1
	}
	return first + chunk - 1
}

// onlyLastChunkMissing reports whether the upload is ready for Commit.
func onlyLastChunkMissing(u *provider.Upload) bool {
	return u.Step == stepSending && chunkEnd(u.NextByte, u.Size, u.ChunkSize) == u.Size-1
}

// currentUpload returns the upload of the video, reset if its URL is lost or about to expire.
func (p *Provider) currentUpload(st *provider.State, m provider.Media) *provider.Upload {
	if st.Upload(0, 0) == nil {
		st.Uploads = append(st.Uploads, provider.Upload{})
	}
	u := st.Upload(0, 0)
	ended := !u.ExpiresAt.IsZero() && p.now().Add(expiryMargin).After(u.ExpiresAt)
	if u.Step != stepNew && (ended || u.Size != m.Size || st.Secrets[secretUpload] == "") {
		*u = provider.Upload{Redone: u.Redone}
	}
	return u
}

// uploadStep does the next step of the video.
func (p *Provider) uploadStep(ctx context.Context, a provider.Account, plan plan, st provider.State) (provider.State,
	error) {
	u := st.Upload(0, 0)
	var err error
	switch u.Step {
	case stepNew:
		err = p.beginUpload(ctx, a, plan, &st, u)
	case stepAsking:
		err = p.askUpload(ctx, a, &st, u)
	case stepSending:
		err = p.sendChunk(ctx, plan, &st, u)
	}
	st.UploadProgress = &provider.UploadProgress{NextByteStart: u.NextByte, UploadSize: plan.video.Size}
	return st, err
}

// beginUpload announces the video with all its settings. If the response is lost, starting again does no harm: nothing
// is posted before the last chunk.
func (p *Provider) beginUpload(ctx context.Context, a provider.Account, plan plan, st *provider.State,
	u *provider.Upload) error {
	size := plan.video.Size
	chunk := p.chunkSize(size)
	if chunk <= 0 {
		return &provider.Error{Kind: provider.Rejected, Code: provider.CodeMediaRejected, Message: "the video is empty"}
	}
	path, request := newVideoRequest(plan, *st, sourceInfo{
		Source: sourceUpload, VideoSize: size, ChunkSize: chunk, TotalChunks: chunkCount(size, chunk),
	})
	var answer initAnswer
	if err := p.send(ctx, a, provider.Request{Operation: provider.OpPublish, Method: http.MethodPost, URL: path},
		request, &answer); err != nil {
		return err
	}
	if answer.PublishID == "" || answer.UploadURL == "" {
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "TikTok did not say where to upload"}
	}
	st.PublishID = answer.PublishID
	st.Hide(secretUpload, provider.Secret(answer.UploadURL))
	*u = provider.Upload{
		ID: answer.PublishID, Step: stepSending, Size: size, ChunkSize: chunk, Redone: u.Redone,
		ExpiresAt: p.now().Add(p.limits.UploadLifetime).UTC(),
	}
	return nil
}

// sendChunk sends the next chunk. One that was sent before a crash is rejected, and then the progress is read.
func (p *Provider) sendChunk(ctx context.Context, plan plan, st *provider.State, u *provider.Upload) error {
	last := chunkEnd(u.NextByte, u.Size, u.ChunkSize)
	answer, err := p.putChunk(ctx, plan.video, st, u, last, provider.Request{Timeout: provider.UploadTimeout})
	if err != nil {
		u.Step = stepAsking
		return err
	}
	switch {
	case answer.OK():
		u.NextByte = last + 1
		return nil
	case answer.Status == http.StatusRequestedRangeNotSatisfiable && u.Redone < maxRedone:
		u.Step, u.Redone = stepAsking, u.Redone+1
		return nil
	}
	return afterRefusedChunk(st, u, classifyUpload(answer))
}

// putChunk sends the bytes up to last. The token in the URL is the only credential.
func (p *Provider) putChunk(ctx context.Context, m provider.Media, st *provider.State, u *provider.Upload, last int64,
	r provider.Request) (*provider.Response, error) {
	file, err := m.Open(ctx)
	if err != nil {
		return nil, &provider.Error{
			Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the media cannot be read from the media store", Err: err,
		}
	}
	defer file.Close()
	address := st.Secrets[secretUpload]
	r.Operation, r.Method, r.URL, r.SecretURL, r.Secrets = provider.OpUpload, http.MethodPut, address.Reveal(), true,
		[]provider.Secret{address}
	r.Header = http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", u.NextByte, last, u.Size)}}
	r.Body = provider.SectionBody(m.MIMEType, file, u.NextByte, last-u.NextByte+1)
	return p.api.Caller.Send(ctx, r)
}

// afterRefusedChunk restarts an upload that TikTok no longer accepts, and reads the progress after an outage.
func afterRefusedChunk(st *provider.State, u *provider.Upload, failure *provider.Error) error {
	switch {
	case failure.Status == http.StatusForbidden || failure.Status == http.StatusNotFound:
		return restart(st, u, failure)
	case failure.Kind == provider.Temporary:
		u.Step = stepAsking
	}
	return failure
}

// restart restarts an upload, unless that was done too often.
func restart(st *provider.State, u *provider.Upload, failure *provider.Error) error {
	if u.Redone >= maxRedone {
		failure.Kind, failure.Code = provider.Rejected, provider.CodeMediaRejected
		return failure
	}
	*u = provider.Upload{Redone: u.Redone + 1}
	st.PublishID = ""
	delete(st.Secrets, secretUpload)
	failure.Kind, failure.Code, failure.Message = provider.Temporary, provider.CodeProviderUnavailable,
		"TikTok no longer accepts the upload; it is restarted"
	return failure
}

// askUpload reads how much of the video has arrived.
func (p *Provider) askUpload(ctx context.Context, a provider.Account, st *provider.State, u *provider.Upload) error {
	status, err := p.readStatus(ctx, a, *st)
	failure := provider.AsError(err)
	switch {
	case failure != nil && failure.Code == provider.CodeOutcomeUnknown:
		return restart(st, u, failure)
	case failure != nil:
		return failure
	case status.Status == statusFailed && !passing[status.FailReason]: // the next upload would fail like this one
		st.ProviderStatus, st.FailureCode = status.Status, status.FailReason
		return judgeFailure(status.FailReason)
	case status.Status == statusFailed:
		return restart(st, u, &provider.Error{Err: errors.New(status.FailReason)})
	case status.taken(u.Size):
		st.Note(noteTaken, "true")
		return nil
	}
	u.Step, u.NextByte = stepSending, wholeChunks(status.UploadedBytes, u)
	return nil
}

// wholeChunks returns the start of the first chunk that has not arrived completely.
func wholeChunks(uploaded int64, u *provider.Upload) int64 {
	return min(uploaded/u.ChunkSize, chunkCount(u.Size, u.ChunkSize)-1) * u.ChunkSize
}
