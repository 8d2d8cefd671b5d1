package media_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"sync"
	"testing"

	"crier/internal/media"
	"crier/internal/media/mediatest"
)

func thumbnail(t *testing.T, file []byte) media.Picture {
	t.Helper()
	picture, err := media.NewImages(media.Limits{}).Thumbnail(t.Context(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func toJPEG(t *testing.T, file []byte, o media.JPEGOptions) (media.Picture, error) {
	t.Helper()
	return media.NewImages(media.Limits{}).ToJPEG(t.Context(), bytes.NewReader(file), int64(len(file)), o)
}

// decodePicture decodes a result and checks its dimensions.
func decodePicture(t *testing.T, p media.Picture) image.Image {
	t.Helper()
	m, err := jpeg.Decode(bytes.NewReader(p.JPEG))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds() != image.Rect(0, 0, p.Width, p.Height) {
		t.Errorf("the picture is %v, but says %d x %d", m.Bounds(), p.Width, p.Height)
	}
	return m
}

// wantColour tolerates the color changes of JPEG.
func wantColour(t *testing.T, m image.Image, x, y int, want color.Color) {
	t.Helper()
	r, g, b, _ := m.At(x, y).RGBA()
	wr, wg, wb, _ := want.RGBA()
	for _, pair := range [][2]uint32{{r, wr}, {g, wg}, {b, wb}} {
		if distance := int(pair[0]>>8) - int(pair[1]>>8); distance < -12 || distance > 12 {
			t.Errorf("pixel %d,%d is %v, want %v", x, y, m.At(x, y), want)
			return
		}
	}
}

// wantQuadrants checks that a picture is mediatest.Quadrants, upright.
func wantQuadrants(t *testing.T, m image.Image, topLeft color.Color) {
	t.Helper()
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	wantColour(t, m, w/4, h/4, topLeft)
	wantColour(t, m, w*3/4, h/4, mediatest.TopRight)
	wantColour(t, m, w/4, h*3/4, mediatest.BottomLeft)
	wantColour(t, m, w*3/4, h*3/4, mediatest.BottomRight)
}

func TestThumbnailsAreSmallAndUpright(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		file          []byte
		width, height int
		topLeft       color.Color
	}{
		"a large landscape":      {mediatest.JPEG(1800, 1200), 640, 427, mediatest.TopLeft},
		"a large portrait":       {mediatest.JPEG(700, 1400), 320, 640, mediatest.TopLeft},
		"a small one":            {mediatest.PNG(60, 40), 60, 40, mediatest.TopLeft},
		"one with alpha":         {mediatest.TransparentPNG(900, 600), 640, 427, color.White},
		"WebP":                   {mediatest.WebP(120, 80), 120, 80, mediatest.TopLeft},
		"WebP with alpha":        {mediatest.TransparentWebP(120, 80), 120, 80, color.White},
		"the first frame of GIF": {mediatest.GIF(120, 80, 4), 120, 80, mediatest.TopLeft},
	}
	for orientation := 1; orientation <= 8; orientation++ {
		cases[fmt.Sprintf("EXIF orientation %d", orientation)] = struct {
			file          []byte
			width, height int
			topLeft       color.Color
		}{mediatest.RotatedJPEG(900, 600, orientation), 640, 427, mediatest.TopLeft}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := decodePicture(t, thumbnail(t, c.file))
			if m.Bounds() != image.Rect(0, 0, c.width, c.height) {
				t.Errorf("size %v, want %d x %d", m.Bounds(), c.width, c.height)
			}
			wantQuadrants(t, m, c.topLeft)
		})
	}
}

func TestVideosAndDocumentsGetAPoster(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		file          []byte
		width, height int
	}{
		"a vertical video": {mediatest.VerticalMP4(), 360, 640},
		"one that is turned": {mediatest.MP4(mediatest.Video{Width: 960, Height: 540, Rotate: 90, Seconds: 1}), 360,
			640},
		"a landscape": {mediatest.MP4(mediatest.Video{Width: 1920, Height: 1080, Seconds: 1}), 640, 360},
		"a tiny one":  {mediatest.MP4(mediatest.Video{Width: 64, Height: 32, Seconds: 1}), 640, 320},
		"a document":  {mediatest.PDF(3), 452, 640},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := decodePicture(t, thumbnail(t, c.file))
			if m.Bounds() != image.Rect(0, 0, c.width, c.height) {
				t.Errorf("size %v, want %d x %d", m.Bounds(), c.width, c.height)
			}
			colours := map[color.Color]bool{}
			for x := range c.width {
				colours[m.At(x, c.height/2)] = true
			}
			if name != "a document" && len(colours) < 2 {
				t.Error("there is no triangle in its middle")
			}
		})
	}
}

func TestToJPEGFlattensAndRotates(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		file    []byte
		topLeft color.Color
	}{
		"PNG with alpha":  {mediatest.TransparentPNG(300, 200), color.White},
		"WebP":            {mediatest.WebP(300, 200), mediatest.TopLeft},
		"animated GIF":    {mediatest.GIF(300, 200, 3), mediatest.TopLeft},
		"JPEG, turned":    {mediatest.RotatedJPEG(300, 200, 8), mediatest.TopLeft},
		"JPEG, mirrored":  {mediatest.RotatedJPEG(300, 200, 5), mediatest.TopLeft},
		"gray with alpha": {grayWithAlpha(t), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			picture, err := toJPEG(t, c.file, media.JPEGOptions{})
			if err != nil {
				t.Fatal(err)
			}
			m := decodePicture(t, picture)
			if m.Bounds() != image.Rect(0, 0, 300, 200) {
				t.Errorf("size %v", m.Bounds())
			}
			if c.topLeft != nil {
				wantQuadrants(t, m, c.topLeft)
			}
			info, err := probe(t, picture.JPEG)
			if err != nil || info.MimeType != media.TypeJPEG || info.Orientation != 1 {
				t.Errorf("the result probes as %+v, %v", info, err)
			}
		})
	}
}

