package api

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"

	"crier/internal/api/contract"
)

// docsBytes is the rendered page: it does not change while the program runs.
type docsBytes struct{ plain, zipped []byte }

// renderDocs renders the documentation.
func (p *pages) renderDocs(page contract.Reference) (docsBytes, error) {
	plain, err := p.html("docs", page)
	if err != nil {
		return docsBytes{}, err
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(plain); err != nil {
		return docsBytes{}, fmt.Errorf("compress the documentation: %w", err)
	}
	if err := w.Close(); err != nil {
		return docsBytes{}, fmt.Errorf("compress the documentation: %w", err)
	}
	return docsBytes{plain: plain, zipped: zipped.Bytes()}, nil
}

// serveDocs serves the documentation.
func (s *Server) serveDocs(w http.ResponseWriter, r *http.Request) {
	page := s.docs()
	h, body := w.Header(), page.plain
	s.pages.head(h)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Vary", "Accept-Encoding")
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = page.zipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the reader has gone: nobody to tell
}
