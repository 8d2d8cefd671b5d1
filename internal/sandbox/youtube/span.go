package youtube

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"

	"crier/internal/sandbox/sim"
)

// blockBytes is the unit of the size of every chunk but the last.
const blockBytes = 256 << 10

// span is the range of a file that a request sends: from first up to end, of total bytes. A total of zero is unknown. A
// probe sends nothing, and reads the progress of the upload.
type span struct {
	first, end, total int64
	probe             bool
	length            int64 // the declared length of the request
}

var (
	spanPattern  = regexp.MustCompile(`^bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)$`)
	probePattern = regexp.MustCompile(`^bytes \*/(\d{1,18}|\*)$`)
)

// parseSpan parses the range of a request. Without a Content-Range it is the whole file.
func parseSpan(r *http.Request) (span, bool) {
	header := r.Header.Get("Content-Range")
	if header == "" {
		return span{end: r.ContentLength, total: r.ContentLength, length: r.ContentLength}, r.ContentLength > 0
	}
	if m := probePattern.FindStringSubmatch(header); m != nil {
		return span{probe: true, total: number(m[1])}, r.ContentLength == 0
	}
	m := spanPattern.FindStringSubmatch(header)
	if m == nil {
		return span{}, false
	}
	s := span{first: number(m[1]), end: number(m[2]) + 1, total: number(m[3]), length: r.ContentLength}
	return s, s.first < s.end && (s.total == 0 || s.end <= s.total)
}

// number parses at most eighteen digits; a star is zero.
func number(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// check rejects bytes that do not follow the stored ones, and chunks of a wrong size.
func (s span) check(stored int64) *sim.Reply {
	size := s.end - s.first
	switch {
	case s.first != stored:
		return refuse(wrongOffset(s.first, stored))
	case s.length != size:
		return refuse(badRequest("badRequest",
			fmt.Sprintf("Invalid request.  The Content-Range header tells of %d byte(s), the Content-Length of %d.",
				size, s.length)))
	case s.end != s.total && size%blockBytes != 0:
		return refuse(badRequest("badRequest",
			fmt.Sprintf("Invalid request.  The number of bytes uploaded is required to be a multiple of %d, except "+
				"for the final request. "+
				"The received request contained %d bytes, which does not meet this requirement.", blockBytes, size)))
	}
	return nil
}

func wrongOffset(offset, stored int64) sim.Reply {
	return badRequest("badRequest",
		fmt.Sprintf("Invalid request.  According to the Content-Range header, the upload offset is %d byte(s), "+
			"which does not match the already uploaded size of %d byte(s).", offset, stored))
}

// wholeBlocks reads a chunk block by block and ends, without an error, before an incomplete block. That much of a chunk
// is kept when its connection breaks.
type wholeBlocks struct {
	source io.Reader
	left   int64
	block  []byte // room for one block
	unread []byte // of the block
}

func (b *wholeBlocks) Read(p []byte) (int, error) {
	if len(b.unread) == 0 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.unread)
	b.unread = b.unread[n:]
	return n, nil
}

func (b *wholeBlocks) fill() error {
	if b.left == 0 {
		return io.EOF
	}
	if b.block == nil {
		b.block = make([]byte, blockBytes)
	}
	size := min(b.left, blockBytes)
	if _, err := io.ReadFull(b.source, b.block[:size]); err != nil {
		b.left = 0
		return io.EOF // whatever broke the connection, the chunk ends here
	}
	b.left -= size
	b.unread = b.block[:size]
	return nil
}
