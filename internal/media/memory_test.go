package media_test

import (
	"io"
	"runtime"
	"testing"

	"crier"
	"crier/internal/media"
)

// zeros is a source without cost.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

const (
	largeFile  = 48 << 20
	mostMemory = 24 << 20
)

func TestLargeFilesUseLittleMemory(t *testing.T) {
	for name, open := range blobStores {
		t.Run(name, func(t *testing.T) {
			blobs, key := open(t), newKey()
			storing := allocated(t, func() error {
				_, err := media.Store(t.Context(), blobs, key, io.LimitReader(zeros{}, largeFile), largeFile)
				return err
			})
			reading := allocated(t, func() error {
				blob, err := blobs.Open(t.Context(), key)
				if err != nil {
					return err
				}
				defer blob.Close()
				_, err = io.Copy(io.Discard, blob)
				return err
			})
			if storing > mostMemory || reading > mostMemory {
				t.Errorf("storing %d MiB allocates %d MiB, reading it %d MiB", largeFile>>20, storing>>20, reading>>20)
			}
		})
	}
}

func TestLargeUploadsUseLittleMemory(t *testing.T) {
	uploads, upload := media.Uploads{Blobs: newDisk(t)}, crier.NewID()
	used := allocated(t, func() error {
		for start := int64(0); start < largeFile; start += media.DefaultChunkSize {
			chunk := media.Chunk{Start: start, Length: media.DefaultChunkSize, Total: largeFile}
			if _, err := uploads.Append(t.Context(), upload, chunk, io.LimitReader(zeros{}, chunk.Length)); err != nil {
				return err
			}
		}
		blob, err := uploads.Open(t.Context(), upload, largeFile)
		if err != nil {
			return err
		}
		defer blob.Close()
		return uploads.Blobs.Put(t.Context(), newKey(), blob, largeFile)
	})
	if used > mostMemory {
		t.Errorf("an upload of %d MiB allocates %d MiB", largeFile>>20, used>>20)
	}
}

// allocated returns how many bytes the process allocated, including freed ones, while work ran.
func allocated(t *testing.T, work func() error) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := work(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	t.Logf("allocated %d KiB", (after.TotalAlloc-before.TotalAlloc)>>10)
	return after.TotalAlloc - before.TotalAlloc
}
