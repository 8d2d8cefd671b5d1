package mp4_test

import (
	"encoding/binary"
	"encoding/json"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/mp4"
)

// readMovie writes a file in chunks and saves the state between them, as an upload does.
func readMovie(t testing.TB, file []byte, piece int) mp4.Movie {
	t.Helper()
	var m mp4.Movie
	for len(file) > 0 {
		n := min(piece, len(file))
		if _, err := m.Write(file[:n]); err != nil {
			t.Fatal(err)
		}
		file = file[n:]
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		m = mp4.Movie{}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestMovieIsParsedInChunks(t *testing.T) {
	t.Parallel()
	for _, last := range []bool{false, true} {
		file := graphtest.MP4(graphtest.Video{Width: 1080, Height: 1920, Length: 90 * time.Second, IndexLast: last})
		for _, piece := range []int{1, 7, 8, 100, len(file)} {
			m := readMovie(t, file, piece)
			if !m.Whole() || m.Length != 90*time.Second || m.Width != 1080 || m.Height != 1920 || m.Video != "avc1" ||
				m.Audio != "mp4a" {
				t.Errorf("in chunks of %d: %+v", piece, m)
			}
		}
		if m := readMovie(t, file[:len(file)-1], 100); m.Whole() {
			t.Errorf("a truncated file is whole: %+v", m)
		}
	}
}

func boxOf(name string, body ...byte) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), name...), body...)
}

func TestMovieSupportsRareBoxes(t *testing.T) {
	t.Parallel()
	long := make([]byte, 112)
	long[0] = 1
	binary.BigEndian.PutUint32(long[20:], 90_000)
	binary.BigEndian.PutUint64(long[24:], 90_000*7)
	if m := readMovie(t, boxOf("moov", boxOf("mvhd", long...)...), 1000); m.Length != 7*time.Second {
		t.Errorf("64-bit length: %+v", m)
	}
	turned := make([]byte, 84)
	binary.BigEndian.PutUint16(turned[76:], 1920)
	binary.BigEndian.PutUint16(turned[80:], 1080)
	if m := readMovie(t, boxOf("trak", boxOf("tkhd", turned...)...), 1000); m.Width != 1080 || m.Height != 1920 ||
		m.Ratio() != 0.5625 {
		t.Errorf("rotated by 90 degrees: %+v", m)
	}
	large := append(binary.BigEndian.AppendUint64([]byte("\x00\x00\x00\x01mdat"), 20), 1, 2, 3, 4)
	if m := readMovie(t, append(large, boxOf("moov")...), 3); !m.Whole() {
		t.Errorf("large size: %+v", m)
	}
	open := append(boxOf("moov"), []byte("\x00\x00\x00\x00mdat and so on")...)
	if m := readMovie(t, open, 5); !m.Whole() {
		t.Errorf("open end: %+v", m)
	}
	header := make([]byte, 100)
	binary.BigEndian.PutUint32(header[12:], 1000)
	fragments := append(boxOf("mvhd", header...), boxOf("mvex", boxOf("mehd", 0, 0, 0, 0, 0, 0, 0x0b, 0xb8)...)...)
	if m := readMovie(t, append(boxOf("moov", fragments...), boxOf("moof")...), 9); m.Length != 3*time.Second ||
		!m.Whole() {
		t.Errorf("fragments: %+v", m)
	}
}

func TestOtherFilesHaveNoDimensions(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"text":         []byte("this is not a video, and long enough to be one"),
		"tiny box":     {0, 0, 0, 3, 'f', 't', 'y', 'p', 1, 2, 3},
		"empty index":  boxOf("moov"),
		"huge index":   {0x7f, 0, 0, 0, 'm', 'o', 'o', 'v', 0, 0},
		"broken index": boxOf("moov", 0, 0, 0, 200, 'm', 'v', 'h', 'd'),
	} {
		if m := readMovie(t, body, 7); m.Shape().Known() || m.Length != 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func FuzzMovie(f *testing.F) {
	f.Add(graphtest.MP4(graphtest.Video{Bytes: 10}), 7)
	f.Add([]byte("\x00\x00\x00\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff"), 1)
	f.Add([]byte("\x00\x00\x00\x02tkhd"), 3)
	f.Fuzz(func(t *testing.T, file []byte, piece int) {
		var whole, pieces mp4.Movie
		for _, part := range [][]byte{file[:max(0, min(piece, len(file)))], file[max(0, min(piece, len(file))):]} {
			_, _ = pieces.Write(part) // never fails
		}
		_, _ = whole.Write(file)
		if whole.Whole() != pieces.Whole() || whole.Length != pieces.Length || whole.Width != pieces.Width ||
			whole.Video != pieces.Video {
			t.Errorf("in one chunk %+v, in several %+v", whole, pieces)
		}
	})
}
