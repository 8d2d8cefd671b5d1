package instagram_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/instagram"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

const version = "/instagram/v25.0/"

// app is a client app of the sandbox, with one connected account and a host for its media.
type app struct {
	*simtest.Sandbox
	t    *testing.T
	seed sim.Seed
	host *graphtest.Host
}

// setup connects the account of a handle; the prefix "facebook:" selects Facebook Login.
func setup(t *testing.T, handle string, options sim.Options) *app {
	t.Helper()
	s := simtest.Start(t, instagram.Network(), options)
	return &app{Sandbox: s, t: t, seed: s.Seed(handle), host: graphtest.NewHost(t)}
}

// call calls the Graph API. Parameters are pairs of names and values.
func (a *app) call(method, path string, params ...string) simtest.Response {
	a.t.Helper()
	form := url.Values{}
	for i := 0; i < len(params); i += 2 {
		form.Set(params[i], params[i+1])
	}
	r := simtest.Request{Method: method, Path: version + path, Token: a.seed.AccessToken}
	if method == http.MethodPost {
		r.Form = form
	} else if len(form) > 0 {
		r.Path += "?" + form.Encode()
	}
	return a.Do(r)
}

// must is call that fails the test unless the call succeeds.
func (a *app) must(method, path string, params ...string) simtest.Response {
	a.t.Helper()
	resp := a.call(method, path, params...)
	if resp.Status != http.StatusOK {
		a.t.Fatalf("%s %s: %d %s", method, path, resp.Status, resp.Body)
	}
	return resp
}

// picture serves a picture and returns its address.
func (a *app) picture() string {
	return a.host.Serve("/a.jpg", "image/jpeg", graphtest.JPEG(a.t, 64, 64))
}

// video serves a video and returns its address.
func (a *app) video() string {
	return a.host.Serve("/v.mp4", "video/mp4", graphtest.MP4(graphtest.Video{}))
}

func (a *app) createContainer(params ...string) string {
	a.t.Helper()
	return a.must("POST", a.seed.AccountID+"/media", params...).Text("id")
}

func (a *app) status(container string) string {
	a.t.Helper()
	return a.must("GET", container, "fields", "status_code,status").Text("status_code")
}

// publish creates a container, waits for it, and publishes it.
func (a *app) publish(params ...string) string {
	a.t.Helper()
	id := a.createContainer(params...)
	a.Clock.Advance(time.Second)
	return a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", id).Text("id")
}

// wantError checks the code and the subcode of an error, as apps do.
func wantError(t *testing.T, resp simtest.Response, code, subcode int) {
	t.Helper()
	gotSubcode, _ := resp.Value("error", "error_subcode").(float64)
	if resp.Status < 400 || resp.Value("error", "code") != float64(code) || int(gotSubcode) != subcode ||
		resp.Text("error", "fbtrace_id") == "" {
		t.Errorf("%d %s, want code %d and subcode %d", resp.Status, resp.Body, code, subcode)
	}
}

