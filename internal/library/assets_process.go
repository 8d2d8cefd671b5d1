package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"

	"crier"
	"crier/internal/enrich"
	"crier/internal/events"
	"crier/internal/job"
	"crier/internal/media"
	"crier/internal/store"
)

const (
	// jpegBytes and jpegSide bound the JPEG that is created for networks: it fits the strictest of them (X accepts 5
	// MB, LinkedIn 36 million pixels).
	jpegBytes = 4_900_000
	jpegSide  = 4096
	// smallLong and smallShort are the sides of 1080p, for the JPEG for networks that accept nothing larger.
	smallLong  = 1920
	smallShort = 1080
	// defaultQuickPixels is the default of Config.QuickPixels.
	defaultQuickPixels = 16_000_000
)

// needsJPEG reports whether some network accepts a picture only as a JPEG. Animations are excluded: they would become
// still images.
func needsJPEG(info media.Info) bool {
	if info.Kind != media.KindImage {
		return false
	}
	return info.MimeType != media.TypeJPEG || info.Colour == "cmyk" || info.ByteSize > jpegBytes ||
		max(info.Width, info.Height) > jpegSide
}

// needsSmall reports whether a picture is larger than some network accepts.
func needsSmall(info media.Info) bool {
	return info.Kind == media.KindImage && smallSide(info.Width, info.Height) < max(info.Width, info.Height)
}

// smallSide returns the longer side of a picture scaled down to 1080p; pictures are never enlarged.
func smallSide(width, height int) int {
	long, short := max(width, height), min(width, height)
	return min(long, smallLong, long*smallShort/max(1, short))
}

// quick reports whether a file is processed within the request. Videos and documents are not decoded at all.
func (s *Assets) quick(info media.Info) bool {
	if info.Kind == media.KindVideo || info.Kind == media.KindDocument {
		return true
	}
	return info.Width*info.Height <= s.quickPixels
}

// Process creates the derived data of an asset. It runs as a job.
func (s *Assets) Process(ctx context.Context, job job.ProcessAsset) error {
	a, err := s.store.UnprocessedAsset(ctx, job.AssetID)
	if err != nil || a == nil {
		return err
	}
	facts, err := media.DecodeFacts(a.Facts)
	if err != nil {
		return err
	}
	err = s.process(ctx, a, &facts)
	if refused, ok := errors.AsType[*media.Refusal](err); ok {
		a.Status, a.FailureMessage, err = crier.AssetFailed, refused.Message, nil
	}
	if err == nil {
		err = withFacts(a, facts)
	}
	if err != nil {
		return err
	}
	a.UpdatedAt = s.clock.Now()
	return s.store.WithTx(ctx, func(tx *store.Tx) error {
		present, err := tx.UnprocessedAsset(ctx, a.ID)
		if err != nil || present == nil { // deleted meanwhile, its files too
			return err
		}
		if err := tx.FinishAsset(ctx, *a); err != nil {
			return err
		}
		if err := s.recordAsset(tx, *a); err != nil {
			return err
		}
		return s.retagPosts(ctx, tx, *a)
	})
}

// process creates the thumbnail, the required JPEGs and the tags. It sets the asset to ready when finished; a damaged
// file is a *media.Refusal.
func (s *Assets) process(ctx context.Context, a *store.Asset, facts *media.Facts) (err error) {
	blob, err := s.blobs.Open(ctx, media.Key{ID: a.ID, Variant: media.VariantOriginal})
	if err != nil {
		return fmt.Errorf("open the file of asset %s: %w", a.ID, err)
	}
	defer func() { err = errors.Join(err, blob.Close()) }()
	rendering, err := s.images.Render(ctx, blob, blob.Size(), jpegSide)
	if err != nil {
		return err
	}
	thumbnail, err := rendering.Thumbnail(ctx)
	if err != nil {
		return err
	}
	if err := s.put(ctx, a.ID, media.VariantThumbnail, thumbnail); err != nil {
		return err
	}
	if a.AssetTags, err = tagsOf(facts.Info, thumbnail); err != nil {
		return err
	}
	if needsJPEG(facts.Info) {
		if facts.JPEG, err = s.convert(ctx, a.ID, rendering, media.VariantJPEG, jpegSide); err != nil {
			return err
		}
	}
	if needsSmall(facts.Info) {
		if facts.Small, err = s.convert(ctx, a.ID, rendering, media.VariantSmall,
			smallSide(facts.Info.Width, facts.Info.Height)); err != nil {
			return err
		}
	}
	facts.Thumbnail, a.Status = true, crier.AssetReady
	return nil
}

// convert creates and stores a JPEG of a picture.
func (s *Assets) convert(ctx context.Context, id crier.ID, rendering *media.Rendering, variant string,
	side int) (*media.JPEGFacts, error) {
	picture, err := rendering.JPEG(ctx, media.JPEGOptions{MaxSide: side, MaxBytes: jpegBytes})
	if err != nil {
		return nil, err
	}
	return &media.JPEGFacts{ByteSize: int64(len(picture.JPEG)), Width: picture.Width, Height: picture.Height},
		s.put(ctx, id, variant, picture)
}

func (s *Assets) put(ctx context.Context, id crier.ID, variant string, p media.Picture) error {
	err := s.blobs.Put(ctx, media.Key{ID: id, Variant: variant}, bytes.NewReader(p.JPEG), int64(len(p.JPEG)))
	if err != nil {
		return fmt.Errorf("store the %s of asset %s: %w", variant, id, err)
	}
	return nil
}

// tagsOf returns the tags of a file; for a picture, its thumbnail is sufficient.
func tagsOf(info media.Info, thumbnail media.Picture) ([]string, error) {
	switch info.Kind {
	case media.KindDocument:
		return []string{}, nil
	case media.KindVideo:
		return enrich.Video(info.Width, info.Height, 0, info.DurationSeconds), nil
	}
	pixels, err := jpeg.Decode(bytes.NewReader(thumbnail.JPEG))
	if err != nil {
		return nil, fmt.Errorf("decode a thumbnail: %w", err)
	}
	return enrich.Image(pixels, info.HasAlpha), nil
}

// recordAsset records the event that an asset is ready or has failed.
func (s *Assets) recordAsset(tx *store.Tx, a store.Asset) error {
	kind := crier.AssetReadyEvent
	switch a.Status {
	case crier.AssetReady:
	case crier.AssetFailed:
		kind = crier.AssetFailedEvent
	default:
		return nil
	}
	shown, err := s.shown(a)
	if err != nil {
		return err
	}
	return events.Record(tx, s.clock.Now(), events.Fact{Type: kind, TeamID: &a.TeamID, Object: shown})
}
