package api

import (
	"context"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"crier"
	"crier/internal/service"
)

type getAssetContentInput struct{ assetPath }

var getAssetContentDoc = doc{
	ID: "getAssetContent", Tag: "Media library", Summary: "Download the file of an asset", Long: true,
	Description: "The bytes as they were uploaded. `Range` asks for a part of them; `ETag` is their SHA-256, for `If-None-Match` and `If-Range`.",
}

func (s *Server) getAssetContent(ctx context.Context, scope service.TeamScope, in *getAssetContentInput) (assetFile, error) {
	f, err := s.services.Assets.Content(ctx, scope, in.AssetID)
	return assetFile{f, "private, no-cache"}, err
}

// signedCache lets caches keep what a signed address gives: the address is as secret as the bytes, and never gives others.
const signedCache = "public, max-age=86400, immutable"

// serveSigned gives a file to whoever holds a signed address of it: networks, and the pages that show thumbnails.
func (s *Server) serveSigned(w http.ResponseWriter, r *http.Request) {
	id, ok := crier.ParseID(chi.URLParam(r, "assetId"))
	if !ok {
		s.notFound(w, r)
		return
	}
	f, err := s.services.Assets.SignedContent(r.Context(), id, chi.URLParam(r, "variant"), r.URL.Query().Get("signature"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	assetFile{f, signedCache}.serve(w, r)
}

// assetFile is a file as the answer to a request.
type assetFile struct {
	*service.File
	cache string
}

func (f assetFile) serve(w http.ResponseWriter, r *http.Request) {
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", f.MimeType)
	h.Set("ETag", `"`+f.Tag+`"`)
	h.Set("Cache-Control", f.cache)
	h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": f.FileName}))
	http.ServeContent(newPatientWriter(w), r, "", f.ModifiedAt.Time, f)
}

// documentFile describes an answer that is the bytes of a file.
func documentFile(op *huma.Operation) {
	bytes := map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	op.Responses["200"] = &huma.Response{Description: "The file, with its own Content-Type.", Content: bytes}
	op.Responses["206"] = &huma.Response{Description: "The part of the file that Range asks for.", Content: bytes}
	op.Responses["304"] = &huma.Response{Description: "The caller has these bytes already."}
	op.Responses["416"] = &huma.Response{Description: "Range asks for bytes behind the end of the file."}
}
