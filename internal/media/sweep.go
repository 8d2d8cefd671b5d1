package media

import (
	"context"
	"time"

	"crier"
)

// InUse returns which of the given asset and upload ids still exist. It is called with some hundred ids at a time.
type InUse func(ctx context.Context, ids []crier.ID) (map[crier.ID]bool, error)

// sweepBatch is the number of ids per call of InUse.
const sweepBatch = 500

// Swept counts what a sweep removed.
type Swept struct {
	Blobs int
	Bytes int64
}

// Sweep removes the blobs that belong to nothing: of rejected files, deleted assets, abandoned uploads and processes
// that died. Blobs stored after the given time are kept, because their record may not be written yet.
func Sweep(ctx context.Context, blobs Blobs, before time.Time, inUse InUse) (Swept, error) {
	s := sweeper{blobs: blobs, inUse: inUse}
	for entry, err := range blobs.List(ctx, "") {
		if err != nil {
			return s.swept, err
		}
		if !entry.StoredAt.Before(before) {
			continue
		}
		if err := s.add(ctx, entry); err != nil {
			return s.swept, err
		}
	}
	if err := s.flush(ctx); err != nil {
		return s.swept, err
	}
	return s.swept, blobs.RemoveUnfinished(ctx, before)
}

// sweeper collects old blobs until there are enough ids for a call of InUse.
type sweeper struct {
	blobs   Blobs
	inUse   InUse
	ids     []crier.ID
	entries []Entry
	swept   Swept
}

func (s *sweeper) add(ctx context.Context, entry Entry) error {
	if len(s.ids) == 0 || s.ids[len(s.ids)-1] != entry.Key.ID {
		if len(s.ids) == sweepBatch {
			if err := s.flush(ctx); err != nil {
				return err
			}
		}
		s.ids = append(s.ids, entry.Key.ID)
	}
	s.entries = append(s.entries, entry)
	return nil
}

// flush removes the collected blobs that are not in use.
func (s *sweeper) flush(ctx context.Context) error {
	if len(s.ids) == 0 {
		return nil
	}
	used, err := s.inUse(ctx, s.ids)
	if err != nil {
		return err
	}
	for _, entry := range s.entries {
		if used[entry.Key.ID] {
			continue
		}
		if err := s.blobs.Delete(ctx, entry.Key); err != nil {
			return err
		}
		s.swept.Blobs++
		s.swept.Bytes += entry.Size
	}
	s.ids, s.entries = nil, nil
	return nil
}
