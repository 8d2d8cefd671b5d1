package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
)

// blobStores are the implementations that the suite runs on.
var blobStores = map[string]func(t *testing.T) media.Blobs{
	"disk": newDisk,
	"s3":   newS3,
}

func newDisk(t *testing.T) media.Blobs {
	t.Helper()
	disk, err := media.NewDisk(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
	return disk
}

func newS3(t *testing.T) media.Blobs {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out the S3 server")
	}
	server := mediatest.StartS3(t)
	s3, err := media.NewS3(t.Context(), media.S3Options{Endpoint: server.Endpoint, Bucket: server.Bucket,
		Prefix:    "media",
		AccessKey: server.AccessKey, SecretKey: server.SecretKey, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	return s3
}

// storeTest is a test on one implementation.
type storeTest struct {
	*testing.T
	blobs media.Blobs
}

// onBothStores runs the cases of a suite on every implementation. The cases share a store and use their own keys.
func onBothStores(t *testing.T, cases map[string]func(t storeTest)) {
	t.Helper()
	for name, open := range blobStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			blobs := open(t)
			t.Run("cases", func(t *testing.T) {
				for name, run := range cases {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						run(storeTest{t, blobs})
					})
				}
			})
		})
	}
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	onBothStores(t, map[string]func(t storeTest){
		"a stored blob reads back":                     blobReadsBack,
		"ranges and seeking":                           blobRanges,
		"a blob of several S3 parts reads back":        blobOfManyParts,
		"a missing blob is ErrNotFound":                blobMissing,
		"a second put replaces the first":              blobReplaced,
		"a source that fails leaves nothing":           blobSourceFails,
		"a source that is cut off leaves the old blob": blobSourceCutOff,
		"a source of another length leaves nothing":    blobWrongLength,
		"deleting is idempotent":                       blobDeleted,
		"a listing has the blobs of one id":            blobListed,
		"keys that could be paths are refused":         blobKeys,
		"Store measures and hashes":                    storeMeasures,
		"Store refuses what is too large":              storeTooLarge,
		"an empty blob is a blob":                      blobEmpty,
		"a cancelled put leaves nothing":               blobCancelled,
	})
}

func newKey() media.Key { return media.Key{ID: crier.NewID(), Variant: media.VariantOriginal} }

func put(t *testing.T, blobs media.Blobs, key media.Key, content string) {
	t.Helper()
	if err := blobs.Put(t.Context(), key, strings.NewReader(content), int64(len(content))); err != nil {
		t.Fatalf("put: %v", err)
	}
}

func read(t *testing.T, blobs media.Blobs, key media.Key) []byte {
	t.Helper()
	blob, err := blobs.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer blob.Close()
	content, err := io.ReadAll(blob)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if blob.Size() != int64(len(content)) {
		t.Errorf("Size() = %d, read %d bytes", blob.Size(), len(content))
	}
	return content
}

func wantMissing(t *testing.T, blobs media.Blobs, key media.Key) {
	t.Helper()
	if _, err := blobs.Size(context.WithoutCancel(t.Context()), key); !errors.Is(err, media.ErrNotFound) {
		t.Errorf("size of a blob that must not exist: error %v, want ErrNotFound", err)
	}
}

func blobReadsBack(t storeTest) {
	key := newKey()
	put(t.T, t.blobs, key, "a picture")
	if got := string(read(t.T, t.blobs, key)); got != "a picture" {
		t.Errorf("read %q", got)
	}
	size, err := t.blobs.Size(t.Context(), key)
	if err != nil || size != 9 {
		t.Errorf("Size = %d, %v; want 9", size, err)
	}
}

func blobEmpty(t storeTest) {
	key := newKey()
	put(t.T, t.blobs, key, "")
	if got := read(t.T, t.blobs, key); len(got) != 0 {
		t.Errorf("read %d bytes of an empty blob", len(got))
	}
}

func blobRanges(t storeTest) {
	key := newKey()
	put(t.T, t.blobs, key, "0123456789")
	blob, err := t.blobs.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	middle := make([]byte, 4)
	if _, err := blob.ReadAt(middle, 3); err != nil || string(middle) != "3456" {
		t.Errorf("ReadAt 3: %q, %v", middle, err)
	}
	if n, err := blob.ReadAt(middle, 8); n != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("ReadAt over the end: %d bytes, %v; want 2, EOF", n, err)
	}
	if at, err := blob.Seek(-3, io.SeekEnd); at != 7 || err != nil {
		t.Errorf("Seek: %d, %v; want 7", at, err)
	}
	rest, err := io.ReadAll(blob)
	if err != nil || string(rest) != "789" {
		t.Errorf("after seeking: %q, %v", rest, err)
	}
}

