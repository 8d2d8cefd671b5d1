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
	Description: "Omitted fields keep their value. A `folderId` of null removes the asset from its folder; the " +
		"content of an asset never changes. In a team that requires approval, changing the `altText` of an asset of " +
		"an approved post needs the permission `approve_posts`.",
}

func (s *Server) updateAsset(ctx context.Context, scope access.TeamScope, in *updateAssetInput) (crier.Asset, error) {
	return s.services.Assets.Update(ctx, scope, in.AssetID, in.Body)
}
