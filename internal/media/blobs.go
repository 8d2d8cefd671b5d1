package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"sync/atomic"
	"time"

	"crier"
)

// Key identifies a blob: the asset or upload it belongs to, and the variant of its file.
type Key struct {
	ID      crier.ID
	Variant string // lower-case letters, digits and hyphens, at most 64
}

// The variants of assets.
const (
	VariantOriginal  = "original"  // the bytes as uploaded
	VariantThumbnail = "thumbnail" // a small JPEG
	VariantJPEG      = "jpeg"      // the picture as a JPEG, for networks that accept nothing else
	VariantSmall     = "small"     // the picture as a JPEG of at most 1080p, for networks that accept nothing larger
)

var variantPattern = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// check rejects keys that are no valid file name: every path and object name is checked here.
func (k Key) check() error {
	if id, ok := crier.ParseID(string(k.ID)); !ok || id != k.ID {
		return fmt.Errorf("blob id %q is not a lower-case UUID", k.ID)
	}
	if !variantPattern.MatchString(k.Variant) {
		return fmt.Errorf("blob variant %q is not of lower-case letters, digits and hyphens", k.Variant)
	}
	return nil
}

// Entry is a stored blob in a listing.
type Entry struct {
	Key      Key
	Size     int64
	StoredAt time.Time
}

// Blob is an open blob. The context it was opened with must stay valid while it is read.
type Blob interface {
	io.ReadSeekCloser
	io.ReaderAt
	Size() int64
}

// Blobs stores files. Writes are atomic: until Put has returned, the key holds the previous blob. All methods are safe
// for concurrent use. Disk and S3 implement it.
type Blobs interface {
	// Put stores the bytes of r and replaces the previous blob of the key. A size of -1 means unknown; otherwise r must
	// yield exactly that many bytes. If r fails, nothing is stored and the error wraps that of r.
	Put(ctx context.Context, key Key, r io.Reader, size int64) error
	// Open returns the blob, or ErrNotFound.
	Open(ctx context.Context, key Key) (Blob, error)
	// Size returns the size of the blob in bytes, or ErrNotFound.
	Size(ctx context.Context, key Key) (int64, error)
	// Delete deletes the blob. A missing blob is no error.
	Delete(ctx context.Context, key Key) error
	// List yields the blobs of one id, or of all ids if it is empty, in no particular order but grouped by id. It stops
	// after an error.
	List(ctx context.Context, id crier.ID) iter.Seq2[Entry, error]
	// RemoveUnfinished removes the leftovers of writes that were aborted before the given time.
	RemoveUnfinished(ctx context.Context, before time.Time) error
}

// ErrNotFound means that there is no blob with the key.
var ErrNotFound = errors.New("no such blob")

// Stored is the result of Store.
type Stored struct {
	Size   int64
	SHA256 string // lower-case hex
}

// Store stores a stream of unknown length, measuring and hashing it on the way. A stream of more than maxBytes is
// rejected with ReasonTooLarge, and nothing is stored.
func Store(ctx context.Context, blobs Blobs, key Key, r io.Reader, maxBytes int64) (Stored, error) {
	hash := sha256.New()
	limited := &limitReader{r: r, left: maxBytes, max: maxBytes}
	if err := blobs.Put(ctx, key, io.TeeReader(limited, hash), -1); err != nil {
		return Stored{}, err
	}
	return Stored{Size: maxBytes - limited.left, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// DeleteAll deletes all blobs of an id.
func DeleteAll(ctx context.Context, blobs Blobs, id crier.ID) error {
	for entry, err := range blobs.List(ctx, id) {
		if err != nil {
			return err
		}
		if err := blobs.Delete(ctx, entry.Key); err != nil {
			return err
		}
	}
	return nil
}

// limitReader fails after max bytes instead of truncating.
type limitReader struct {
	r         io.Reader
	left, max int64
}

func (l *limitReader) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		l.left = 0
		return 0, refuse(ReasonTooLarge, "The file is larger than the allowed %s.", byteCount(l.max))
	}
	l.left -= int64(n)
	return n, err
}

// byteCount formats a size for people.
func byteCount(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(n), 0
	for math.Round(value) >= 1024 && unit < len(units)-1 { // 1024 KiB are displayed as 1 MiB
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.4g %s", value, units[unit])
}

// exactReader fails if its source does not yield exactly the promised bytes, and wraps the errors of the source: a
// library that mistakes io.ErrUnexpectedEOF for the end of the stream would store a truncated file.
type exactReader struct {
	r      io.Reader
	size   int64 // -1: unknown
	read   int64
	failed atomic.Pointer[error] // an HTTP client may still be reading after its caller has the response
}

func (e *exactReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.read += int64(n)
	switch {
	case e.size >= 0 && e.read > e.size:
		err = fmt.Errorf("blob has more than the declared %d bytes", e.size)
	case errors.Is(err, io.EOF) && e.size >= 0 && e.read < e.size:
		err = fmt.Errorf("blob has %d of the declared %d bytes: %w", e.read, e.size, io.ErrUnexpectedEOF)
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("read blob source: %w", err)
	default:
		return n, err
	}
	e.failed.Store(&err)
	return 0, err
}
