package tiktok_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	"crier/internal/sandbox/tiktok"
)

// app is a client app of the sandbox, with one connected account.
type app struct {
	*simtest.Sandbox
	t    *testing.T
	seed sim.Seed
}

func setup(t *testing.T, options sim.Options) *app { return setupAs(t, tiktok.Settings{}, options) }

func setupAs(t *testing.T, settings tiktok.Settings, options sim.Options) *app {
	t.Helper()
	s := simtest.Start(t, tiktok.Network(settings), options)
	return &app{Sandbox: s, t: t, seed: s.Seed("ada")}
}

// call posts JSON to the API.
func (a *app) call(path, body string) simtest.Response {
	a.t.Helper()
	return a.Do(simtest.Request{Method: "POST", Path: "/tiktok/v2/" + path, Token: a.seed.AccessToken, JSON: body})
}

// must posts JSON, which has to succeed.
func (a *app) must(path, body string) simtest.Response {
	a.t.Helper()
	resp := a.call(path, body)
	if resp.Status != http.StatusOK || resp.Text("error", "code") != "ok" || resp.Text("error", "log_id") == "" {
		a.t.Fatalf("%s %s: %d %s", path, body, resp.Status, resp.Body)
	}
	return resp
}

// refused posts JSON, which has to be refused.
func (a *app) refused(status int, code, path, body string) {
	a.t.Helper()
	if resp := a.call(path, body); resp.Status != status || resp.Text("error", "code") != code {
		a.t.Errorf("%s %s: %d %s, want %d %s", path, body, resp.Status, resp.Body, status, code)
	}
}

// file returns bytes that start like an MP4 file.
func file(size int) []byte {
	return append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"), bytes.Repeat([]byte{7}, size-16)...)
}

const postInfo = `"post_info":{"title":"Look <b>here</b> #tag","privacy_level":"PUBLIC_TO_EVERYONE"}`

func uploadBody(size, chunk, count int) string {
	return fmt.Sprintf(`{%s,"source_info":{"source":"FILE_UPLOAD","video_size":%d,"chunk_size":%d,"total_chunk_count":%d}}`, postInfo, size, chunk, count)
}

// open starts an upload and returns its publish id and address.
func (a *app) open(size, chunk, count int) (publishID, address string) {
	a.t.Helper()
	resp := a.must("post/publish/video/init/", uploadBody(size, chunk, count))
	return resp.Text("data", "publish_id"), resp.Text("data", "upload_url")
}

// put sends one chunk.
func (a *app) put(address string, chunk []byte, contentRange string) simtest.Response {
	a.t.Helper()
	return a.Do(simtest.Request{Method: "PUT", Path: address, Body: chunk,
		Header: map[string]string{"Content-Type": "video/mp4", "Content-Range": contentRange}})
}

func (a *app) status(publishID string) simtest.Response {
	a.t.Helper()
	return a.must("post/publish/status/fetch/", `{"publish_id":"`+publishID+`"}`)
}

func (a *app) wantStatus(publishID, want string) simtest.Response {
	a.t.Helper()
	resp := a.status(publishID)
	if got := resp.Text("data", "status"); got != want {
		a.t.Errorf("status is %s, want %s: %s", got, want, resp.Body)
	}
	return resp
}

// small uploads a video of one chunk.
func (a *app) small() (publishID string) {
	a.t.Helper()
	publishID, address := a.open(1000, 1000, 1)
	if resp := a.put(address, file(1000), "bytes 0-999/1000"); resp.Status != http.StatusCreated {
		a.t.Fatalf("upload: %d", resp.Status)
	}
	return publishID
}

