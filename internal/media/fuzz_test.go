package media_test

import (
	"bytes"
	"errors"
	"testing"

	"crier/internal/media"
	"crier/internal/media/mediatest"
)

// seeds returns a file of every type, valid and rejected.
func seeds() [][]byte {
	return [][]byte{
		mediatest.JPEG(16, 8), mediatest.RotatedJPEG(16, 8, 6), mediatest.PNG(16, 8), mediatest.TransparentPNG(16, 8),
		mediatest.WebP(4, 2), mediatest.TransparentWebP(4, 2), mediatest.AnimatedWebP(4, 2), mediatest.GIF(16, 8, 3),
		mediatest.MP4(mediatest.Video{Width: 32, Height: 16, Seconds: 0.1, Audio: true}),
		mediatest.MP4(mediatest.Video{Width: 32, Height: 16, Seconds: 0.1, Codec: "hvc1", MoovLast: true,
			EditList: true}),
		mediatest.MP4(mediatest.Video{Width: 32, Height: 16, Seconds: 0.1, Audio: true, Fragmented: true}),
		mediatest.MOV(mediatest.Video{Width: 32, Height: 16, Seconds: 0.1, Rotate: 90, Codec: "vp09"}),
		mediatest.WebM(32, 16, 0.1, true), mediatest.PDF(2), mediatest.CompressedPDF(2),
		mediatest.HEIC(), mediatest.HTML(), mediatest.BombJPEG(), mediatest.BombGIF(),
	}
}

// FuzzProbe searches for bytes that make Probe panic, loop, or return impossible properties.
func FuzzProbe(f *testing.F) {
	for _, file := range seeds() {
		f.Add(file)
	}
	limits := media.Limits{MaxPixels: 1 << 20, MaxFrames: 50}
	f.Fuzz(func(t *testing.T, file []byte) {
		info, err := limits.Probe(t.Context(), bytes.NewReader(file), int64(len(file)))
		if err != nil {
			if _, ok := errors.AsType[*media.Refusal](err); !ok {
				t.Errorf("error %v is no refusal, although reading cannot fail", err)
			}
			return
		}
		checkFacts(t, info)
	})
}

func checkFacts(t *testing.T, info media.Info) {
	t.Helper()
	if info.Kind != media.KindDocument && (info.Width <= 0 || info.Height <= 0) {
		t.Errorf("a %s of %d x %d", info.Kind, info.Width, info.Height)
	}
	if info.Kind == media.KindImage && info.Width*info.Height > 1<<20 {
		t.Errorf("a picture of %d x %d passes the limit", info.Width, info.Height)
	}
	if info.Kind == media.KindVideo && !(info.DurationSeconds > 0) {
		t.Errorf("a video of %g seconds", info.DurationSeconds)
	}
	if info.FrameRate < 0 || info.BitRate < 0 || info.PixelAspect < 0 || info.Pages < 0 || info.Frames < 0 {
		t.Errorf("impossible facts: %+v", info)
	}
}

// FuzzToJPEG searches for files that pass Probe and then make a decoder or the scaler fail other than by a refusal.
func FuzzToJPEG(f *testing.F) {
	for _, file := range seeds() {
		f.Add(file)
	}
	images := media.NewImages(media.Limits{MaxPixels: 1 << 12, MaxFrames: 50})
	f.Fuzz(func(t *testing.T, file []byte) {
		const side = 10
		picture, err := images.ToJPEG(t.Context(), bytes.NewReader(file), int64(len(file)),
			media.JPEGOptions{MaxSide: side})
		if err != nil {
			if _, ok := errors.AsType[*media.Refusal](err); !ok {
				t.Errorf("error %v is no refusal, although reading cannot fail", err)
			}
			return
		}
		if picture.Width < 1 || picture.Height < 1 || max(picture.Width, picture.Height) > side {
			t.Errorf("a picture of %d x %d", picture.Width, picture.Height)
		}
	})
}
