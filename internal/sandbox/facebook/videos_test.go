package facebook_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// multipart sends a file with parameters, which are pairs of names and values.
func (a *app) multipart(path, field string, file []byte, params ...string) simtest.Response {
	a.t.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for i := 0; i < len(params); i += 2 {
		if err := w.WriteField(params[i], params[i+1]); err != nil {
			a.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile(field, "file")
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return a.Do(simtest.Request{Method: "POST", Path: version + path, Token: a.seed.AccessToken, Body: buf.Bytes(),
		Header: map[string]string{"Content-Type": w.FormDataContentType()}})
}

// start starts the upload of a reel or a story.
func (a *app) start(edge string) (video, address string) {
	a.t.Helper()
	resp := a.must("POST", a.page+"/"+edge, "upload_phase", "start")
	return resp.Text("video_id"), resp.Text("upload_url")
}

// send sends some bytes of a file of the given size.
func (a *app) send(address string, offset, size int, body []byte) simtest.Response {
	a.t.Helper()
	return a.Do(simtest.Request{Method: "POST", Path: address, Body: body,
		Header: map[string]string{"Authorization": "OAuth " + a.seed.AccessToken,
			"offset": strconv.Itoa(offset), "file_size": strconv.Itoa(size)}})
}

func (a *app) status(video string) simtest.Response {
	a.t.Helper()
	return a.must("GET", video, "fields", "status,post_id,permalink_url,published")
}

func TestReelInThreePhases(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{ProcessingTime: time.Minute})
	file := graphtest.MP4(graphtest.Video{Bytes: 60_000})
	video, address := a.start("video_reels")
	if resp := a.send(address, 0, len(file), file[:50002]); resp.Text("debug_info", "type") != "PartialRequestError" {
		t.Errorf("half a file: %d %s", resp.Status, resp.Body)
	}
	const counter = "bytes_transfered"
	if status := a.status(video); status.Value("status", "uploading_phase", counter) != 50002.0 ||
		status.Text("status", "uploading_phase", "status") != "in_progress" {
		t.Errorf("status is %s", status.Body)
	}
	wantError(t, a.call("POST", a.page+"/video_reels", "upload_phase", "finish", "video_id", video, "video_state",
		"PUBLISHED"), 6000, 1363019)
	if resp := a.send(address, 50002, len(file), file[50002:]); resp.Status != http.StatusOK ||
		string(resp.Body) != `{"success":true}` {
		t.Fatalf("the rest: %d %s", resp.Status, resp.Body)
	}
	finish := []string{"upload_phase", "finish", "video_id", video, "video_state", "PUBLISHED", "description", "a reel"}
	a.must("POST", a.page+"/video_reels", finish...)
	wantError(t, a.call("POST", a.page+"/video_reels", finish...), 100, 0)
	if status := a.status(video); status.Text("status", "video_status") != "processing" ||
		status.Text("status", "publishing_phase", "status") != "in_progress" || status.Value("post_id") != nil {
		t.Errorf("status is %s", status.Body)
	}
	a.Clock.Advance(time.Minute)
	status := a.status(video)
	if status.Text("status", "video_status") != "ready" ||
		status.Text("status", "publishing_phase", "status") != "complete" ||
		status.Text("status", "publishing_phase", "publish_status") != "published" ||
		status.Value("published") != true {
		t.Errorf("status is %s", status.Body)
	}
	posts := a.Posts()
	sum := sha256.Sum256(file)
	if len(posts) != 1 || posts[0].PlatformPostID != video || status.Text("post_id") != a.page+"_"+video ||
		posts[0].Text != "a reel" || posts[0].Media[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("controls show %+v", posts)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: status.Text("permalink_url")})
	if list := a.must("GET", a.page+"/video_reels", "fields", "id,description"); list.Text("data", 0, "id") != video {
		t.Errorf("reels are %s", list.Body)
	}
	a.must("POST", video+"/comments", "message", "first!")
	post := a.page + "_" + video
	a.must("POST", post+"/comments", "message", "second")
	if counts := a.must("GET", post, "fields", "message,comments.summary(total_count)"); counts.Text("id") != post ||
		counts.Value("comments", "summary", "total_count") != 2.0 {
		t.Errorf("post is %s", counts.Body)
	}
	if list := a.must("GET", a.page+"/published_posts", "fields", "id,attachments{target{id}}"); list.Text("data", 0,
		"id") != post || list.Text("data", 0, "attachments", "data", 0, "target", "id") != video {
		t.Errorf("posts are %s", list.Body)
	}
	a.must("GET", post+"/insights", "metric", "post_media_view")
	a.must("GET", video+"/video_insights")
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/facebook/" + post})
	a.must("DELETE", video)
	if posts := a.Posts(); posts[0].DeletedAt == nil {
		t.Errorf("controls show %+v", posts)
	}
}

