package api

import (
	"context"
	"net/http"

	"crier"
	"crier/internal/access"
)

type importAssetInput struct {
	teamPath
	Body crier.AssetImport
}

var importAssetDoc = doc{
	ID: "importAsset", Tag: "Media library", Summary: "Import an asset from a URL",
	Status: http.StatusCreated, Long: true, Costs: true,
	Description: "The file is fetched synchronously, with limits of 60 seconds and 200 MiB; upload larger ones " +
		"in chunks. Only the public internet is allowed, with http and https on their default ports; redirects " +
		"follow the same rules.",
}

func (s *Server) importAsset(ctx context.Context, scope access.TeamScope, in *importAssetInput) (crier.Asset, error) {
	return s.services.Assets.Import(ctx, scope, in.Body)
}
