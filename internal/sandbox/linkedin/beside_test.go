package linkedin_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// captions uploads captions to their address as a form.
func (a *app) captions(address, metadata, text string) simtest.Response {
	a.t.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	err := w.WriteField("metadata", metadata)
	if err == nil && text != "" {
		part, partErr := w.CreateFormFile("file", "captions.srt")
		if err = partErr; err == nil {
			_, err = part.Write([]byte(text))
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return a.Do(simtest.Request{Method: "POST", Path: address, Body: buf.Bytes(), Token: a.seed.AccessToken,
		Header: map[string]string{"Content-Type": w.FormDataContentType()}})
}

const (
	goodMetadata = `{"format":"SRT","formattedForStreaming":true,"largeText":false,"locale":{"variant":"AMERICAN",` +
		`"country":"US","language":"EN"},"transcriptType":"CLOSED_CAPTION"}`
	goodCaptions = "1\n00:00:00,000 --> 00:00:01,000\nHello\n"
)

// clip initializes a video of 80 kB, with further fields, and sends its only part. It returns the response and the tag.
func (a *app) clip(more string) (started simtest.Response, tag string) {
	a.t.Helper()
	body := append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"), make([]byte, 80<<10)...)
	started = a.initialize("videos", fmt.Sprintf(`,"fileSizeBytes":%d%s`, len(body), more))
	part := a.put(http.StatusOK, started.Text("value", "uploadInstructions", 0, "uploadUrl"), body)
	return started, part.Header.Get("ETag")
}

func (a *app) finalize(urn string, tags ...string) simtest.Response {
	a.t.Helper()
	return a.rest("POST", "videos?action=finalizeUpload", `{"finalizeUploadRequest":{"video":"`+urn+
		`","uploadToken":"","uploadedPartIds":["`+strings.Join(tags, `","`)+`"]}}`)
}

func TestAnnouncedCaptionsAndThumbnailAreRequired(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	started, tag := a.clip(`,"uploadCaptions":true,"uploadThumbnail":true`)
	urn := started.Text("value", "video")
	missing := func(name string) {
		t.Helper()
		refused(t, name, a.finalize(urn, tag), 400, "INVALID_VALUE_FOR_FIELD",
			"captions or thumbnail were announced and did not come")
	}
	missing("neither")
	if resp := a.captions(started.Text("value", "captionsUploadUrl"), goodMetadata, goodCaptions); resp.Status != 201 {
		t.Fatalf("captions: %d %s", resp.Status, resp.Body)
	}
	missing("no thumbnail")
	thumbnail := simtest.Request{Method: "PUT", Path: started.Text("value", "thumbnailUploadUrl"), Body: picture(t),
		Header: map[string]string{"Content-Type": "application/octet-stream", "Media-Type-Family": "STILLIMAGE"}}
	a.Must(http.StatusCreated, thumbnail)
	if resp := a.finalize(urn, tag); resp.Status != http.StatusOK {
		t.Fatalf("finalize: %d %s", resp.Status, resp.Body)
	}
	view := a.must(http.StatusOK, "GET", "videos/"+url.PathEscape(urn), "")
	if view.Text("thumbnail") != thumbnail.Path || view.Text("owner") != a.seed.AccountID {
		t.Errorf("the video is %s", view.Body)
	}
	a.Clock.Advance(30 * 24 * time.Hour)
	if resp := a.Must(http.StatusBadRequest, thumbnail); resp.Text("code") != "EXPIRED_UPLOAD_URL" {
		t.Errorf("after 30 days: %s", resp.Body)
	}
}

func TestCaptionsMustBeEnglishSubRip(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	started, _ := a.clip(`,"uploadCaptions":true`)
	address := started.Text("value", "captionsUploadUrl")
	for name, c := range map[string]struct{ metadata, text, code, message string }{
		"format": {strings.Replace(goodMetadata, "SRT", "VTT", 1), goodCaptions, "INVALID_VALUE_FOR_FIELD",
			"English SRT"},
		"language": {strings.Replace(goodMetadata, `"EN"`, `"DE"`, 1), goodCaptions, "INVALID_VALUE_FOR_FIELD",
			"English SRT"},
		"type": {strings.Replace(goodMetadata, "CLOSED_CAPTION", "SUBTITLE", 1), goodCaptions,
			"INVALID_VALUE_FOR_FIELD",
			"English SRT"},
		"no times":    {goodMetadata, "Hello", "INVALID_VALUE_FOR_FIELD", "English SRT"},
		"no file":     {goodMetadata, "", "MISSING_FIELD", "Captions need metadata and a file"},
		"no metadata": {"SRT", goodCaptions, "MISSING_FIELD", "Captions need metadata and a file"},
	} {
		refused(t, name, a.captions(address, c.metadata, c.text), 400, c.code, c.message)
	}
	refused(t, "no form", a.Do(simtest.Request{Method: "POST", Path: address, Body: []byte(goodCaptions)}), 400,
		"INVALID_VALUE_FOR_FIELD", "The captions are no form")
	plain, _ := a.clip("")
	if plain.Value("value", "captionsUploadUrl") != nil || plain.Value("value", "thumbnailUploadUrl") != nil {
		t.Errorf("addresses for files that were not announced: %s", plain.Body)
	}
	id := strings.TrimPrefix(plain.Text("value", "video"), "urn:li:video:")
	refused(t, "not announced", a.captions("/linkedin/dms-uploads/"+id+"/captions", goodMetadata, goodCaptions), 404,
		"NOT_FOUND", "")
}

func TestThumbnailsMustBeStillImages(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	started, _ := a.clip(`,"uploadThumbnail":true`)
	send := func(body []byte, family string) simtest.Response {
		t.Helper()
		return a.Do(simtest.Request{Method: "PUT", Path: started.Text("value", "thumbnailUploadUrl"), Body: body,
			Header: map[string]string{"Media-Type-Family": family}})
	}
	for name, resp := range map[string]simtest.Response{"text": send([]byte("hello"), "STILLIMAGE"),
		"GIF": send([]byte("GIF89a"), "STILLIMAGE"), "as a video": send(picture(t), "VIDEO"),
		"no family": send(picture(t), "")} {
		refused(t, name, resp, 400, "INVALID_VALUE_FOR_FIELD", "The thumbnail must be a still image, JPG or PNG")
	}
}

func TestUploadsThatLinkedInRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, "community:ada", sim.Options{})
	owner := `{"initializeUploadRequest":{"owner":"` + a.seed.AccountID + `"`
	for name, c := range map[string]struct {
		path, body    string
		status        int
		code, message string
	}{
		"image action": {"images?action=upload", owner + "}}", 400, "PARAM_INVALID",
			"action must be initializeUpload"},
		"video action": {"videos", owner + "}}", 400, "PARAM_INVALID",
			"action must be initializeUpload or finalizeUpload"},
		"unknown key": {"images?action=initializeUpload", `{"owner":"x"}`, 422, "UNPROCESSABLE_ENTITY",
			"unknown field"},
		"video key": {"videos?action=initializeUpload", `{"owner":"x"}`, 422, "UNPROCESSABLE_ENTITY",
			"unknown field"},
		"finalize key": {"videos?action=finalizeUpload", `{"owner":"x"}`, 422, "UNPROCESSABLE_ENTITY",
			"unknown field"},
		"no size": {"videos?action=initializeUpload", owner + "}}", 400, "INVALID_VALUE_FOR_FIELD",
			"must be 1 to 5368709120"},
		"too large": {"videos?action=initializeUpload", owner + `,"fileSizeBytes":5368709121}}`, 400,
			"INVALID_VALUE_FOR_FIELD", "fileSizeBytes"},
		"somebody else": {"images?action=initializeUpload", `{"initializeUploadRequest":{"owner":"urn:li:person:1"}}`,
			403, "ACCESS_DENIED", "images.ACTION-initializeUpload"},
		"unknown video": {"videos?action=finalizeUpload", `{"finalizeUploadRequest":{"video":"urn:li:video:1"}}`, 400,
			"INVALID_VIDEO_ID", "Video urn:li:video:1 is invalid"},
		"video of others": {"videos?action=initializeUpload",
			`{"initializeUploadRequest":{"owner":"urn:li:person:1","fileSizeBytes":1}}`, 403, "ACCESS_DENIED",
			"videos.ACTION-initializeUpload"},
	} {
		refused(t, name, a.rest("POST", c.path, c.body), c.status, c.code, c.message)
	}
	image := a.initialize("images", "")
	refused(t, "empty", a.putFile(400, image.Text("value", "uploadUrl"), nil), 400, "INVALID_VALUE_FOR_FIELD",
		"is empty")
	a.put(http.StatusNotFound, image.Text("value", "uploadUrl")+"1", picture(t))
	refused(t, "image as a video", a.rest("GET", "videos/"+url.PathEscape(image.Text("value", "image")), ""), 404,
		"NOT_FOUND", "")
	started, tag := a.clip("")
	a.seed = a.Seed("community:bob")
	refused(t, "finalized by another", a.finalize(started.Text("value", "video"), tag), 403, "ACCESS_DENIED",
		"finalizeUpload")
	refused(t, "read by another", a.rest("GET", "videos/"+url.PathEscape(started.Text("value", "video")), ""), 403,
		"ACCESS_DENIED", "Accessing this video resource is forbidden")
	a.seed = a.Seed("ada")
	refused(t, "images of members", a.rest("GET", "images/"+url.PathEscape(image.Text("value", "image")), ""), 403,
		"ACCESS_DENIED", "images.GET.20260701")
}
