package media

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/abema/go-mp4"
)

func u16(v int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(v)) }
func u32(v int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }

// isoPart returns a box of an ISO base media file.
func isoPart(name string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(u32(len(body)+8), name...), body...)
}

// clip is a hand-made video that can be changed box by box.
type clip struct {
	entry    []byte // the video description
	sound    []byte // the audio description; nil is silent
	handler  string
	mvhdTime int // thousandths
	mdhdTime int
	tkhdTime int    // thousandths; 0 is that of mdhd
	mvhd     []byte // instead of the one of mvhdTime
	stts     []byte
	samples  int
	extra    []byte // after the tracks, in moov
	behind   []byte // after moov
	edits    []byte
}

func newClip() clip {
	return clip{handler: "vide", mvhdTime: 2000, mdhdTime: 2000, samples: 50, entry: visual("xvid")}
}

// visual returns a video description of 64 by 36 pixels, with further boxes.
func visual(code string, parts ...[]byte) []byte {
	head := slices.Concat(make([]byte, 6), u16(1), make([]byte, 16), u16(64), u16(36), u32(0x480000), u32(0x480000),
		u32(0),
		u16(1), make([]byte, 32), u16(24), u16(0xffff))
	return isoPart(code, append([][]byte{head}, parts...)...)
}

// soundTrack returns an audio description: two channels at 48 kHz.
func soundTrack(code string, version int, parts ...[]byte) []byte {
	head := slices.Concat(make([]byte, 6), u16(1), u16(version), make([]byte, 6), u16(2), u16(16), u32(0),
		u32(48000<<16))
	return isoPart(code, append([][]byte{head}, parts...)...)
}

func (c clip) trak(id int, handler string, entry []byte, samples int) []byte {
	header := slices.Concat(u32(7), u32(0), u32(0), u32(id), u32(0), u32(cmp.Or(c.tkhdTime, c.mdhdTime)),
		make([]byte, 16), u32(1<<16), u32(0), u32(0), u32(0), u32(1<<16), u32(0), u32(0), u32(0), u32(1<<30),
		u32(64<<16), u32(36<<16))
	media := isoPart("mdia",
		isoPart("mdhd", u32(0), u32(0), u32(0), u32(1000), u32(c.mdhdTime), u32(0)),
		isoPart("hdlr", u32(0), u32(0), []byte(handler), make([]byte, 12), []byte{0}),
		isoPart("minf", isoPart("stbl", isoPart("stsd", u32(0), u32(1), entry), c.stts,
			isoPart("stsz", u32(0), u32(1), u32(samples)), isoPart("stco", u32(0), u32(0)))))
	return isoPart("trak", isoPart("tkhd", header), c.edits, media)
}

func (c clip) file() []byte {
	header := isoPart("mvhd", u32(0), u32(0), u32(0), u32(1000), u32(c.mvhdTime), make([]byte, 80))
	if c.mvhd != nil {
		header = c.mvhd
	}
	tracks := c.trak(1, c.handler, c.entry, c.samples)
	if c.sound != nil {
		tracks = append(tracks, c.trak(2, "soun", c.sound, 90)...)
	}
	return slices.Concat(isoPart("ftyp", []byte("isom"), u32(0)), isoPart("moov", header, tracks, c.extra), c.behind,
		isoPart("mdat", make([]byte, 100)))
}