func blobOfManyParts(t storeTest) {
	content := bytes.Repeat([]byte("crier media "), 3<<19) // 18 MiB: three parts
	want := sha256.Sum256(content)
	for name, size := range map[string]int64{"known size": int64(len(content)), "unknown size": -1} {
		key := newKey()
		if err := t.blobs.Put(t.Context(), key, iotest.HalfReader(bytes.NewReader(content)), size); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := sha256.Sum256(read(t.T, t.blobs, key)); got != want {
			t.Errorf("%s: other bytes came back", name)
		}
	}
}

func blobMissing(t storeTest) {
	key := newKey()
	wantMissing(t.T, t.blobs, key)
	if _, err := t.blobs.Open(t.Context(), key); !errors.Is(err, media.ErrNotFound) {
		t.Errorf("open: %v, want ErrNotFound", err)
	}
}

func blobReplaced(t storeTest) {
	key := newKey()
	put(t.T, t.blobs, key, "the old one")
	put(t.T, t.blobs, key, "new")
	if got := string(read(t.T, t.blobs, key)); got != "new" {
		t.Errorf("read %q", got)
	}
}

func blobSourceFails(t storeTest) {
	broken := errors.New("the client is gone")
	for name, length := range map[string]int{"at once": 0, "in the first part": 1000, "in a later part": 9 << 20} {
		for _, size := range []int64{-1, 10 << 20} {
			key := newKey()
			source := io.MultiReader(bytes.NewReader(make([]byte, length)), iotest.ErrReader(broken))
			if err := t.blobs.Put(t.Context(), key, source, size); !errors.Is(err, broken) {
				t.Errorf("%s, size %d: error %v does not wrap that of the source", name, size, err)
			}
			wantMissing(t.T, t.blobs, key)
		}
	}
}

// A truncated HTTP body ends with io.ErrUnexpectedEOF, which a reader of chunks may mistake for the end.
func blobSourceCutOff(t storeTest) {
	for _, size := range []int64{-1, 3000} {
		key := newKey()
		put(t.T, t.blobs, key, "the old one")
		source := io.MultiReader(bytes.NewReader(make([]byte, 1000)), iotest.ErrReader(io.ErrUnexpectedEOF))
		if err := t.blobs.Put(t.Context(), key, source, size); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("size %d: error %v, want that of the source", size, err)
		}
		if got := string(read(t.T, t.blobs, key)); got != "the old one" {
			t.Errorf("size %d: %d other bytes under the key", size, len(got))
		}
	}
}

func blobWrongLength(t storeTest) {
	for name, size := range map[string]int64{"too short": 11, "too long": 9} {
		key := newKey()
		if err := t.blobs.Put(t.Context(), key, strings.NewReader("ten bytes."), size); err == nil {
			t.Errorf("%s: stored", name)
		}
		wantMissing(t.T, t.blobs, key)
	}
}

