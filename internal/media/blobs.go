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

// Key names a blob: the asset or upload that it belongs to, and which of its files it is.
type Key struct {
	ID      crier.ID
	Variant string // lower-case letters, digits and hyphens, at most 64
}

// The variants that assets have.
const (
	VariantOriginal  = "original"  // the bytes as they were uploaded
	VariantThumbnail = "thumbnail" // a small JPEG
	VariantJPEG      = "jpeg"      // the picture as a JPEG, for networks that take nothing else
	VariantSmall     = "small"     // the picture as a JPEG of at most 1080p, for networks that take nothing larger
)

var variantPattern = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// check refuses keys that could not be a file name: what reaches a path or an object name has passed here.
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

// Blob is an open blob. The context that it was opened with must live as long as it is read.
type Blob interface {
	io.ReadSeekCloser
	io.ReaderAt
	Size() int64
}

// Blobs is a place for files. A blob is seen whole or not at all: until Put has returned, under its key is what was
// there before. All methods are safe for concurrent use. Disk and S3 implement it.
type Blobs interface {
	// Put stores what r yields, in place of an earlier blob of the key. A size of -1 says that it is not known;
	// otherwise r must yield exactly that many bytes. When r fails, nothing is stored and the error wraps that of r.
	Put(ctx context.Context, key Key, r io.Reader, size int64) error
	// Open returns the blob, or ErrNotFound.
	Open(ctx context.Context, key Key) (Blob, error)
	// Size returns the number of bytes of the blob, or ErrNotFound.
	Size(ctx context.Context, key Key) (int64, error)
	// Delete removes the blob. One that does not exist is no error.
	Delete(ctx context.Context, key Key) error
	// List yields the blobs of one id, or those of all ids when it is empty, in no promised order but with the blobs
	// of an id together. After an error it ends.
	List(ctx context.Context, id crier.ID) iter.Seq2[Entry, error]
	// RemoveUnfinished removes what writes that died before the given time left behind.
	RemoveUnfinished(ctx context.Context, before time.Time) error
}

// ErrNotFound says that there is no blob under a key.
var ErrNotFound = errors.New("no such blob")

// Stored tells what Store has written.
type Stored struct {
	Size   int64
	SHA256 string // lower-case hex
}

// Store puts a stream of unknown length, measures and hashes it on the way. A stream of more than maxBytes is refused
// with ReasonTooLarge, and nothing is stored.
func Store(ctx context.Context, blobs Blobs, key Key, r io.Reader, maxBytes int64) (Stored, error) {
	hash := sha256.New()
	limited := &limitReader{r: r, left: maxBytes, max: maxBytes}
	if err := blobs.Put(ctx, key, io.TeeReader(limited, hash), -1); err != nil {
		return Stored{}, err
	}
	return Stored{Size: maxBytes - limited.left, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// DeleteAll removes every blob of an id.
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

// limitReader refuses, rather than hides, what comes after max bytes.
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

// byteCount writes a size for people.
func byteCount(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(n), 0
	for math.Round(value) >= 1024 && unit < len(units)-1 { // what is shown as 1024 KiB is 1 MiB
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.4g %s", value, units[unit])
}

// exactReader fails when its source does not yield exactly the promised bytes, and wraps the errors of the source: a
// library that takes io.ErrUnexpectedEOF for the end of the stream would store half a file as a whole one.
type exactReader struct {
	r      io.Reader
	size   int64 // -1: not known
	read   int64
	failed atomic.Pointer[error] // an HTTP client may go on reading while its caller has the answer already
}

func (e *exactReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.read += int64(n)
	switch {
	case e.size >= 0 && e.read > e.size:
		err = fmt.Errorf("blob has more than the promised %d bytes", e.size)
	case errors.Is(err, io.EOF) && e.size >= 0 && e.read < e.size:
		err = fmt.Errorf("blob has %d of the promised %d bytes: %w", e.read, e.size, io.ErrUnexpectedEOF)
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("read blob source: %w", err)
	default:
		return n, err
	}
	e.failed.Store(&err)
	return 0, err
}