func TestImageContainerIsPublished(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	container := a.createContainer("image_url", a.picture(), "caption", "Hello #world", "alt_text", "a square")
	if visits := a.host.Visits(); len(visits) != 1 ||
		!strings.HasPrefix(visits[0].UserAgent(), "facebookexternalhit/1.1") {
		t.Errorf("the picture was fetched by %v", visits)
	}
	wantError(t, a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", container), 9007, 2207027)
	if status := a.must("GET", container, "fields",
		"status_code,status"); status.Text("status_code") != "IN_PROGRESS" ||
		status.Text("status") != "In Progress: Media is still being processed." {
		t.Errorf("status is %s", status.Body)
	}
	a.Clock.Advance(250 * time.Millisecond)
	if status := a.status(container); status != "FINISHED" {
		t.Errorf("status is %s", status)
	}
	id := a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", container).Text("id")
	if status := a.status(container); status != "PUBLISHED" || id == container {
		t.Errorf("status is %s, post is %s", status, id)
	}
	wantError(t, a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", container), 24, 2207008)
	post := a.must("GET", id, "fields",
		"id,permalink,shortcode,media_type,media_product_type,timestamp,username,caption,alt_text,like_count,comments_count")
	for field, want := range map[string]any{"media_type": "IMAGE", "media_product_type": "FEED",
		"timestamp": "2026-11-15T09:00:00+0000", "username": "ada",
		"caption": "Hello #world", "alt_text": "a square", "like_count": 0.0, "comments_count": 0.0,
		"permalink": a.URL + "/instagram/p/" + post.Text("shortcode") + "/"} {
		if got := post.Value(field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	posts := a.Posts()
	if len(posts) != 1 || posts[0].Text != "Hello #world" || posts[0].AccountID != a.seed.AccountID ||
		posts[0].Media[0].Width != 64 || posts[0].Media[0].AltText != "a square" {
		t.Errorf("controls show %+v", posts)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: post.Text("permalink")})
}

func TestReelIsProcessedForAWhile(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{ProcessingTime: time.Minute})
	container := a.createContainer("media_type", "REELS", "video_url", a.video(), "caption", "moving", "share_to_feed",
		"true", "thumb_offset", "1000", "cover_url", a.picture())
	a.Clock.Advance(59 * time.Second)
	if status := a.status(container); status != "IN_PROGRESS" {
		t.Errorf("status is %s", status)
	}
	a.Clock.Advance(time.Second)
	id := a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", container).Text("id")
	post := a.must("GET", id, "fields", "media_type,media_product_type,permalink")
	if post.Text("media_type") != "VIDEO" || post.Text("media_product_type") != "REELS" ||
		!strings.Contains(post.Text("permalink"), "/reel/") {
		t.Errorf("post is %s", post.Body)
	}
	if media := a.Posts()[0].Media[0]; media.Type != "video/mp4" || media.Height != 1280 || media.SHA256 == "" {
		t.Errorf("media is %+v", media)
	}
}

func TestCarouselNeedsFinishedItems(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	first := a.createContainer("image_url", a.picture(), "is_carousel_item", "true", "alt_text", "one")
	second := a.createContainer("media_type", "VIDEO", "video_url", a.video(), "is_carousel_item", "true")
	parent := []string{"media_type", "CAROUSEL", "children", first + "," + second, "caption", "both"}
	wantError(t, a.call("POST", a.seed.AccountID+"/media", parent...), 9007, 2207027)
	a.Clock.Advance(time.Second)
	wantError(t, a.call("POST", a.seed.AccountID+"/media", "media_type", "CAROUSEL", "children", first), 100, 2207028)
	wantError(t, a.call("POST", a.seed.AccountID+"/media", "media_type", "CAROUSEL", "children", first+",17"), 24,
		2207006)
	wantError(t, a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", first), 100, 0)
	id := a.publish(parent...)
	post := a.must("GET", id, "fields", "media_type,children{media_type,media_url}")
	if post.Text("media_type") != "CAROUSEL_ALBUM" || post.Text("children", "data", 0, "media_type") != "IMAGE" ||
		post.Text("children", "data", 1, "media_type") != "VIDEO" {
		t.Errorf("post is %s", post.Body)
	}
	if limit := a.must("GET", a.seed.AccountID+"/content_publishing_limit", "fields",
		"quota_usage,config"); limit.Value("data", 0, "quota_usage") != 1.0 {
		t.Errorf("a carousel counts as %s", limit.Body)
	}
}

func TestStoriesAreListedSeparately(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	story := a.publish("media_type", "STORIES", "image_url", a.picture(), "caption", "not shown")
	feed := a.publish("image_url", a.picture(), "caption", "shown")
	if list := a.must("GET", a.seed.AccountID+"/stories", "fields", "id,media_product_type"); list.Text("data", 0,
		"id") != story || list.Value("data", 1) != nil || list.Text("data", 0, "media_product_type") != "STORY" {
		t.Errorf("stories are %s", list.Body)
	}
	if list := a.must("GET", a.seed.AccountID+"/media", "fields", "id,caption"); list.Text("data", 0, "id") != feed ||
		list.Value("data", 1) != nil {
		t.Errorf("media are %s", list.Body)
	}
	wantError(t, a.call("POST", story+"/comments", "message", "hi"), 100, 0)
	a.Clock.Advance(24 * time.Hour)
	if list := a.must("GET", a.seed.AccountID+"/stories"); list.Value("data", 0) != nil {
		t.Errorf("after a day: %s", list.Body)
	}
}

func TestContainersExpireAfterADay(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	container := a.createContainer("image_url", a.picture())
	a.Clock.Advance(24*time.Hour - time.Second)
	if status := a.status(container); status != "FINISHED" {
		t.Errorf("status is %s", status)
	}
	a.Clock.Advance(time.Second)
	if status := a.status(container); status != "EXPIRED" {
		t.Errorf("status is %s", status)
	}
	wantError(t, a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", container), -2, 2207020)
}

func TestRejectedImages(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind          string
		body          []byte
		code, subcode int
	}{
		"png":       {"image/png", graphtest.PNG(t, 100, 100), 36001, 2207005},
		"too wide":  {"image/jpeg", graphtest.JPEG(t, 100, 50), 36003, 2207009},
		"too high":  {"image/jpeg", graphtest.JPEG(t, 54, 96), 36003, 2207009},
		"too large": {"image/jpeg", append(graphtest.JPEG(t, 100, 100), make([]byte, 8<<20)...), 36000, 2207004},
		"a page":    {"text/html", []byte("<html>"), 9004, 2207052},
		"nonsense":  {"image/jpeg", []byte("\xff\xd8\xff\xe0 no picture"), 36001, 2207005},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, "ada", sim.Options{})
			wantError(t, a.call("POST", a.seed.AccountID+"/media", "image_url", a.host.Serve("/f", c.kind, c.body)),
				c.code, c.subcode)
		})
	}
	a := setup(t, "ada", sim.Options{})
	for _, address := range []string{a.host.URL + "/missing.jpg", "ftp://example.com/a.jpg", "/a.jpg", a.host.URL +
		"/ä.jpg", "http://127.0.0.1:1/a.jpg"} {
		wantError(t, a.call("POST", a.seed.AccountID+"/media", "image_url", address), 9004, 2207052)
	}
}

