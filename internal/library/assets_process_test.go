package library

import (
	"strings"
	"testing"

	"crier"
	"crier/internal/media"
)

func TestOnlyUnsupportedImagesBecomeJPEGs(t *testing.T) {
	t.Parallel()
	photo := media.Info{Kind: media.KindImage, MimeType: media.TypeJPEG, ByteSize: 1000, Width: 800, Height: 600}
	change := func(fn func(*media.Info)) media.Info {
		info := photo
		fn(&info)
		return info
	}
	for name, test := range map[string]struct {
		info media.Info
		want bool
	}{
		"a plain JPEG":     {photo, false},
		"a PNG":            {change(func(i *media.Info) { i.MimeType = media.TypePNG }), true},
		"a heavy JPEG":     {change(func(i *media.Info) { i.ByteSize = 6_000_000 }), true},
		"a huge JPEG":      {change(func(i *media.Info) { i.Height = 5000 }), true},
		"a JPEG for print": {change(func(i *media.Info) { i.Colour = "cmyk" }), true},
		"an animation":     {change(func(i *media.Info) { i.MimeType, i.Kind = media.TypeGIF, media.KindGIF }), false},
		"a video": {change(func(i *media.Info) { i.MimeType, i.Kind = media.TypeMP4, media.KindVideo }),
			false},
	} {
		if got := needsJPEG(test.info); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFileNamesAreSanitized(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"owl.png": "owl.png", "../../etc/passwd": "passwd", `C:\photos\owl.png`: "owl.png", " owl.png ": "owl.png",
		"": "", "/": "",
		"o\x00w\nl.png": "owl.png", "o\xffwl.png": "owl.png", strings.Repeat("ü", 300): strings.Repeat("ü", 255),
	} {
		got := cleanName(given)
		if got != want || got != "" && crier.FileName(got).Problem() != "" {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}

func TestSmallRenditionFits1080pAndIsNeverEnlarged(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		width, height int
		side          int
		needed        bool
	}{
		{"a phone's photo", 4032, 3024, 1440, true},
		{"the same upright", 3024, 4032, 1440, true},
		{"a square", 1400, 1400, 1080, true},
		{"a panorama", 8000, 1000, 1920, true},
		{"exactly 1080p", 1920, 1080, 1920, false},
		{"a small one", 640, 640, 640, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			info := media.Info{Kind: media.KindImage, Width: tc.width, Height: tc.height}
			if side := smallSide(tc.width, tc.height); side != tc.side || needsSmall(info) != tc.needed {
				t.Errorf("longer side %d, needed %v; want %d, %v", side, needsSmall(info), tc.side, tc.needed)
			}
		})
	}
}
