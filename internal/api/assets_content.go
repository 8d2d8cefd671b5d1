package api

import (
	"context"
	"mime"
	"net/http"

	"github.com/go-chi/chi/v5"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
	"crier/internal/library"
)

type getAssetContentInput struct{ assetPath }

var getAssetContentDoc = doc{
	ID: "getAssetContent", Tag: "Media library", Summary: "Download an asset", Long: true,
	Description: "The content as uploaded. `Range` selects a part of it; `ETag` is its SHA-256, for " +
		"`If-None-Match` and `If-Range`.",
}

func (s *Server) getAssetContent(ctx context.Context, scope access.TeamScope, in *getAssetContentInput) (assetFile,
	error) {
	f, err := s.services.Assets.Content(ctx, scope, in.AssetID)
	return assetFile{f, "private, no-cache"}, err
}

// signedCache allows caching the content of a signed URL: the URL is as secret as the content, which never changes.
const signedCache = "public, max-age=86400, immutable"

// serveSigned serves a file to anyone who has a signed URL for it: networks, and the pages that show thumbnails.
func (s *Server) serveSigned(w http.ResponseWriter, r *http.Request) {
	id, ok := crier.ParseID(chi.URLParam(r, "assetId"))
	if !ok {
		s.notFound(w, r)
		return
	}
	f, err := s.services.Assets.SignedContent(r.Context(), id, chi.URLParam(r, "variant"),
		r.URL.Query().Get("signature"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	assetFile{f, signedCache}.serve(w, r)
}

// assetFile is a file as the response to a request.
type assetFile struct {
	*library.File
	cache string
}

func (f assetFile) serve(w http.ResponseWriter, r *http.Request) {
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", f.MimeType)
	h.Set("ETag", `"`+f.Tag+`"`)
	h.Set("Cache-Control", f.cache)
	h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": f.FileName}))
	http.ServeContent(&rangeWriter{ResponseWriter: newPatientWriter(w)}, r, "", f.ModifiedAt.Time, f)
}

// rangeWriter writes the error body in place of the text with which net/http rejects a range.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader responds to a range that is not within the file.
func (w *rangeWriter) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	w.Header().Del("Content-Disposition")
	w.Header().Set("Cache-Control", "no-store")
	problem := crier.Invalid(crier.At("selects no bytes of the file; Content-Range has its size", "Range"))
	write(w.ResponseWriter, status, contract.HttpApiDecodeError{Issues: problem.Issues, Message: problem.Error(),
		Tag: string(problem.Kind)})
}

// Write drops the text of a rejection.
func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *rangeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
