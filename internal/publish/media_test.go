package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// testAssets is a library of a few assets.
type testAssets []store.Asset

// AssetsByID returns the requested assets.
func (s testAssets) AssetsByID(_ context.Context, _ crier.ID, ids []crier.ID) ([]store.Asset, error) {
	var found []store.Asset
	for _, a := range s {
		for _, id := range ids {
			if a.ID == id {
				found = append(found, a)
			}
		}
	}
	return found, nil
}

// newLibrary returns content whose files are in a folder of the test.
func newLibrary(t *testing.T) *Content {
	t.Helper()
	blobs, err := media.NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	return &Content{blobs: blobs, addresses: &media.Addresses{Key: []byte(testSecret), BaseURL: "https://crier.test",
		Now: func() time.Time { return now }}}
}

func (c *Content) putFile(t *testing.T, id crier.ID, variant, data string) {
	t.Helper()
	if err := c.blobs.Put(t.Context(), media.Key{ID: id, Variant: variant}, strings.NewReader(data),
		int64(len(data))); err != nil {
		t.Fatal(err)
	}
}

func asset(t *testing.T, status string, facts media.Facts) store.Asset {
	t.Helper()
	width, height, seconds := 60, 40, 1.5
	a := store.Asset{Asset: crier.Asset{
		ID: crier.NewID(), FileName: "owl.webp", MimeType: "image/webp", ByteSize: 8, Width: &width, Height: &height,
		DurationSeconds: &seconds, Status: status,
	}}
	var err error
	if a.Facts, err = json.Marshal(facts); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestProviderMediaHasContentAndURL(t *testing.T) {
	t.Parallel()
	c := newLibrary(t)
	ready := asset(t, crier.AssetReady, media.Facts{
		Info: media.Info{Kind: media.KindImage, VideoCodec: "h264", FrameRate: 30},
		JPEG: &media.JPEGFacts{ByteSize: 4, Width: 30, Height: 20},
	})
	processing := asset(t, crier.AssetProcessing, media.Facts{})
	c.putFile(t, ready.ID, media.VariantOriginal, "original")
	c.putFile(t, ready.ID, media.VariantJPEG, "jpeg")
	found, err := c.Media(t.Context(), testAssets{ready, processing}, crier.NewID(),
		[]crier.ID{ready.ID, processing.ID, crier.NewID()})
	if err != nil || len(found) != 1 {
		t.Fatalf("found %v: %v", found, err)
	}
	m := found[ready.ID]
	if m.Width != 60 || m.Height != 40 || m.Duration != 1500*time.Millisecond || m.VideoCodec != "h264" ||
		m.FrameRate != 30 || m.MIMEType != "image/webp" {
		t.Errorf("the media is %+v", m)
	}
	if m.JPEG == nil || m.JPEG.FileName != "owl.jpg" || m.JPEG.MIMEType != "image/jpeg" || m.JPEG.Size != 4 ||
		m.JPEG.Width != 30 {
		t.Fatalf("its JPEG is %+v", m.JPEG)
	}
	for variant, file := range map[string]provider.Media{media.VariantOriginal: m, media.VariantJPEG: *m.JPEG} {
		wantFile(t, c, file, variant)
	}
}

// wantFile fails the test unless a media returns the bytes of a variant, and an address that is valid for a day.
func wantFile(t *testing.T, c *Content, m provider.Media, variant string) {
	t.Helper()
	for range 2 { // as often as wanted
		r, err := m.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(io.NewSectionReader(r, 0, 100))
		if err != nil || !bytes.Equal(data, []byte(variant)) || r.Close() != nil {
			t.Errorf("%s reads %q: %v", variant, data, err)
		}
	}
	address, err := m.URL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host != "crier.test" || u.Path != "/media/"+string(m.ID)+"/"+variant {
		t.Errorf("%s is at %s: %v", variant, address, err)
	}
	tomorrow := c.addresses.Now().Add(24 * time.Hour)
	if err := media.Verify(c.addresses.Key, string(m.ID), variant, u.Query().Get("signature"), tomorrow); err != nil {
		t.Errorf("after a day: %v", err)
	}
}

func TestImageRenditionMatchesNetworkLimits(t *testing.T) {
	t.Parallel()
	takes := func(limits ...provider.MediaLimit) provider.Info {
		return provider.Info{Formats: []provider.Format{{Name: "post", Media: limits}}}
	}
	jpegOnly := provider.MediaLimit{Class: "image", MIMETypes: []string{"image/jpeg"}, ConvertTo: "image/jpeg",
		MaxBytes: 1000}
	strict := provider.MediaLimit{Class: "image", MIMETypes: []string{"image/jpeg"}}
	both := provider.MediaLimit{Class: "image", MIMETypes: []string{"image/jpeg", "image/png"}, ConvertTo: "image/jpeg",
		MaxBytes: 1000}
	jpeg := &provider.Media{MIMEType: "image/jpeg", Size: 900}
	for name, test := range map[string]struct {
		info  provider.Info
		media provider.Media
		want  string
	}{
		"a type it does not take is turned": {takes(jpegOnly),
			provider.Media{MIMEType: "image/png", Size: 10, JPEG: jpeg}, "image/jpeg"},
		"a type it takes stays": {takes(both),
			provider.Media{MIMEType: "image/png", Size: 10, JPEG: jpeg}, "image/png"},
		"one that is too large is turned": {takes(both),
			provider.Media{MIMEType: "image/png", Size: 5000, JPEG: jpeg}, "image/jpeg"},
		"a JPEG that is too large itself is not": {takes(jpegOnly),
			provider.Media{MIMEType: "image/png", JPEG: &provider.Media{MIMEType: "image/jpeg", Size: 5000}},
			"image/png"},
		"a network that wants no conversion": {takes(strict), provider.Media{MIMEType: "image/png", JPEG: jpeg},
			"image/png"},
		"what has no JPEG stays": {takes(jpegOnly), provider.Media{MIMEType: "image/gif"},
			"image/gif"},
		"the comment's format counts as one more": {
			provider.Info{Comment: &provider.Format{Media: []provider.MediaLimit{jpegOnly}}},
			provider.Media{MIMEType: "image/png", JPEG: jpeg}, "image/jpeg",
		},
	} {
		test.media.Position, test.media.AltText = 3, "An owl"
		content := provider.Content{Parts: []provider.Part{{Text: "Look", Media: []provider.Media{test.media}}}}
		got := Adapt(test.info, content).Parts[0].Media[0]
		if got.MIMEType != test.want || got.Position != 3 || got.AltText != "An owl" {
			t.Errorf("%s: %+v", name, got)
		}
		if content.Parts[0].Media[0].MIMEType != test.media.MIMEType {
			t.Errorf("%s: the content of other networks was changed", name)
		}
	}
}

func TestFirstFittingImageRenditionIsUsed(t *testing.T) {
	t.Parallel()
	c := newLibrary(t)
	a := asset(t, crier.AssetReady, media.Facts{JPEG: &media.JPEGFacts{ByteSize: 5, Width: 3000, Height: 2000},
		Small: &media.JPEGFacts{ByteSize: 4, Width: 1620, Height: 1080}})
	facts, err := media.DecodeFacts(a.Facts)
	if err != nil {
		t.Fatal(err)
	}
	for short, want := range map[int]int{0: 3000, 2000: 3000, 1080: 1620} {
		info := provider.Info{Formats: []provider.Format{{Media: []provider.MediaLimit{{
			Class: "image", MIMETypes: []string{media.TypeJPEG}, ConvertTo: media.TypeJPEG, MaxShortSide: short,
		}}}}}
		if got := AdaptMedia(info, c.NetworkMedia(a, facts)); got.Width != want || got.MIMEType != media.TypeJPEG {
			t.Errorf("where the shorter side may have %d pixels: %d wide, %s; want %d", short, got.Width, got.MIMEType,
				want)
		}
	}
}
