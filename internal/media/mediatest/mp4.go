package mediatest

import (
	"encoding/binary"
	"math"
)

// Video are the properties of a video of MP4 and MOV. Zero fields have the defaults in their comments.
type Video struct {
	Width, Height int     // coded size before rotation, even; 540 x 960
	Seconds       float64 // 5
	FPS           int     // 30
	Rotate        int     // clockwise degrees by which a player must rotate the pictures: 0, 90, 180, 270
	Audio         bool    // with a track of silence: AAC-LC, stereo, 48 kHz, 128 kbit/s
	MoovLast      bool    // the index follows the frames: a player cannot start before it has everything
	EditList      bool    // with an edit list that delays each track by half a second
	EncoderDelay  bool    // with the edit list that encoders write to skip their own delay
	Fragmented    bool    // the index has no samples; each second has its own in a fragment
	// Codec is the sample entry of the video track, avc1 by default. For hvc1, vp09 and av01 only the headers are real:
	// the samples are those of avc1, which tests of probing never decode.
	Codec string
}

func (v Video) withDefaults() Video {
	if v.Width == 0 {
		v.Width, v.Height = 540, 960
	}
	if v.Seconds == 0 {
		v.Seconds = 5
	}
	if v.FPS == 0 {
		v.FPS = 30
	}
	if v.Codec == "" {
		v.Codec = "avc1"
	}
	return v
}

// VerticalMP4 returns a clip that all seven networks accept by the strictest reading of their limits: 540x960 (no side
// over 1024, no less than a reel needs), five seconds, 30 frames per second, H.264 High and AAC, index first, over 75
// KB.
func VerticalMP4() []byte { return MP4(Video{Audio: true}) }

// MP4 returns a playable video: plain pictures that change their color every second.
func MP4(v Video) []byte {
	return v.withDefaults().file(box("ftyp", []byte("isom\x00\x00\x02\x00isomiso2avc1mp41")))
}

// MOV returns the same video in a QuickTime file.
func MOV(v Video) []byte {
	return v.withDefaults().file(box("ftyp", []byte("qt  \x20\x05\x03\x00qt  ")))
}

// file writes the boxes in order and the chunk offsets into the index, whose size does not depend on them.
func (v Video) file(ftyp []byte) []byte {
	tracks := v.tracks()
	if v.Fragmented {
		return v.fragmentedFile(ftyp, tracks)
	}
	mdatAt := len(ftyp)
	if !v.MoovLast {
		mdatAt += len(v.moov(tracks, 0))
	}
	moov, mdat := v.moov(tracks, mdatAt+8), box("mdat", interleave(tracks))
	if v.MoovLast {
		return join(ftyp, mdat, moov)
	}
	return join(ftyp, moov, mdat)
}

// track holds the samples of one track and their index.
type track struct {
	video       bool
	timescale   int
	sampleTicks int
	samples     [][]byte
	sync        []int // numbers, from 1, of the samples at which a player can start
	entry       []byte
}

func (t track) ticks() int       { return len(t.samples) * t.sampleTicks }
func (t track) seconds() float64 { return float64(t.ticks()) / float64(t.timescale) }

// chunk returns the samples that start in the given second; a chunk is a second.
func (t track) chunk(second int) [][]byte {
	first := (second*t.timescale + t.sampleTicks - 1) / t.sampleTicks
	end := ((second+1)*t.timescale + t.sampleTicks - 1) / t.sampleTicks
	return t.samples[min(first, len(t.samples)):min(end, len(t.samples))]
}

func (v Video) tracks() []track {
	tracks := []track{v.pictures()}
	if v.Audio {
		tracks = append(tracks, v.silence())
	}
	return tracks
}

// palette holds the colors of the pictures: blue, orange, green.
var palette = []yuv{{63, 150, 90}, {150, 60, 180}, {120, 90, 80}}

func (v Video) pictures() track {
	stream := h264{width: v.Width, height: v.Height, fps: v.FPS}
	t := track{video: true, timescale: v.FPS * 1000, sampleTicks: 1000, entry: v.visualEntry(stream)}
	for i := range int(math.Round(v.Seconds * float64(v.FPS))) {
		second, inSecond := i/v.FPS, i%v.FPS
		unit := stream.repeat(inSecond)
		if inSecond == 0 {
			unit = stream.intra(second%2, palette[second%len(palette)])
			t.sync = append(t.sync, i+1)
		}
		t.samples = append(t.samples, join(u32(len(unit)), unit))
	}
	return t
}

func (v Video) silence() track {
	t := track{timescale: aacSampleRate, sampleTicks: aacSamplesPerFrame, entry: soundEntry()}
	frame := silentAACFrame()
	for range int(v.Seconds * aacSampleRate / aacSamplesPerFrame) {
		t.samples = append(t.samples, frame)
	}
	return t
}

// interleave lays out the samples: each second of every track in turn.
func interleave(tracks []track) []byte {
	var data []byte
	for second := range seconds(tracks) {
		for _, t := range tracks {
			data = append(data, join(t.chunk(second)...)...)
		}
	}
	return data
}

// seconds returns the number of chunks of the longest track.
func seconds(tracks []track) int {
	longest := 0.0
	for _, t := range tracks {
		longest = max(longest, t.seconds())
	}
	return int(math.Ceil(longest))
}

func join(parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	all := make([]byte, 0, size)
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// box writes an ISO base media box.
func box(name string, parts ...[]byte) []byte {
	body := join(parts...)
	return join(u32(len(body)+8), []byte(name), body)
}

// fullBox writes a box with a version of 0 and flags.
func fullBox(name string, flags int, parts ...[]byte) []byte {
	return box(name, append([][]byte{u32(flags)}, parts...)...)
}

func u16(v int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(v)) }
func u32(v int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }
