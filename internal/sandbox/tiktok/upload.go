package tiktok

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

// uploadPath stands for the upload host, which apps know only from upload_url.
const uploadPath = "/video/"

// uploadLife is how long an upload URL is valid.
const uploadLife = time.Hour

func (n *network) registerUpload() {
	n.env.RouteBy("PUT "+uploadPath+"{$}", chunkOperation, n.receive)
}

// chunkOperation distinguishes the last chunk, which posts the video, from all others.
func chunkOperation(r *http.Request) sim.Operation {
	if c, ok := parseRange(r.Header.Get("Content-Range")); ok && c.last+1 == c.total {
		return sim.Publish
	}
	return sim.Upload
}

// Sizes of chunks and videos. TikTok's megabytes are decimal.
const (
	minChunk  = 5_000_000
	maxChunk  = 64_000_000
	maxChunks = 1000
	maxVideo  = 4 << 30
)

// checkChunks checks an announced upload against TikTok's rules. The remainder goes into the last chunk.
func (n *network) checkChunks(s sourceInfo) *sim.Reply {
	switch {
	case s.VideoSize < 1 || s.VideoSize > maxVideo:
		return refuse(n.invalidParams("The video size is invalid"))
	case s.ChunkSize < 1 || s.ChunkSize > maxChunk:
		return refuse(n.invalidParams("The chunk size is invalid"))
	case s.VideoSize/s.ChunkSize < 2 && s.ChunkSize != s.VideoSize: // a single chunk is as large as the file
		return refuse(n.invalidParams("The chunk size is invalid"))
	case s.ChunkSize != s.VideoSize && s.ChunkSize < minChunk:
		return refuse(n.invalidParams("The chunk size is invalid"))
	case s.TotalChunks != s.VideoSize/s.ChunkSize || s.TotalChunks > maxChunks:
		return refuse(n.invalidParams("The total chunk count is invalid"))
	}
	return nil
}

// chunkEnd returns the last byte of the chunk that starts at first.
func (t task) chunkEnd(first int64) int64 {
	if last := t.Size/t.ChunkSize - 1; first/t.ChunkSize >= last {
		return t.Size - 1
	}
	return first + t.ChunkSize - 1
}

func newUploadToken() string { return rand.Text() }

func (n *network) uploadURL(r *http.Request, t task) string {
	return n.env.URL(r, uploadPath+"?upload_id="+t.Number+"&upload_token="+t.UploadToken)
}

// byteRange is the range of a chunk in its file, both ends inclusive.
type byteRange struct{ first, last, total int64 }

var rangePattern = regexp.MustCompile(`^bytes (\d{1,18})-(\d{1,18})/(\d{1,18})$`)

func parseRange(header string) (byteRange, bool) {
	m := rangePattern.FindStringSubmatch(header)
	if m == nil {
		return byteRange{}, false
	}
	var numbers [3]int64
	for i := range numbers {
		numbers[i], _ = strconv.ParseInt(m[i+1], 10, 64) // eighteen digits always fit
	}
	c := byteRange{numbers[0], numbers[1], numbers[2]}
	return c, c.first <= c.last && c.last < c.total
}

var chunkTypes = []string{"video/mp4", "video/quicktime", "video/webm"}

// receive accepts one chunk. The token in the URL is the only credential. The upload host responds without bodies.
func (n *network) receive(r *http.Request) sim.Reply {
	n.takeUp(r.Context())
	t, status := n.uploadOf(r)
	if status != 0 {
		return sim.Reply{Status: status}
	}
	c, ok := parseRange(r.Header.Get("Content-Range"))
	switch {
	case !ok || c.total != t.Size || r.ContentLength != c.last-c.first+1 ||
		!slices.Contains(chunkTypes, r.Header.Get("Content-Type")):
		return sim.Reply{Status: http.StatusBadRequest}
	case c.first != t.Digest.Size:
		return progress(http.StatusRequestedRangeNotSatisfiable, t)
	case c.last != t.chunkEnd(c.first):
		return sim.Reply{Status: http.StatusBadRequest}
	}
	digest, err := n.env.Media.Extend(t.Digest, io.TeeReader(io.LimitReader(r.Body, r.ContentLength), &t.Scan))
	if err != nil || digest.Size != c.last+1 {
		return sim.Reply{Status: http.StatusBadRequest} // the client disconnected before it had sent the chunk
	}
	return n.store(t, digest)
}

