package service

import (
	"context"

	"crier"
	"crier/internal/provider"
)

// assetReader reads assets, inside or outside a transaction.
type assetReader interface{}

// media is the assets of a team as networks see them.
func (c *core) media(_ context.Context, _ assetReader, _ crier.ID, _ []crier.ID) (map[crier.ID]provider.Media, error) {
	return map[crier.ID]provider.Media{}, nil
}
