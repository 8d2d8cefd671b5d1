// Package mp4 tells how large and how long a video is, from the bytes of an MP4 or QuickTime file as they stream by. It
// reads two kinds of boxes, decodes no picture, and knows nothing of other containers.
package mp4

import (
	"encoding/binary"
	"slices"
	"time"
)

// Shape is what a video looks like to a viewer. The zero value is an unknown shape.
type Shape struct {
	Width    int           `json:"width,omitempty"`
	Height   int           `json:"height,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
}

// Known tells whether the file said how large its picture is.
func (s Shape) Known() bool { return s.Width > 0 && s.Height > 0 }

// maxIndex is the largest index of a file (its moov box) that is kept in memory.
const maxIndex = 4 << 20

// Scanner follows a file from its first byte and finds its shape, wherever in the file that stands. It is a value that
// can be stored between the parts of a file: a copy goes on where it was taken. The zero value is at the beginning.
type Scanner struct {
	// Skip is how much of the current box does not matter.
	Skip int64 `json:"skip,omitempty"`
	// Header is the beginning of a box whose header was cut by the end of a part.
	Header []byte `json:"header,omitempty"`
	// Index is what has come of the moov box, Missing how much of it has not.
	Index   []byte `json:"index,omitempty"`
	Missing int64  `json:"missing,omitempty"`
	// Ended is set when there is nothing more to learn.
	Ended bool  `json:"ended,omitempty"`
	Found Shape `json:"found,omitzero"`
}

// Write follows the next bytes of the file. It never fails: a file of another kind has an unknown shape.
func (s *Scanner) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && !s.Ended; {
		switch {
		case s.Skip > 0:
			n := min(s.Skip, int64(len(rest)))
			s.Skip -= n
			rest = rest[n:]
		case s.Missing > 0:
			rest = s.readIndex(rest)
		default:
			rest = s.readHeader(rest)
		}
	}
	return len(p), nil
}

func (s *Scanner) readIndex(p []byte) []byte {
	n := min(s.Missing, int64(len(p)))
	s.Index = append(slices.Clip(s.Index), p[:n]...) // clipped: a copy of the scanner may share the bytes
	if s.Missing -= n; s.Missing == 0 {
		s.Found, s.Index, s.Ended = shapeOf(s.Index), nil, true
	}
	return p[n:]
}

// Lengths of box headers.
const (
	shortHeader = 8
	longHeader  = 16
)

func (s *Scanner) readHeader(p []byte) []byte {
	want := shortHeader
	if len(s.Header) >= shortHeader {
		want = longHeader
	}
	n := min(want-len(s.Header), len(p))
	s.Header = append(slices.Clip(s.Header), p[:n]...)
	if len(s.Header) < want || (want == shortHeader && binary.BigEndian.Uint32(s.Header) == 1) {
		return p[n:] // a size of 1 says that the real one follows
	}
	header := s.Header
	s.Header = nil
	size := int64(binary.BigEndian.Uint32(header))
	if want == longHeader {
		size = int64(binary.BigEndian.Uint64(header[shortHeader:])) //nolint:gosec // what is too large becomes negative, and ends the search
	}
	s.enter(string(header[4:8]), size-int64(want))
	return p[n:]
}

// enter begins a box of the top level. A box that ends with the file, or that makes no sense, ends the search.
func (s *Scanner) enter(kind string, size int64) {
	switch {
	case size < 0 || (kind == "moov" && (size == 0 || size > maxIndex)):
		s.Ended = true
	case kind == "moov":
		s.Missing = size
	default:
		s.Skip = size
	}
}

// shapeOf reads a moov box.
func shapeOf(index []byte) Shape {
	var shape Shape
	eachBox(index, func(kind string, body []byte) {
		switch kind {
		case "mvhd":
			shape.Duration = durationOf(body)
		case "trak":
			eachBox(body, func(kind string, body []byte) {
				if width, height := sizeOf(body); kind == "tkhd" && width > 0 && height > 0 && !shape.Known() {
					shape.Width, shape.Height = width, height
				}
			})
		}
	})
	return shape
}

func eachBox(boxes []byte, fn func(kind string, body []byte)) {
	for rest := boxes; len(rest) >= shortHeader; {
		size := int64(binary.BigEndian.Uint32(rest))
		if size < shortHeader || size > int64(len(rest)) {
			return
		}
		fn(string(rest[4:shortHeader]), rest[shortHeader:size])
		rest = rest[size:]
	}
}

// maxDuration is longer than any video; what claims more is not believed.
const maxDuration = 1000 * time.Hour

// durationOf reads the movie header, whose fields are wider in version 1.
func durationOf(body []byte) time.Duration {
	var scale uint32
	var length uint64
	switch {
	case len(body) >= 20 && body[0] == 0:
		scale, length = binary.BigEndian.Uint32(body[12:]), uint64(binary.BigEndian.Uint32(body[16:]))
	case len(body) >= 32 && body[0] == 1:
		scale, length = binary.BigEndian.Uint32(body[20:]), binary.BigEndian.Uint64(body[24:])
	}
	if scale == 0 || length/uint64(scale) > uint64(maxDuration/time.Second) {
		return 0
	}
	return time.Duration(float64(length) / float64(scale) * float64(time.Second))
}

// sizeOf reads the end of a track header: a matrix of nine numbers, and width and height in 16.16 fixed point. A
// picture that is turned by 90 degrees is as wide as it is stored high.
func sizeOf(body []byte) (width, height int) {
	const tail = 9*4 + 2*4
	if len(body) < tail {
		return 0, 0
	}
	end := body[len(body)-tail:]
	width, height = int(binary.BigEndian.Uint32(end[36:])>>16), int(binary.BigEndian.Uint32(end[40:])>>16)
	if turned := binary.BigEndian.Uint32(end) == 0 && binary.BigEndian.Uint32(end[4:]) != 0; turned {
		return height, width
	}
	return width, height
}
