package x_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// picture returns a PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 12, 8))); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// multipartBody returns a form with a file and some fields.
func multipartBody(t *testing.T, file []byte, fields map[string]string) (body []byte, contentType string) {
	t.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for key, value := range fields {
		if err := w.WriteField(key, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("media", "file")
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes(), w.FormDataContentType()
}

func (a *app) upload(status int, path string, file []byte, fields map[string]string) simtest.Response {
	a.t.Helper()
	body, kind := multipartBody(a.t, file, fields)
	return a.Must(status, simtest.Request{Method: "POST", Path: "/x/2/media/upload" + path, Token: a.seed.AccessToken,
		Body:   body,
		Header: map[string]string{"Content-Type": kind}})
}

func (a *app) uploadJSON(status int, path, body string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "POST", Path: "/x/2/media/" + path, Token: a.seed.AccessToken,
		JSON: body})
}

func TestPictureInOneRequest(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	resp := a.upload(http.StatusOK, "", picture(t), map[string]string{"media_category": "tweet_image"})
	id := resp.Text("data", "id")
	if resp.Text("data", "media_key") != "3_"+id || resp.Value("data", "expires_after_secs") != 86400.0 ||
		resp.Value("data", "image", "w") != 12.0 {
		t.Fatalf("response %s", resp.Body)
	}
	alt := a.uploadJSON(http.StatusOK, "metadata", `{"id":"`+id+`","metadata":{"alt_text":{"text":"A grey field"}}}`)
	if alt.Text("data", "associated_metadata", "alt_text", "text") != "A grey field" {
		t.Errorf("metadata answer is %s", alt.Body)
	}
	a.uploadJSON(http.StatusBadRequest, "metadata",
		`{"id":"`+id+`","metadata":{"alt_text":{"text":"`+strings.Repeat("a", 1001)+`"}}}`)
	if resp := a.tweet(`{"media":{"media_ids":["` + id + `"]}}`); resp.Status != 400 {
		t.Errorf("without a text: %d %s", resp.Status, resp.Body)
	}
	if posted := a.tweet(`{"text":"","media":{"media_ids":["` + id + `"]}}`); posted.Status != 201 ||
		!strings.HasPrefix(posted.Text("data", "text"), "https://t.co/") {
		t.Fatalf("%d %s", posted.Status, posted.Body)
	}
	sum := sha256.Sum256(picture(t))
	media := a.Posts()[0].Media
	if len(media) != 1 || media[0].AltText != "A grey field" || media[0].Type != "image/png" ||
		media[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("media is %+v", media)
	}
	page := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/x"})
	if !strings.Contains(string(page.Body), `<img src="/_media/`+media[0].SHA256) {
		t.Error("the timeline does not show the picture")
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/_media/" + media[0].SHA256})
}

func TestPictureAsJSON(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	body := base64.StdEncoding.EncodeToString(picture(t))
	id := a.uploadJSON(http.StatusOK, "upload", `{"media":"`+body+`","media_category":"tweet_image"}`).Text("data",
		"id")
	a.post(`{"text":"picture","media":{"media_ids":["` + id + `"]}}`)
	a.uploadJSON(http.StatusBadRequest, "upload", `{"media":"aGVsbG8=","media_category":"tweet_image"}`)
}

// video returns bytes that start like an MP4 file.
func video(size int) []byte {
	return append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"), bytes.Repeat([]byte{7}, size-16)...)
}

func (a *app) initialize(size int) string {
	a.t.Helper()
	resp := a.uploadJSON(http.StatusOK, "upload/initialize",
		fmt.Sprintf(`{"media_type":"video/mp4","total_bytes":%d,"media_category":"tweet_video"}`, size))
	return resp.Text("data", "id")
}

func (a *app) status(id string) simtest.Response {
	a.t.Helper()
	return a.get(http.StatusOK, "/2/media/upload?command=STATUS&media_id="+id)
}

func TestVideoInSegmentsIsProcessedOverTime(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := video(3000)
	id := a.initialize(len(file))
	for i := range 3 {
		a.upload(http.StatusOK, "/"+id+"/append", file[i*1000:(i+1)*1000],
			map[string]string{"segment_index": fmt.Sprint(i)})
	}
	// again, after a lost answer
	a.upload(http.StatusOK, "/"+id+"/append", file[1000:2000], map[string]string{"segment_index": "1"})
	empty := a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: "/x/2/media/upload/" + id +
		"/finalize", Token: a.seed.AccessToken})
	if !strings.Contains(string(empty.Body), "Request body must be a JSON object.") {
		t.Errorf("finalize without a body: %s", empty.Body)
	}
	resp := a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	if resp.Text("data", "processing_info", "state") != "pending" ||
		resp.Value("data", "processing_info", "check_after_secs") != 1.0 || resp.Value("data", "size") != 3000.0 {
		t.Errorf("finalize: %s", resp.Body)
	}
	if early := a.tweet(`{"text":"too early","media":{"media_ids":["` + id + `"]}}`); early.Status != 400 ||
		!strings.Contains(string(early.Body), "Your media IDs are invalid.") {
		t.Errorf("posted before it was ready: %d %s", early.Status, early.Body)
	}
	a.Clock.Advance(600 * time.Millisecond)
	if state := a.status(id).Text("data", "processing_info", "state"); state != "in_progress" {
		t.Errorf("state is %s", state)
	}
	a.Clock.Advance(400 * time.Millisecond)
	if state := a.status(id).Text("data", "processing_info", "state"); state != "succeeded" {
		t.Errorf("state is %s", state)
	}
	a.post(`{"text":"a video","media":{"media_ids":["` + id + `"]}}`)
	sum := sha256.Sum256(file)
	if media := a.Posts()[0].Media[0]; media.SHA256 != hex.EncodeToString(sum[:]) || media.Size != 3000 {
		t.Errorf("media is %+v", media)
	}
}

