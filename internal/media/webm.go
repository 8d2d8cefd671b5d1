package media

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
)

// The WebM elements that are read (RFC 9559, section 5.1).
const (
	webmSegment         = 0x18538067
	webmInfo            = 0x1549a966
	webmTimestampScale  = 0x2ad7b1
	webmDuration        = 0x4489
	webmTracks          = 0x1654ae6b
	webmTrackEntry      = 0xae
	webmTrackType       = 0x83
	webmCodecID         = 0x86
	webmDefaultDuration = 0x23e383
	webmVideo           = 0xe0
	webmPixelWidth      = 0xb0
	webmPixelHeight     = 0xba
	webmAlphaMode       = 0x53c0
	webmAudio           = 0xe1
	webmSampleRate      = 0xb5
	webmChannels        = 0x9f
	webmCluster         = 0x1f43b675
)

// webmElement is one element: its id and the range of its content.
type webmElement struct {
	id         int64
	start, end int64
}

// webm collects the results of walking a WebM file.
type webm struct {
	src      *source
	scale    int64   // nanoseconds per unit of time
	duration float64 // in units of time
	track    webmTrack
	video    *webmTrack
	audio    *webmTrack
	hasData  bool
	elements int
}

type webmTrack struct {
	kind          int64
	codec         string
	frame         int64 // duration in nanoseconds
	width, height int64
	alpha         int64
	sampleRate    float64
	channels      int64
}

// parseWebM reads the headers of a WebM file (RFC 8794, RFC 9559) up to its first frames.
func parseWebM(src *source) (Info, error) {
	w := &webm{src: src, scale: 1_000_000}
	if err := w.walk(0, src.size); err != nil {
		return Info{}, err
	}
	return w.info()
}

// walk visits the elements in a range.
func (w *webm) walk(at, end int64) error {
	for at < end && !w.hasData {
		element, err := w.element(at, end)
		if err != nil {
			return err
		}
		if err := w.visit(element); err != nil {
			return err
		}
		at = element.end
	}
	return nil
}

// element reads the header of an element. A size of all ones means: to the end of the parent.
func (w *webm) element(at, end int64) (webmElement, error) {
	const most = 10_000
	if w.elements++; w.elements > most {
		return webmElement{}, corrupt("video", "its headers have too many parts")
	}
	id, idLength, err := w.number(at, true)
	if err != nil {
		return webmElement{}, err
	}
	size, sizeLength, err := w.number(at+idLength, false)
	if err != nil {
		return webmElement{}, err
	}
	start := at + idLength + sizeLength
	if size == 1<<(7*sizeLength)-1 {
		return webmElement{id, start, end}, nil
	}
	if size > w.src.size-start {
		return webmElement{}, errBeyondEnd
	}
	if start+size > end {
		return webmElement{}, corrupt("video", "the size of a part is wrong")
	}
	return webmElement{id, start, start + size}, nil
}

// number reads a variable-length integer, with or without its length marker. It has at most 57 bits.
func (w *webm) number(at int64, withMarker bool) (value, length int64, err error) {
	first, err := w.src.bytes(at, 1)
	if err != nil {
		return 0, 0, err
	}
	length = int64(bits.LeadingZeros8(first[0])) + 1
	if length > 8 {
		return 0, 0, corrupt("video", "a part has no length")
	}
	value, err = w.src.number(at, int(length))
	if !withMarker {
		value &= 1<<(7*length) - 1
	}
	return value, length, err
}

func (w *webm) visit(e webmElement) error {
	switch e.id {
	case webmSegment, webmInfo, webmTracks, webmVideo, webmAudio:
		return w.walk(e.start, e.end)
	case webmTrackEntry:
		w.track = webmTrack{}
		err := w.walk(e.start, e.end)
		w.keepTrack()
		return err
	case webmCluster:
		w.hasData = true
		return nil
	}
	return w.readFact(e)
}

// keepTrack keeps the first video track and the first audio track.
func (w *webm) keepTrack() {
	const video, audio = 1, 2
	track := w.track
	switch {
	case track.kind == video && w.video == nil:
		w.video = &track
	case track.kind == audio && w.audio == nil:
		w.audio = &track
	}
}

// readFact reads an element that holds a value.
func (w *webm) readFact(e webmElement) error {
	t := &w.track
	integers := map[int64]*int64{
		webmTimestampScale: &w.scale, webmTrackType: &t.kind, webmDefaultDuration: &t.frame, webmAlphaMode: &t.alpha,
		webmPixelWidth: &t.width, webmPixelHeight: &t.height, webmChannels: &t.channels,
	}
	floats := map[int64]*float64{webmDuration: &w.duration, webmSampleRate: &t.sampleRate}
	raw, err := w.src.bytes(e.start, int(min(e.end-e.start, 32)))
	if err != nil {
		return err
	}
	if target, ok := integers[e.id]; ok && len(raw) <= 8 {
		*target, err = w.src.number(e.start, len(raw))
	}
	if target, ok := floats[e.id]; ok {
		*target = webmFloat(raw)
	}
	if e.id == webmCodecID {
		t.codec = webmCodecName(string(raw))
	}
	return err
}

// webmFloat decodes a float of either precision; anything else is 0.
func webmFloat(raw []byte) float64 {
	switch len(raw) {
	case 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(raw)))
	case 8:
		return math.Float64frombits(binary.BigEndian.Uint64(raw))
	}
	return 0
}

// webmCodecName converts names such as V_VP9 and A_OPUS to those used for MP4.
func webmCodecName(id string) string {
	name := strings.ToLower(strings.TrimLeft(printable(strings.TrimRight(id, "\x00")), "VA"))
	return strings.Trim(name, "_")
}

func (w *webm) info() (Info, error) {
	if w.video == nil {
		return Info{}, refuse(ReasonUnsupported, "The file has no pictures, only sound or data. Allowed are %s.",
			allowedTypes)
	}
	if !w.hasData {
		return Info{}, errBeyondEnd
	}
	const widest = 1 << 16
	if w.video.width <= 0 || w.video.height <= 0 || w.video.width > widest || w.video.height > widest {
		return Info{}, corrupt("video", "its pictures have no size")
	}
	info := Info{
		Kind: KindVideo, Width: int(w.video.width), Height: int(w.video.height), PixelAspect: 1,
		VideoCodec: w.video.codec, HasAlpha: w.video.alpha == 1, FastStart: true,
	}
	seconds := w.duration * float64(w.scale) / 1e9
	const longest = 1000 * 3600
	if !(seconds > 0 && seconds <= longest) {
		return Info{}, refuse(ReasonCorrupt,
			"The video has no duration, as is common for recordings of a browser. Convert it to MP4.")
	}
	info.DurationSeconds = seconds
	info.BitRate = averageBitRate(w.src.size, seconds)
	if w.video.frame > 0 {
		info.FrameRate = 1e9 / float64(w.video.frame)
	}
	if w.audio != nil {
		info.AudioCodec, info.AudioChannels = w.audio.codec, int(max(0, min(w.audio.channels, 256)))
		if w.audio.sampleRate > 0 && w.audio.sampleRate < 1e7 {
			info.AudioSampleRate = int(w.audio.sampleRate)
		}
	}
	return info, nil
}
