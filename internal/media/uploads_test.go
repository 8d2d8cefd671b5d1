package media_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
)

func TestUploads(t *testing.T) {
	t.Parallel()
	onBothStores(t, map[string]func(t storeTest){
		"chunks become one file":                           uploadInChunks,
		"a crash within a chunk leaves what was before it": uploadCrash,
		"a chunk must continue the upload":                 uploadOffset,
		"an upload that lacks bytes cannot be opened":      uploadIncomplete,
		"two clients on one session leave one file":        uploadTwoClients,
		"a discarded upload starts anew":                   uploadDiscarded,
		"a video can be probed before it is an asset":      uploadProbed,
	})
}

// randomBytes returns a file in which no two ranges are alike.
func randomBytes(size int) []byte {
	content := make([]byte, size)
	random := rand.NewChaCha8([32]byte{7})
	if _, err := random.Read(content); err != nil {
		panic(err)
	}
	return content
}

func wantNext(t *testing.T, uploads media.Uploads, upload crier.ID, want int64) {
	t.Helper()
	next, err := uploads.NextByteStart(t.Context(), upload)
	if err != nil || next != want {
		t.Errorf("NextByteStart = %d, %v; want %d", next, err, want)
	}
}

func appendChunk(t *testing.T, uploads media.Uploads, upload crier.ID, file []byte, start, length int) {
	t.Helper()
	chunk := media.Chunk{Start: int64(start), Length: int64(length), Total: int64(len(file))}
	next, err := uploads.Append(t.Context(), upload, chunk, bytes.NewReader(file[start:start+length]))
	if err != nil || next != int64(start+length) {
		t.Fatalf("append at %d: next %d, %v", start, next, err)
	}
}

func openUpload(t *testing.T, uploads media.Uploads, upload crier.ID, file []byte) media.Blob {
	t.Helper()
	blob, err := uploads.Open(t.Context(), upload, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := blob.Close(); err != nil {
			t.Error(err)
		}
	})
	return blob
}

func uploadInChunks(t storeTest) {
	const chunk = media.MinChunkSize
	file, upload := randomBytes(3*chunk+1000), crier.NewID()
	wantNext(t.T, media.Uploads{Blobs: t.blobs}, upload, 0)
	for start := 0; start < len(file); start += chunk {
		// Every chunk uses a new Uploads, as after a restart of the server.
		appendChunk(t.T, media.Uploads{Blobs: t.blobs}, upload, file, start, min(chunk, len(file)-start))
	}
	blob := openUpload(t.T, media.Uploads{Blobs: t.blobs}, upload, file)
	acrossChunks := make([]byte, 2*chunk)
	if _, err := blob.ReadAt(acrossChunks, chunk/2); err != nil ||
		!bytes.Equal(acrossChunks, file[chunk/2:][:2*chunk]) {
		t.Errorf("ReadAt over chunk borders: %v, or other bytes", err)
	}
	key := media.Key{ID: upload, Variant: media.VariantOriginal}
	if err := t.blobs.Put(t.Context(), key, blob, blob.Size()); err != nil {
		t.Fatal(err)
	}
	if sha256.Sum256(read(t.T, t.blobs, key)) != sha256.Sum256(file) {
		t.Error("the file is not what was uploaded")
	}
}

func uploadCrash(t storeTest) {
	uploads, upload := media.Uploads{Blobs: t.blobs}, crier.NewID()
	file := randomBytes(2 * media.MinChunkSize)
	appendChunk(t.T, uploads, upload, file, 0, media.MinChunkSize)
	cut := io.MultiReader(bytes.NewReader(file[media.MinChunkSize:][:1000]), iotest.ErrReader(io.ErrUnexpectedEOF))
	chunk := media.Chunk{Start: media.MinChunkSize, Length: media.MinChunkSize, Total: int64(len(file))}
	if _, err := uploads.Append(t.Context(), upload, chunk, cut); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want that of the connection", err)
	}
	wantNext(t.T, uploads, upload, media.MinChunkSize)
	appendChunk(t.T, uploads, upload, file, media.MinChunkSize, media.MinChunkSize)
	content, err := io.ReadAll(openUpload(t.T, uploads, upload, file))
	if err != nil || !bytes.Equal(content, file) {
		t.Errorf("the file is not what was uploaded: %v", err)
	}
}

