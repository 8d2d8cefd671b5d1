package youtube_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	"crier/internal/sandbox/youtube"
)

// app is a client app of the sandbox, with one connected channel.
type app struct {
	*simtest.Sandbox
	t    *testing.T
	seed sim.Seed
}

func setup(t *testing.T, options sim.Options) *app { return setupAs(t, youtube.Settings{}, options) }

func setupAs(t *testing.T, settings youtube.Settings, options sim.Options) *app {
	t.Helper()
	s := simtest.Start(t, youtube.Network(settings), options)
	return &app{Sandbox: s, t: t, seed: s.Seed("ada")}
}

// file returns bytes that start like an MP4 file.
func file(size int) []byte {
	return append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"), bytes.Repeat([]byte{7}, size-16)...)
}

// box returns an MP4 box.
func box(kind string, body ...byte) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
}

// shapedFile returns a video with dimensions and a duration.
func shapedFile(width, height, seconds int) []byte {
	mvhd := make([]byte, 100)
	binary.BigEndian.PutUint32(mvhd[12:], 1)
	binary.BigEndian.PutUint32(mvhd[16:], uint32(seconds))
	tkhd := make([]byte, 84)
	binary.BigEndian.PutUint32(tkhd[40:], 0x10000)
	binary.BigEndian.PutUint32(tkhd[76:], uint32(width)<<16)
	binary.BigEndian.PutUint32(tkhd[80:], uint32(height)<<16)
	index := append(box("mvhd", mvhd...), box("trak", box("tkhd", tkhd...)...)...)
	return append(box("ftyp", []byte("isom\x00\x00\x02\x00")...), box("moov", index...)...)
}

const metadata = `{"snippet":{"title":"My video","description":"About & more","tags":["a","b c"],"categoryId":"22"},
	"status":{"privacyStatus":"public","selfDeclaredMadeForKids":false}}`

const uploads = "/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status"

// start requests a session.
func (a *app) start(size int, body string) simtest.Response {
	a.t.Helper()
	return a.Do(simtest.Request{Method: "POST", Path: uploads, Token: a.seed.AccessToken, JSON: body,
		Header: map[string]string{"X-Upload-Content-Length": fmt.Sprint(size), "X-Upload-Content-Type": "video/mp4"}})
}

// open opens a session and returns its address.
func (a *app) open(size int, body string) string {
	a.t.Helper()
	resp := a.start(size, body)
	if resp.Status != http.StatusOK || len(resp.Body) != 0 ||
		!strings.HasPrefix(resp.Header.Get("Location"), a.URL+"/youtube/upload/youtube/v3/videos?") {
		a.t.Fatalf("session: %d %s %v", resp.Status, resp.Body, resp.Header)
	}
	return resp.Header.Get("Location")
}

// put sends bytes to a session; without a range it is the whole file.
func (a *app) put(address string, body []byte, contentRange string) simtest.Response {
	a.t.Helper()
	header := map[string]string{"Content-Type": "video/mp4"}
	if contentRange != "" {
		header["Content-Range"] = contentRange
	}
	return a.Do(simtest.Request{Method: "PUT", Path: address, Token: a.seed.AccessToken, Body: body, Header: header})
}

// publish uploads a video and returns its id.
func (a *app) publish(body string, video []byte) string {
	a.t.Helper()
	resp := a.put(a.open(len(video), body), video, "")
	if resp.Status != http.StatusCreated || resp.Text("kind") != "youtube#video" {
		a.t.Fatalf("upload: %d %s", resp.Status, resp.Body)
	}
	return resp.Text("id")
}

func (a *app) get(status int, path string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "GET", Path: "/youtube/youtube/v3/" + path,
		Token: a.seed.AccessToken})
}

func (a *app) post(status int, path, body string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "POST", Path: "/youtube/youtube/v3/" + path,
		Token: a.seed.AccessToken, JSON: body})
}

