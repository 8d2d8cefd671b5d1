package mp4_test

import (
	"encoding/binary"
	"encoding/json"
	"testing"
	"time"

	"crier/internal/sandbox/youtube/mp4"
)

func box(kind string, parts ...[]byte) []byte {
	body := []byte{}
	for _, part := range parts {
		body = append(body, part...)
	}
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
}

// file returns an MP4 file with its index at the end, behind a box with a long header.
func file(width, height, seconds int, turned bool) []byte {
	mvhd := make([]byte, 100)
	binary.BigEndian.PutUint32(mvhd[12:], 1000)
	binary.BigEndian.PutUint32(mvhd[16:], uint32(seconds*1000))
	tkhd := make([]byte, 84)
	matrix := 0
	if turned {
		matrix = 4
	}
	binary.BigEndian.PutUint32(tkhd[40+matrix:], 0x10000)
	binary.BigEndian.PutUint32(tkhd[76:], uint32(width)<<16)
	binary.BigEndian.PutUint32(tkhd[80:], uint32(height)<<16)
	data := make([]byte, 1000)
	long := append(append([]byte{0, 0, 0, 1}, "mdat"...), binary.BigEndian.AppendUint64(nil, uint64(len(data)+16))...)
	out := append(box("ftyp", []byte("isom\x00\x00\x02\x00")), append(long, data...)...)
	sound := box("trak", box("tkhd", make([]byte, 84)))
	return append(out, box("moov", box("mvhd", mvhd), sound, box("trak", box("tkhd", tkhd)))...)
}

// scan follows a file in parts and stores the scanner as JSON between them.
func scan(t *testing.T, body []byte, part int) mp4.Shape {
	t.Helper()
	var stored []byte
	for len(body) > 0 {
		var s mp4.Scanner
		if stored != nil {
			if err := json.Unmarshal(stored, &s); err != nil {
				t.Fatal(err)
			}
		}
		n := min(part, len(body))
		if _, err := s.Write(body[:n]); err != nil {
			t.Fatal(err)
		}
		body = body[n:]
		var err error
		if stored, err = json.Marshal(s); err != nil {
			t.Fatal(err)
		}
		if len(body) == 0 {
			return s.Found
		}
	}
	return mp4.Shape{}
}

func TestShapeIsFoundHoweverTheFileIsCut(t *testing.T) {
	t.Parallel()
	want := mp4.Shape{Width: 1080, Height: 1920, Duration: 12 * time.Second}
	for _, part := range []int{1, 3, 8, 100, 1 << 20} {
		if got := scan(t, file(1080, 1920, 12, false), part); got != want {
			t.Errorf("in parts of %d bytes: %+v", part, got)
		}
	}
}

func TestTurnedPictureSwapsItsSides(t *testing.T) {
	t.Parallel()
	if got := scan(t, file(1920, 1080, 5, true), 64); got.Width != 1080 || got.Height != 1920 {
		t.Errorf("shape is %+v", got)
	}
}

func TestOtherFilesHaveNoShape(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"text":         []byte("this is not a video, and long enough to be one"),
		"tiny box":     {0, 0, 0, 3, 'f', 't', 'y', 'p', 1, 2, 3},
		"cut index":    file(100, 100, 1, false)[:1100],
		"empty index":  box("moov"),
		"huge index":   {0x7f, 0, 0, 0, 'm', 'o', 'o', 'v', 0, 0},
		"broken index": box("moov", []byte{0, 0, 0, 200, 'm', 'v', 'h', 'd'}),
	} {
		if got := scan(t, body, 7); got.Known() || got.Duration != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzScannerNeverFails(f *testing.F) {
	f.Add(file(10, 20, 3, true), 5)
	f.Fuzz(func(t *testing.T, body []byte, part int) {
		if part < 1 {
			part = 1
		}
		if shape := scan(t, body, part); shape.Duration < 0 || shape.Width < 0 || shape.Height < 0 {
			t.Errorf("shape is %+v", shape)
		}
	})
}