func TestRejectedUploads(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.uploadJSON(http.StatusBadRequest, "upload/initialize",
		`{"media_type":"video/mp4","total_bytes":10,"media_category":"tweet_video","colour":"red"}`)
	a.uploadJSON(http.StatusBadRequest, "upload/initialize",
		`{"media_type":"video/avi","total_bytes":10,"media_category":"tweet_video"}`)
	a.uploadJSON(http.StatusBadRequest, "upload/initialize",
		`{"media_type":"video/mp4","total_bytes":536870913,"media_category":"tweet_video"}`)
	id := a.initialize(100)
	a.upload(http.StatusRequestEntityTooLarge, "/"+id+"/append", make([]byte, 5_000_000),
		map[string]string{"segment_index": "0"})
	a.upload(http.StatusBadRequest, "/"+id+"/append", make([]byte, 101), map[string]string{"segment_index": "0"})
	a.upload(http.StatusBadRequest, "/"+id+"/append", make([]byte, 10), map[string]string{"segment_index": "1000"})
	a.uploadJSON(http.StatusBadRequest, "upload/"+id+"/finalize", `{}`)
	a.get(http.StatusBadRequest, "/2/media/upload?command=STATUS&media_id=1")
	a.seed = a.Seed("bob")
	a.upload(http.StatusBadRequest, "/"+id+"/append", make([]byte, 10), map[string]string{"segment_index": "0"})
}

func TestFileThatIsNoVideoFailsInProcessing(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.initialize(5)
	a.upload(http.StatusOK, "/"+id+"/append", []byte("hello"), map[string]string{"segment_index": "0"})
	a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	a.Clock.Advance(time.Second)
	resp := a.status(id)
	if resp.Text("data", "processing_info", "state") != "failed" ||
		resp.Text("data", "processing_info", "error", "name") != "InvalidMedia" {
		t.Errorf("status is %s", resp.Body)
	}
}

func TestVideoAndPictureDoNotMix(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := video(100)
	movie := a.initialize(len(file))
	a.upload(http.StatusOK, "/"+movie+"/append", file, map[string]string{"segment_index": "0"})
	a.uploadJSON(http.StatusOK, "upload/"+movie+"/finalize", `{}`)
	a.Clock.Advance(time.Second)
	still := a.upload(http.StatusOK, "", picture(t), nil).Text("data", "id")
	if resp := a.tweet(`{"text":"both","media":{"media_ids":["` + movie + `","` + still +
		`"]}}`); resp.Status != http.StatusBadRequest {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.Clock.Advance(24 * time.Hour)
	a.seed.AccessToken = a.refresh(http.StatusOK, a.seed.RefreshToken).Text("access_token")
	if resp := a.tweet(`{"text":"expired","media":{"media_ids":["` + still +
		`"]}}`); resp.Status != http.StatusBadRequest {
		t.Errorf("a file of yesterday: %d %s", resp.Status, resp.Body)
	}
}