func reason(resp simtest.Response) string { return resp.Text("error", "errors", 0, "reason") }

func TestVideoExistsAfterItsLastByte(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	video := file(600_000)
	address := a.open(len(video), metadata)
	first := a.put(address, video[:524288], "bytes 0-524287/600000")
	if first.Status != http.StatusPermanentRedirect || first.Header.Get("Range") != "bytes=0-524287" ||
		len(a.Posts()) != 0 {
		t.Fatalf("first chunk: %d %v", first.Status, first.Header)
	}
	last := a.put(address, video[524288:], "bytes 524288-599999/600000")
	if last.Status != http.StatusCreated || len(last.Text("id")) != 11 ||
		last.Text("status", "uploadStatus") != "uploaded" ||
		last.Text("status", "privacyStatus") != "public" || last.Text("snippet", "title") != "My video" ||
		last.Text("snippet", "tags", 1) != "b c" {
		t.Fatalf("last chunk: %d %s", last.Status, last.Body)
	}
	posts := a.Posts()
	if len(posts) != 1 || posts[0].PlatformPostID != last.Text("id") || posts[0].Text != "My video\n\nAbout & more" ||
		posts[0].Media[0].Size != 600_000 {
		t.Fatalf("posts are %+v", posts)
	}
	page := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/youtube"})
	if !strings.Contains(string(page.Body), `src="/_media/`+posts[0].Media[0].SHA256) {
		t.Error("the timeline does not show a small video of two chunks")
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/youtube/watch?v=" + last.Text("id")})
}

func TestProcessingTakesTime(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, shapedFile(1920, 1080, 75))
	path := "videos?part=status,processingDetails,contentDetails,statistics&id=" + id
	if resp := a.get(http.StatusOK, path); resp.Text("items", 0, "status", "uploadStatus") != "uploaded" ||
		resp.Text("items", 0, "processingDetails", "processingStatus") != "processing" {
		t.Errorf("before: %s", resp.Body)
	}
	a.Clock.Advance(time.Second)
	resp := a.get(http.StatusOK, path)
	if resp.Text("items", 0, "status", "uploadStatus") != "processed" ||
		resp.Text("items", 0, "processingDetails", "processingStatus") != "succeeded" ||
		resp.Text("items", 0, "contentDetails", "duration") != "PT1M15S" ||
		resp.Text("items", 0, "statistics", "likeCount") != "0" {
		t.Errorf("after: %s", resp.Body)
	}
	a.Like(id, 5)
	if likes := a.get(http.StatusOK, "videos?part=statistics&id="+id+",other").Text("items", 0,
		"statistics", "likeCount"); likes != "5" {
		t.Errorf("likes are %q", likes)
	}
}

func TestInvalidFilesFailInProcessing(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, []byte("this is a text"))
	a.Clock.Advance(time.Second)
	if resp := a.get(http.StatusOK, "videos?part=status&id="+id); resp.Text("items", 0, "status",
		"failureReason") != "invalidFile" || resp.Text("items", 0, "status", "uploadStatus") != "failed" {
		t.Errorf("status is %s", resp.Body)
	}
	if posts := a.Posts(); len(posts) != 0 {
		t.Errorf("it is on the timeline: %+v", posts)
	}
}

func TestShortsAreDetectedByAspectRatio(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		video []byte
		short bool
	}{
		"vertical":   {shapedFile(1080, 1920, 180), true},
		"square":     {shapedFile(1080, 1080, 30), true},
		"horizontal": {shapedFile(1920, 1080, 30), false},
		"too long":   {shapedFile(1080, 1920, 181), false},
		"unknown":    {file(100), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			id := a.publish(metadata, c.video)
			page := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/youtube"})
			if got := strings.Contains(string(page.Body), `href="/youtube/shorts/`+id); got != c.short {
				t.Errorf("it is a Short: %v", got)
			}
		})
	}
}

