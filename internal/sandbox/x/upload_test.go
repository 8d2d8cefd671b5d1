package x_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// animation returns a GIF.
func animation(t *testing.T) []byte {
	t.Helper()
	var buf bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	if err := gif.EncodeAll(&buf, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// refused sends a request that must be answered with status 400 and one message.
func (a *app) refused(name, path, body, message string) {
	a.t.Helper()
	resp := a.Do(simtest.Request{Method: "POST", Path: "/x/2/media/" + path, Token: a.seed.AccessToken, JSON: body})
	if resp.Status != http.StatusBadRequest || resp.Text("errors", 0, "message") != message {
		a.t.Errorf("%s: %d %s, want %q", name, resp.Status, resp.Body, message)
	}
}

func TestInitializeChecksEveryField(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for name, c := range map[string]struct{ kind, category, total, message string }{
		"no type":          {"", "tweet_image", "1", "media_type is not one of the supported types"},
		"unknown type":     {"image/heic", "tweet_image", "1", "media_type is not one of the supported types"},
		"unknown category": {"image/png", "banner", "1", "media_category is not one of the supported categories"},
		"no bytes":         {"image/png", "tweet_image", "0", "total_bytes must be 1 to 17179869184"},
		"negative":         {"image/png", "tweet_image", "-1", "total_bytes must be 1 to 17179869184"},
		"over everything":  {"video/mp4", "tweet_video", "17179869185", "total_bytes must be 1 to 17179869184"},
		"image over 5 MiB": {"image/png", "tweet_image", "5242881", "File size exceeds 5242880 bytes."},
		"GIF over 15 MiB":  {"image/gif", "tweet_gif", "15728641", "File size exceeds 15728640 bytes."},
		"video over 512":   {"video/mp4", "tweet_video", "536870913", "File size exceeds 536870912 bytes."},
		"advert over 512":  {"video/mp4", "amplify_video", "536870913", "File size exceeds 536870912 bytes."},
		"subtitles":        {"text/srt", "subtitles", "1048577", "File size exceeds 1048576 bytes."},
	} {
		a.refused(name, "upload/initialize", fmt.Sprintf(`{"media_type":%q,"media_category":%q,"total_bytes":%s}`,
			c.kind, c.category, c.total), c.message)
	}
}

func TestInitializeReturnsAMediaKey(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for _, c := range []struct{ kind, category, prefix string }{
		{"image/png", "tweet_image", "3_"}, {"image/png", "", "3_"}, {"image/gif", "tweet_gif", "16_"},
		{"video/mp4", "tweet_video", "13_"}, {"video/quicktime", "amplify_video", "13_"}, {"text/vtt", "subtitles",
			"3_"},
	} {
		resp := a.uploadJSON(http.StatusOK, "upload/initialize",
			fmt.Sprintf(`{"media_type":%q,"media_category":%q,"total_bytes":1}`, c.kind, c.category))
		id := resp.Text("data", "id")
		if len(id) != 19 || resp.Text("data", "media_key") != c.prefix+id ||
			resp.Value("data", "expires_after_secs") != 86400.0 || resp.Value("data", "processing_info") != nil {
			t.Errorf("%s: %s", c.category, resp.Body)
		}
	}
}

func TestWholeUploadsThatXRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	encoded := base64.StdEncoding.EncodeToString(picture(t))
	for name, c := range map[string]struct{ body, message string }{
		"nothing":   {`{"media_category":"tweet_image"}`, "The `media` parameter is missing or cannot be read."},
		"no base64": {`{"media":"%%%"}`, "The `media` parameter is missing or cannot be read."},
		"unknown key": {`{"media":"` + encoded + `","mood":1}`,
			"The `media` parameter is missing or cannot be read."},
		"as a video": {`{"media":"` + encoded + `","media_category":"tweet_video"}`,
			"media_category is not one of [tweet_image, dm_image, subtitles]"},
		"no picture":   {`{"media":"aGVsbG8="}`, "media type unrecognized."},
		"as subtitles": {`{"media":"` + encoded + `","media_category":"subtitles"}`, "media type unrecognized."},
		"unknown purpose": {`{"media":"` + encoded + `","media_category":"banner"}`,
			"media_category is not one of [tweet_image, dm_image, subtitles]"},
	} {
		a.refused(name, "upload", c.body, c.message)
	}
	a.uploadJSON(http.StatusOK, "upload", `{"media":"MQowMDowMCAtLT4gMDA6MDEKSGkK","media_category":"subtitles"}`)
	large := append(picture(t), make([]byte, 5<<20)...)
	resp := a.upload(http.StatusBadRequest, "", large, nil)
	if resp.Text("errors", 0, "message") != "File size exceeds 5242880 bytes." {
		t.Errorf("a picture over 5 MiB: %s", resp.Body)
	}
	if resp := a.upload(http.StatusRequestEntityTooLarge, "", make([]byte, 7<<20), nil); len(resp.Body) != 0 {
		t.Errorf("a body over the edge's limit gets %s", resp.Body)
	}
	a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: "/x/2/media/upload", Token: a.seed.AccessToken,
		Body: []byte("media"), Header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}})
	a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: "/x/2/media/upload", Token: a.seed.AccessToken,
		Body: []byte("media")})
}