func TestInvalidVideosFailInProcessing(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind    string
		body    []byte
		subcode string
	}{
		"no video":      {"REELS", []byte("hello"), "2207026"},
		"cut off":       {"REELS", graphtest.MP4(graphtest.Video{})[:1000], "2207026"},
		"too short":     {"REELS", graphtest.MP4(graphtest.Video{Length: 2 * time.Second}), "2207026"},
		"too long":      {"REELS", graphtest.MP4(graphtest.Video{Length: 16 * time.Minute}), "2207026"},
		"long story":    {"STORIES", graphtest.MP4(graphtest.Video{Length: 61 * time.Second}), "2207026"},
		"wrong codec":   {"REELS", graphtest.MP4(graphtest.Video{Codec: "vp09"}), "2207026"},
		"too wide":      {"REELS", graphtest.MP4(graphtest.Video{Width: 3840, Height: 2160}), "2207026"},
		"not reachable": {"REELS", nil, "2207052"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, "ada", sim.Options{})
			address := a.host.URL + "/missing.mp4"
			if c.body != nil {
				address = a.host.Serve("/v.mp4", "video/mp4", c.body)
			}
			container := a.createContainer("media_type", c.kind, "video_url", address)
			if status := a.status(container); status != "IN_PROGRESS" {
				t.Errorf("status is %s", status)
			}
			a.Clock.Advance(time.Second)
			if status := a.must("GET", container, "fields",
				"status_code,status"); status.Text("status_code") != "ERROR" ||
				status.Text("status") != "Error: Media upload has failed with error code "+c.subcode {
				t.Errorf("status is %s", status.Body)
			}
			wantError(t, a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", container), 9007, 2207027)
		})
	}
}

