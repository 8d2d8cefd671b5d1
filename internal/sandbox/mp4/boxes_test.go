package mp4_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/mp4"
)

// header returns an mvhd box of either version.
func header(version byte, scale uint32, ticks uint64) []byte {
	body := make([]byte, 112)
	body[0] = version
	if version == 1 {
		binary.BigEndian.PutUint32(body[20:], scale)
		binary.BigEndian.PutUint64(body[24:], ticks)
		return boxOf("mvhd", body...)
	}
	binary.BigEndian.PutUint32(body[12:], scale)
	binary.BigEndian.PutUint32(body[16:], uint32(ticks))
	return boxOf("mvhd", body[:100]...)
}

func TestLengthsOfEitherVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		box  []byte
		want time.Duration
	}{
		"short":          {header(0, 1000, 1500), 1500 * time.Millisecond},
		"long":           {header(1, 90_000, 45_000), 500 * time.Millisecond},
		"unknown, short": {header(0, 1000, 0xffffffff), 0},
		"unknown, long":  {header(1, 1000, 0xffffffffffffffff), 0},
		"no scale":       {header(0, 0, 1500), 0},
		"other version":  {header(2, 1000, 1500), 0},
		"cut":            {boxOf("mvhd", make([]byte, 19)...), 0},
		"empty":          {boxOf("mvhd"), 0},
		"too large":      {boxOf("mvhd", make([]byte, 5<<10)...), 0},
		"nothing passed": {header(0, 1000, 0), 0},
	} {
		if m := readMovie(t, boxOf("moov", c.box...), 1000); m.Length != c.want || !m.Index {
			t.Errorf("%s: %s, want %s", name, m.Length, c.want)
		}
	}
}

// track returns a trak box with a handler, a codec and a size.
func track(handlers []string, codec string, width, height uint16, turned bool) []byte {
	tkhd := make([]byte, 84)
	if !turned {
		binary.BigEndian.PutUint32(tkhd[40:], 0x10000)
	}
	binary.BigEndian.PutUint16(tkhd[76:], width)
	binary.BigEndian.PutUint16(tkhd[80:], height)
	media := []byte{}
	for _, handler := range handlers {
		media = append(media, boxOf("hdlr", append(make([]byte, 8), handler+"more"...)...)...)
	}
	description := boxOf("stsd", append(make([]byte, 12), codec...)...)
	media = append(media, boxOf("minf", boxOf("stbl", description...)...)...)
	return boxOf("trak", slices.Concat(boxOf("tkhd", tkhd...), boxOf("mdia", media...))...)
}

func TestFirstTrackOfEachKindCounts(t *testing.T) {
	t.Parallel()
	video, sound := []string{"vide"}, []string{"soun"}
	for name, c := range map[string]struct {
		tracks        [][]byte
		width, height int
		video, audio  string
	}{
		"video alone": {[][]byte{track(video, "avc1", 1920, 1080, false)}, 1920, 1080, "avc1", ""},
		"sound first": {[][]byte{track(sound, "mp4a", 0, 0, false), track(video, "hvc1", 640, 480, false)}, 640,
			480, "hvc1", "mp4a"},
		"two videos": {[][]byte{track(video, "avc1", 640, 480, false), track(video, "vp09", 320, 240, false)},
			640, 480, "avc1", ""},
		"two languages": {[][]byte{track(sound, "mp4a", 0, 0, false), track(sound, "Opus", 0, 0, false)}, 0, 0, "",
			"mp4a"},
		"turned": {[][]byte{track(video, "avc1", 1920, 1080, true)}, 1080, 1920, "avc1", ""},
		"QuickTime's reader": {[][]byte{track([]string{"vide", "alis"}, "avc1", 640, 480, false)}, 640, 480, "avc1",
			""},
		"by address":    {[][]byte{track([]string{"soun", "url "}, "mp4a", 0, 0, false)}, 0, 0, "", "mp4a"},
		"subtitles":     {[][]byte{track([]string{"text"}, "tx3g", 0, 0, false)}, 0, 0, "", ""},
		"codec cut off": {[][]byte{track(video, "avc", 640, 480, false)}, 640, 480, "", ""},
	} {
		for _, piece := range []int{1, 13, 4096} {
			m := readMovie(t, boxOf("moov", slices.Concat(c.tracks...)...), piece)
			if m.Width != c.width || m.Height != c.height || m.Video != c.video || m.Audio != c.audio {
				t.Errorf("%s in chunks of %d: %+v", name, piece, m)
			}
		}
	}
}

