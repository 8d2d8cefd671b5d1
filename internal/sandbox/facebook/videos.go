package facebook

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

func (n *network) registerVideos() {
	n.Edge(http.MethodPost, edgeVideos, videosOperation, n.addVideo)
	n.Edge(http.MethodPost, "thumbnails", graph.Always(sim.Upload), n.addThumbnail)
	n.ServeUploads("video-upload", n, map[string]bool{"success": true})
}

func videosOperation(c *graph.Call) sim.Operation {
	switch c.Params["upload_phase"] {
	case "start", "transfer", "cancel":
		return sim.Upload
	default:
		return publishOrUpload(c)
	}
}

// addVideo accepts a video in one of four ways: by its URL, in the body, by the handle of an upload, or in chunks.
func (n *network) addVideo(c *graph.Call) sim.Reply {
	page, refusal := n.page(c, toPublish)
	if refusal != nil {
		return *refusal
	}
	switch c.Params["upload_phase"] {
	case "start":
		return n.startChunks(c, page)
	case "transfer":
		return n.takeChunk(c, page)
	case "finish":
		return n.finishChunks(c, page)
	case "cancel":
		return n.cancelChunks(c, page)
	case "":
		return n.addWholeVideo(c, page)
	default:
		return graph.Invalid("upload_phase must be start, transfer, finish or cancel")
	}
}

// addWholeVideo accepts a complete video. Its problems are reported at once, too.
func (n *network) addWholeVideo(c *graph.Call, page sim.Account) sim.Reply {
	transfer, refusal := n.receiveVideo(c)
	if refusal != nil {
		return *refusal
	}
	v := video{PageID: page.ID, Edge: edgeVideos}
	v.complete(transfer, n.Env.Now())
	if v.Failure != nil {
		return videoProblem(*v.Failure).Reply()
	}
	refusal = n.Try(func(tx *sim.Tx) *sim.Reply {
		v.ID, v.CreatedAt = graph.NewID(tx), tx.Now()
		return n.finish(tx, c, &v)
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(idBody{v.ID})
}

// receiveVideo fetches a video, reads it from the body, or uses the upload of a handle.
func (n *network) receiveVideo(c *graph.Call) (graph.Transfer, *sim.Reply) {
	if address := c.Params["file_url"]; address != "" {
		upload, err := n.Crawler.FetchUpload(c.Context(), address, maxVideo)
		if err != nil {
			return graph.Transfer{}, badVideoFetch.Refuse()
		}
		return graph.Transfer{Upload: upload, Total: upload.Size(), Done: true}, nil
	}
	var received graph.Transfer
	err := c.EachFile(func(field string, body io.Reader) (err error) {
		if field == "source" {
			received.Upload, err = n.Crawler.Extend(graph.Upload{}, io.LimitReader(body, maxVideo+1))
			received.Done = true
		}
		return err
	})
	switch {
	case err != nil:
		return received, uploadProblem.Refuse()
	case received.Done:
		return received, nil
	}
	return received, graph.InvalidParameter("One of file_url and source is required").Refuse()
}

// finish writes a complete video, and its post if it is to have one. A video that cannot be processed never gets one.
func (n *network) finish(tx *sim.Tx, c *graph.Call, v *video) *sim.Reply {
	v.Title, v.Text = c.Params["title"], c.Params["description"]
	at, refusal := n.scheduledTime(c)
	if refusal != nil {
		return refusal
	}
	isPublished := c.Params.Bool("published", true) && c.Params["video_state"] != "DRAFT" && at.IsZero()
	isKept := !at.IsZero() || c.Params["video_state"] == "DRAFT"
	if isPublished || isKept {
		v.FinishedAt = tx.Now()
	}
	d := draft{PageID: v.PageID, Message: v.Text, VideoID: v.ID, IsStory: v.Edge == edgeStories, PublishAt: at,
		CreatedAt: tx.Now()}
	d.ID = newDraftID(tx, d)
	if isPublished && v.Failure == nil {
		n.release(tx, d, parts{video: v}, tx.Now())
		return nil
	}
	if isKept && v.Failure == nil {
		n.keep(tx, d)
	}
	n.videos.Put(tx, v.ID, *v)
	return nil
}

// chunkBytes is the chunk size of a video.
const chunkBytes = 1 << 20

type chunkRange struct {
	VideoID   string `json:"video_id,omitempty"`
	SessionID string `json:"upload_session_id,omitempty"`
	Start     string `json:"start_offset"`
	End       string `json:"end_offset"`
}

// nextChunk returns the next expected range.
func (v video) nextChunk() chunkRange {
	start := v.Transfer.Size()
	return chunkRange{Start: strconv.FormatInt(start, 10),
		End: strconv.FormatInt(min(start+chunkBytes, v.Transfer.Total), 10)}
}

func (n *network) startChunks(c *graph.Call, page sim.Account) sim.Reply {
	size, ok := c.Params.Int("file_size")
	switch {
	case !ok || size < minVideo:
		return videoProblem(tooSmall).Reply()
	case size > maxVideo:
		return videoProblem(tooLarge).Reply()
	}
	v := video{PageID: page.ID, Edge: edgeVideos, Transfer: graph.Transfer{Total: size}}
	if refusal := n.createVideo(&v); refusal != nil {
		return *refusal
	}
	answer := v.nextChunk()
	answer.VideoID, answer.SessionID = v.ID, v.ID
	return graph.OK(answer)
}

// createVideo writes a video that waits for its bytes.
func (n *network) createVideo(v *video) *sim.Reply {
	return n.Try(func(tx *sim.Tx) *sim.Reply {
		v.ID, v.CreatedAt = graph.NewID(tx), tx.Now()
		n.videos.Put(tx, v.ID, *v)
		return nil
	})
}

// ownVideo returns a video of a Page that was uploaded on an edge, and has not expired. It needs a running View or
// Update.
func (n *network) ownVideo(id string, page sim.Account, edge string) (video, bool) {
	v, found := n.videos.Get(id)
	return v, found && v.PageID == page.ID && v.Edge == edge && !v.isOver(n.Env.Now())
}

var errChunkTooLarge = errors.New("the chunk has more bytes than were asked for")

// takeChunk accepts the next bytes of a video.
func (n *network) takeChunk(c *graph.Call, page sim.Account) sim.Reply {
	var chunk []byte
	err := c.EachFile(func(field string, body io.Reader) (err error) {
		if field != "video_file_chunk" {
			return nil
		}
		chunk, err = io.ReadAll(io.LimitReader(body, chunkBytes+1))
		if err == nil && len(chunk) > chunkBytes {
			err = errChunkTooLarge
		}
		return err
	})
	if err != nil || len(chunk) == 0 {
		return uploadProblem.Reply()
	}
	var v video
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		var found bool
		if v, found = n.ownVideo(c.Params["upload_session_id"], page, edgeVideos); !found {
			return graph.Refuse(graph.Missing(c.Method, c.Params["upload_session_id"]))
		}
		next := v.nextChunk()
		if c.Params["start_offset"] != next.Start || v.Transfer.Size()+int64(len(chunk)) > v.Transfer.Total {
			return graph.Problem{Code: 6000, Subcode: 1363037, Message: "The start offset of the chunk is wrong.",
				Data: next}.Refuse()
		}
		upload, err := n.Crawler.Extend(v.Transfer.Upload, bytes.NewReader(chunk))
		if err != nil {
			return graph.Refuse(n.Broken(err))
		}
		v.Transfer.Upload = upload
		n.videos.Put(tx, v.ID, v)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(v.nextChunk())
}

func (n *network) finishChunks(c *graph.Call, page sim.Account) sim.Reply {
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		v, found := n.ownVideo(c.Params["upload_session_id"], page, edgeVideos)
		switch {
		case !found || !v.FinishedAt.IsZero():
			return graph.Refuse(graph.Missing(c.Method, c.Params["upload_session_id"]))
		case v.Transfer.Size() != v.Transfer.Total:
			return uploadProblem.Refuse()
		}
		v.Transfer.Done = true
		v.complete(v.Transfer, tx.Now())
		return n.finish(tx, c, &v)
	})
	if refusal != nil {
		return *refusal
	}
	return graph.Done()
}

