package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

type deleteAssetInput struct{ assetPath }

var deleteAssetDoc = doc{
	ID: "deleteAsset", Tag: "Media library", Summary: "Delete an asset",
	Description: "A 409 while a scheduled or publishing post uses it. Its files are permanently removed after 30 " +
		"days.",
}

func (s *Server) deleteAsset(ctx context.Context, scope access.TeamScope, in *deleteAssetInput) (crier.Deleted,
	error) {
	return s.services.Assets.Delete(ctx, scope, in.AssetID)
}