func TestMP4TellsItsPicturesAndTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*clip)
		want   func(*Info)
	}{
		"plain":            {func(*clip) {}, func(*Info) {}},
		"no time in front": {func(c *clip) { c.mvhdTime = 0 }, func(*Info) {}}, // that of the track is used
		"longer in front":  {func(c *clip) { c.mvhdTime = 4000 }, func(i *Info) { i.DurationSeconds = 4 }},
		"not square": {func(c *clip) { c.entry = visual("xvid", isoPart("pasp", u32(4), u32(3))) },
			func(i *Info) { i.PixelAspect = 4.0 / 3 }},
		"no aspect": {func(c *clip) { c.entry = visual("xvid", isoPart("pasp", u32(0), u32(0))) },
			func(*Info) {}},
		"an edit that delays": {func(c *clip) {
			c.edits = isoPart("edts", isoPart("elst", u32(0), u32(1), u32(2000), u32(-1), u32(1<<16)))
		}, func(i *Info) { i.EditList = true }},
		"the edit of most encoders": {func(c *clip) {
			c.edits = isoPart("edts", isoPart("elst", u32(0), u32(1), u32(2000), u32(1024), u32(1<<16)))
		}, func(*Info) {}},
		"two edits": {func(c *clip) {
			c.edits = isoPart("edts", isoPart("elst", u32(0), u32(2), make([]byte, 24)))
		}, func(i *Info) { i.EditList = true }},
		"AV1 of ten bits": {func(c *clip) { c.entry = visual("av01", isoPart("av1C", []byte{0x81, 0, 0x4c, 0})) },
			func(i *Info) { i.VideoCodec, i.BitDepth, i.Chroma = "av1", 10, "4:2:0" }},
		"VP9": {func(c *clip) {
			c.entry = visual("vp09", isoPart("vpcC", u32(1<<24), []byte{0, 10, 0x82, 1, 1, 1, 0, 0}))
		}, func(i *Info) { i.VideoCodec, i.BitDepth, i.Chroma = "vp9", 8, "4:2:0" }},
		"sound": {func(c *clip) { c.sound = soundTrack("mp4a", 0) }, func(i *Info) {
			i.AudioCodec, i.AudioChannels, i.AudioSampleRate = "aac", 2, 48000
		}},
		"unknown sound": {func(c *clip) { c.sound = soundTrack("zzz ", 0) }, func(i *Info) {
			i.AudioCodec, i.AudioChannels, i.AudioSampleRate = "zzz", 2, 48000
		}},
		"padding at the end of a list": {func(c *clip) { c.extra = u32(0) }, func(*Info) {}},
		"a long box": {func(c *clip) {
			c.behind = slices.Concat(u32(1), []byte("free"), u32(0), u32(24), make([]byte, 8))
		}, func(*Info) {}},
	} {
		given := newClip()
		c.change(&given)
		want := Info{Kind: KindVideo, MimeType: TypeMP4, Width: 64, Height: 36, PixelAspect: 1, VideoCodec: "xvid",
			Frames:          50,
			DurationSeconds: 2, FrameRate: 25, FastStart: true}
		c.want(&want)
		file := given.file()
		got, refusal := probed(t, file)
		want.ByteSize, want.BitRate = int64(len(file)), int64(float64(len(file))*8/want.DurationSeconds)
		if refusal != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, refusal, want)
		}
	}
}

