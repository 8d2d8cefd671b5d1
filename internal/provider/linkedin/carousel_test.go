package linkedin

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"strings"
	"testing"

	"crier"
	files "crier/internal/media"
	"crier/internal/media/mediatest"
	"crier/internal/provider"
	"crier/internal/provider/providertest"
	sandbox "crier/internal/sandbox/linkedin"
)

func grayJPEG(t *testing.T) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 30, 20))
	picture.Set(3, 4, color.Gray{Y: 200})
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// pages returns a picture in color, one in gray, one with an Exif rotation, and a PNG with its JPEG.
func pages(t *testing.T) []provider.Media {
	t.Helper()
	png := providertest.NewMedia("d.png", "image/png", mediatest.PNG(40, 40))
	converted := providertest.NewMedia("d.jpg", "image/jpeg", mediatest.JPEG(40, 40))
	png.JPEG = &converted
	return []provider.Media{
		providertest.NewMedia("a.jpg", "image/jpeg", mediatest.JPEG(80, 60)),
		providertest.NewMedia("b.jpg", "image/jpeg", grayJPEG(t)),
		providertest.NewMedia("c.jpg", "image/jpeg", mediatest.RotatedJPEG(90, 60, 6)),
		png,
	}
}

func TestImagesBecomeThePagesOfAPDF(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	document, err := newCarousel(ctx, pages(t))
	if err != nil {
		t.Fatal(err)
	}
	file, err := document.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	whole, err := io.ReadAll(io.NewSectionReader(file, 0, document.Size+10))
	if err != nil || int64(len(whole)) != document.Size {
		t.Fatalf("%d bytes, want %d: %v", len(whole), document.Size, err)
	}
	info, err := files.Probe(ctx, bytes.NewReader(whole), document.Size)
	if err != nil || info.MimeType != typePDF || info.Pages != 4 {
		t.Errorf("Probe = %+v, %v; want a PDF of four pages", info, err)
	}
	for _, want := range []string{"/Rotate 90", "/DeviceGray", "/DeviceRGB", "/Width 80/Height 60", "%%EOF"} {
		if !bytes.Contains(whole, []byte(want)) {
			t.Errorf("the PDF has no %s", want)
		}
	}
	if !bytes.Contains(whole, mediatest.JPEG(80, 60)) || bytes.Contains(whole, mediatest.PNG(40, 40)) {
		t.Error("the PDF does not contain the unchanged JPEGs")
	}
	for _, offset := range []int64{0, 1, 100, document.Size / 2, document.Size - 1} {
		piece := make([]byte, min(1000, document.Size-offset))
		if _, err := file.ReadAt(piece, offset); err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("ReadAt(%d): %v", offset, err)
		}
		if !bytes.Equal(piece, whole[offset:offset+int64(len(piece))]) {
			t.Errorf("ReadAt(%d) returns other bytes", offset)
		}
	}
	again, err := newCarousel(ctx, pages(t))
	if err != nil || again.Size != document.Size {
		t.Errorf("the same images give %d bytes, then %d, %v", document.Size, again.Size, err)
	}
	for name, m := range map[string]provider.Media{
		"a PNG without a JPEG": providertest.NewMedia("a.png", "image/png", mediatest.PNG(4, 4)),
		"no picture":           providertest.NewMedia("a.jpg", "image/jpeg", []byte("no picture")),
	} {
		if _, err := newCarousel(ctx, []provider.Media{m}); provider.AsError(err) == nil ||
			provider.AsError(err).Kind != provider.Rejected {
			t.Errorf("%s: %v, want it rejected", name, err)
		}
	}
}

