package api

import (
	"context"

	"crier"
	"crier/internal/service"
)

type updateAssetInput struct {
	assetPath
	Body crier.AssetUpdate
}

var updateAssetDoc = doc{
	ID: "updateAsset", Tag: "Media library", Summary: "Rename, move or describe an asset",
	Description: "What is absent stays. A `folderId` of null takes the asset out of its folder; the bytes of an asset never change.",
}

func (s *Server) updateAsset(ctx context.Context, scope service.TeamScope, in *updateAssetInput) (crier.Asset, error) {
	return s.services.Assets.Update(ctx, scope, in.AssetID, in.Body)
}
