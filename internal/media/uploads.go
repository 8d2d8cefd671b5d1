package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"crier"
)

// The sizes of a chunk. The minimum bounds the number of chunks of a large file: it applies once an upload has many
// chunks, and never to the last one.
const (
	MinChunkSize     = 256 << 10
	DefaultChunkSize = 8 << 20
	MaxChunkSize     = 64 << 20

	manyChunks = 1000
)

// Uploads stores the chunks of incomplete uploads. Each chunk is a blob of its own, named by its offset, so that the
// same rule works on disk and S3: a chunk counts once its blob is complete. A crash in the middle of a chunk, or a
// client that disappears, leaves the upload at the start of the chunk; any node that sees the same blobs can continue
// it; and no part of the file exists under the name of an asset before the file is complete.
//
// Session data (file name, declared type, expiry) is up to the caller: Uploads handles bytes only.
type Uploads struct {
	Blobs Blobs
}

// Chunk is one chunk of an upload.
type Chunk struct {
	Start  int64 // offset of its first byte in the file
	Length int64
	Total  int64 // size of the whole file
}

// check rejects chunks that are invalid in any session.
func (c Chunk) check() error {
	switch {
	case c.Start < 0 || c.Length <= 0 || c.Start > c.Total-c.Length:
		return refuse(ReasonChunk, "%d bytes from %d on are not a part of a file of %d bytes.", c.Length, c.Start,
			c.Total)
	case c.Length > MaxChunkSize:
		return refuse(ReasonChunk, "A chunk may have at most %s.", byteCount(MaxChunkSize))
	}
	return nil
}

// checkSize rejects a small chunk after many.
func (c Chunk) checkSize(before int) error {
	if before >= manyChunks && c.Length < MinChunkSize && c.Start+c.Length < c.Total {
		return refuse(ReasonChunk, "After %d chunks, a chunk must have at least %s, except the last one.", manyChunks,
			byteCount(MinChunkSize))
	}
	return nil
}

// OffsetError means that a chunk does not continue the upload at its current end.
type OffsetError struct {
	NextByteStart int64
}

// Error says where to continue.
func (e *OffsetError) Error() string {
	return fmt.Sprintf("the upload continues at byte %d", e.NextByteStart)
}

const chunkPrefix = "chunk-"

func chunkKey(upload crier.ID, start int64) Key {
	return Key{ID: upload, Variant: fmt.Sprintf("%s%013d", chunkPrefix, start)}
}

// NextByteStart returns how many bytes of the upload are stored without a gap.
func (u Uploads) NextByteStart(ctx context.Context, upload crier.ID) (int64, error) {
	chunks, err := u.chunks(ctx, upload)
	return end(chunks), err
}

// Append stores a chunk that continues the upload and returns the new NextByteStart. A chunk that starts elsewhere is
// an *OffsetError; one whose body does not have exactly its length is not stored.
func (u Uploads) Append(ctx context.Context, upload crier.ID, c Chunk, body io.Reader) (int64, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	before, err := u.chunks(ctx, upload)
	if err != nil {
		return 0, err
	}
	if next := end(before); c.Start != next {
		return 0, &OffsetError{NextByteStart: next}
	}
	if err := c.checkSize(len(before)); err != nil {
		return 0, err
	}
	if err := u.Blobs.Put(ctx, chunkKey(upload, c.Start), body, c.Length); err != nil {
		return 0, fmt.Errorf("store chunk: %w", err)
	}
	return c.Start + c.Length, nil
}

// Open returns the chunks of a complete upload as one file, or an *OffsetError if bytes are missing.
func (u Uploads) Open(ctx context.Context, upload crier.ID, total int64) (Blob, error) {
	chunks, err := u.chunks(ctx, upload)
	if err != nil {
		return nil, err
	}
	if end(chunks) != total {
		return nil, &OffsetError{NextByteStart: end(chunks)}
	}
	joined := &joinedChunks{ctx: ctx, blobs: u.Blobs, chunks: chunks}
	return &joinedBlob{SectionReader: io.NewSectionReader(joined, 0, total), joined: joined}, nil
}

// Discard deletes all chunks of an upload.
func (u Uploads) Discard(ctx context.Context, upload crier.ID) error {
	return DeleteAll(ctx, u.Blobs, upload)
}

// placedChunk is a stored chunk and its offset in the file.
type placedChunk struct {
	key         Key
	start, size int64
}

func end(chunks []placedChunk) int64 {
	if len(chunks) == 0 {
		return 0
	}
	last := chunks[len(chunks)-1]
	return last.start + last.size
}

// chunks returns the stored chunks that are contiguous from the start of the file. Others, left by two clients that
// sent to one session at once, are ignored.
func (u Uploads) chunks(ctx context.Context, upload crier.ID) ([]placedChunk, error) {
	var stored []placedChunk
	for entry, err := range u.Blobs.List(ctx, upload) {
		if err != nil {
			return nil, err
		}
		place, ok := strings.CutPrefix(entry.Key.Variant, chunkPrefix)
		start, err := strconv.ParseInt(place, 10, 64)
		if ok && err == nil {
			stored = append(stored, placedChunk{entry.Key, start, entry.Size})
		}
	}
	slices.SortFunc(stored, func(a, b placedChunk) int { return strings.Compare(a.key.Variant, b.key.Variant) })
	var connected []placedChunk
	for _, c := range stored {
		if c.start == end(connected) {
			connected = append(connected, c)
		}
	}
	return connected, nil
}

// joinedBlob reads contiguous chunks as one file.
type joinedBlob struct {
	*io.SectionReader
	joined *joinedChunks
}

// Close closes the open chunk.
func (b *joinedBlob) Close() error { return b.joined.close() }

// joinedChunks keeps the chunk open that was read last: a sequential reader opens each one once.
type joinedChunks struct {
	ctx    context.Context //nolint:containedctx // of Open: it bounds the lifetime of the blob
	blobs  Blobs
	chunks []placedChunk

	mu      sync.Mutex
	open    Blob
	current int
}

// ReadAt implements io.ReaderAt.
func (j *joinedChunks) ReadAt(p []byte, at int64) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	read := 0
	for read < len(p) {
		n, err := j.readChunk(p[read:], at+int64(read))
		read += n
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

// readChunk reads from the chunk at an offset, at most to its end.
func (j *joinedChunks) readChunk(p []byte, at int64) (int, error) {
	number := sort.Search(len(j.chunks), func(i int) bool { return j.chunks[i].start > at }) - 1
	if at >= end(j.chunks) || number < 0 {
		return 0, io.EOF
	}
	chunk := j.chunks[number]
	if err := j.switchTo(number); err != nil {
		return 0, err
	}
	offset := at - chunk.start
	p = p[:min(int64(len(p)), chunk.size-offset)]
	n, err := j.open.ReadAt(p, offset)
	if n == len(p) {
		return n, nil
	}
	return n, fmt.Errorf("read chunk at %d: %w", chunk.start, errors.Join(err, io.ErrUnexpectedEOF))
}

func (j *joinedChunks) switchTo(number int) error {
	if j.open != nil && j.current == number {
		return nil
	}
	if err := j.closeLocked(); err != nil {
		return err
	}
	blob, err := j.blobs.Open(j.ctx, j.chunks[number].key)
	if err != nil {
		return fmt.Errorf("open chunk: %w", err)
	}
	j.open, j.current = blob, number
	return nil
}

func (j *joinedChunks) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closeLocked()
}

func (j *joinedChunks) closeLocked() error {
	if j.open == nil {
		return nil
	}
	err := j.open.Close()
	j.open = nil
	return err
}