func TestMP4ThatContradictsItselfIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(*clip)
		reason  Reason
		wantErr string
	}{
		"only sound": {func(c *clip) { c.handler, c.entry = "soun", soundTrack("mp4a", 0) }, ReasonUnsupported,
			"no pictures"},
		"no time at all": {func(c *clip) { c.mvhdTime, c.mdhdTime = 0, 0 }, ReasonCorrupt, "no duration"},
		"a thousand hours and more": {func(c *clip) { c.mvhdTime = math.MaxUint32 - 1 }, ReasonCorrupt,
			"no duration"},
		"unknown times": {func(c *clip) { c.mvhdTime, c.mdhdTime = math.MaxUint32, math.MaxUint32 }, ReasonCorrupt,
			"no duration"},
		"a part longer than its parent": {func(c *clip) { c.extra = append(u32(9999), "free"...) }, ReasonCorrupt,
			"the size of a part is wrong"},
		"a part shorter than its head": {func(c *clip) { c.extra = append(u32(4), "free"...) }, ReasonCorrupt,
			"the size of a part is wrong"},
		"a part that cannot be read": {func(c *clip) { c.extra = isoPart("mehd", []byte{0}) }, ReasonCorrupt,
			"cannot be read"},
		"a part that is far too long": {func(c *clip) { c.extra = isoPart("mehd", make([]byte, maxLeaf+1)) },
			ReasonCorrupt,
			"far too long"},
		"a list that claims too much": {func(c *clip) {
			c.extra = isoPart("trak", isoPart("mdia", isoPart("stco", u32(0), u32(1000))))
		}, ReasonCorrupt, "claims more than it has"},
		"pictures behind the end": {func(c *clip) {
			c.extra = isoPart("trak", isoPart("mdia", isoPart("stco", u32(0), u32(1), u32(1<<30))))
		}, ReasonCutOff, "cut off"},
		"pictures far behind the end": {func(c *clip) {
			c.extra = isoPart("trak", isoPart("mdia", isoPart("co64", u32(0), u32(1), u32(-1), u32(0))))
		}, ReasonCutOff, "cut off"},
		"too many tracks": {func(c *clip) { c.extra = bytes.Repeat(isoPart("trak"), 64) }, ReasonCorrupt,
			"more than 64 tracks"},
		"too deep": {func(c *clip) {
			for range 10 {
				c.extra = isoPart("edts", c.extra)
			}
		}, ReasonCorrupt, "too many parts"},
		"a box behind the end": {func(c *clip) { c.behind = append(u32(1<<30), "free"...) }, ReasonCutOff, "cut off"},
		"no size": {func(c *clip) {
			c.entry = visual("xvid")
			c.entry = bytes.Replace(c.entry, append(u16(64), u16(36)...), make([]byte, 4), 1)
			c.handler = "vide"
		}, "", ""}, // the track has it, too
	} {
		given := newClip()
		c.change(&given)
		_, refusal := probed(t, given.file())
		if reasonOf(refusal) != c.reason || refusal != nil && !strings.Contains(refusal.Message, c.wantErr) {
			t.Errorf("%s: %v, want %q: %s", name, refusal, c.reason, c.wantErr)
		}
	}
	if _, refusal := probed(t, slices.Concat(isoPart("ftyp", []byte("isom"), u32(0)), isoPart("mdat", make([]byte,
		9)))); refusal == nil ||
		refusal.Reason != ReasonCutOff || !strings.Contains(refusal.Message, "its index is missing") {
		t.Errorf("without an index: %v", refusal)
	}
}