func (n *network) cancelChunks(c *graph.Call, page sim.Account) sim.Reply {
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		v, found := n.ownVideo(c.Params["upload_session_id"], page, edgeVideos)
		if !found || !v.FinishedAt.IsZero() {
			return graph.Refuse(graph.Missing(c.Method, c.Params["upload_session_id"]))
		}
		n.videos.Delete(tx, v.ID)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.Done()
}

// addThumbnail accepts a thumbnail of a video. Timelines do not show it.
func (n *network) addThumbnail(c *graph.Call) sim.Reply {
	if _, refusal := n.acting(c, toPublish); refusal != nil {
		return *refusal
	}
	if _, refusal := n.receivePhoto(c); refusal != nil {
		return *refusal
	}
	found := false
	n.Env.View(func() {
		v, known := n.videos.Get(c.Node)
		found = known && v.PageID == c.Token.AccountID
	})
	if !found {
		return graph.Missing(c.Method, c.Node)
	}
	return graph.Done()
}

// Transfer returns a reel or a story that waits for its bytes.
func (n *network) Transfer(id string, t sim.Token) (graph.Transfer, bool) {
	v, found := n.videos.Get(id)
	isOpen := found && v.PageID == t.AccountID && v.Edge != edgeVideos && !v.isOver(n.Env.Now())
	return v.Transfer, isOpen
}

// Keep writes the bytes that have arrived; after the last of them processing starts.
func (n *network) Keep(tx *sim.Tx, id string, t graph.Transfer) {
	v, _ := n.videos.Get(id)
	v.Transfer = t
	if t.Done {
		v.complete(t, tx.Now())
	}
	n.videos.Put(tx, id, v)
}

// LargestTransfer returns the maximum size of reels and stories.
func (n *network) LargestTransfer() int64 { return maxTransfer }