func TestVideoIsPostedAfterItsLastChunk(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	publishID, address := a.open(10_000_123, 5_000_000, 2)
	if !strings.HasPrefix(publishID, "v_pub_file~v2-1.") ||
		!strings.HasPrefix(address, a.URL+"/tiktok/video/?upload_id=") {
		t.Fatalf("init returned %s %s", publishID, address)
	}
	body := file(10_000_123)
	if resp := a.put(address, body[:5_000_000], "bytes 0-4999999/10000123"); resp.Status != http.StatusPartialContent ||
		len(resp.Body) != 0 ||
		resp.Header.Get("Content-Range") != "bytes 0-5000000/10000123" {
		t.Fatalf("first chunk: %d %s %v", resp.Status, resp.Body, resp.Header)
	}
	if resp := a.wantStatus(publishID, "PROCESSING_UPLOAD"); resp.Value("data", "uploaded_bytes") != 5e6 {
		t.Errorf("status is %s", resp.Body)
	}
	if resp := a.put(address, body[5_000_000:], "bytes 5000000-10000122/10000123"); resp.Status != http.StatusCreated {
		t.Fatalf("last chunk: %d", resp.Status)
	}
	if resp := a.wantStatus(publishID, "PROCESSING_UPLOAD"); resp.Value("data", "uploaded_bytes") != 10000123.0 ||
		len(a.Posts()) != 0 {
		t.Errorf("posted before it was processed: %s", resp.Body)
	}
	a.Clock.Advance(time.Second)
	if resp := a.wantStatus(publishID, "PUBLISH_COMPLETE"); resp.Value("data", "publicaly_available_post_id",
		0) != nil {
		t.Errorf("the id was reported before moderation: %s", resp.Body)
	}
	posts := a.Posts()
	if len(posts) != 1 || posts[0].Text != "Look <b>here</b> #tag" || posts[0].Media[0].Size != 10_000_123 ||
		posts[0].AccountID != a.seed.AccountID {
		t.Fatalf("posts are %+v", posts)
	}
	a.Clock.Advance(time.Second)
	if resp := a.status(publishID); !strings.Contains(string(resp.Body),
		`"publicaly_available_post_id":[`+posts[0].PlatformPostID+`]`) {
		t.Errorf("status is %s", resp.Body)
	}
}

func TestTextsAreEscapedOnPages(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	publishID := a.small()
	a.Clock.Advance(time.Second)
	a.wantStatus(publishID, "PUBLISH_COMPLETE")
	for _, path := range []string{"/tiktok", "/tiktok/@ada/video/" + a.Posts()[0].PlatformPostID} {
		page := string(a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: path}).Body)
		if strings.Contains(page, "<b>here") || !strings.Contains(page, "&lt;b&gt;here") {
			t.Errorf("%s does not escape the text", path)
		}
	}
}

func TestPrivatePostsAreNotListed(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	body := strings.Replace(uploadBody(1000, 1000, 1), "PUBLIC_TO_EVERYONE", "SELF_ONLY", 1)
	resp := a.must("post/publish/video/init/", body)
	a.put(resp.Text("data", "upload_url"), file(1000), "bytes 0-999/1000")
	a.Clock.Advance(time.Hour)
	if status := a.wantStatus(resp.Text("data", "publish_id"), "PUBLISH_COMPLETE"); status.Value("data",
		"publicaly_available_post_id", 0) != nil {
		t.Errorf("status is %s", status.Body)
	}
	if list := a.must("video/list/?fields=id", `{}`); list.Value("data", "videos", 0) != nil {
		t.Errorf("list is %s", list.Body)
	}
}