// Recorders that stream write the header of the movie before they know its duration.
func TestMP4WithoutDurationInFrontTellsItElsewhere(t *testing.T) {
	t.Parallel()
	const unknown = math.MaxUint32
	index := func(from int, durations ...int) []byte {
		parts := [][]byte{u32(0), u32(1), u32(1000), u32(from), u32(0), u16(0), u16(len(durations))}
		for _, d := range durations {
			parts = append(parts, u32(0), u32(d), u32(0))
		}
		return isoPart("sidx", parts...)
	}
	long := isoPart("sidx", u32(1<<24), u32(1), u32(1000), u32(1), u32(0), u32(0), u32(0), u16(0), u16(1), u32(0),
		u32(2000), u32(0))
	extends := isoPart("mvex", isoPart("trex", u32(0), u32(1), u32(1), u32(40), u32(0), u32(0)))
	fragment := isoPart("moof", isoPart("traf", isoPart("tfhd", u32(0), u32(1)),
		isoPart("trun", u32(0), u32(50))))
	for name, c := range map[string]struct {
		change    func(*clip)
		seconds   float64
		frameRate float64
	}{
		"the track's data": {func(*clip) {}, 2, 25},
		"64 bits": {func(c *clip) {
			c.mvhd = isoPart("mvhd", u32(1<<24), make([]byte, 16), u32(1000), u32(-1), u32(-1), make([]byte, 80))
		}, 2, 25},
		"the track": {func(c *clip) { c.mdhdTime, c.tkhdTime = unknown, 2500 }, 2.5, 20},
		"the frames": {func(c *clip) {
			c.mdhdTime, c.stts = unknown, isoPart("stts", u32(0), u32(2), u32(40), u32(40), u32(10), u32(90))
		}, 2.5, 20},
		"mehd": {func(c *clip) {
			c.mdhdTime, c.extra = unknown, isoPart("mvex", isoPart("mehd", u32(0), u32(4000)))
		}, 4, 0},
		"mehd after an unknown one": {func(c *clip) {
			c.mdhdTime, c.extra = 0, isoPart("mvex", isoPart("mehd", u32(0), u32(-1)), isoPart("mehd", u32(0),
				u32(4000)))
		}, 4, 0},
		"fragments": {func(c *clip) {
			c.mdhdTime, c.samples, c.extra, c.behind = unknown, 0, extends, fragment
		}, 2, 25},
		"a fragment, and 0 in front": {func(c *clip) {
			c.mvhdTime, c.mdhdTime, c.samples, c.extra, c.behind = 0, 0, 0, extends, fragment
		}, 2, 25},
		"the index of segments": {func(c *clip) { c.mdhdTime, c.behind = 0, index(700, 1500, 500) }, 2, 0},
		"an index of 64 bits":   {func(c *clip) { c.mdhdTime, c.behind = 0, long }, 2, 0},
		"an index per segment": {func(c *clip) {
			c.mdhdTime, c.behind = unknown, slices.Concat(index(700, 1500), index(2200, 500))
		}, 2, 0},
		"the whole index beside one that is cut short": {func(c *clip) {
			cut := isoPart("sidx", index(0, 9000)[8:32])
			c.mdhdTime, c.behind = unknown, slices.Concat(cut, isoPart("sidx", u32(0)), index(0, 2000))
		}, 2, 0},
	} {
		given := newClip()
		given.mvhdTime = unknown
		c.change(&given)
		got, refusal := probed(t, given.file())
		if refusal != nil || math.Abs(got.DurationSeconds-c.seconds) > 1e-9 ||
			math.Abs(got.FrameRate-c.frameRate) > 1e-9 {
			t.Errorf("%s: %g s, %g frames per second, %v; want %g, %g", name, got.DurationSeconds, got.FrameRate,
				refusal, c.seconds, c.frameRate)
		}
	}
}

func TestMP4FragmentsTellTheirOwnTimes(t *testing.T) {
	t.Parallel()
	fragment := func(header, run []byte) []byte { return isoPart("moof", isoPart("traf", header, run)) }
	extends := isoPart("mvex", isoPart("trex", u32(0), u32(1), u32(1), u32(40), u32(0), u32(0)))
	plain := isoPart("tfhd", u32(0), u32(1))
	for name, c := range map[string]struct {
		behind  []byte
		frames  int
		seconds float64
		reason  Reason
	}{
		"by default":  {fragment(plain, isoPart("trun", u32(0), u32(50))), 50, 2, ""},
		"two of them": {bytes.Repeat(fragment(plain, isoPart("trun", u32(0), u32(25))), 2), 50, 2, ""},
		"of the fragment": {fragment(isoPart("tfhd", u32(8), u32(1), u32(20)), isoPart("trun", u32(0), u32(50))), 50,
			1, ""},
		"of each frame": {fragment(plain, isoPart("trun", u32(0x100), u32(2), u32(30), u32(10))), 2, 0.04, ""},
		"with more of each": {fragment(plain, isoPart("trun", u32(0x305), u32(2), u32(0), u32(0), u32(30), u32(1),
			u32(10), u32(1))), 2, 0.04, ""},
		"of no track": {fragment(isoPart("tfhd", u32(0), u32(9)), isoPart("trun", u32(0), u32(50))), 0, 0,
			ReasonCorrupt},
		"more than it holds": {fragment(plain, isoPart("trun", u32(0x100), u32(1000), u32(30))), 0, 0, ReasonCorrupt},
		"a billion of them":  {fragment(plain, isoPart("trun", u32(0xf00), u32(1<<30))), 0, 0, ReasonCorrupt},
	} {
		given := newClip()
		given.mvhdTime, given.mdhdTime, given.samples, given.extra, given.behind = 0, 0, 0, extends, c.behind
		got, refusal := probed(t, given.file())
		if reasonOf(refusal) != c.reason || refusal == nil && (got.Frames != c.frames || !got.Fragmented ||
			math.Abs(got.DurationSeconds-c.seconds) > 1e-9) {
			t.Errorf("%s: %d frames in %g s, %v; want %d in %g, %q", name, got.Frames, got.DurationSeconds, refusal,
				c.frames,
				c.seconds, c.reason)
		}
	}
}

