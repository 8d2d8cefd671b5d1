package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/service"
)

type createAssetInput struct {
	teamPath
	Stream *stream `stream:"multipart/form-data"`

	upload *uploadForm
}

func (in *createAssetInput) form() any { return assetForm{} }

var createAssetDoc = doc{
	ID: "createAsset", Tag: "Media library", Summary: "Upload a file", Status: http.StatusCreated, Long: true,
	Description: "One file of up to 5 GiB: JPEG, PNG, WebP, GIF, MP4, MOV, WebM or PDF. What the file is, is read from its bytes; a file that " +
		"is declared as something else, is cut off, is damaged or unfolds into too many pixels is refused and leaves nothing behind. " +
		"Large files are better sent in pieces: see `POST /v1/teams/{teamId}/assets/uploads`.\n\n" +
		"With an `Idempotency-Key`, requests with the same path and the same `Content-Length` count as the same: the file itself cannot be " +
		"compared before it has arrived. Use a new key for every file.",
}

func (in *createAssetInput) check(s *Server) (issues []crier.Issue) {
	in.upload, issues = openForm(s, in.Stream)
	return issues
}

func (s *Server) createAsset(ctx context.Context, scope service.TeamScope, in *createAssetInput) (crier.Asset, error) {
	file, err := in.upload.toFile()
	if err != nil {
		return crier.Asset{}, err
	}
	return s.services.Assets.Create(ctx, scope, file, in.upload.rest)
}
