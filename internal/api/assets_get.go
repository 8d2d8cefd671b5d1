package api

import (
	"context"

	"crier"
	"crier/internal/access"
)

// assetPath is the part of an input that identifies an asset.
type assetPath struct {
	teamPath
	AssetID crier.ID `path:"assetId"`
}

type getAssetInput struct{ assetPath }

var getAssetDoc = doc{ID: "getAsset", Tag: "Media library", Summary: "Get an asset"}

func (s *Server) getAsset(ctx context.Context, scope access.TeamScope, in *getAssetInput) (crier.Asset, error) {
	return s.services.Assets.Get(ctx, scope, in.AssetID)
}