func TestSegmentsMayComeInAnyOrder(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := video(3000)
	id := a.initialize(len(file))
	for _, i := range []int{0, 2, 2, 1} {
		resp := a.upload(http.StatusOK, "/"+id+"/append", file[i*1000:(i+1)*1000],
			map[string]string{"segment_index": fmt.Sprint(i)})
		if resp.Value("data", "expires_at") != float64(a.Clock.Now().Add(24*time.Hour).Unix()) {
			t.Errorf("segment %d: %s", i, resp.Body)
		}
	}
	resp := a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	if resp.Value("data", "size") != 3000.0 || resp.Text("data", "media_key") != "13_"+id {
		t.Errorf("finalize: %s", resp.Body)
	}
	again := a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	if string(again.Body) != string(resp.Body) {
		t.Errorf("finalize again: %s", again.Body)
	}
	a.Clock.Advance(time.Second)
	a.post(`{"text":"in no order","media":{"media_ids":["` + id + `"]}}`)
	// The hash is that of the ordered file, although the parts arrived in another order.
	if m := a.Posts()[0].Media[0]; m.Size != 3000 || m.SHA256 != "" || m.Type != "video/mp4" {
		t.Errorf("media is %+v", m)
	}
}

func TestAppendRefusals(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.initialize(100)
	part := func(size int) string { return base64.StdEncoding.EncodeToString(video(size)) }
	for name, c := range map[string]struct{ id, body, message string }{
		"no media":         {id, `{"segment_index":0}`, "The `media` parameter is missing or cannot be read."},
		"no segment":       {id, `{"media":"` + part(20) + `"}`, "segment_index must be 0 to 999"},
		"negative segment": {id, `{"media":"` + part(20) + `","segment_index":-1}`, "segment_index must be 0 to 999"},
		"large segment":    {id, `{"media":"` + part(20) + `","segment_index":1000}`, "segment_index must be 0 to 999"},
		"half a segment":   {id, `{"media":"` + part(20) + `","segment_index":0.5}`, "segment_index must be 0 to 999"},
		"unknown upload": {"7", `{"media":"` + part(20) + `","segment_index":0}`,
			"Media id 7 is unknown or has expired."},
		"too many bytes": {id, `{"media":"` + part(101) + `","segment_index":0}`,
			"Segments exceed the total_bytes of 100."},
	} {
		a.refused(name, "upload/"+c.id+"/append", c.body, c.message)
	}
	a.refused("early", "upload/"+id+"/finalize", `{}`,
		"Segments do not add up to provided total file size: 0 of 100 bytes.")
	a.refused("with keys", "upload/"+id+"/finalize", `{"a":1}`, "Request body must be a JSON object.")
	a.refused("no object", "upload/"+id+"/finalize", `[]`, "Request body must be a JSON object.")
	a.uploadJSON(http.StatusOK, "upload/"+id+"/append", `{"media":"`+part(100)+`","segment_index":0}`)
	a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	a.refused("late", "upload/"+id+"/append", `{"media":"`+part(20)+`","segment_index":1}`, "The upload is finalized.")
}

