package youtube

import (
	"crypto/rand"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

const uploadPath = "/upload/youtube/v3/videos"

func (n *network) registerSessions() {
	n.env.Route("POST "+uploadPath, sim.Upload, n.checked(insertVideo, n.openSession))
	n.env.RouteBy("PUT "+uploadPath, sendOperation, n.checked(sendVideo, n.send))
}

// sendOperation distinguishes the PUT with the last byte, which creates the video, from all others.
func sendOperation(r *http.Request) sim.Operation {
	if s, ok := parseSpan(r); ok && !s.probe && s.end == s.total {
		return sim.Publish
	}
	return sim.Upload
}

// sessionLife is how long an upload can be continued.
const sessionLife = 7 * 24 * time.Hour

// session is a started upload. It belongs to a channel, whatever token sends its bytes.
type session struct {
	ID        string    `json:"id"`
	ChannelID string    `json:"channel"`
	Parts     []string  `json:"parts"`
	Metadata  metadata  `json:"metadata"`
	StartedAt time.Time `json:"started"`
	// Total is the announced size; zero until it is known.
	Total  int64      `json:"total,omitempty"`
	Digest sim.Digest `json:"digest"`
	Scan   mp4.Movie  `json:"scan"`
	// VideoID is set when the last byte has arrived.
	VideoID string `json:"video,omitempty"`
}

func (s session) open(now time.Time) bool { return now.Sub(s.StartedAt) < sessionLife }

// maxVideo is the maximum size of a video.
const maxVideo = 256 << 30

// uploadsPerDay is how many uploads a channel may start in 24 hours. YouTube does not document the number.
const uploadsPerDay = 50

// openSession accepts the metadata and responds with the upload URL.
func (n *network) openSession(r *http.Request, c caller) sim.Reply {
	q := r.URL.Query()
	if q.Get("uploadType") != "resumable" {
		return badRequest("badRequest", "uploadType must be resumable: the sandbox has no other protocol")
	}
	parts, refusal := readParts(q, writableParts)
	if refusal != nil {
		return *refusal
	}
	total, refusal := announced(r)
	if refusal != nil {
		return *refusal
	}
	var in metadata
	if err := sim.DecodeJSON(r, &in); err != nil {
		return badRequest("parseError", "Parse Error")
	}
	in = in.only(parts, metadata{}).withDefaults()
	if refusal := in.check(); refusal != nil {
		return *refusal
	}
	if n.env.Limits.Take("uploads "+c.channel.ID, uploadsPerDay, 24*time.Hour, false).Exceeded {
		return failure(http.StatusBadRequest, "youtube.video", "uploadLimitExceeded",
			"The user has exceeded the number of videos they may upload.")
	}
	s := session{ID: "AHmUCY" + rand.Text(), ChannelID: c.channel.ID, Parts: parts, Metadata: in, Total: total}
	refusal = n.try(func(tx *sim.Tx) *sim.Reply {
		s.StartedAt = tx.Now()
		n.sessions.Put(tx, s.ID, s)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	address := url.Values{"uploadType": {"resumable"}, "upload_id": {s.ID}, "part": {strings.Join(parts, ",")}}
	return sim.Reply{Status: http.StatusOK}.With("Location",
		n.env.URL(r, uploadPath+"?"+address.Encode())).With("X-GUploader-UploadID", s.ID)
}

// announced reads the announced size and type of the file; the size may be missing.
func announced(r *http.Request) (int64, *sim.Reply) {
	kind := r.Header.Get("X-Upload-Content-Type")
	if media, _, err := mime.ParseMediaType(kind); kind != "" &&
		(err != nil || (!strings.HasPrefix(media, "video/") && media != "application/octet-stream")) {
		return 0, refuse(badRequest("badContent",
			"Media type '"+kind+"' is not supported. Valid media types: [video/*, application/octet-stream]"))
	}
	size := r.Header.Get("X-Upload-Content-Length")
	if size == "" {
		return 0, nil
	}
	total, err := strconv.ParseInt(size, 10, 64)
	if err != nil || total < 1 || total > maxVideo {
		return 0, refuse(badRequest("invalidArgument", "X-Upload-Content-Length must be 1 to 274877906944"))
	}
	return total, nil
}

// readParts parses the part parameter.
func readParts(q url.Values, known []string) ([]string, *sim.Reply) {
	if q.Get("part") == "" {
		return nil, refuse(badRequest("missingRequiredParameter", "No filter selected. Required parameter: part"))
	}
	parts := strings.Split(strings.Join(q["part"], ","), ",")
	for _, part := range parts {
		if part != "id" && !slices.Contains(known, part) {
			return nil, refuse(badRequest("unknownPart", "'"+part+"'"))
		}
	}
	return parts, nil
}

// send accepts bytes, or returns how many there are.
func (n *network) send(r *http.Request, c caller) sim.Reply {
	var s session
	found := false
	n.env.View(func() { s, found = n.sessions.Get(r.URL.Query().Get("upload_id")) })
	sent, ok := parseSpan(r)
	switch {
	case !found || !s.open(n.env.Now()):
		return failure(http.StatusNotFound, "global", "notFound", "Upload session not found.")
	case s.ChannelID != c.channel.ID:
		return forbidden("global")
	case s.VideoID != "":
		return n.finished(r, s, http.StatusOK)
	case !ok:
		return badRequest("badRequest", "Failed to parse Content-Range header.")
	case sent.total > 0 && s.Total > 0 && sent.total != s.Total:
		return badRequest("badRequest",
			fmt.Sprintf("Invalid request.  The total size of the upload is %d byte(s), not %d.", s.Total, sent.total))
	case sent.probe:
		return incomplete(r, s)
	}
	if refusal := sent.check(s.Digest.Size); refusal != nil {
		return *refusal
	}
	return n.receive(r, s, sent)
}

// receive reads a chunk and stores as much of it as arrives.
func (n *network) receive(r *http.Request, s session, sent span) sim.Reply {
	before := s.Digest.Size
	if sent.total > 0 {
		s.Total = sent.total
	}
	body, gathered := n.heads.follow(s, &wholeBlocks{source: r.Body, left: sent.end - sent.first})
	digest, err := n.env.Media.Extend(s.Digest, io.TeeReader(body, &s.Scan))
	if err != nil {
		return n.broken(err)
	}
	s.Digest = digest
	refusal := n.try(func(tx *sim.Tx) *sim.Reply {
		current, _ := n.sessions.Get(s.ID)
		if current.Digest.Size != before || current.VideoID != "" {
			return refuse(wrongOffset(sent.first, current.Digest.Size)) // a concurrent request was faster
		}
		if s.Total == 0 || s.Digest.Size < s.Total {
			n.sessions.Put(tx, s.ID, s)
			return nil
		}
		var refusal *sim.Reply
		s.VideoID, refusal = n.finish(tx, s)
		return refusal
	})
	if refusal != nil {
		return *refusal
	}
	n.heads.keep(s, gathered, n.env.Media)
	if s.VideoID == "" {
		return incomplete(r, s)
	}
	return n.finished(r, s, http.StatusCreated)
}

// incomplete returns how much has arrived. Clients that cannot handle the status 308 get it in a header.
func incomplete(r *http.Request, s session) sim.Reply {
	reply := sim.Reply{Status: http.StatusPermanentRedirect}
	if strings.EqualFold(r.Header.Get("X-GUploader-No-308"), "yes") {
		reply = sim.Reply{Status: http.StatusOK}.With("X-Http-Status-Code-Override", "308")
	}
	reply = reply.With("X-GUploader-UploadID", s.ID)
	if s.Digest.Size > 0 {
		reply = reply.With("Range", fmt.Sprintf("bytes=0-%d", s.Digest.Size-1))
	}
	return reply
}

// finished returns the video of a complete upload.
func (n *network) finished(r *http.Request, s session, status int) sim.Reply {
	var resource map[string]any
	found := false
	n.env.View(func() {
		var v video
		if v, found = n.videos.Get(s.VideoID); found {
			resource = n.resource(r, v, s.Parts, true)
		}
	})
	if !found {
		return videoNotFound()
	}
	return sim.Reply{Status: status, Body: resource}.With("X-GUploader-UploadID", s.ID)
}
