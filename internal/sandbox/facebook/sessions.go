package facebook

import (
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/graph"
	"crier/internal/sandbox/sim"
)

// sessionPrefix begins the ids of uploads, which are nodes of the Graph API.
const sessionPrefix = "upload:"

// session is a file that comes by the Resumable Upload API.
type session struct {
	ID        string         `json:"id"`
	AccountID string         `json:"account"`
	Transfer  graph.Transfer `json:"transfer"`
	CreatedAt time.Time      `json:"created"`
}

func (s session) isOver(now time.Time) bool { return now.Sub(s.CreatedAt) >= unusedLife }

func (n *network) registerSessions() {
	n.Edge(http.MethodPost, "uploads", graph.Always(sim.Upload), n.startSession)
}

// startSession announces a file.
func (n *network) startSession(c *graph.Call) sim.Reply {
	size, ok := c.Params.Int("file_length")
	if !ok || size < 1 || size > maxVideo {
		return graph.Invalid("file_length must be 1 to %d", int64(maxVideo))
	}
	if kind := c.Params["file_type"]; !strings.HasPrefix(kind, "video/") && !strings.HasPrefix(kind, "image/") {
		return graph.Invalid("file_type must be the type of a picture or a video")
	}
	s := session{AccountID: c.Token.AccountID, Transfer: graph.Transfer{Total: size}}
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		s.ID, s.CreatedAt = sessionPrefix+graph.NewID(tx), tx.Now()
		n.sessions.Put(tx, s.ID, s)
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	return graph.OK(idBody{s.ID})
}

// ownSession needs a running View or Update.
func (n *network) ownSession(c *graph.Call, id string) (session, bool) {
	s, found := n.sessions.Get(id)
	return s, found && s.AccountID == c.Token.AccountID && !s.isOver(n.Env.Now())
}

// readSession answers how many bytes have come.
func (n *network) readSession(c *graph.Call) sim.Reply {
	var s session
	found := false
	n.Env.View(func() { s, found = n.ownSession(c, c.Node) })
	if !found {
		return graph.Missing(c.Method, c.Node)
	}
	return graph.OK(graph.Object{"id": s.ID, "file_offset": s.Transfer.Size()})
}

// extendSession takes more bytes. When all are there, it answers the handle of the file.
func (n *network) extendSession(c *graph.Call) sim.Reply {
	var s session
	found := false
	n.Env.View(func() { s, found = n.ownSession(c, c.Node) })
	offset, err := strconv.ParseInt(c.Header.Get("file_offset"), 10, 64)
	switch {
	case !found:
		return graph.Missing(c.Method, c.Node)
	case !strings.HasPrefix(c.Header.Get("Authorization"), "OAuth "):
		return graph.Problem{Code: 190, Message: "Invalid OAuth access token - the Authorization header must have the scheme OAuth"}.Reply()
	case err != nil || offset != s.Transfer.Size():
		return graph.Invalid("file_offset must be %d", s.Transfer.Size())
	}
	upload, err := n.Crawler.Extend(s.Transfer.Upload, io.LimitReader(graph.Interruptible(c.Body), s.Transfer.Total-offset+1))
	switch {
	case err != nil:
		return n.Broken(err)
	case upload.Size() > s.Transfer.Total:
		return graph.Invalid("The file is longer than file_length")
	}
	s.Transfer.Upload, s.Transfer.Done = upload, upload.Size() == s.Transfer.Total
	return n.keepSession(c, s, offset)
}

func (n *network) keepSession(c *graph.Call, s session, offset int64) sim.Reply {
	refusal := n.Try(func(tx *sim.Tx) *sim.Reply {
		if now, found := n.ownSession(c, s.ID); !found || now.Transfer.Size() != offset {
			return graph.InvalidParameter("Another call sends the same bytes").Refuse()
		}
		n.sessions.Put(tx, s.ID, s)
		return nil
	})
	switch {
	case refusal != nil:
		return *refusal
	case !s.Transfer.Done:
		return graph.Problem{Code: 100, Transient: true, Message: "The upload is not complete: continue at file_offset " + strconv.FormatInt(s.Transfer.Size(), 10)}.Reply()
	}
	return graph.OK(map[string]string{"h": handle(s.ID)})
}

const handlePrefix = "2:"

func handle(session string) string {
	return handlePrefix + base64.RawURLEncoding.EncodeToString([]byte(session))
}

// uploadOf returns the file that a handle stands for. The handle of anybody's upload will do, as on Facebook: it is
// taken with the person's token and used with the Page's.
func (n *network) uploadOf(handle string) (graph.Transfer, *sim.Reply) {
	id, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(handle, handlePrefix))
	var s session
	found := false
	n.Env.View(func() { s, found = n.sessions.Get(string(id)) })
	if err != nil || !found || !s.Transfer.Done || s.isOver(n.Env.Now()) {
		return graph.Transfer{}, graph.InvalidParameter("One of file_url, source and fbuploader_video_file_chunk is required").Refuse()
	}
	return s.Transfer, nil
}