// uploadOf returns the task of an upload URL, or the status that rejects it.
func (n *network) uploadOf(r *http.Request) (t task, status int) {
	q := r.URL.Query()
	found := false
	n.env.View(func() { t, found = n.tasks.Get(q.Get("upload_id")) })
	switch {
	case !found || t.UploadToken == "":
		return t, http.StatusNotFound
	case subtle.ConstantTimeCompare([]byte(t.UploadToken), []byte(q.Get("upload_token"))) != 1,
		n.env.Now().Sub(t.StartedAt) >= uploadLife:
		return t, http.StatusForbidden
	default:
		return t, 0
	}
}

// CallerOf returns the account whose upload a chunk belongs to.
func (n *network) CallerOf(r *http.Request) string {
	t, status := n.uploadOf(r)
	if status != 0 {
		return ""
	}
	return t.AccountID
}

// store writes a complete chunk, unless a concurrent one was faster.
func (n *network) store(t task, digest sim.Digest) sim.Reply {
	before := t.Digest.Size
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		if current, _ := n.tasks.Get(t.Number); current.Digest.Size != before {
			return refuse(progress(http.StatusRequestedRangeNotSatisfiable, current))
		}
		t.Digest = digest
		if digest.Size < t.Size {
			n.tasks.Put(tx, t.Number, t)
			return nil
		}
		file, err := digest.Media()
		if err != nil {
			return refuse(n.broken(err))
		}
		file = shaped(file, t.Scan.Shape())
		file.ID = t.Number
		n.begin(tx, t, []sim.Media{file}, videoFailure(file, t.Scan.Shape()))
		return nil
	})
	switch {
	case refusal != nil:
		return *refusal
	case t.Digest.Size < t.Size:
		return progress(http.StatusPartialContent, t)
	}
	n.settleLater()
	return progress(http.StatusCreated, t)
}

// progress returns how much has arrived.
func progress(status int, t task) sim.Reply {
	return sim.Reply{Status: status}.With("Content-Range", fmt.Sprintf("bytes 0-%d/%d", t.Digest.Size, t.Size))
}

// finishInVain accepts the last chunk of an upload that will fail.
func (n *network) finishInVain(r *http.Request, reason string) sim.Reply {
	t, status := n.uploadOf(r)
	if status != 0 {
		return sim.Reply{Status: status}
	}
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		current, _ := n.tasks.Get(t.Number)
		if !current.BegunAt.IsZero() {
			return refuse(progress(http.StatusRequestedRangeNotSatisfiable, current))
		}
		current.Digest.Size = current.Size
		t = current
		n.begin(tx, current, nil, reason)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return progress(http.StatusCreated, t)
}

// shaped adds the dimensions from a video's index.
func shaped(file sim.Media, shape mp4.Shape) sim.Media {
	if shape.Known() {
		file.Width, file.Height = shape.Width, shape.Height
	}
	return file
}

// Limits of a video's sides, in pixels.
const (
	minSide = 360
	maxSide = 4096
)

// videoFailure returns what TikTok finds wrong with a video, or "". A file whose index cannot be read passes.
func videoFailure(file sim.Media, shape mp4.Shape) string {
	switch {
	case !slices.Contains(chunkTypes, file.Type):
		return failFormat
	case shape.Known() && (min(shape.Width, shape.Height) < minSide || max(shape.Width, shape.Height) > maxSide):
		return failPicture
	case shape.Duration > maxVideoSeconds*time.Second:
		return failDuration
	default:
		return ""
	}
}