func blobCancelled(t storeTest) {
	key := newKey()
	ctx, cancel := context.WithCancel(t.Context())
	source := io.MultiReader(bytes.NewReader(make([]byte, 9<<20)), readerFunc(func(p []byte) (int, error) {
		cancel()
		return len(p), nil
	}))
	if err := t.blobs.Put(ctx, key, source, -1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	wantMissing(t.T, t.blobs, key)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func blobDeleted(t storeTest) {
	key := newKey()
	put(t.T, t.blobs, key, "gone soon")
	for range 2 {
		if err := t.blobs.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	wantMissing(t.T, t.blobs, key)
}

func blobListed(t storeTest) {
	id := crier.NewID()
	put(t.T, t.blobs, media.Key{ID: id, Variant: media.VariantOriginal}, "12345")
	put(t.T, t.blobs, media.Key{ID: id, Variant: media.VariantThumbnail}, "123")
	put(t.T, t.blobs, newKey(), "of another asset")
	got := map[string]int64{}
	for entry := range entries(t.T, t.blobs, id) {
		if entry.Key.ID != id {
			t.Errorf("listed a blob of another id")
		}
		if age := time.Since(entry.StoredAt); age < -time.Minute || age > time.Hour {
			t.Errorf("stored at %s", entry.StoredAt)
		}
		got[entry.Key.Variant] = entry.Size
	}
	want := map[string]int64{media.VariantOriginal: 5, media.VariantThumbnail: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := media.DeleteAll(t.Context(), t.blobs, id); err != nil {
		t.Fatal(err)
	}
	for entry := range entries(t.T, t.blobs, id) {
		t.Errorf("%s is still there", entry.Key.Variant)
	}
}

// entries lists blobs and fails the test on an error.
func entries(t *testing.T, blobs media.Blobs, id crier.ID) iter.Seq[media.Entry] {
	t.Helper()
	return func(yield func(media.Entry) bool) {
		for entry, err := range blobs.List(t.Context(), id) {
			if err != nil {
				t.Fatalf("list: %v", err)
			}
			if !yield(entry) {
				return
			}
		}
	}
}

func blobKeys(t storeTest) {
	id := crier.NewID()
	keys := []media.Key{
		{}, {ID: id}, {ID: "../../etc/passwd", Variant: "original"}, {ID: id, Variant: "../original"},
		{ID: id, Variant: "a/b"}, {ID: id, Variant: "Original"}, {ID: id, Variant: strings.Repeat("a", 65)},
		{ID: crier.ID(strings.ToUpper(string(id))), Variant: "original"},
	}
	for _, key := range keys {
		if err := t.blobs.Put(t.Context(), key, strings.NewReader("x"), 1); err == nil {
			t.Errorf("put under %q", key)
		}
		if _, err := t.blobs.Open(t.Context(), key); err == nil || errors.Is(err, media.ErrNotFound) {
			t.Errorf("open %q: %v", key, err)
		}
		if err := t.blobs.Delete(t.Context(), key); err == nil {
			t.Errorf("deleted %q", key)
		}
	}
}

func storeMeasures(t storeTest) {
	key, content := newKey(), "exactly these bytes"
	stored, err := media.Store(t.Context(), t.blobs, key, strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	want := media.Stored{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	if stored != want {
		t.Errorf("got %+v, want %+v", stored, want)
	}
}

func storeTooLarge(t storeTest) {
	key := newKey()
	_, err := media.Store(t.Context(), t.blobs, key, strings.NewReader("eleven byte"), 10)
	wantRefusal(t.T, err, media.ReasonTooLarge)
	wantMissing(t.T, t.blobs, key)
}

// wantRefusal checks that an error is a refusal for a reason, with a message for people.
func wantRefusal(t *testing.T, err error, reason media.Reason) {
	t.Helper()
	var refusal *media.Refusal
	if !errors.As(err, &refusal) {
		t.Errorf("error %v, want a refusal (%s)", err, reason)
		return
	}
	if refusal.Reason != reason {
		t.Errorf("refused as %s (%s), want %s", refusal.Reason, refusal.Message, reason)
	}
	if !strings.HasSuffix(refusal.Message, ".") || len(refusal.Message) < 15 {
		t.Errorf("message %q is no sentence", refusal.Message)
	}
}

func TestUnfinishedWritesAreRemoved(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	disk, err := media.NewDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	leftover := filepath.Join(folder, "tmp", "half-written")
	if err := os.WriteFile(leftover, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := disk.RemoveUnfinished(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(leftover); err != nil {
		t.Error("removed a write that may still be going on")
	}
	if err := disk.RemoveUnfinished(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(leftover); !os.IsNotExist(err) {
		t.Errorf("the leftover is still there: %v", err)
	}
}

func TestDiskPathsStayInsideTheFolder(t *testing.T) {
	t.Parallel()
	folder, outside := t.TempDir(), t.TempDir()
	disk, err := media.NewDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	key := newKey()
	id := string(key.ID)
	if err := os.Mkdir(filepath.Join(folder, "blobs", id[32:34]), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "blobs", id[32:34], id[34:])); err != nil {
		t.Fatal(err)
	}
	if err := disk.Put(t.Context(), key, strings.NewReader("x"), 1); err == nil {
		t.Error("wrote through a link that leads out of the folder")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 0 {
		t.Errorf("the folder outside has %d files, %v", len(left), err)
	}
}

func TestS3OptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"", "s3.example.com", "ftp://s3.example.com", "https://"} {
		if _, err := media.NewS3(t.Context(), media.S3Options{Endpoint: endpoint, Bucket: "crier"}); err == nil {
			t.Errorf("took the endpoint %q", endpoint)
		}
	}
}