func TestListShowsPublicPostsNewestFirst(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for range 3 {
		a.small()
		a.Clock.Advance(10 * time.Second)
	}
	first := a.must("video/list/?fields=id,create_time,title,share_url,like_count", `{"max_count":2}`)
	posts := a.Posts()
	if first.Value("data", "has_more") != true || first.Text("data", "videos", 0, "id") != posts[2].PlatformPostID ||
		first.Text("data", "videos", 1, "id") != posts[1].PlatformPostID {
		t.Fatalf("first page is %s", first.Body)
	}
	cursor, ok := first.Value("data", "cursor").(float64)
	if !ok {
		t.Fatalf("no cursor: %s", first.Body)
	}
	second := a.must("video/list/?fields=id", fmt.Sprintf(`{"max_count":2,"cursor":%d}`, int64(cursor)))
	if second.Value("data", "has_more") != false || second.Text("data", "videos", 0, "id") != posts[0].PlatformPostID ||
		second.Value("data", "videos", 1) != nil {
		t.Errorf("second page is %s", second.Body)
	}
	a.Like(posts[0].PlatformPostID, 7)
	query := a.must("video/query/?fields=id,like_count,view_count",
		`{"filters":{"video_ids":["`+posts[0].PlatformPostID+`","1"]}}`)
	if query.Value("data", "videos", 0, "like_count") != 7.0 || query.Value("data", "videos", 1) != nil {
		t.Errorf("query is %s", query.Body)
	}
}

// jpegFile returns a picture.
func jpegFile(t *testing.T, width, height int) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// host serves files by name, and redirects /moved to the first picture.
func host(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := files[r.URL.Path]
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/1.jpg", http.StatusFound)
		case !ok:
			http.NotFound(w, r)
		default:
			_, _ = w.Write(body) // the sandbox reports what it received
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func photoBody(privacy string, addresses ...string) string {
	return fmt.Sprintf(`{"media_type":"PHOTO","post_mode":"DIRECT_POST","post_info":{"title":"funny cat","description":"text #funny","privacy_level":%q},
		"source_info":{"source":"PULL_FROM_URL","photo_cover_index":0,"photo_images":["%s"]}}`, privacy, strings.Join(addresses, `","`))
}

func TestPhotosArePulled(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	files := host(t, map[string][]byte{"/1.jpg": jpegFile(t, 1080, 1350), "/2.jpg": jpegFile(t, 12, 8)})
	resp := a.must("post/publish/content/init/", photoBody("PUBLIC_TO_EVERYONE", files+"/1.jpg", files+"/2.jpg"))
	publishID := resp.Text("data", "publish_id")
	if !strings.HasPrefix(publishID, "p_pub_url~v2.") || resp.Value("data", "upload_url") != nil {
		t.Fatalf("response %s", resp.Body)
	}
	a.wantStatus(publishID, "PROCESSING_DOWNLOAD")
	a.Clock.Advance(time.Second)
	a.wantStatus(publishID, "PUBLISH_COMPLETE")
	posts := a.Posts()
	if len(posts) != 1 || len(posts[0].Media) != 2 || posts[0].Media[0].Width != 1080 ||
		posts[0].Text != "funny cat\ntext #funny" {
		t.Fatalf("posts are %+v", posts)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/tiktok/@ada/photo/" + posts[0].PlatformPostID})
}

func TestInvalidFilesFailAsynchronously(t *testing.T) {
	t.Parallel()
	files := host(t, map[string][]byte{"/1.jpg": jpegFile(t, 12, 8), "/tall.jpg": jpegFile(t, 500, 2000),
		"/text.jpg": []byte("hello"), "/v.mp4": file(100)})
	pull := func(path string) string {
		return `{` + postInfo + `,"source_info":{"source":"PULL_FROM_URL","video_url":"` + files + path + `"}}`
	}
	cases := map[string]struct{ path, body, reason string }{
		"missing photo": {"post/publish/content/init/", photoBody("PUBLIC_TO_EVERYONE", files+"/none.jpg"),
			"photo_pull_failed"},
		"redirect": {"post/publish/content/init/", photoBody("PUBLIC_TO_EVERYONE", files+"/moved"),
			"photo_pull_failed"},
		"large photo": {"post/publish/content/init/", photoBody("PUBLIC_TO_EVERYONE", files+"/tall.jpg"),
			"picture_size_check_failed"},
		"no photo": {"post/publish/content/init/",
			photoBody("PUBLIC_TO_EVERYONE", files+"/1.jpg", files+"/text.jpg"), "file_format_check_failed"},
		"missing video":   {"post/publish/video/init/", pull("/none.mp4"), "video_pull_failed"},
		"photo for video": {"post/publish/video/init/", pull("/1.jpg"), "file_format_check_failed"},
		"good video":      {"post/publish/video/init/", pull("/v.mp4"), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			publishID := a.must(c.path, c.body).Text("data", "publish_id")
			a.wantStatus(publishID, "PROCESSING_DOWNLOAD")
			a.Clock.Advance(time.Second)
			want, posts := "FAILED", 0
			if c.reason == "" {
				want, posts = "PUBLISH_COMPLETE", 1
			}
			if resp := a.wantStatus(publishID, want); resp.Text("data", "fail_reason") != c.reason {
				t.Errorf("status is %s", resp.Body)
			}
			if got := a.Posts(); len(got) != posts {
				t.Errorf("posts are %+v", got)
			}
		})
	}
}

func TestRejectedPosts(t *testing.T) {
	t.Parallel()
	video := func(info string) string {
		return `{"post_info":{` + info +
			`},"source_info":{"source":"FILE_UPLOAD","video_size":1000,"chunk_size":1000,"total_chunk_count":1}}`
	}
	const direct, photos = "post/publish/video/init/", "post/publish/content/init/"
	cases := map[string]struct {
		path, body string
		status     int
		code       string
	}{
		"no JSON":    {direct, `{`, 400, "invalid_param"},
		"no privacy": {direct, video(`"title":"a"`), 400, "invalid_param"},
		"other privacy": {direct, video(`"privacy_level":"FOLLOWER_OF_CREATOR"`), 403,
			"privacy_level_option_mismatch"},
		"long caption": {direct, video(`"privacy_level":"SELF_ONLY","title":"` + strings.Repeat("😀", 1101) + `"`),
			400, "invalid_param"},
		"private brand": {direct, video(`"privacy_level":"SELF_ONLY","brand_content_toggle":true`), 400,
			"invalid_param"},
		"no source": {direct, `{` + postInfo + `}`, 400, "invalid_param"},
		"no address": {direct, `{` + postInfo + `,"source_info":{"source":"PULL_FROM_URL","video_url":"v.mp4"}}`,
			400, "invalid_param"},
		"long photo title": {photos, strings.Replace(photoBody("SELF_ONLY", "https://a.example/1.jpg"), "funny cat",
			strings.Repeat("a", 91), 1), 400, "invalid_param"},
		"no photos": {photos, strings.Replace(photoBody("SELF_ONLY", "x"), `"x"`, ``, 1), 400, "invalid_param"},
		"36 photos": {photos, photoBody("SELF_ONLY",
			strings.Split(strings.Repeat("https://a.example/1.jpg ", 36), " ")[:36]...), 400, "invalid_param"},
		"cover": {photos, strings.Replace(photoBody("SELF_ONLY", "https://a.example/1.jpg"), `index":0`,
			`index":1`, 1), 400, "invalid_param"},
		"photo upload": {photos, strings.Replace(photoBody("SELF_ONLY", "https://a.example/1.jpg"), "PULL_FROM_URL",
			"FILE_UPLOAD", 1), 400, "invalid_param"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setup(t, sim.Options{}).refused(c.status, c.code, c.path, c.body)
		})
	}
}

