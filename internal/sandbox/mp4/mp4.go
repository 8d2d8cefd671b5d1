// Package mp4 reads the properties of a video from the bytes of an MP4 or QuickTime file as they stream by. It decodes
// no frames, and supports no other containers.
package mp4

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// Movie holds the properties of an MP4 or QuickTime file from its boxes (ISO/IEC 14496-12). It is filled while the
// bytes pass, in chunks of any size, and is small enough to be stored between them.
type Movie struct {
	Index     bool          `json:"index,omitempty"` // moov was found
	Pictures  bool          `json:"pictures,omitempty"`
	Length    time.Duration `json:"length,omitempty"`
	Width     int           `json:"width,omitempty"`
	Height    int           `json:"height,omitempty"`
	Video     string        `json:"video,omitempty"` // the codec of the first video track, such as avc1
	Audio     string        `json:"audio,omitempty"` // of the first audio track, such as mp4a
	Timescale uint32        `json:"timescale,omitempty"`

	// The state of the walk: the number of bytes to skip, and the bytes read of a box header or a relevant box.
	Skip  uint64 `json:"skip,omitempty"`
	Head  []byte `json:"head,omitempty"`
	Leaf  string `json:"leaf,omitempty"`
	Want  uint64 `json:"want,omitempty"`
	Body  []byte `json:"body,omitempty"`
	Track string `json:"track,omitempty"` // the handler of the current track
	// Open is set if the last box extends to the end of the file, however long that is.
	Open bool `json:"open,omitempty"`
}

