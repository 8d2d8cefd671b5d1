package linkedin_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func picture(t *testing.T) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 12, 8))); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// initialize starts an upload and returns the response.
func (a *app) initialize(resource, more string) simtest.Response {
	a.t.Helper()
	return a.must(http.StatusOK, "POST", resource+"?action=initializeUpload",
		`{"initializeUploadRequest":{"owner":"`+a.seed.AccountID+`"`+more+`}}`)
}

// put sends a part of a video without a token.
func (a *app) put(status int, address string, body []byte) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "PUT", Path: address, Body: body,
		Header: map[string]string{"Content-Type": "application/octet-stream"}})
}

// putFile sends a picture or a document, with the token that its upload needs.
func (a *app) putFile(status int, address string, body []byte) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "PUT", Path: address, Body: body, Token: a.seed.AccessToken,
		Header: map[string]string{"Content-Type": "application/octet-stream"}})
}

func TestImageUploadNeedsTheTokenAndVideoUploadRejectsIt(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	address := a.initialize("images", "").Text("value", "uploadUrl")
	if resp := a.put(http.StatusUnauthorized, address, picture(t)); resp.Text("code") != "EMPTY_ACCESS_TOKEN" {
		t.Errorf("a picture without a token: %s", resp.Body)
	}
	a.putFile(http.StatusCreated, address, picture(t))
	started := a.initialize("videos", `,"fileSizeBytes":4,"uploadThumbnail":true`)
	part := started.Text("value", "uploadInstructions", 0, "uploadUrl")
	for _, address := range []string{part, started.Text("value", "thumbnailUploadUrl")} {
		if resp := a.putFile(http.StatusBadRequest, address, []byte("clip")); !strings.Contains(resp.Text("message"),
			"does not accept an OAuth token") {
			t.Errorf("PUT %s with a token: %s", address, resp.Body)
		}
	}
	a.put(http.StatusOK, part, []byte("clip"))
}

func mediaContent(id, title, alt string) map[string]any {
	return map[string]any{"content": map[string]any{"media": map[string]any{"id": id, "title": title, "altText": alt}}}
}

func TestImageUploadIsProcessed(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	started := a.initialize("images", "")
	urn := started.Text("value", "image")
	if !strings.HasPrefix(urn, "urn:li:image:") ||
		!strings.HasPrefix(started.Text("value", "uploadUrl"), a.URL+"/linkedin/dms-uploads/") {
		t.Fatalf("response %s", started.Body)
	}
	body := a.body("picture", mediaContent(urn, "", "A grey field"))
	if resp := a.must(http.StatusBadRequest, "POST", "posts", body); resp.Text("code") != "MEDIA_ASSET_WAITING_UPLOAD" {
		t.Errorf("before the upload: %s", resp.Body)
	}
	a.putFile(http.StatusCreated, started.Text("value", "uploadUrl"), picture(t))
	if resp := a.must(http.StatusBadRequest, "POST", "posts", body); resp.Text("code") != "MEDIA_ASSET_WAITING_UPLOAD" {
		t.Errorf("right after the upload: %s", resp.Body)
	}
	a.must(http.StatusForbidden, "GET", "images/"+url.PathEscape(urn), "")
	a.Clock.Advance(time.Second)
	if id := a.post("picture", mediaContent(urn, "", "A grey field")); !strings.HasPrefix(id, "urn:li:ugcPost:") {
		t.Errorf("urn is %s", id)
	}
	sum := sha256.Sum256(picture(t))
	if media := a.Posts()[0].Media[0]; media.SHA256 != hex.EncodeToString(sum[:]) || media.AltText != "A grey field" {
		t.Errorf("media is %+v", media)
	}
}

func TestOrganizationsMayAskForTheirImages(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	started := a.initialize("images", "")
	path := "images/" + url.PathEscape(started.Text("value", "image"))
	for _, want := range []string{"WAITING_UPLOAD", "PROCESSING", "AVAILABLE"} {
		if got := a.must(http.StatusOK, "GET", path, "").Text("status"); got != want {
			t.Errorf("status is %s, want %s", got, want)
		}
		if want == "WAITING_UPLOAD" {
			a.putFile(http.StatusCreated, started.Text("value", "uploadUrl"), picture(t))
		} else {
			a.Clock.Advance(time.Second)
		}
	}
}

func TestFileOfAnotherOwnerCannotBePosted(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	started := a.initialize("images", "")
	a.putFile(http.StatusCreated, started.Text("value", "uploadUrl"), picture(t))
	a.Clock.Advance(time.Second)
	a.seed = a.Seed("bob")
	resp := a.must(http.StatusForbidden, "POST", "posts",
		a.body("stolen", mediaContent(started.Text("value", "image"), "", "")))
	if !strings.HasPrefix(resp.Text("message"), "Accessing this image resource is forbidden") {
		t.Errorf("response %s", resp.Body)
	}
}