func TestMovieIsWholeWithIndexAndData(t *testing.T) {
	t.Parallel()
	index, pictures := boxOf("moov", header(0, 1000, 1000)...), boxOf("mdat", 1, 2, 3, 4)
	for name, c := range map[string]struct {
		file []byte
		want bool
	}{
		"nothing":            {nil, false},
		"index alone":        {index, false},
		"pictures alone":     {pictures, false},
		"index first":        {slices.Concat(index, pictures), true},
		"index last":         {slices.Concat(pictures, index), true},
		"in fragments":       {slices.Concat(index, boxOf("moof", 1, 2)), true},
		"other boxes":        {slices.Concat(boxOf("free", 0), index, boxOf("udta", 1, 2, 3), pictures), true},
		"pictures cut off":   {slices.Concat(index, pictures[:10]), false},
		"head cut off":       {slices.Concat(index, pictures, []byte{0, 0, 0}), false},
		"index cut off":      {slices.Concat(pictures, index[:30]), false},
		"a box without size": {slices.Concat(index, []byte{0, 0, 0, 0, 'm', 'd', 'a', 't', 1}), true},
	} {
		for _, piece := range []int{1, 5, 4096} {
			if m := readMovie(t, c.file, piece); m.Whole() != c.want {
				t.Errorf("%s in chunks of %d: whole %t", name, piece, m.Whole())
			}
		}
	}
}

func TestRatesAndRatiosOfUnknownMovies(t *testing.T) {
	t.Parallel()
	var unknown mp4.Movie
	if unknown.BitRate(1000) != 0 || unknown.Ratio() != 0 || unknown.Shape() != (mp4.Shape{}) ||
		unknown.Shape().Known() {
		t.Errorf("an unknown movie has the bit rate %v, the ratio %v", unknown.BitRate(1000), unknown.Ratio())
	}
	m := mp4.Movie{Width: 1920, Height: 1080, Length: 2 * time.Second}
	if m.BitRate(1000) != 4000 || m.Ratio() != 1920.0/1080 {
		t.Errorf("bit rate %v, ratio %v", m.BitRate(1000), m.Ratio())
	}
	if s := m.Shape(); s != (mp4.Shape{Width: 1920, Height: 1080, Duration: 2 * time.Second}) || !s.Known() {
		t.Errorf("shape %+v", s)
	}
	for _, s := range []mp4.Shape{{Width: 1}, {Height: 1}, {Duration: time.Second}} {
		if s.Known() {
			t.Errorf("%+v is known", s)
		}
	}
}

// The state stored between two parts of an upload must stay small, however large the file is.
func TestStateBetweenPartsIsSmall(t *testing.T) {
	t.Parallel()
	file := graphtest.MP4(graphtest.Video{Bytes: 100_000, IndexLast: true})
	var m mp4.Movie
	for i := 0; i < len(file); i += 1000 {
		n, err := m.Write(file[i:min(i+1000, len(file))])
		if err != nil || n != min(1000, len(file)-i) {
			t.Fatalf("%d bytes, %v", n, err)
		}
		if len(m.Head) > 16 || len(m.Body) > 4<<10 {
			t.Fatalf("after %d bytes, %d and %d are buffered", i, len(m.Head), len(m.Body))
		}
	}
	if !m.Whole() {
		t.Errorf("movie %+v", m)
	}
}
