package mediatest_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/webp"

	"crier/internal/media/mediatest"
)

func TestPicturesDecode(t *testing.T) {
	t.Parallel()
	decoders := map[string]struct {
		file   []byte
		decode func([]byte) (image.Image, error)
	}{
		"JPEG": {mediatest.JPEG(60, 40), func(b []byte) (image.Image,
			error) {
			return jpeg.Decode(bytes.NewReader(b))
		}},
		"PNG": {mediatest.PNG(60, 40), func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) }},
		"WebP": {mediatest.WebP(60, 40), func(b []byte) (image.Image,
			error) {
			return webp.Decode(bytes.NewReader(b))
		}},
		"GIF": {mediatest.GIF(60, 40, 4), func(b []byte) (image.Image,
			error) {
			return gif.Decode(bytes.NewReader(b))
		}},
	}
	for name, c := range decoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := c.decode(c.file)
			if err != nil {
				t.Fatal(err)
			}
			wantNear(t, m.At(10, 10), mediatest.TopLeft)
			wantNear(t, m.At(50, 10), mediatest.TopRight)
			wantNear(t, m.At(10, 30), mediatest.BottomLeft)
			wantNear(t, m.At(50, 30), mediatest.BottomRight)
		})
	}
}

func wantNear(t *testing.T, got, want color.Color) {
	t.Helper()
	r, g, b, _ := got.RGBA()
	wr, wg, wb, _ := want.RGBA()
	for _, pair := range [][2]uint32{{r, wr}, {g, wg}, {b, wb}} {
		if max(pair[0], pair[1])-min(pair[0], pair[1]) > 3000 {
			t.Errorf("%v, want %v", got, want)
			return
		}
	}
}

func TestBombIsAValidPNG(t *testing.T) {
	t.Parallel()
	bomb := mediatest.BombPNG()
	config, err := png.DecodeConfig(bytes.NewReader(bomb))
	if err != nil || config.Width*config.Height < 100_000_000 || len(bomb) > 100_000 {
		t.Errorf("%d x %d in %d bytes, %v", config.Width, config.Height, len(bomb), err)
	}
}

// The limits that all seven networks set by the strictest reading; the sizes are LinkedIn's least and X's most.
func TestVerticalClipSuitsEveryNetwork(t *testing.T) {
	t.Parallel()
	clip := mediatest.VerticalMP4()
	if len(clip) < 75<<10 || len(clip) > 1<<20 {
		t.Errorf("%d bytes", len(clip))
	}
	if moov, mdat := bytes.Index(clip, []byte("moov")), bytes.Index(clip, []byte("mdat")); moov > mdat {
		t.Error("the index is not first")
	}
	if bytes.Contains(clip, []byte("elst")) {
		t.Error("it has an edit list")
	}
}

// Every sample that the index tells must lie where it says, with the length that its own first bytes tell.
func TestSamplesAreWhereTheIndexSays(t *testing.T) {
	t.Parallel()
	for name, video := range map[string]mediatest.Video{
		"index first": {Audio: true}, "index last": {Audio: true, MoovLast: true}, "a part of a second": {Seconds: 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := mediatest.MP4(video)
			sizes, offsets := table(file, "stsz", 8), table(file, "stco", 4)
			perChunk := table(file, "stsc", 4)
			sample := 0
			for chunk, offset := range offsets {
				for range perChunk[chunk*3+1] {
					if length := binary.BigEndian.Uint32(file[offset:]); length+4 != sizes[sample] {
						t.Fatalf("sample %d at %d has %d bytes, the index says %d", sample, offset, length+4,
							sizes[sample])
					}
					offset += sizes[sample]
					sample++
				}
			}
			if sample != len(sizes) || sample == 0 {
				t.Errorf("%d samples in chunks, %d in all", sample, len(sizes))
			}
		})
	}
}

// table reads the 32-bit values of the first box of a name, after version, flags and count fields.
func table(file []byte, name string, skip int) []uint32 {
	at := bytes.Index(file, []byte(name))
	body := file[at+8+skip : at-4+int(binary.BigEndian.Uint32(file[at-4:]))]
	values := make([]uint32, len(body)/4)
	for i := range values {
		values[i] = binary.BigEndian.Uint32(body[4*i:])
	}
	return values
}