func TestInvalidImageFails(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	started := a.initialize("images", "")
	a.putFile(http.StatusCreated, started.Text("value", "uploadUrl"), []byte("hello"))
	a.Clock.Advance(time.Second)
	resp := a.must(http.StatusBadRequest, "POST", "posts",
		a.body("text", mediaContent(started.Text("value", "image"), "", "")))
	if resp.Text("code") != "MEDIA_ASSET_PROCESSING_FAILED" {
		t.Errorf("response %s", resp.Body)
	}
}

func TestSeveralImagesInOnePost(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	var images []any
	for range 3 {
		started := a.initialize("images", "")
		a.putFile(http.StatusCreated, started.Text("value", "uploadUrl"), picture(t))
		images = append(images, map[string]any{"id": started.Text("value", "image"), "altText": "grey"})
	}
	a.Clock.Advance(time.Second)
	a.post("three", map[string]any{"content": map[string]any{"multiImage": map[string]any{"images": images}}})
	if media := a.Posts()[0].Media; len(media) != 3 {
		t.Errorf("media is %+v", media)
	}
}

func TestVideoInPartsWithTags(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	file := append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"), bytes.Repeat([]byte{7}, 5<<20)...)
	started := a.initialize("videos", fmt.Sprintf(`,"fileSizeBytes":%d,"uploadCaptions":false,"uploadThumbnail":false`,
		len(file)))
	urn := started.Text("value", "video")
	var tags []string
	for i := range 2 {
		first, last := int(started.Value("value", "uploadInstructions", i, "firstByte").(float64)),
			int(started.Value("value", "uploadInstructions", i, "lastByte").(float64))
		address := started.Text("value", "uploadInstructions", i, "uploadUrl")
		a.put(http.StatusBadRequest, address, file[first:last])
		resp := a.put(http.StatusOK, address, file[first:last+1])
		tags = append(tags, resp.Header.Get("ETag"))
		if again := a.put(http.StatusOK, address, file[first:last+1]); again.Header.Get("ETag") != tags[i] {
			t.Errorf("the same part again has the tag %s", again.Header.Get("ETag"))
		}
	}
	finalize := func(status int, tags []string) {
		body, err := json.Marshal(map[string]any{"finalizeUploadRequest": map[string]any{"video": urn,
			"uploadToken": "", "uploadedPartIds": tags}})
		if err != nil {
			t.Fatal(err)
		}
		a.must(status, "POST", "videos?action=finalizeUpload", string(body))
	}
	finalize(http.StatusBadRequest, []string{tags[1], tags[0]})
	finalize(http.StatusOK, tags)
	if status := a.must(http.StatusOK, "GET", "videos/"+url.PathEscape(urn),
		"").Text("status"); status != "PROCESSING" {
		t.Errorf("status is %s", status)
	}
	a.Clock.Advance(time.Second)
	if status := a.must(http.StatusOK, "GET", "videos/"+url.PathEscape(urn), "").Text("status"); status != "AVAILABLE" {
		t.Errorf("status is %s", status)
	}
	a.post("video", mediaContent(urn, "A video", ""))
	sum := sha256.Sum256(file)
	if media := a.Posts()[0].Media[0]; media.SHA256 != hex.EncodeToString(sum[:]) || media.Size != int64(len(file)) {
		t.Errorf("media is %+v", media)
	}
}

func TestDocumentNeedsATitle(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	started := a.initialize("documents", "")
	urn := started.Text("value", "document")
	a.putFile(http.StatusCreated, started.Text("value", "uploadUrl"), []byte("%PDF-1.7 pages"))
	a.Clock.Advance(time.Second)
	a.must(http.StatusBadRequest, "POST", "posts", a.body("slides", mediaContent(urn, "", "")))
	a.post("slides", mediaContent(urn, "deck.pdf", ""))
	if media := a.Posts()[0].Media[0]; media.Type != "application/pdf" {
		t.Errorf("media is %+v", media)
	}
}

func TestUploadURLsExpire(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	address := a.initialize("images", "").Text("value", "uploadUrl")
	a.Clock.Advance(30 * 24 * time.Hour)
	if resp := a.put(http.StatusBadRequest, address, picture(t)); resp.Text("code") != "EXPIRED_UPLOAD_URL" {
		t.Errorf("response %s", resp.Body)
	}
	a.put(http.StatusNotFound, "/linkedin/dms-uploads/nosuch/0", picture(t))
}
