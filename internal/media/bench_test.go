package media_test

import (
	"bytes"
	"testing"

	"crier/internal/media"
	"crier/internal/media/mediatest"
)

func BenchmarkProbe(b *testing.B) {
	files := map[string][]byte{
		"jpeg 12 MP":       mediatest.JPEG(4000, 3000),
		"png 2 MP":         mediatest.PNG(1920, 1080),
		"gif 100 frames":   mediatest.GIF(200, 200, 100),
		"mp4 one minute":   mediatest.MP4(mediatest.Video{Seconds: 60, Audio: true}),
		"mp4 fragmented":   mediatest.MP4(mediatest.Video{Seconds: 60, Audio: true, Fragmented: true}),
		"mp4 ten minutes":  mediatest.MP4(mediatest.Video{Width: 64, Height: 64, Seconds: 600, Audio: true}),
		"pdf of 100 pages": mediatest.PDF(100),
	}
	for name, file := range files {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := probe(b, file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkThumbnail(b *testing.B) {
	files := map[string][]byte{
		"jpeg 12 MP": mediatest.JPEG(4000, 3000),
		"png 2 MP":   mediatest.PNG(1920, 1080),
		"video":      mediatest.VerticalMP4(),
	}
	images := media.NewImages(media.Limits{})
	for name, file := range files {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := images.Thumbnail(b.Context(), bytes.NewReader(file), int64(len(file))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