func TestPrivateAccountsHaveOtherOptions(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	open := a.must("post/publish/creator_info/query/", "")
	if open.Text("data", "privacy_level_options", 0) != "PUBLIC_TO_EVERYONE" ||
		open.Value("data", "duet_disabled") != false ||
		open.Text("data", "creator_username") != "ada" || open.Value("data", "max_video_post_duration_sec") != 600.0 {
		t.Errorf("creator is %s", open.Body)
	}
	a.seed = a.Seed("private_ada")
	if private := a.must("post/publish/creator_info/query/", ""); private.Text("data", "privacy_level_options",
		0) != "FOLLOWER_OF_CREATOR" ||
		private.Value("data", "stitch_disabled") != true {
		t.Errorf("creator is %s", private.Body)
	}
	a.refused(403, "privacy_level_option_mismatch", "post/publish/video/init/", uploadBody(1000, 1000, 1))
}

func TestUnauditedAppsPostForTheAuthorOnly(t *testing.T) {
	t.Parallel()
	a := setupAs(t, tiktok.Settings{Unaudited: true}, sim.Options{})
	body := strings.Replace(uploadBody(1000, 1000, 1), "PUBLIC_TO_EVERYONE", "SELF_ONLY", 1)
	a.refused(403, "unaudited_client_can_only_post_to_private_accounts", "post/publish/video/init/", body)
	a.seed = a.Seed("private_ada")
	a.must("post/publish/video/init/", body)
}

