package graph

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"crier/internal/sandbox/sim"
)

// Transfer is a file that is uploaded through the host of resumable uploads.
type Transfer struct {
	Upload
	// Total is the announced size; zero before the first bytes.
	Total int64 `json:"total,omitempty"`
	// Done is set when the file is complete.
	Done bool `json:"done,omitempty"`
}

// Transfers stores the files that are uploaded through the host of resumable uploads.
type Transfers interface {
	// Transfer returns a file that waits for bytes, if the token may send them. It needs a running View or Update.
	Transfer(id string, t sim.Token) (Transfer, bool)
	// Keep writes a file that has grown.
	Keep(tx *sim.Tx, id string, t Transfer)
	// LargestTransfer returns the maximum size of files.
	LargestTransfer() int64
}

// ServeUploads registers a path of the host of resumable uploads (rupload.facebook.com); success is the response to a
// complete file.
func (a *API) ServeUploads(path string, transfers Transfers, success any) {
	a.Env.RouteBy("POST /rupload/"+path+"/{version}/{id}", uploadOperation, func(r *http.Request) sim.Reply {
		return a.stamp("", a.transfer(r, transfers, success))
	})
}

// UploadURL returns the upload URL of a file.
func (a *API) UploadURL(c *Call, path, id string) string {
	return a.Env.URL(c.Request, "/rupload/"+path+"/"+c.PathValue("version")+"/"+id)
}

// uploadOperation copies the token to where faults of one account look for it: this host uses another scheme.
func uploadOperation(r *http.Request) sim.Operation {
	if token := oauthToken(r); token != "" {
		r.URL.RawQuery = url.Values{"access_token": {token}}.Encode()
	}
	return sim.Upload
}

// oauthToken returns the token of a header with the scheme OAuth.
func oauthToken(r *http.Request) string {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	if !found {
		return ""
	}
	return strings.TrimSpace(token)
}

// uploadProblem is an error of the host of resumable uploads.
type uploadProblem struct {
	DebugInfo struct {
		Retriable bool   `json:"retriable"`
		Type      string `json:"type"`
		Message   string `json:"message"`
	} `json:"debug_info"`
}

func uploadError(kind, message string, retriable bool) sim.Reply {
	var p uploadProblem
	p.DebugInfo.Retriable, p.DebugInfo.Type, p.DebugInfo.Message = retriable, kind, message
	return sim.Reply{Status: http.StatusBadRequest, Body: p}
}

// UploadRefused returns the response to an upload that cannot be accepted at all.
func UploadRefused(message string) sim.Reply {
	return uploadError("ProcessingFailedError", `{"success":false,"error":{"message":`+strconv.Quote(message)+`}}`,
		false)
}

func (a *API) transfer(r *http.Request, transfers Transfers, success any) sim.Reply {
	token, problem, err := a.LiveToken(oauthToken(r))
	switch {
	case err != nil:
		return a.Broken(err)
	case problem != nil:
		return UploadRefused("unauthorized user request")
	}
	var waiting Transfer
	found := false
	a.Env.View(func() { waiting, found = transfers.Transfer(r.PathValue("id"), token) })
	if !found {
		return UploadRefused("unauthorized user request")
	}
	if waiting.Done {
		return UploadRefused("the upload is complete already")
	}
	grown, refusal := a.grow(r, waiting, transfers.LargestTransfer())
	if grown.Size() > waiting.Size() {
		if failed := a.keep(r.PathValue("id"), token, waiting, grown, transfers); failed != nil {
			return *failed
		}
	}
	if refusal != nil {
		return *refusal
	}
	return OK(success)
}

// grow reads the bytes of a request, or fetches the file that it names. Of a truncated body, what arrived is kept.
func (a *API) grow(r *http.Request, t Transfer, limit int64) (Transfer, *sim.Reply) {
	if address := r.Header.Get("file_url"); address != "" {
		upload, err := a.Crawler.FetchUpload(r.Context(), address, limit)
		if err != nil {
			return t, Refuse(uploadError("ProcessingFailedError", err.Error(), false))
		}
		return Transfer{Upload: upload, Total: upload.Size(), Done: true}, nil
	}
	offset, size, refusal := uploadRange(r, t, limit)
	if refusal != nil {
		return t, refusal
	}
	upload, err := a.Crawler.Extend(t.Upload, io.LimitReader(Interruptible(r.Body), size-offset+1))
	switch {
	case err != nil:
		return t, Refuse(a.Broken(err))
	case upload.Size() > size:
		return t, Refuse(uploadError("PartialRequestError", "the body is longer than file_size says", false))
	}
	grown := Transfer{Upload: upload, Total: size, Done: upload.Size() == size}
	if !grown.Done {
		return grown, Refuse(uploadError("PartialRequestError", "got "+strconv.FormatInt(upload.Size(),
			10)+" of "+strconv.FormatInt(size, 10)+" bytes", true))
	}
	return grown, nil
}

// uploadRange returns the byte range of a request.
func uploadRange(r *http.Request, t Transfer, limit int64) (offset, size int64, refusal *sim.Reply) {
	offset, err := strconv.ParseInt(r.Header.Get("offset"), 10, 64)
	if err != nil || offset != t.Size() {
		return 0, 0, Refuse(uploadError("OffsetInvalidError", "the offset must be "+strconv.FormatInt(t.Size(), 10),
			true))
	}
	size, err = strconv.ParseInt(r.Header.Get("file_size"), 10, 64)
	if err != nil || size < 1 || size > limit || (t.Total > 0 && size != t.Total) {
		return 0, 0, Refuse(uploadError("PartialRequestError",
			"file_size must be the bytes of the whole file, at most "+strconv.FormatInt(limit, 10), false))
	}
	return offset, size, nil
}

// keep writes what arrived, unless a concurrent request was faster.
func (a *API) keep(id string, token sim.Token, before, after Transfer, transfers Transfers) *sim.Reply {
	return a.Try(func(tx *sim.Tx) *sim.Reply {
		if now, found := transfers.Transfer(id, token); !found || now.Size() != before.Size() {
			return Refuse(uploadError("OffsetInvalidError", "another request sends the same bytes", true))
		}
		transfers.Keep(tx, id, after)
		return nil
	})
}

// Interruptible returns a reader that treats a disconnected client as the end of the body, so that what arrived is
// kept.
func Interruptible(body io.Reader) io.Reader { return interruptible{body} }

type interruptible struct{ body io.Reader }

func (i interruptible) Read(p []byte) (int, error) {
	n, err := i.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = io.EOF
	}
	return n, err
}