func TestCarouselsAreDocumentsInTheSandbox(t *testing.T) {
	t.Parallel()
	document, err := newCarousel(context.Background(), pages(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, handle := range []string{"ada", "organization:acme"} {
		p := play(t, handle, sandbox.Settings{}, Config{})
		c := withSettings(withMedia("Swipe", pages(t)...),
			`{"linkedinCarousel":true,"linkedinDocumentTitle":"Four pages"}`)
		c.PostType = "carousel"
		if found := p.Check(p.account, c); !found.OK() {
			t.Fatalf("Check: %v", found.Issues)
		}
		st, err := providertest.Drive(t, p, p.account, c, provider.State{}, p.clock)
		if err != nil || !st.Done {
			t.Fatalf("%s: %+v, %v", handle, st, err)
		}
		posts := p.sandbox.Posts()
		if len(posts) != 1 || len(posts[0].Media) != 1 || posts[0].Media[0].Type != typePDF ||
			posts[0].Media[0].Size != document.Size {
			t.Errorf("%s: the timeline shows %+v, want one document of all pages", handle, posts)
		}
	}
}

const someCaptions = "1\n00:00:01,000 --> 00:00:04,000\nHello\n"

func TestVideosHaveCaptionsAndAThumbnail(t *testing.T) {
	t.Parallel()
	p := play(t, "ada", sandbox.Settings{}, Config{})
	c := vendorVideoPost(`{"linkedinVideoThumbnailMediaId":"` + string(someAsset) + `"}`)
	c.Settings["linkedinVideoCaptions"] = []byte(`"1\n00:00:01,000 --> 00:00:04,000\nHello\n"`)
	c.Assets = map[crier.ID]provider.Media{someAsset: providertest.NewMedia("t.jpg", "image/jpeg",
		mediatest.JPEG(64, 64))}
	if found := p.Check(p.account, c); !found.OK() || len(found.Warnings) > 0 {
		t.Fatalf("Check: %+v", found)
	}
	st, err := providertest.Drive(t, p, p.account, c, provider.State{}, p.clock)
	if err != nil || !st.Done {
		t.Fatalf("publish: %+v, %v", st, err)
	}
	// Captions that LinkedIn refuses fail the post: it is not published without them.
	c.Settings["linkedinVideoCaptions"] = []byte(`"no captions"`)
	if found := p.Check(p.account, c); len(found.Issues) != 1 {
		t.Errorf("Check = %+v, want the captions refused", found)
	}
	st = provider.State{}
	for range maxRedone + 1 {
		if st, err = providertest.Drive(t, p, p.account, c, st, p.clock); err == nil {
			t.Fatal("published with invalid captions")
		}
	}
	if failure := provider.AsError(err); failure.Kind != provider.Rejected ||
		failure.Code != provider.CodeMediaRejected {
		t.Errorf("publish: %v, want the captions rejected", err)
	}
}

func TestWireFormatOfCaptionsAndThumbnails(t *testing.T) {
	t.Parallel()
	replay := providertest.NewReplayOf(t, `POST /dms-uploads/v/captions
Authorization: Bearer access-1
Content-Type: multipart/form-data

metadata={"format":"SRT","formattedForEasyReader":true,"largeText":true,"source":"USER_PROVIDED",`+
		`"locale":{"variant":"AMERICAN","country":"US","language":"EN"},"transcriptType":"CLOSED_CAPTION"}
file=captions.srt;text/plain;`+strings.TrimSpace(someCaptions)+`
---
201
===
PUT /dms-uploads/v/thumbnail
Content-Type: application/octet-stream
Media-Type-Family: STILLIMAGE

a picture
---
201`)
	b, ctx := setup(t), context.Background()
	b.api.BaseURL = replay.URL
	picture := file("t.jpg", "image/jpeg", "a picture", "")
	m := upload{Media: file("v.mp4", "video/mp4", "a video", ""), captions: strings.TrimSpace(someCaptions),
		thumbnail: &picture}
	st := provider.State{Uploads: []provider.Upload{{ID: "urn:li:video:1", Step: stepSent}}}
	u := &st.Uploads[0]
	if err := hideTarget(&st, u, uploadTarget{Captions: replay.URL + "/dms-uploads/v/captions",
		Thumbnail: replay.URL + "/dms-uploads/v/thumbnail"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.complete(ctx, b.member, &st, u, m); err != nil || u.Step != stepSent {
			t.Fatalf("complete: %v, %+v", err, u)
		}
	}
	if to, ok := b.targetOf(&st, u); !ok || to.Captions != "" || to.Thumbnail != "" {
		t.Errorf("target %+v, want nothing left to send", to)
	}
}
