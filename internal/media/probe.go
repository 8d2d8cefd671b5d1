package media

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// Probe reads the properties of a file from its bytes, with the default limits. See Limits.Probe.
func Probe(ctx context.Context, r io.ReaderAt, size int64) (Info, error) {
	return Limits{}.Probe(ctx, r, size)
}

// Probe reads the properties of a file of the given size from its bytes. It checks the structure from the first byte to
// the last, but decodes no pixels. Files that are unsupported, truncated, inconsistent or beyond the limits are a
// *Refusal; any other error is a read error. Memory stays under two megabytes, whatever the size.
func (l Limits) Probe(ctx context.Context, r io.ReaderAt, size int64) (Info, error) {
	l = l.withDefaults()
	src := &source{ctx: ctx, r: r, size: size}
	head, err := src.bytes(0, int(min(size, SniffLen)))
	if err != nil {
		return Info{}, err
	}
	mimeType, err := Sniff(head)
	if err != nil {
		return Info{}, err
	}
	if !isVideo(mimeType) && size > l.MaxImageBytes {
		return Info{}, refuse(ReasonTooLarge, "Pictures and documents may have at most %s.", byteCount(l.MaxImageBytes))
	}
	info, err := l.parse(mimeType, src)
	if err != nil {
		return Info{}, src.explain(mimeType, err)
	}
	info.MimeType, info.ByteSize = mimeType, size
	return info, l.checkDecoding(info)
}

func isVideo(mimeType string) bool {
	return mimeType == TypeMP4 || mimeType == TypeMOV || mimeType == TypeWebM
}

func (l Limits) parse(mimeType string, src *source) (Info, error) {
	switch mimeType {
	case TypeJPEG:
		return l.parseJPEG(src)
	case TypePNG:
		return l.parsePNG(src)
	case TypeWebP:
		return l.parseWebP(src)
	case TypeGIF:
		return l.parseGIF(src)
	case TypeWebM:
		return parseWebM(src)
	case TypePDF:
		return parsePDF(src)
	default:
		return parseMP4(src, mimeType == TypeMOV)
	}
}

// typeNames are the names of the types in messages.
var typeNames = map[string]string{
	TypeJPEG: "JPEG", TypePNG: "PNG", TypeWebP: "WebP", TypeGIF: "GIF",
	TypeMP4: "MP4", TypeMOV: "MOV", TypeWebM: "WebM", TypePDF: "PDF",
}

// source is the file being probed: ranges of it through a small cache, or all of it as a stream.
type source struct {
	ctx   context.Context //nolint:containedctx // of the single call that uses the source
	r     io.ReaderAt
	size  int64
	cache [cacheBlocks]cacheBlock
	turn  int   // the next cache block to replace
	err   error // why reading failed, if it did
}

const (
	cacheBlocks    = 8
	cacheBlockSize = 64 << 10
	streamBuffer   = 512 << 10
)

// cacheBlock is a range of the file. Remote files are read in blocks of this size, not in the few bytes of a header.
type cacheBlock struct {
	at   int64
	data []byte
}

// errBeyondEnd means that a structure exceeds the file.
var errBeyondEnd = errors.New("beyond the end of the file")

// bytes returns n bytes at an offset, or errBeyondEnd.
func (s *source) bytes(at int64, n int) ([]byte, error) {
	if at < 0 || n < 0 || at > s.size-int64(n) {
		return nil, errBeyondEnd
	}
	p := make([]byte, n)
	_, err := s.ReadAt(p, at)
	return p, err
}

// number reads a big-endian integer of at most eight bytes. It is negative if it overflows.
func (s *source) number(at int64, width int) (int64, error) {
	raw, err := s.bytes(at, width)
	value := int64(0)
	for _, b := range raw {
		value = value<<8 | int64(b)
	}
	return value, err
}

// ReadAt implements io.ReaderAt with the cache.
func (s *source) ReadAt(p []byte, at int64) (int, error) {
	done := 0
	for done < len(p) {
		place := at + int64(done)
		if place >= s.size {
			return done, io.EOF
		}
		block, err := s.block(place - place%cacheBlockSize)
		if err != nil {
			return done, err
		}
		done += copy(p[done:], block[place%cacheBlockSize:])
	}
	return done, nil
}

func (s *source) block(at int64) ([]byte, error) {
	for _, b := range s.cache {
		if b.data != nil && b.at == at {
			return b.data, nil
		}
	}
	data := make([]byte, min(cacheBlockSize, s.size-at))
	if err := s.read(data, at); err != nil {
		return nil, err
	}
	s.cache[s.turn] = cacheBlock{at, data}
	s.turn = (s.turn + 1) % cacheBlocks
	return data, nil
}

// read fills p from the file itself.
func (s *source) read(p []byte, at int64) error {
	err := s.ctx.Err()
	if err == nil {
		var n int
		if n, err = s.r.ReadAt(p, at); n == len(p) {
			return nil
		}
		err = errors.Join(err, io.ErrUnexpectedEOF)
	}
	s.err = fmt.Errorf("read file at %d: %w", at, err)
	return s.err
}

// stream returns a buffered reader from an offset to the end of the file.
func (s *source) stream(at int64) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(directReader{s}, at, s.size-at), int(min(streamBuffer, s.size)))
}

// directReader bypasses the cache.
type directReader struct{ s *source }

func (d directReader) ReadAt(p []byte, at int64) (int, error) {
	want := min(int64(len(p)), d.s.size-at)
	if want <= 0 {
		return 0, io.EOF
	}
	if err := d.s.read(p[:want], at); err != nil {
		return 0, err
	}
	if want < int64(len(p)) {
		return int(want), io.EOF
	}
	return int(want), nil
}

// explain converts a parser's error for the caller: to a read error or a refusal.
func (s *source) explain(mimeType string, err error) error {
	var refusal *Refusal
	switch {
	case s.err != nil:
		return s.err
	case errors.As(err, &refusal):
		return refusal
	case errors.Is(err, errBeyondEnd), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return cutOff(typeNames[mimeType] + " file")
	}
	refusal = corrupt(typeNames[mimeType]+" file", "its structure is invalid")
	refusal.Err = err
	return refusal
}