func TestUnverifiedChannelsRejectLongVideos(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.seed = a.Seed("unverified_ada")
	id := a.publish(metadata, shapedFile(1920, 1080, 901))
	a.Clock.Advance(time.Second)
	if resp := a.get(http.StatusOK, "videos?part=status&id="+id); resp.Text("items", 0, "status",
		"rejectionReason") != "length" {
		t.Errorf("status is %s", resp.Body)
	}
	if resp := a.get(http.StatusOK, "channels?part=status&mine=true"); resp.Text("items", 0, "status",
		"longUploadsStatus") != "eligible" {
		t.Errorf("channel is %s", resp.Body)
	}
}

func TestRejectedMetadata(t *testing.T) {
	t.Parallel()
	video := func(snippet, status string) string { return `{"snippet":{` + snippet + `},"status":{` + status + `}}` }
	title := func(text string) string { return `"title":"` + text + `"` }
	cases := map[string]struct{ body, reason string }{
		"no JSON":           {`{`, "parseError"},
		"no title":          {video(``, ``), "invalidTitle"},
		"long title":        {video(title(strings.Repeat("é", 101)), ``), "invalidTitle"},
		"longest title":     {video(title(strings.Repeat("é", 100)), ``), ""},
		"brackets in title": {video(title("a > b"), ``), "invalidTitle"},
		"long description": {video(title("a")+`,"description":"`+strings.Repeat("é", 2501)+`"`, ``),
			"invalidDescription"},
		"brackets below": {video(title("a")+`,"description":"<b>"`, ``), "invalidDescription"},
		"501 in tags": {video(title("a")+`,"tags":["`+strings.Repeat("a b", 83)+`","`+strings.Repeat("a",
			249)+`"]`, ``), "invalidTags"},
		"500 in tags": {video(title("a")+`,"tags":["`+strings.Repeat("a b", 83)+`","`+strings.Repeat("a",
			248)+`"]`, ``), ""},
		"unknown category": {video(title("a")+`,"categoryId":"18"`, ``), "invalidCategoryId"},
		"unknown privacy":  {video(title("a"), `"privacyStatus":"secret"`), "invalidVideoMetadata"},
		"unknown license":  {video(title("a"), `"license":"mine"`), "invalidVideoMetadata"},
		"public and planned": {video(title("a"), `"privacyStatus":"public","publishAt":"2026-12-01T10:00:00Z"`),
			"invalidPublishAt"},
		"planned for nowhen": {video(title("a"), `"privacyStatus":"private","publishAt":"tomorrow"`),
			"invalidPublishAt"},
		"private and planned": {video(title("a"), `"privacyStatus":"private","publishAt":"2026-12-01T10:00:00Z"`), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			resp := a.start(1000, c.body)
			switch {
			case c.reason == "" && resp.Status != http.StatusOK:
				t.Errorf("%d %s", resp.Status, resp.Body)
			case c.reason != "" && (resp.Status != http.StatusBadRequest || reason(resp) != c.reason ||
				resp.Value("error", "code") != 400.0):
				t.Errorf("%d %s, want %s", resp.Status, resp.Body, c.reason)
			}
		})
	}
}

func TestScheduledVideosBecomePublic(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(`{"snippet":{"title":"later"},"status":{"privacyStatus":"private","publishAt":"2026-11-15T09:30:00Z"}}`, file(100))
	path := "videos?part=status&id=" + id
	if resp := a.get(http.StatusOK, path); resp.Text("items", 0, "status", "privacyStatus") != "private" ||
		resp.Text("items", 0, "status", "publishAt") != "2026-11-15T09:30:00Z" {
		t.Errorf("before: %s", resp.Body)
	}
	author := a.seed
	a.seed = a.Seed("bob")
	if resp := a.get(http.StatusOK, path); resp.Value("items", 0) != nil {
		t.Errorf("visible to others: %s", resp.Body)
	}
	a.Clock.Advance(30 * time.Minute)
	if resp := a.get(http.StatusOK, path); resp.Text("items", 0, "status", "privacyStatus") != "public" {
		t.Errorf("not visible to others: %s", resp.Body)
	}
	a.seed = author
	if resp := a.get(http.StatusOK, path); resp.Text("items", 0, "status", "privacyStatus") != "public" ||
		resp.Value("items", 0, "status", "publishAt") != nil {
		t.Errorf("after: %s", resp.Body)
	}
}