func TestReelByURL(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	video, address := a.start("video_reels")
	fetch := func(from string) simtest.Response {
		return a.Do(simtest.Request{Method: "POST", Path: address,
			Header: map[string]string{"Authorization": "OAuth " + a.seed.AccessToken, "file_url": from}})
	}
	if resp := fetch(a.host.URL + "/missing.mp4"); resp.Status != http.StatusBadRequest ||
		resp.Text("debug_info", "type") != "ProcessingFailedError" {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	if resp := fetch(a.host.Serve("/v.mp4", "video/mp4",
		graphtest.MP4(graphtest.Video{}))); resp.Status != http.StatusOK {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.must("POST", a.page+"/video_reels", "upload_phase", "finish", "video_id", video, "video_state", "PUBLISHED")
}

func TestInvalidVideosFailInProcessing(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		edge string
		body []byte
		code float64
	}{
		"too small":   {"video_reels", []byte("hello"), 1363022},
		"no video":    {"video_reels", make([]byte, 2000), 1363024},
		"too short":   {"video_reels", graphtest.MP4(graphtest.Video{Length: 2 * time.Second}), 1363128},
		"too long":    {"video_reels", graphtest.MP4(graphtest.Video{Length: 91 * time.Second}), 1363128},
		"low quality": {"video_reels", graphtest.MP4(graphtest.Video{Width: 360, Height: 640}), 1363127},
		"a ribbon":    {"video_reels", graphtest.MP4(graphtest.Video{Width: 2000, Height: 1000}), 1363040},
		"long story":  {"video_stories", graphtest.MP4(graphtest.Video{Length: 61 * time.Second}), 1363128},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			video, address := a.start(c.edge)
			a.send(address, 0, len(c.body), c.body)
			finish := a.call("POST", a.page+"/"+c.edge, "upload_phase", "finish", "video_id", video, "video_state",
				"PUBLISHED")
			a.Clock.Advance(time.Second)
			status := a.status(video)
			if status.Text("status", "video_status") != "error" ||
				status.Value("status", "processing_phase", "errors", 0, "code") != c.code ||
				status.Text("status", "processing_phase", "error", "message") == "" {
				t.Errorf("status is %s (finish: %s)", status.Body, finish.Body)
			}
			if posts := a.Posts(); len(posts) != 0 {
				t.Errorf("controls show %+v", posts)
			}
		})
	}
}

func TestReelsHaveALimit(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	file := graphtest.MP4(graphtest.Video{})
	reel := func() simtest.Response {
		video, address := a.start("video_reels")
		a.send(address, 0, len(file), file)
		return a.call("POST", a.page+"/video_reels", "upload_phase", "finish", "video_id", video, "video_state",
			"PUBLISHED")
	}
	for range 30 {
		if resp := reel(); resp.Status != http.StatusOK {
			t.Fatalf("%d %s", resp.Status, resp.Body)
		}
	}
	wantError(t, reel(), 613, 0)
	a.Clock.Advance(24*time.Hour + time.Second)
	if resp := reel(); resp.Status != http.StatusOK {
		t.Errorf("the next day: %d %s", resp.Status, resp.Body)
	}
}

