package library

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"crier"
	"crier/internal/access"
	"crier/internal/media"
	"crier/internal/store"
)

// File is an open file of the library. The caller closes it.
type File struct {
	media.Blob
	FileName, MimeType string
	// Tag identifies the bytes.
	Tag        string
	ModifiedAt crier.Time
}

// Content opens the original file of an asset. It must be read while ctx is valid.
func (s *Assets) Content(ctx context.Context, scope access.TeamScope, id crier.ID) (*File, error) {
	if err := scope.Check(); err != nil {
		return nil, err
	}
	a, err := s.store.Asset(ctx, scope.Team().ID, id)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, a, media.VariantOriginal)
}

// SignedContent opens a file of an asset by a signed URL.
func (s *Assets) SignedContent(ctx context.Context, id crier.ID, variant, signature string) (*File, error) {
	err := s.addresses.Verify(media.Key{ID: id, Variant: variant}, signature)
	if errors.Is(err, media.ErrExpired) {
		return nil, crier.Forbidden("This address has expired. Read the asset again for a new one.")
	}
	if err != nil {
		return nil, crier.Forbidden("This address is not valid: its signature is wrong.")
	}
	a, err := s.store.PublicAsset(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, a, variant)
}

func (s *Assets) open(ctx context.Context, a store.Asset, variant string) (*File, error) {
	blob, err := s.blobs.Open(ctx, media.Key{ID: a.ID, Variant: variant})
	if err != nil {
		return nil, fmt.Errorf("open the %s of asset %s: %w", variant, a.ID, err)
	}
	f := &File{Blob: blob, FileName: a.FileName, MimeType: a.MimeType, Tag: a.SHA256, ModifiedAt: a.CreatedAt}
	if variant != media.VariantOriginal {
		f.FileName = strings.TrimSuffix(a.FileName, path.Ext(a.FileName)) + "-" + variant + ".jpg"
		f.MimeType, f.Tag = media.TypeJPEG, a.SHA256+"-"+variant
	}
	return f, nil
}