func uploadOffset(t storeTest) {
	uploads, upload := media.Uploads{Blobs: t.blobs}, crier.NewID()
	file := randomBytes(3 * media.MinChunkSize)
	appendChunk(t.T, uploads, upload, file, 0, media.MinChunkSize)
	for _, start := range []int64{0, 1, 2 * media.MinChunkSize} {
		chunk := media.Chunk{Start: start, Length: media.MinChunkSize, Total: int64(len(file))}
		_, err := uploads.Append(t.Context(), upload, chunk, bytes.NewReader(file[:media.MinChunkSize]))
		var offset *media.OffsetError
		if !errors.As(err, &offset) || offset.NextByteStart != media.MinChunkSize {
			t.Errorf("chunk at %d: error %v, want an OffsetError at %d", start, err, media.MinChunkSize)
		}
	}
	wantNext(t.T, uploads, upload, media.MinChunkSize)
}

func uploadIncomplete(t storeTest) {
	uploads, upload := media.Uploads{Blobs: t.blobs}, crier.NewID()
	file := randomBytes(2 * media.MinChunkSize)
	appendChunk(t.T, uploads, upload, file, 0, media.MinChunkSize)
	_, err := uploads.Open(t.Context(), upload, int64(len(file)))
	var offset *media.OffsetError
	if !errors.As(err, &offset) || offset.NextByteStart != media.MinChunkSize {
		t.Errorf("error %v, want an OffsetError at %d", err, media.MinChunkSize)
	}
}

// The second client's chunks start at the same offsets as the first one's, or at offsets that are not contiguous.
func uploadTwoClients(t storeTest) {
	uploads, upload := media.Uploads{Blobs: t.blobs}, crier.NewID()
	const chunk = media.MinChunkSize
	file := randomBytes(3 * chunk)
	appendChunk(t.T, uploads, upload, file, 0, chunk)
	stray := media.Key{ID: upload, Variant: "chunk-0000000000007"}
	if err := t.blobs.Put(t.Context(), stray, bytes.NewReader(file[:chunk]), chunk); err != nil {
		t.Fatal(err)
	}
	wantNext(t.T, uploads, upload, chunk)
	appendChunk(t.T, uploads, upload, file, chunk, 2*chunk)
	content, err := io.ReadAll(openUpload(t.T, uploads, upload, file))
	if err != nil || !bytes.Equal(content, file) {
		t.Errorf("the file is not what was uploaded: %v", err)
	}
}

func uploadDiscarded(t storeTest) {
	uploads, upload := media.Uploads{Blobs: t.blobs}, crier.NewID()
	appendChunk(t.T, uploads, upload, randomBytes(100), 0, 100)
	if err := uploads.Discard(t.Context(), upload); err != nil {
		t.Fatal(err)
	}
	wantNext(t.T, uploads, upload, 0)
}

func uploadProbed(t storeTest) {
	uploads, upload := media.Uploads{Blobs: t.blobs}, crier.NewID()
	file := mediatest.MP4(mediatest.Video{Seconds: 40, Audio: true, MoovLast: true})
	for start := 0; start < len(file); start += media.MinChunkSize {
		appendChunk(t.T, uploads, upload, file, start, min(media.MinChunkSize, len(file)-start))
	}
	blob := openUpload(t.T, uploads, upload, file)
	info, err := media.Probe(t.Context(), blob, blob.Size())
	if err != nil || info.DurationSeconds != 40 {
		t.Errorf("probed %+v, %v", info, err)
	}
}

func TestUnexpectedChunksAreRejected(t *testing.T) {
	t.Parallel()
	uploads := media.Uploads{Blobs: newDisk(t)}
	const total = 100 << 20
	cases := map[string]media.Chunk{
		"before the file":         {Start: -1, Length: media.MinChunkSize, Total: total},
		"over the end":            {Start: total - 10, Length: 11, Total: total},
		"empty":                   {Start: 0, Length: 0, Total: total},
		"too large":               {Start: 0, Length: media.MaxChunkSize + 1, Total: total},
		"a number that overflows": {Start: 1<<63 - 5, Length: 10, Total: total},
	}
	for name, chunk := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := uploads.Append(t.Context(), crier.NewID(), chunk, bytes.NewReader(nil))
			wantRefusal(t, err, media.ReasonChunk)
		})
	}
}

func TestChunkCountIsBounded(t *testing.T) {
	t.Parallel()
	uploads := media.Uploads{Blobs: newDisk(t)}
	upload := crier.NewID()
	file := randomBytes(3000)
	for start := range 1000 {
		appendChunk(t, uploads, upload, file, start, 1)
	}
	wantNext(t, uploads, upload, 1000)
	_, err := uploads.Append(t.Context(), upload, media.Chunk{Start: 1000, Length: 1999, Total: 3000},
		bytes.NewReader(file[1000:2999]))
	wantRefusal(t, err, media.ReasonChunk)
	appendChunk(t, uploads, upload, file, 1000, 2000)
	wantNext(t, uploads, upload, 3000)
}
