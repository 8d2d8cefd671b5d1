package api

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip" // about twice as fast as the standard library's
)

// compressFrom is the size in bytes from which a response is worth compressing.
const compressFrom = 1 << 10

// compressors are reused: each has tables of several hundred KiB.
var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// send writes a JSON response, compressed if it is large and the caller accepts that. A response with a secret is never
// compressed: together with text chosen by the caller, the compressed length would reveal information about the secret.
func (s *Server) send(w http.ResponseWriter, r *http.Request, status int, data []byte) {
	s.sendAs(w, r, status, jsonType, data)
}

// sendAs is send for any content type.
func (s *Server) sendAs(w http.ResponseWriter, r *http.Request, status int, contentType string, data []byte) {
	if infoOf(r).secret || len(data) <= compressFrom {
		writeAs(w, status, contentType, data)
		return
	}
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if !acceptsGzip(r.Header.Get("Accept-Encoding")) {
		writeAs(w, status, contentType, data)
		return
	}
	out, release := buffer()
	defer release()
	zip, ok := compressors.Get().(*gzip.Writer)
	if !ok { // the pool holds nothing else
		writeAs(w, status, contentType, data)
		return
	}
	defer compressors.Put(zip)
	zip.Reset(out)
	_, err := zip.Write(data)
	if err == nil {
		err = zip.Close()
	}
	if err != nil { // writing to memory does not fail
		writeAs(w, status, contentType, data)
		return
	}
	h.Set("Content-Encoding", "gzip")
	writeAs(w, status, contentType, out.Bytes())
}

// acceptsGzip reports whether a list of encodings accepts gzip.
func acceptsGzip(accepted string) bool {
	for encoding := range strings.SplitSeq(accepted, ",") {
		name, weight, weighed := strings.Cut(strings.ReplaceAll(encoding, " ", ""), ";q=")
		if !strings.EqualFold(name, "gzip") {
			continue
		}
		q, err := strconv.ParseFloat(weight, 64)
		return !weighed || err == nil && q > 0
	}
	return false
}