func TestChannelsComeFromTheConfigurationOfAAC(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config []byte
		want   int
	}{
		"one": {[]byte{0x12, 0x08}, 1}, "two": {[]byte{0x12, 0x10}, 2}, "5.1": {[]byte{0x12, 0x30}, 6},
		"7.1": {[]byte{0x12, 0x38}, 8}, "not told": {[]byte{0x12, 0x00}, 99}, "reserved": {[]byte{0x12, 0x40}, 99},
		"an escaped type": {[]byte{0xf8, 0x10}, 99}, "an escaped rate": {[]byte{0x17, 0x90}, 99},
		"too short": {[]byte{0x12}, 99},
	} {
		track := movieTrack{channels: 99}
		if track.readAACConfig(c.config); track.channels != c.want {
			t.Errorf("%s: %d channels, want %d", name, track.channels, c.want)
		}
	}
}

func TestAV1DepthAndChroma(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config mp4.Av1C
		depth  int
		chroma string
	}{
		{mp4.Av1C{ChromaSubsamplingX: 1, ChromaSubsamplingY: 1}, 8, "4:2:0"},
		{mp4.Av1C{ChromaSubsamplingX: 1, HighBitdepth: 1}, 10, "4:2:2"}, {mp4.Av1C{HighBitdepth: 1, TwelveBit: 1}, 12,
			"4:4:4"},
		{mp4.Av1C{Monochrome: 1, TwelveBit: 1}, 8, "4:0:0"},
	} {
		var track movieTrack
		if track.describeAV1(c.config); track.bitDepth != c.depth || track.chroma != c.chroma {
			t.Errorf("%+v is %d bits of %s, want %d of %s", c.config, track.bitDepth, track.chroma, c.depth, c.chroma)
		}
	}
}

func TestQuickTimeHidesItsSound(t *testing.T) {
	t.Parallel()
	long := slices.Concat(u32(72), binary.BigEndian.AppendUint64(nil, math.Float64bits(44100)), u32(6), make([]byte,
		20))
	for name, c := range map[string]struct {
		entry          []byte
		codec          string
		channels, rate int
	}{
		"version 0": {soundTrack("sowt", 0), "pcm", 2, 48000},
		"version 2": {soundTrack("lpcm", 2, long), "pcm", 6, 44100},
	} {
		given := newClip()
		given.sound = c.entry
		file := bytes.Replace(given.file(), []byte("ftypisom"), []byte("ftypqt  "), 1)
		got, refusal := probed(t, file)
		if refusal != nil || got.MimeType != TypeMOV || got.AudioCodec != c.codec || got.AudioChannels != c.channels ||
			got.AudioSampleRate != c.rate {
			t.Errorf("%s: %s, %d channels at %d, %v", name, got.AudioCodec, got.AudioChannels, got.AudioSampleRate,
				refusal)
		}
	}
}

// ebml returns a WebM element with a size of four bytes.
func ebml(id int64, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	raw := binary.BigEndian.AppendUint64(nil, uint64(id))
	return slices.Concat(bytes.TrimLeft(raw, "\x00"), u32(1<<28|len(body)), body)
}

func f64(v float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(v)) }