func TestUnauditedProjectsUploadPrivately(t *testing.T) {
	t.Parallel()
	a := setupAs(t, youtube.Settings{Unaudited: true}, sim.Options{})
	id := a.publish(metadata, file(100))
	if got := a.get(http.StatusOK, "videos?part=status&id="+id).Text("items", 0, "status",
		"privacyStatus"); got != "private" {
		t.Errorf("privacy is %s", got)
	}
}

func TestUnknownPartsAreRefused(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(100))
	if got := a.get(http.StatusOK, "videos?part=status&id="+id).Text("items", 0, "status",
		"privacyStatus"); got != "public" {
		t.Errorf("privacy is %s", got)
	}
	if resp := a.get(http.StatusBadRequest, "videos?part=secrets&id="+id); reason(resp) != "unknownPart" {
		t.Errorf("response %s", resp.Body)
	}
}

func TestDeletedVideosAreGone(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(100))
	remove := simtest.Request{Method: "DELETE", Path: "/youtube/youtube/v3/videos?id=" + id,
		Token: a.Seed("bob").AccessToken}
	if resp := a.Must(http.StatusForbidden, remove); reason(resp) != "forbidden" {
		t.Errorf("a stranger: %s", resp.Body)
	}
	remove.Token = a.seed.AccessToken
	a.Must(http.StatusNoContent, remove)
	if resp := a.Must(http.StatusNotFound, remove); reason(resp) != "videoNotFound" {
		t.Errorf("again: %s", resp.Body)
	}
	if posts := a.Posts(); len(posts) != 1 || posts[0].DeletedAt == nil {
		t.Errorf("posts are %+v", posts)
	}
	if resp := a.get(http.StatusOK, "videos?part=id&id="+id); resp.Value("items", 0) != nil {
		t.Errorf("list is %s", resp.Body)
	}
}

func TestChannelInfo(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.publish(metadata, file(100))
	resp := a.get(http.StatusOK, "channels?part=snippet,statistics,contentDetails,status&mine=true")
	if resp.Text("kind") != "youtube#channelListResponse" || resp.Text("items", 0, "id") != a.seed.AccountID ||
		resp.Text("items", 0, "snippet", "customUrl") != "@ada" ||
		resp.Text("items", 0, "contentDetails", "relatedPlaylists", "uploads") != "UU"+a.seed.AccountID[2:] ||
		resp.Text("items", 0, "statistics", "videoCount") != "1" ||
		resp.Text("items", 0, "status", "longUploadsStatus") != "allowed" {
		t.Errorf("channel is %s", resp.Body)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET",
		Path: resp.Text("items", 0, "snippet", "thumbnails", "default", "url")})
}

func TestTextsAreEscapedOnPages(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(100))
	body, err := json.Marshal(map[string]any{"snippet": map[string]any{"channelId": "UCsomebody", "videoId": id,
		"topLevelComment": map[string]any{"snippet": map[string]any{"textOriginal": "<script>x</script>"}}}})
	if err != nil {
		t.Fatal(err)
	}
	a.post(http.StatusOK, "commentThreads?part=snippet", string(body))
	for _, path := range []string{"/youtube", "/youtube/watch?v=" + id} {
		page := string(a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: path}).Body)
		if strings.Contains(page, "<script>") || !strings.Contains(page, "&lt;script&gt;") ||
			!strings.Contains(page, "About &amp; more") {
			t.Errorf("%s does not escape texts", path)
		}
	}
}