func TestURLPrefixVerification(t *testing.T) {
	t.Parallel()
	files := host(t, map[string][]byte{"/1.jpg": jpegFile(t, 12, 8)})
	a := setupAs(t, tiktok.Settings{VerifiedPrefixes: []string{files + "/"}}, sim.Options{})
	a.refused(403, "url_ownership_unverified", "post/publish/content/init/",
		photoBody("SELF_ONLY", "https://other.example/1.jpg"))
	a.must("post/publish/content/init/", photoBody("SELF_ONLY", files+"/1.jpg"))
}

func TestDraftsWaitInTheInbox(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	for i := range 5 {
		resp := a.must("post/publish/inbox/video/init/",
			`{"source_info":{"source":"FILE_UPLOAD","video_size":1000,"chunk_size":1000,"total_chunk_count":1}}`)
		if !strings.HasPrefix(resp.Text("data", "publish_id"), "v_inbox_file~") {
			t.Fatalf("response %s", resp.Body)
		}
		a.put(resp.Text("data", "upload_url"), file(1000), "bytes 0-999/1000")
		a.Clock.Advance(time.Minute)
		if i == 0 {
			a.wantStatus(resp.Text("data", "publish_id"), "SEND_TO_USER_INBOX")
		}
	}
	a.refused(403, "spam_risk_too_many_pending_share", "post/publish/inbox/video/init/",
		`{"source_info":{"source":"FILE_UPLOAD","video_size":1000,"chunk_size":1000,"total_chunk_count":1}}`)
	if posts := a.Posts(); len(posts) != 0 {
		t.Errorf("drafts were posted: %+v", posts)
	}
}

func TestPostsAppearWithoutPolling(t *testing.T) {
	t.Parallel()
	over := make(chan time.Time)
	a := setup(t, sim.Options{After: func(time.Duration) <-chan time.Time { return over }})
	a.small()
	a.Clock.Advance(time.Second)
	close(over)
	for len(a.Posts()) == 0 {
		runtime.Gosched()
	}
}

func TestPullsResumeAfterARestart(t *testing.T) {
	t.Parallel()
	dir, requested, open := t.TempDir(), make(chan struct{}), make(chan struct{})
	notify := sync.OnceFunc(func() { close(requested) })
	picture := jpegFile(t, 12, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		notify()
		<-open
		_, _ = w.Write(picture) // the sandbox may be closed
	}))
	t.Cleanup(server.Close)
	publishID := ""
	t.Run("before", func(t *testing.T) {
		impatient := func(time.Duration) <-chan time.Time {
			<-requested
			now := make(chan time.Time)
			close(now)
			return now
		}
		a := setup(t, sim.Options{DataDir: dir, After: impatient})
		publishID = a.must("post/publish/content/init/",
			photoBody("PUBLIC_TO_EVERYONE", server.URL+"/1.jpg")).Text("data", "publish_id")
	})
	close(open)
	a := setup(t, sim.Options{DataDir: dir})
	for a.status(publishID).Text("data", "status") == "PROCESSING_DOWNLOAD" {
		a.Clock.Advance(time.Second)
	}
	a.wantStatus(publishID, "PUBLISH_COMPLETE")
	if posts := a.Posts(); len(posts) != 1 {
		t.Errorf("posts are %+v", posts)
	}
}
