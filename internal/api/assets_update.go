package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type updateAssetInput struct {
	assetPath
	Body crier.AssetUpdate
}

var updateAssetDoc = doc{
	ID: "updateAsset", Tag: "Media library", Summary: "Update an asset",
	Description: "What is absent stays. A `folderId` of null takes the asset out of its folder; the bytes of an " +
		"asset never change.",
}

func (s *Server) updateAsset(ctx context.Context, scope access.TeamScope, in *updateAssetInput) (crier.Asset, error) {
	return s.services.Assets.Update(ctx, scope, in.AssetID, in.Body)
}