func TestRejectedContainers(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		params        []string
		code, subcode int
	}{
		"no media":     {[]string{"caption", "text only"}, 100, 0},
		"unknown kind": {[]string{"media_type", "TEXT"}, 100, 2207023},
		"single video": {[]string{"media_type", "VIDEO", "video_url", "http://h/v.mp4"}, 100, 2207023},
		"reel in a carousel": {[]string{"media_type", "REELS", "video_url", "http://h/v.mp4", "is_carousel_item",
			"true"}, 100, 2207023},
		"long caption": {[]string{"image_url", "http://h/a.jpg", "caption", strings.Repeat("a", 2201)}, 36004,
			2207010},
		"many hashtags": {[]string{"image_url", "http://h/a.jpg", "caption", strings.Repeat("#a ", 31)}, 36004,
			2207010},
		"many mentions": {[]string{"image_url", "http://h/a.jpg", "caption", strings.Repeat("@a ", 21)}, 100,
			2207040},
		"caption of an item": {[]string{"image_url", "http://h/a.jpg", "caption", "a", "is_carousel_item", "true"},
			100, 0},
		"alt text of a reel": {[]string{"media_type", "REELS", "video_url", "http://h/v.mp4", "alt_text", "a"}, 100,
			0},
		"long alt text": {[]string{"image_url", "http://h/a.jpg", "alt_text", strings.Repeat("a", 1001)}, 100,
			0},
		"four collaborators": {[]string{"image_url", "http://h/a.jpg", "collaborators", `["a","b","c","d"]`}, 100, 0},
		"story collaborators": {[]string{"media_type", "STORIES", "image_url", "http://h/a.jpg", "collaborators",
			`["a"]`}, 100, 0},
		"tag without a place": {[]string{"image_url", "http://h/a.jpg", "user_tags", `[{"username":"bob"}]`}, 100, 0},
		"tag outside": {[]string{"image_url", "http://h/a.jpg", "user_tags",
			`[{"username":"bob","x":1.5,"y":0}]`}, 100, 0},
		"location by name": {[]string{"image_url", "http://h/a.jpg", "location_id", "Paris"}, 100, 0},
		"negative offset": {[]string{"media_type", "REELS", "video_url", "http://h/v.mp4", "thumb_offset", "-1"},
			1, 2207057},
		"unknown trial": {[]string{"media_type", "REELS", "video_url", "http://h/v.mp4", "trial_params",
			`{"graduation_strategy":"NEVER"}`}, 100, 0},
		"audio needs Facebook": {[]string{"media_type", "REELS", "video_url", "http://h/v.mp4", "audio_configuration",
			`{"audio_id":"1"}`}, 100, 0},
		"bytes need Facebook": {[]string{"media_type", "REELS", "upload_type", "resumable"}, 100, 0},
	}
	a := setup(t, "ada", sim.Options{})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantError(t, a.call("POST", a.seed.AccountID+"/media", c.params...), c.code, c.subcode)
		})
	}
}

func TestQuotaIsReadLiveAndEnforced(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{LimitFactor: 1})
	for range 50 {
		a.publish("image_url", a.picture())
	}
	limit := a.must("GET", a.seed.AccountID+"/content_publishing_limit", "fields", "quota_usage,config")
	if limit.Value("data", 0, "quota_usage") != 50.0 || limit.Value("data", 0, "config", "quota_total") != 50.0 ||
		limit.Value("data", 0, "config", "quota_duration") != 86400.0 {
		t.Errorf("limit is %s", limit.Body)
	}
	container := a.createContainer("image_url", a.picture())
	a.Clock.Advance(time.Second)
	wantError(t, a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", container), 9, 2207042)
	a.Clock.Advance(24*time.Hour - 40*time.Second)
	a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", container)
}

func TestUsageHeaders(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	resp := a.must("GET", "me", "fields", "user_id,username")
	if resp.Header.Get("X-App-Usage") != `{"call_count":0,"total_time":0,"total_cputime":0}` {
		t.Errorf("app usage is %s", resp.Header.Get("X-App-Usage"))
	}
	want := `{"` + a.seed.AccountID +
		`":[{"type":"instagram","call_count":0,"total_cputime":0,"total_time":0,"estimated_time_to_regain_access":0}]}`
	if got := resp.Header.Get("X-Business-Use-Case-Usage"); got != want {
		t.Errorf("usage is %s, want %s", got, want)
	}
}

func TestLostAnswerLeavesOnePost(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	container := a.createContainer("image_url", a.picture(), "caption", "once")
	a.Clock.Advance(time.Second)
	a.Fault(sim.Publish, sim.LostResponse, nil)
	if resp := a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", container); resp.Status != 0 {
		t.Fatalf("response %d %s", resp.Status, resp.Body)
	}
	if status := a.status(container); status != "PUBLISHED" {
		t.Errorf("status is %s", status)
	}
	list := a.must("GET", a.seed.AccountID+"/media", "fields", "id,caption,timestamp", "limit", "10")
	if list.Text("data", 0, "caption") != "once" || len(a.Posts()) != 1 {
		t.Errorf("media are %s", list.Body)
	}
}

func TestFaultsUseInstagramErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		op            sim.Operation
		kind          sim.FaultKind
		code, subcode int
	}{
		"rate limit":       {sim.Publish, sim.RateLimit, 80002, 0},
		"outage":           {sim.Publish, sim.Outage, 2, 0},
		"auth expired":     {sim.Publish, sim.AuthExpired, 190, 463},
		"reject":           {sim.Publish, sim.Reject, 100, 0},
		"restricted":       {sim.Publish, sim.Restricted, 25, 2207050},
		"rejected upload":  {sim.Upload, sim.Reject, 352, 2207026},
		"rejected comment": {sim.Comment, sim.Reject, 100, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, "ada", sim.Options{})
			edge := map[sim.Operation]string{sim.Publish: "/media_publish", sim.Upload: "/media",
				sim.Comment: "/comments"}[c.op]
			a.Fault(c.op, c.kind, map[string]any{"retryAfterSeconds": 61, "accountId": a.seed.AccountID})
			resp := a.Do(simtest.Request{Method: "POST", Path: version + a.seed.AccountID + edge,
				Form: url.Values{"access_token": {a.seed.AccessToken}}})
			wantError(t, resp, c.code, c.subcode)
			if usage := resp.Header.Get("X-Business-Use-Case-Usage"); c.kind == sim.RateLimit &&
				!strings.Contains(usage, `"estimated_time_to_regain_access":2`) {
				t.Errorf("usage is %s", usage)
			}
		})
	}
}

func TestRejectedUploadFailsInProcessing(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	container := a.createContainer("image_url", a.picture())
	a.Fault(sim.Upload, sim.Reject, nil)
	if status := a.status(container); status != "ERROR" {
		t.Errorf("status is %s", status)
	}
}

func TestPostsSurviveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	published, waiting := "", ""
	t.Run("before", func(t *testing.T) {
		a := setup(t, "ada", sim.Options{DataDir: dir})
		published = a.publish("image_url", a.picture(), "caption", "kept")
		waiting = a.createContainer("image_url", a.picture(), "caption", "waiting")
	})
	a := setup(t, "ada", sim.Options{DataDir: dir})
	if post := a.must("GET", published, "fields", "caption,media_type"); post.Text("caption") != "kept" ||
		post.Text("media_type") != "IMAGE" {
		t.Errorf("post is %s", post.Body)
	}
	a.Clock.Advance(2 * time.Second)
	a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", waiting)
	if limit := a.must("GET", a.seed.AccountID+"/content_publishing_limit"); limit.Value("data", 0,
		"quota_usage") != 2.0 {
		t.Errorf("limit is %s", limit.Body)
	}
}

func TestPagesEscapeCaptions(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	id := a.publish("image_url", a.picture(), "caption", `<script>alert("a")</script>`, "alt_text", `"><script>`)
	permalink := a.must("GET", id, "fields", "permalink").Text("permalink")
	for _, address := range []string{permalink, a.URL + "/instagram", a.URL + "/"} {
		page := string(a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: address}).Body)
		if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;") {
			t.Errorf("%s does not escape: %s", address, page)
		}
	}
}

func TestCallsAreCountedByOperation(t *testing.T) {
	t.Parallel()
	a := setup(t, "facebook:ada", sim.Options{})
	container := a.createContainer("image_url", a.picture())
	a.status(container)
	a.Clock.Advance(time.Second)
	id := a.must("POST", a.seed.AccountID+"/media_publish", "creation_id", container).Text("id")
	a.must("GET", id)
	a.must("GET", a.seed.AccountID+"/content_publishing_limit")
	a.must("POST", id+"/comments", "message", "first!")
	a.must("DELETE", id)
	calls := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/_control/calls?provider=instagram"})
	for i, want := range []float64{1, 2, 0, 2, 1, 1} { // publish, upload, refresh, read, delete, comment
		if got := calls.Value("data", i, "count"); got != want {
			t.Errorf("%s was counted %v times, want %v", calls.Text("data", i, "operation"), got, want)
		}
	}
}