func TestStories(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	photo := a.upload()
	story := a.must("POST", a.page+"/photo_stories", "photo_id", photo)
	if _, isNumber := story.Value("post_id").(float64); !isNumber || story.Value("success") != true {
		t.Errorf("response %s", story.Body)
	}
	wantError(t, a.call("POST", a.page+"/photo_stories", "photo_id", photo), 100, 1366051)
	file := graphtest.MP4(graphtest.Video{})
	video, address := a.start("video_stories")
	a.send(address, 0, len(file), file)
	wantError(t, a.call("POST", a.page+"/video_stories", "upload_phase", "finish", "video_id", video), 6000, 1363019)
	a.Clock.Advance(time.Second)
	a.must("POST", a.page+"/video_stories", "upload_phase", "finish", "video_id", video)
	list := a.must("GET", a.page+"/stories", "status", `["PUBLISHED"]`)
	if list.Text("data", 0, "media_id") != video || list.Text("data", 0, "media_type") != "video" ||
		list.Text("data", 1, "media_id") != photo || list.Text("data", 1, "creation_time") != "1794733200" {
		t.Errorf("stories are %s", list.Body)
	}
	if !strings.Contains(string(story.Body), `"post_id":`+list.Text("data", 1, "post_id")+"}") {
		t.Errorf("story %s is listed as %s", story.Body, list.Body)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: list.Text("data", 0, "url")})
	if posts := a.must("GET", a.page+"/feed"); posts.Value("data", 0) != nil {
		t.Errorf("the feed has %s", posts.Body)
	}
	a.Clock.Advance(24 * time.Hour)
	if list := a.must("GET", a.page+"/stories", "status", `["PUBLISHED"]`); list.Value("data", 0) != nil {
		t.Errorf("after a day: %s", list.Body)
	}
}