func TestSegmentedPictureOfAnotherKindIsRefusedAtTheEnd(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.uploadJSON(http.StatusOK, "upload/initialize",
		`{"media_type":"image/png","total_bytes":5,"media_category":"tweet_image"}`).Text("data", "id")
	a.uploadJSON(http.StatusOK, "upload/"+id+"/append", `{"media":"aGVsbG8=","segment_index":0}`)
	a.refused("text", "upload/"+id+"/finalize", `{}`, "media type unrecognized.")
	if resp := a.tweet(`{"text":"a","media":{"media_ids":["` + id + `"]}}`); resp.Status != http.StatusBadRequest {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestAnimationsStandAlone(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.upload(http.StatusOK, "", animation(t), nil).Text("data", "id")
	second := a.upload(http.StatusOK, "", picture(t), nil).Text("data", "id")
	resp := a.tweet(`{"text":"both","media":{"media_ids":["` + first + `","` + second + `"]}}`)
	if resp.Status != http.StatusBadRequest || resp.Text("errors", 0, "message") != "Your media IDs are invalid." ||
		resp.Text("errors", 0, "parameters", "media.media_ids", 1) != second {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.post(`{"text":"alone","media":{"media_ids":["` + first + `"]}}`)
	four := make([]string, 4)
	for i := range four {
		four[i] = `"` + a.upload(http.StatusOK, "", picture(t), nil).Text("data", "id") + `"`
	}
	a.post(`{"text":"four","media":{"media_ids":[` + strings.Join(four, ",") + `]}}`)
	if posts := a.Posts(); len(posts[1].Media) != 4 {
		t.Errorf("%d pictures", len(posts[1].Media))
	}
}

func TestGIFCategoryIsProcessed(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := animation(t)
	id := a.uploadJSON(http.StatusOK, "upload/initialize",
		fmt.Sprintf(`{"media_type":"image/gif","total_bytes":%d,"media_category":"tweet_gif"}`, len(file))).Text("data",
		"id")
	a.upload(http.StatusOK, "/"+id+"/append", file, map[string]string{"segment_index": "0"})
	a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	for _, step := range []struct {
		wait  time.Duration
		state string
		check any
		done  any
	}{
		{0, "pending", 1.0, nil}, {499 * time.Millisecond, "pending", 1.0, nil},
		{time.Millisecond, "in_progress", 1.0, 50.0}, {499 * time.Millisecond, "in_progress", 1.0, 50.0},
		{time.Millisecond, "succeeded", nil, 100.0}, {time.Hour, "succeeded", nil, 100.0},
	} {
		a.Clock.Advance(step.wait)
		resp := a.status(id)
		if resp.Text("data", "processing_info", "state") != step.state ||
			resp.Value("data", "processing_info", "check_after_secs") != step.check ||
			resp.Value("data", "processing_info", "progress_percent") != step.done {
			t.Errorf("after %s: %s, want %s", step.wait, resp.Body, step.state)
		}
	}
}

func TestStatusNeedsItsCommandAndTheOwnFile(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.initialize(100)
	if resp := a.status(id); resp.Value("data", "processing_info") != nil || resp.Text("data", "id") != id {
		t.Errorf("before the end: %s", resp.Body)
	}
	for query, message := range map[string]string{
		"media_id=" + id:                "The `command` query parameter must be STATUS",
		"command=status&media_id=" + id: "The `command` query parameter must be STATUS",
		"command=STATUS":                "Media id  is unknown or has expired.",
		"command=STATUS&media_id=9":     "Media id 9 is unknown or has expired.",
	} {
		resp := a.get(http.StatusBadRequest, "/2/media/upload?"+query)
		if got := resp.Text("errors", 0, "message"); got != message {
			t.Errorf("%s: %q, want %q", query, got, message)
		}
	}
	a.seed = a.Seed("bob")
	a.get(http.StatusBadRequest, "/2/media/upload?command=STATUS&media_id="+id)
}

func TestAdditionalOwnersMayPostAFile(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	ada, bob := a.seed, a.Seed("bob")
	file := video(100)
	id := a.uploadJSON(http.StatusOK, "upload/initialize", fmt.Sprintf(`{"media_type":"video/mp4","total_bytes":100,`+
		`"media_category":"tweet_video","additional_owners":[%q]}`, bob.AccountID)).Text("data", "id")
	a.upload(http.StatusOK, "/"+id+"/append", file, map[string]string{"segment_index": "0"})
	a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	a.Clock.Advance(time.Second)
	for _, seed := range []sim.Seed{ada, bob} {
		a.seed = seed
		a.post(`{"text":"ours","media":{"media_ids":["` + id + `"]}}`)
	}
	a.seed = a.Seed("carol")
	if resp := a.tweet(`{"text":"ours","media":{"media_ids":["` + id + `"]}}`); resp.Status != http.StatusBadRequest {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestMetadataBoundsTheDescription(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.upload(http.StatusOK, "", picture(t), nil).Text("data", "id")
	body := func(text string) string { return `{"id":"` + id + `","metadata":{"alt_text":{"text":"` + text + `"}}}` }
	a.uploadJSON(http.StatusOK, "metadata", body(strings.Repeat("ä", 1000)))
	a.refused("long", "metadata", body(strings.Repeat("ä", 1001)), "alt_text must have 1 to 1000 characters")
	a.refused("empty", "metadata", body(""), "alt_text must have 1 to 1000 characters")
	a.refused("unknown file", "metadata", `{"id":"3","metadata":{}}`, "Media id 3 is unknown or has expired.")
	a.refused("unknown key", "metadata", `{"id":"`+id+`","caption":"x"}`, `decode JSON: json: unknown field "caption"`)
	resp := a.uploadJSON(http.StatusOK, "metadata",
		`{"id":"`+id+`","metadata":{"sensitive_media_warning":{"adult_content":true}}}`)
	if resp.Value("data", "associated_metadata", "sensitive_media_warning", "adult_content") != true {
		t.Errorf("response %s", resp.Body)
	}
	a.post(`{"text":"described","media":{"media_ids":["` + id + `"]}}`)
	if alt := a.Posts()[0].Media[0].AltText; alt != strings.Repeat("ä", 1000) {
		t.Errorf("the description is %d characters long", len([]rune(alt)))
	}
}

func TestRejectedUploadsFailWhereTheyAre(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.initialize(100)
	a.Fault(sim.Upload, sim.Reject, nil)
	if resp := a.upload(http.StatusBadRequest, "/"+id+"/append", video(100), map[string]string{
		"segment_index": "0"}); resp.Text("errors", 0, "message") != "media type unrecognized." {
		t.Errorf("append: %s", resp.Body)
	}
	a.Fault(sim.Upload, sim.Reject, nil)
	a.upload(http.StatusBadRequest, "", picture(t), nil)
	a.Fault(sim.Upload, sim.Reject, nil)
	resp := a.status(id)
	if resp.Text("data", "id") != id || resp.Text("data", "processing_info", "state") != "failed" ||
		resp.Value("data", "processing_info", "error", "code") != 1.0 ||
		resp.Text("data", "processing_info", "error", "message") != "Unsupported media." {
		t.Errorf("status: %s", resp.Body)
	}
}