// grayWithAlpha returns a 16-bit picture, which takes the decoder's slowest path.
func grayWithAlpha(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA64(image.Rect(0, 0, 300, 200))
	for i := range m.Pix {
		m.Pix[i] = byte(i)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPartialFirstFrameHasAWhiteBackground(t *testing.T) {
	t.Parallel()
	frame := image.NewPaletted(image.Rect(50, 50, 100, 100), palette.Plan9)
	animation := &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0},
		Config: image.Config{Width: 100, Height: 100}}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, animation); err != nil {
		t.Fatal(err)
	}
	picture, err := toJPEG(t, b.Bytes(), media.JPEGOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := decodePicture(t, picture)
	wantColour(t, m, 20, 20, color.White)
	wantColour(t, m, 80, 80, color.Black)
}

func TestToJPEGKeepsWithinItsLimits(t *testing.T) {
	t.Parallel()
	noise := image.NewRGBA(image.Rect(0, 0, 600, 400))
	copy(noise.Pix, randomBytes(len(noise.Pix)))
	var b bytes.Buffer
	if err := png.Encode(&b, noise); err != nil {
		t.Fatal(err)
	}
	unlimited, err := toJPEG(t, b.Bytes(), media.JPEGOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		options media.JPEGOptions
		width   int
	}{
		"a longest side":                   {media.JPEGOptions{MaxSide: 300}, 300},
		"a longer side than it has":        {media.JPEGOptions{MaxSide: 5000}, 600},
		"bytes that a lower quality meets": {media.JPEGOptions{MaxBytes: int64(len(unlimited.JPEG)) * 6 / 10}, 600},
		"bytes that a smaller size meets":  {media.JPEGOptions{MaxBytes: 30_000}, 337},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			picture, err := toJPEG(t, b.Bytes(), c.options)
			if err != nil {
				t.Fatal(err)
			}
			if c.options.MaxBytes > 0 && int64(len(picture.JPEG)) > c.options.MaxBytes {
				t.Errorf("%d bytes, at most %d are allowed", len(picture.JPEG), c.options.MaxBytes)
			}
			if picture.Width != c.width {
				t.Errorf("%d wide, want %d", picture.Width, c.width)
			}
			decodePicture(t, picture)
		})
	}
	_, err = toJPEG(t, b.Bytes(), media.JPEGOptions{MaxBytes: 100})
	wantRefusal(t, err, media.ReasonTooLarge)
}

func TestHugeImagesAreRejectedBeforeDecoding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		picture image.Image
		limit   int64
		refused bool
	}{
		"8 bits a channel, just enough":  {image.NewNRGBA(image.Rect(0, 0, 50, 40)), 50 * 40 * 4, false},
		"8 bits a channel, one too few":  {image.NewNRGBA(image.Rect(0, 0, 50, 40)), 50*40*4 - 1, true},
		"16 bits a channel, just enough": {image.NewNRGBA64(image.Rect(0, 0, 50, 40)), 50 * 40 * 8, false},
		"16 bits a channel, one too few": {image.NewNRGBA64(image.Rect(0, 0, 50, 40)), 50*40*8 - 1, true},
	} {
		var file bytes.Buffer
		if err := png.Encode(&file, c.picture); err != nil {
			t.Fatal(err)
		}
		images := media.NewImages(media.Limits{MaxDecodeBytes: c.limit})
		_, err := images.Thumbnail(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()))
		if !c.refused && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.refused {
			wantRefusal(t, err, media.ReasonTooManyPixels)
		}
	}
}

func TestUndecodableImagesAreRejected(t *testing.T) {
	t.Parallel()
	_, err := toJPEG(t, mediatest.VerticalMP4(), media.JPEGOptions{})
	wantRefusal(t, err, media.ReasonUnsupported)
	_, err = toJPEG(t, mediatest.BombPNG(), media.JPEGOptions{})
	wantRefusal(t, err, media.ReasonTooManyPixels)
	_, err = toJPEG(t, mediatest.Cut(mediatest.JPEG(300, 200)), media.JPEGOptions{})
	wantRefusal(t, err, media.ReasonCutOff)

	// The structure of this JPEG is complete; its picture data is not.
	file := mediatest.JPEG(300, 200)
	scan := bytes.Index(file, []byte{0xff, 0xda})
	hollow := append(bytes.Clone(file[:scan+14]), 0xff, 0xd9)
	_, err = toJPEG(t, hollow, media.JPEGOptions{})
	if _, ok := errors.AsType[*media.Refusal](err); !ok {
		t.Errorf("a JPEG without picture data: %v, want a refusal", err)
	}
}

func TestImagesAreDecodedConcurrently(t *testing.T) {
	t.Parallel()
	images := media.NewImages(media.Limits{})
	file := mediatest.RotatedJPEG(900, 600, 6)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			picture, err := images.Thumbnail(t.Context(), bytes.NewReader(file), int64(len(file)))
			if err != nil || picture.Width != 640 {
				t.Errorf("%d wide, %v", picture.Width, err)
			}
		})
	}
	group.Wait()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := images.Thumbnail(cancelled, bytes.NewReader(file), int64(len(file))); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