func TestFeedVideoByURLAndUpload(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := graphtest.MP4(graphtest.Video{Width: 1280, Height: 720, Length: 10 * time.Minute})
	video := a.must("POST", a.page+"/videos", "file_url", a.host.Serve("/v.mp4", "video/mp4", file), "description",
		"by address", "title", "Title").Text("id")
	a.Clock.Advance(time.Second)
	if status := a.status(video); status.Value("published") != true || status.Text("post_id") == "" {
		t.Errorf("status is %s", status.Body)
	}
	if resp := a.multipart(a.page+"/videos", "source", file, "description", "by bytes"); resp.Status != http.StatusOK {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	wantError(t, a.call("POST", a.page+"/videos", "file_url", a.host.URL+"/missing.mp4"), 389, 0)
	wantError(t, a.multipart(a.page+"/videos", "source", make([]byte, 2000)), 6000, 1363024)
	list := a.must("GET", a.page+"/videos", "type", "uploaded", "fields", "id,description,created_time")
	if list.Text("data", 0, "id") != video || list.Value("data", 1) != nil {
		t.Errorf("videos are %s", list.Body) // the second is still being processed
	}
	if posts := a.Posts(); posts[0].Text != "by address" || posts[1].Text != "by bytes" {
		t.Errorf("controls show %+v", posts)
	}
	if resp := a.multipart(video+"/thumbnails", "source", graphtest.JPEG(t, 30, 20), "is_preferred",
		"true"); resp.Status != http.StatusOK {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestVideoInChunks(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := graphtest.MP4(graphtest.Video{Bytes: 1_500_000})
	started := a.must("POST", a.page+"/videos", "upload_phase", "start", "file_size", strconv.Itoa(len(file)))
	session := started.Text("upload_session_id")
	if started.Text("start_offset") != "0" || started.Text("end_offset") != "1048576" ||
		started.Text("video_id") == "" {
		t.Fatalf("response %s", started.Body)
	}
	chunk := func(offset, end int) simtest.Response {
		return a.multipart(a.page+"/videos", "video_file_chunk", file[offset:end], "upload_phase", "transfer",
			"upload_session_id", session, "start_offset", strconv.Itoa(offset))
	}
	first := chunk(0, 1048576)
	if first.Text("start_offset") != "1048576" || first.Text("end_offset") != strconv.Itoa(len(file)) {
		t.Errorf("response %s", first.Body)
	}
	wrong := chunk(0, 1048576)
	wantError(t, wrong, 6000, 1363037)
	if wrong.Text("error", "error_data", "start_offset") != "1048576" {
		t.Errorf("response %s", wrong.Body)
	}
	wantError(t, a.call("POST", a.page+"/videos", "upload_phase", "finish", "upload_session_id", session), 6000,
		1363019)
	if last := chunk(1048576, len(file)); last.Text("start_offset") != last.Text("end_offset") {
		t.Errorf("response %s", last.Body)
	}
	a.must("POST", a.page+"/videos", "upload_phase", "finish", "upload_session_id", session, "description", "in chunks",
		"title", "Title")
	sum := sha256.Sum256(file)
	if posts := a.Posts(); len(posts) != 1 || posts[0].Text != "in chunks" ||
		posts[0].Media[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("controls show %+v", posts)
	}
	other := a.must("POST", a.page+"/videos", "upload_phase", "start", "file_size", "5000").Text("upload_session_id")
	a.must("POST", a.page+"/videos", "upload_phase", "cancel", "upload_session_id", other)
	wantError(t, a.call("POST", a.page+"/videos", "upload_phase", "cancel", "upload_session_id", other), 100, 33)
}

func TestLostAnswerToAReelIsFoundByItsVideo(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := graphtest.MP4(graphtest.Video{})
	video, address := a.start("video_reels")
	a.send(address, 0, len(file), file)
	a.Fault(sim.Publish, sim.LostResponse, nil)
	if resp := a.call("POST", a.page+"/video_reels", "upload_phase", "finish", "video_id", video, "video_state",
		"PUBLISHED"); resp.Status != 0 {
		t.Fatalf("response %d %s", resp.Status, resp.Body)
	}
	a.Clock.Advance(time.Second)
	if status := a.status(video); status.Text("status", "publishing_phase", "status") != "complete" ||
		len(a.Posts()) != 1 {
		t.Errorf("status is %s", status.Body)
	}
}

func TestScheduledReelAppearsAtItsTime(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	file := graphtest.MP4(graphtest.Video{})
	video, address := a.start("video_reels")
	a.send(address, 0, len(file), file)
	wantError(t, a.call("POST", a.page+"/video_reels", "upload_phase", "finish", "video_id", video, "video_state",
		"SCHEDULED"), 100, 0)
	a.must("POST", a.page+"/video_reels", "upload_phase", "finish", "video_id", video, "video_state", "SCHEDULED",
		"scheduled_publish_time", "1794734000")
	a.Clock.Advance(time.Minute)
	if status := a.status(video); status.Text("status", "publishing_phase", "publish_status") != "scheduled" ||
		len(a.Posts()) != 0 {
		t.Errorf("status is %s", status.Body)
	}
	a.Clock.Advance(time.Hour)
	if status := a.status(video); status.Text("status", "publishing_phase", "publish_status") != "published" ||
		len(a.Posts()) != 1 {
		t.Errorf("status is %s", status.Body)
	}
}

func TestCallsAreCountedByOperation(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.upload()
	post := a.post("hi")
	a.multipart(a.page+"/photos", "source", graphtest.JPEG(t, 30, 20), "published", "false")
	file := graphtest.MP4(graphtest.Video{})
	video, address := a.start("video_reels")
	a.send(address, 0, len(file), file)
	a.must("POST", a.page+"/video_reels", "upload_phase", "finish", "video_id", video, "video_state", "PUBLISHED")
	a.status(video)
	a.must("GET", a.page+"/published_posts")
	a.must("POST", post+"/comments", "message", "first!")
	a.must("DELETE", post)
	calls := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/_control/calls?provider=facebook"})
	for i, want := range []float64{2, 5, 0, 1, 1, 1} { // publish, upload, refresh, read, delete, comment
		if got := calls.Value("data", i, "count"); got != want {
			t.Errorf("%s was counted %v times, want %v", calls.Text("data", i, "operation"), got, want)
		}
	}
}
