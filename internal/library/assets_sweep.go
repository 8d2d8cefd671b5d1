package library

import (
	"context"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/store"
)

const (
	// assetRetention is how long the files of a deleted asset are kept.
	assetRetention = 30 * 24 * time.Hour
	// orphanRetention is how long files without an owner are kept: a file is stored before its asset is written.
	orphanRetention = 24 * time.Hour
	// sweepBatch is the maximum number of rows per query.
	sweepBatch = 100
)

// Sweep removes expired uploads, the files of assets deleted long ago, and files orphaned by a crash. It runs as a job.
func (s *Assets) Sweep(ctx context.Context) error {
	if err := s.sweepUploads(ctx); err != nil {
		return err
	}
	if err := s.purgeDeleted(ctx); err != nil {
		return err
	}
	swept, err := media.Sweep(ctx, s.blobs, s.clock().Add(-orphanRetention), s.store.MediaInUse)
	if swept.Blobs > 0 {
		s.log.InfoContext(ctx, "removed orphaned files", "files", swept.Blobs, "bytes", swept.Bytes)
	}
	return err
}

// sweepUploads removes the row first, then the chunks: orphaned chunks are found again, while a row without chunks
// would claim bytes that are gone.
func (s *Assets) sweepUploads(ctx context.Context) error {
	return s.inBatches(ctx, func() ([]crier.ID,
		error) {
		return s.store.ExpiredUploads(ctx, s.clock.Now(), sweepBatch)
	},
		func(id crier.ID) error {
			if err := s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.DeleteUpload(ctx, id) }); err != nil {
				return err
			}
			return media.DeleteAll(ctx, s.blobs, id)
		})
}

// purgeDeleted removes the files first, then the row, without which they would not be found again.
func (s *Assets) purgeDeleted(ctx context.Context) error {
	before := crier.TimeOf(s.clock().Add(-assetRetention))
	return s.inBatches(ctx, func() ([]crier.ID, error) { return s.store.AssetsToPurge(ctx, before, sweepBatch) },
		func(id crier.ID) error {
			if err := media.DeleteAll(ctx, s.blobs, id); err != nil {
				return err
			}
			return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.PurgeAsset(ctx, id, s.clock.Now()) })
		})
}

// inBatches calls do for everything that find returns, until it returns nothing.
func (s *Assets) inBatches(ctx context.Context, find func() ([]crier.ID, error), do func(crier.ID) error) error {
	for {
		ids, err := find()
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := do(id); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
