package media_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/media"
)

// The cases of a sweep have their own store: a sweep sees everything.
func TestSweep(t *testing.T) {
	t.Parallel()
	for name, open := range blobStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sweepOrphans(storeTest{t, open(t)})
		})
	}
}

func sweepOrphans(t storeTest) {
	used, orphan := crier.NewID(), crier.NewID()
	put(t.T, t.blobs, media.Key{ID: used, Variant: media.VariantOriginal}, "in use")
	put(t.T, t.blobs, media.Key{ID: orphan, Variant: media.VariantOriginal}, "an orphan")
	put(t.T, t.blobs, media.Key{ID: orphan, Variant: media.VariantThumbnail}, "its thumbnail")
	inUse := func(_ context.Context, ids []crier.ID) (map[crier.ID]bool, error) {
		found := map[crier.ID]bool{}
		for _, id := range ids {
			found[id] = id == used
		}
		return found, nil
	}

	swept, err := media.Sweep(t.Context(), t.blobs, time.Now().Add(-time.Hour), inUse)
	if err != nil || swept != (media.Swept{}) {
		t.Errorf("young blobs: swept %+v, %v; want nothing", swept, err)
	}
	swept, err = media.Sweep(t.Context(), t.blobs, time.Now().Add(time.Hour), inUse)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(media.Swept{Blobs: 2, Bytes: 22}, swept); diff != "" {
		t.Error(diff)
	}
	for entry := range entries(t.T, t.blobs, "") {
		if entry.Key.ID != used {
			t.Errorf("%s is still there", entry.Key.Variant)
		}
	}
	if got := string(read(t.T, t.blobs, media.Key{ID: used, Variant: media.VariantOriginal})); got != "in use" {
		t.Errorf("the blob in use reads %q", got)
	}
}

// manyBlobs lists blobs that were never written; it implements only what a sweep uses.
type manyBlobs struct {
	media.Blobs
	keys    []media.Key
	deleted int
}

func (m *manyBlobs) List(context.Context, crier.ID) iter.Seq2[media.Entry, error] {
	return func(yield func(media.Entry, error) bool) {
		for _, key := range m.keys {
			if !yield(media.Entry{Key: key, Size: 1}, nil) {
				return
			}
		}
	}
}

func (m *manyBlobs) Delete(context.Context, media.Key) error {
	m.deleted++
	return nil
}

func TestSweepChecksInBatches(t *testing.T) {
	t.Parallel()
	blobs := &manyBlobs{}
	for range 1203 {
		blobs.keys = append(blobs.keys, newKey())
	}
	requests, largest := 0, 0
	away := errors.New("the database is away")
	swept, err := media.Sweep(t.Context(), blobs, time.Now(),
		func(_ context.Context, ids []crier.ID) (map[crier.ID]bool, error) {
			requests += len(ids)
			largest = max(largest, len(ids))
			if requests > 1000 {
				return nil, away
			}
			return nil, nil
		})
	if !errors.Is(err, away) || swept.Blobs != 1000 || blobs.deleted != 1000 || largest != 500 {
		t.Errorf("swept %+v (%d deleted) in batches of up to %d, %v; want 1000, 500 and the error of the database",
			swept, blobs.deleted, largest, err)
	}
}
