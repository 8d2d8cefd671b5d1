package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
)

type createAssetInput struct {
	teamPath
	Stream *contract.Stream `stream:"multipart/form-data"`

	upload *uploadForm
}

func (in *createAssetInput) Form() any { return assetForm{} }

var createAssetDoc = doc{
	ID: "createAsset", Tag: "Media library", Summary: "Upload a file", Status: http.StatusCreated, Long: true,
	Costs: true,
	Description: "One file of up to 5 GiB: JPEG, PNG, WebP, GIF, MP4, MOV, WebM or PDF. The type is detected " +
		"from the content; a file that is declared as something else, is truncated, damaged or decodes to too " +
		"many pixels is rejected. Upload large files in chunks: see `POST /v1/teams/{teamId}/assets/uploads`.\n" +
		"\n" +
		"With an `Idempotency-Key`, requests are the same if their fields and the SHA-256 of their files are: a " +
		"repeated upload is read to its end before the response.",
}

func (in *createAssetInput) check(*Server) (issues []crier.Issue) {
	in.upload, issues = openForm(in.Stream)
	return issues
}

func (s *Server) createAsset(ctx context.Context, scope access.TeamScope, in *createAssetInput) (crier.Asset, error) {
	file, err := in.upload.toFile()
	if err != nil {
		return crier.Asset{}, err
	}
	return s.services.Assets.Create(ctx, scope, file, in.upload.readRest)
}