func TestWebMTellsWhatItsHeadersSay(t *testing.T) {
	t.Parallel()
	start := ebml(0x1a45dfa3, ebml(0x4282, []byte("webm")))
	pictures := func(width, height int) []byte {
		return ebml(webmTrackEntry, ebml(webmTrackType, []byte{1}), ebml(webmCodecID, []byte("V_VP9")),
			ebml(webmDefaultDuration, u32(40_000_000)), ebml(webmVideo, ebml(webmPixelWidth, u16(width)),
				ebml(webmPixelHeight, u32(height)), ebml(webmAlphaMode, []byte{1})))
	}
	sound := ebml(webmTrackEntry, ebml(webmTrackType, []byte{2}), ebml(webmCodecID, []byte("A_OPUS")),
		ebml(webmAudio, ebml(webmSampleRate, f64(48000)), ebml(webmChannels, []byte{2})))
	length := func(v float64) []byte { return ebml(webmInfo, ebml(webmDuration, f64(v))) }
	data := ebml(webmCluster, []byte("pictures"))
	whole := func(parts ...[]byte) []byte { return append(slices.Clone(start), ebml(webmSegment, parts...)...) }
	want := Info{Kind: KindVideo, MimeType: TypeWebM, Width: 640, Height: 360, PixelAspect: 1, VideoCodec: "vp9",
		HasAlpha: true, FastStart: true, DurationSeconds: 2, FrameRate: 25, AudioCodec: "opus", AudioChannels: 2,
		AudioSampleRate: 48000}
	endless := slices.Concat(start, []byte{0x18, 0x53, 0x80, 0x67, 0xff}, length(2000), ebml(webmTracks, pictures(640,
		360),
		sound), data)
	scaled := whole(ebml(webmInfo, ebml(webmTimestampScale, u32(2_000_000)), ebml(webmDuration,
		u32(int(math.Float32bits(1000))))),
		ebml(webmTracks, pictures(640, 360), sound, pictures(1, 1)), data)
	for name, c := range map[string]struct {
		file    []byte
		reason  Reason
		wantErr string
	}{
		"whole":          {whole(length(2000), ebml(webmTracks, pictures(640, 360), sound), data), "", ""},
		"without a size": {endless, "", ""}, // as in a stream
		"another scale":  {scaled, "", ""},
		"only sound":     {whole(length(2000), ebml(webmTracks, sound), data), ReasonUnsupported, "no pictures"},
		"no data":        {whole(length(2000), ebml(webmTracks, pictures(640, 360))), ReasonCutOff, "cut off"},
		"no width":       {whole(length(2000), ebml(webmTracks, pictures(0, 360)), data), ReasonCorrupt, "no size"},
		"a huge height": {whole(length(2000), ebml(webmTracks, pictures(640, 1<<20)), data), ReasonCorrupt,
			"no size"},
		"no time": {whole(ebml(webmTracks, pictures(640, 360)), data), ReasonCorrupt, "no duration"},
		"no number": {whole(length(math.NaN()), ebml(webmTracks, pictures(640, 360)), data), ReasonCorrupt,
			"no duration"},
		"endless": {whole(length(math.Inf(1)), ebml(webmTracks, pictures(640, 360)), data), ReasonCorrupt,
			"no duration"},
		"too many parts": {whole(bytes.Repeat(ebml(0xec), 10_001)), ReasonCorrupt, "too many parts"},
		"no length":      {append(slices.Clone(start), 0x18, 0x53, 0x80, 0x67, 0x00), ReasonCorrupt, "no length"},
		"behind the end": {append(slices.Clone(start), 0x18, 0x53, 0x80, 0x67, 0x1f, 0xff, 0xff, 0), ReasonCutOff,
			"cut off"},
		"behind its parent": {append(whole([]byte{0xec, 0x88}), make([]byte, 8)...), ReasonCorrupt,
			"size of a part is wrong"},
	} {
		got, refusal := probed(t, c.file)
		got.ByteSize, got.BitRate = 0, 0
		if reasonOf(refusal) != c.reason || refusal != nil && !strings.Contains(refusal.Message, c.wantErr) ||
			refusal == nil && got != want {
			t.Errorf("%s: %+v, %v; want %q: %s", name, got, refusal, c.reason, c.wantErr)
		}
	}
}