// Shape is the displayed shape of a video. The zero value is an unknown shape.
type Shape struct {
	Width    int           `json:"width,omitempty"`
	Height   int           `json:"height,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
}

// Known reports whether the dimensions are known.
func (s Shape) Known() bool { return s.Width > 0 && s.Height > 0 }

// Shape returns the shape of the movie, as far as it is known.
func (m *Movie) Shape() Shape { return Shape{Width: m.Width, Height: m.Height, Duration: m.Length} }

// Whole reports whether the file has an index and frames, and is not truncated.
func (m *Movie) Whole() bool {
	return m.Index && m.Pictures && len(m.Head) == 0 && m.Leaf == "" && (m.Skip == 0 || m.Open)
}

// BitRate returns the bits per second of a file of size bytes; zero if the duration is unknown.
func (m *Movie) BitRate(size int64) float64 {
	if m.Length <= 0 {
		return 0
	}
	return float64(size) * 8 / m.Length.Seconds()
}

// Ratio returns width divided by height; zero if unknown.
func (m *Movie) Ratio() float64 {
	if m.Height == 0 {
		return 0
	}
	return float64(m.Width) / float64(m.Height)
}

// maxLeaf bounds the relevant boxes; larger ones are skipped.
const maxLeaf = 4 << 10

// Write processes the next bytes of the file.
func (m *Movie) Write(p []byte) (int, error) {
	rest := p
	for len(rest) > 0 {
		switch {
		case m.Open:
			return len(p), nil
		case m.Skip > 0:
			n := min(m.Skip, uint64(len(rest)))
			m.Skip -= n
			rest = rest[n:]
		case m.Leaf != "":
			rest = m.readLeaf(rest)
		default:
			rest = m.readHead(rest)
		}
	}
	return len(p), nil
}

func (m *Movie) readLeaf(rest []byte) []byte {
	n := min(m.Want-uint64(len(m.Body)), uint64(len(rest)))
	m.Body = append(slices.Clip(m.Body), rest[:n]...)
	if uint64(len(m.Body)) == m.Want {
		m.learn(m.Leaf, m.Body)
		m.Leaf, m.Want, m.Body = "", 0, nil
	}
	return rest[n:]
}

// readHead reads the size and the name of a box: four bytes each, and eight more for a large size.
func (m *Movie) readHead(rest []byte) []byte {
	want := 8
	if len(m.Head) >= 8 {
		want = 16
	}
	n := min(want-len(m.Head), len(rest))
	m.Head = append(slices.Clip(m.Head), rest[:n]...)
	if len(m.Head) < want {
		return rest[n:]
	}
	size, isLarge := uint64(binary.BigEndian.Uint32(m.Head)), binary.BigEndian.Uint32(m.Head) == 1
	if isLarge && want == 8 {
		return rest[n:] // the large size follows
	}
	if isLarge {
		size = binary.BigEndian.Uint64(m.Head[8:])
	}
	name := string(m.Head[4:8])
	m.Head = nil
	m.enter(name, size, uint64(want))
	return rest[n:]
}

// enter decides what to do with a box: descend into it, read it, or skip it.
func (m *Movie) enter(name string, size, head uint64) {
	if size == 0 {
		m.Open, m.Pictures = true, m.Pictures || name == "mdat"
		return
	}
	body := size - min(size, head)
	switch name {
	case "moov", "trak", "mdia", "minf", "stbl", "mvex":
		m.Index = true
		return // it contains boxes again
	case "mvhd", "mehd", "tkhd", "hdlr", "stsd":
		if body > 0 && body <= maxLeaf {
			m.Leaf, m.Want = name, body
			return
		}
	case "mdat", "moof":
		m.Pictures = true
	}
	m.Skip = body
}

// learn reads a relevant box.
func (m *Movie) learn(name string, body []byte) {
	switch name {
	case "mvhd":
		m.learnLength(body, 12, 20)
	case "mehd":
		m.learnFragments(body)
	case "tkhd":
		m.learnSize(body)
	case "hdlr":
		if kind := text(body, 8); kind != "alis" && kind != "url " { // QuickTime also has a handler for the data
			m.Track = kind
		}
	case "stsd":
		m.learnCodec(text(body, 12))
	}
}

// text returns four characters at an offset, or "".
func text(body []byte, at int) string {
	if len(body) < at+4 {
		return ""
	}
	return string(body[at : at+4])
}

// learnLength reads a time scale and a duration, whose offsets depend on the version of the box.
func (m *Movie) learnLength(body []byte, short, long int) {
	switch {
	case len(body) >= long+12 && body[0] == 1:
		m.Timescale = binary.BigEndian.Uint32(body[long:])
		m.setLength(binary.BigEndian.Uint64(body[long+4:]))
	case len(body) >= short+8 && body[0] == 0:
		m.Timescale = binary.BigEndian.Uint32(body[short:])
		m.setLength(uint64(binary.BigEndian.Uint32(body[short+4:])))
	}
}

// learnFragments reads the duration of a fragmented file.
func (m *Movie) learnFragments(body []byte) {
	switch {
	case len(body) >= 12 && body[0] == 1:
		m.setLength(binary.BigEndian.Uint64(body[4:]))
	case len(body) >= 8 && body[0] == 0:
		m.setLength(uint64(binary.BigEndian.Uint32(body[4:])))
	}
}

// setLength sets the duration; one of all ones is unknown.
func (m *Movie) setLength(ticks uint64) {
	if m.Timescale > 0 && ticks < math.MaxUint32 {
		m.Length = time.Duration(float64(ticks) / float64(m.Timescale) * float64(time.Second))
	}
}

// learnSize reads the displayed dimensions of a track: a quarter turn swaps width and height.
func (m *Movie) learnSize(body []byte) {
	end := len(body)
	if end < 84 || m.Width > 0 {
		return
	}
	width, height := int(binary.BigEndian.Uint16(body[end-8:])), int(binary.BigEndian.Uint16(body[end-4:]))
	if isTurned := binary.BigEndian.Uint32(body[end-44:]) == 0; isTurned {
		width, height = height, width
	}
	m.Width, m.Height = width, height
}

func (m *Movie) learnCodec(codec string) {
	switch {
	case m.Track == "vide" && m.Video == "":
		m.Video = codec
	case m.Track == "soun" && m.Audio == "":
		m.Audio = codec
	}
}
