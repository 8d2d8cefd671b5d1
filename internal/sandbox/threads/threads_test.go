package threads_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	"crier/internal/sandbox/threads"
)

// app is a client app of the sandbox, with one connected account and a host for its media.
type app struct {
	*simtest.Sandbox
	t    *testing.T
	seed sim.Seed
	host *graphtest.Host
}

func setup(t *testing.T, options sim.Options) *app {
	t.Helper()
	s := simtest.Start(t, threads.Network(), options)
	return &app{Sandbox: s, t: t, seed: s.Seed("ada"), host: graphtest.NewHost(t)}
}

// call calls the API with parameters, which are pairs of names and values, and the token.
func (a *app) call(method, path string, params ...string) simtest.Response {
	a.t.Helper()
	form := url.Values{"access_token": {a.seed.AccessToken}}
	for i := 0; i < len(params); i += 2 {
		form.Set(params[i], params[i+1])
	}
	r := simtest.Request{Method: method, Path: "/threads/v1.0/" + path}
	if method == http.MethodPost {
		r.Form = form
	} else {
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

func (a *app) createContainer(params ...string) string {
	a.t.Helper()
	return a.must("POST", "me/threads", params...).Text("id")
}

// publish creates a container, waits for it, and publishes it.
func (a *app) publish(params ...string) string {
	a.t.Helper()
	id := a.createContainer(params...)
	a.Clock.Advance(time.Second)
	return a.must("POST", "me/threads_publish", "creation_id", id).Text("id")
}

func (a *app) post(text string) string {
	a.t.Helper()
	return a.publish("media_type", "TEXT", "text", text)
}

func (a *app) reply(to, text string) string {
	a.t.Helper()
	return a.publish("media_type", "TEXT", "text", text, "reply_to_id", to)
}

func (a *app) picture() string {
	return a.host.Serve("/a.jpg", "image/jpeg", graphtest.JPEG(a.t, 640, 480))
}

func (a *app) video() string {
	return a.host.Serve("/v.mp4", "video/mp4", graphtest.MP4(graphtest.Video{}))
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

func TestTextContainerIsPublished(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	container := a.createContainer("media_type", "TEXT", "text", "Hello", "topic_tag", "greetings", "reply_control",
		"followers_only")
	early := a.call("POST", "me/threads_publish", "creation_id", container)
	wantError(t, early, 24, 4279009)
	if early.Text("error", "error_user_title") != "Media Not Found" || early.Status != http.StatusBadRequest {
		t.Errorf("too early: %s", early.Body)
	}
	if status := a.must("GET", container, "fields",
		"id,status,error_message"); status.Text("status") != "IN_PROGRESS" || status.Text("id") != container {
		t.Errorf("status is %s", status.Body)
	}
	a.Clock.Advance(250 * time.Millisecond)
	if status := a.must("GET", container, "fields", "status"); status.Text("status") != "FINISHED" {
		t.Errorf("status is %s", status.Body)
	}
	id := a.must("POST", a.seed.AccountID+"/threads_publish", "creation_id", container).Text("id")
	if status := a.must("GET", container, "fields", "status"); status.Text("status") != "PUBLISHED" || id == container {
		t.Errorf("status is %s, post is %s", status.Body, id)
	}
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", container), 100, 0)
	post := a.must("GET", id, "fields",
		"id,media_product_type,media_type,permalink,username,text,timestamp,shortcode,is_quote_post,has_replies,reply_audience,topic_tag,is_reply")
	for field, want := range map[string]any{"media_product_type": "THREADS", "media_type": "TEXT_POST",
		"username": "ada", "text": "Hello", "timestamp": "2026-11-15T09:00:00+0000",
		"is_quote_post": false, "has_replies": false, "is_reply": false, "topic_tag": "greetings",
		"reply_audience": "followers_only",
		"permalink":      a.URL + "/threads/@ada/post/" + post.Text("shortcode")} {
		if got := post.Value(field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: post.Text("permalink")})
	if posts := a.Posts(); len(posts) != 1 || posts[0].PlatformPostID != id || posts[0].Text != "Hello" {
		t.Errorf("controls show %+v", posts)
	}
}

func TestMediaIsFetched(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{ProcessingTime: time.Minute})
	picture := a.createContainer("media_type", "IMAGE", "image_url", a.picture(), "text", "look", "alt_text", "grey")
	video := a.createContainer("media_type", "VIDEO", "video_url", a.video(), "text", "watch")
	if visits := a.host.Visits(); len(visits) != 2 {
		t.Errorf("%d files were fetched", len(visits))
	}
	a.Clock.Advance(15 * time.Second)
	a.must("POST", "me/threads_publish", "creation_id", picture)
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", video), 24, 4279009)
	a.Clock.Advance(45 * time.Second)
	id := a.must("POST", "me/threads_publish", "creation_id", video).Text("id")
	posts := a.Posts()
	if posts[0].Media[0].Width != 640 || posts[0].Media[0].AltText != "grey" || posts[1].Media[0].Type != "video/mp4" ||
		posts[1].Media[0].SHA256 == "" {
		t.Errorf("controls show %+v", posts)
	}
	if post := a.must("GET", id, "fields", "media_type,media_url"); post.Text("media_type") != "VIDEO" ||
		!strings.Contains(post.Text("media_url"), "/_media/"+posts[1].Media[0].SHA256) {
		t.Errorf("post is %s", post.Body)
	}
}

func TestCarouselOfPicturesAndVideos(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.createContainer("media_type", "IMAGE", "image_url", a.picture(), "is_carousel_item", "true")
	second := a.createContainer("media_type", "VIDEO", "video_url", a.video(), "is_carousel_item", "true")
	parent := []string{"media_type", "CAROUSEL", "children", first + "," + second, "text", "both"}
	wantError(t, a.call("POST", "me/threads", parent...), 24, 4279009)
	a.Clock.Advance(time.Second)
	wantError(t, a.call("POST", "me/threads", "media_type", "CAROUSEL", "children", first), 100, 0)
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", first), 100, 0)
	id := a.publish(parent...)
	post := a.must("GET", id, "fields", "media_type,children")
	if post.Text("media_type") != "CAROUSEL_ALBUM" || post.Text("children", "data", 1, "id") == "" {
		t.Errorf("post is %s", post.Body)
	}
	if limit := a.must("GET", "me/threads_publishing_limit", "fields", "quota_usage,config"); limit.Value("data", 0,
		"quota_usage") != 1.0 {
		t.Errorf("a carousel counts as %s", limit.Body)
	}
}

func TestRejectedMedia(t *testing.T) {
	t.Parallel()
	videos := map[string]struct {
		body []byte
		want string
	}{
		"not there":   {nil, "FAILED_DOWNLOADING_VIDEO"},
		"no video":    {[]byte("hello"), "FAILED_PROCESSING_VIDEO"},
		"wrong codec": {graphtest.MP4(graphtest.Video{Codec: "vp09"}), "FAILED_PROCESSING_VIDEO"},
		"wrong sound": {graphtest.MP4(graphtest.Video{AudioCodec: "Opus"}), "FAILED_PROCESSING_AUDIO"},
		"too long":    {graphtest.MP4(graphtest.Video{Length: 301 * time.Second}), "INVALID_DURATION"},
		"a ribbon":    {graphtest.MP4(graphtest.Video{Width: 1100, Height: 100}), "INVALID_ASPEC_RATIO"},
		"too dense":   {graphtest.MP4(graphtest.Video{Length: time.Millisecond, Bytes: 20_000}), "INVALID_BIT_RATE"},
	}
	for name, c := range videos {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			address := a.host.URL + "/missing.mp4"
			if c.body != nil {
				address = a.host.Serve("/v.mp4", "video/mp4", c.body)
			}
			container := a.createContainer("media_type", "VIDEO", "video_url", address)
			a.Clock.Advance(time.Second)
			status := a.must("GET", container, "fields", "id,status,error_message")
			if status.Text("status") != "ERROR" || status.Text("error_message") != c.want {
				t.Errorf("status is %s, want %s", status.Body, c.want)
			}
			wantError(t, a.call("POST", "me/threads_publish", "creation_id", container), 100, 0)
		})
	}
	a := setup(t, sim.Options{})
	for name, c := range map[string]struct {
		address       string
		code, subcode int
	}{
		"not there": {a.host.URL + "/missing.jpg", 9004, 2207052},
		"a page":    {a.host.Serve("/page", "text/html", []byte("<html>")), 9004, 2207052},
		"no image":  {a.host.Serve("/text", "image/jpeg", []byte("hello")), 36001, 2207005},
		"a ribbon":  {a.host.Serve("/wide", "image/png", graphtest.PNG(t, 1100, 100)), 36003, 2207009},
		"too large": {a.host.Serve("/large", "image/png", append(graphtest.PNG(t, 100, 100), make([]byte, 8<<20)...)),
			36000, 2207004},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantError(t, a.call("POST", "me/threads", "media_type", "IMAGE", "image_url", c.address), c.code, c.subcode)
		})
	}
}

func TestRejectedContainers(t *testing.T) {
	t.Parallel()
	links := "http://a.example http://b.example http://c.example http://d.example http://e.example "
	cases := map[string]struct {
		params []string
		want   string
	}{
		"no kind": {[]string{"text", "a"}, "media_type"},
		"blank":   {[]string{"media_type", "TEXT", "text", " "}, "text can't be blank"},
		"too long": {[]string{"media_type", "TEXT", "text", strings.Repeat("a", 501)},
			"Param text must be at most 500 characters long."},
		"too long in emoji": {[]string{"media_type", "TEXT", "text", strings.Repeat("😀", 126)},
			"Param text must be at most 500 characters long."},
		"six links": {[]string{"media_type", "TEXT", "text", links + "http://f.example"},
			"THREADS_API__LINK_LIMIT_EXCEEDED"},
		"link on a picture": {[]string{"media_type", "IMAGE", "image_url", "http://h/a.jpg", "link_attachment",
			"http://a.example"}, "link_attachment"},
		"no link": {[]string{"media_type", "TEXT", "text", "a", "link_attachment", "a"}, "valid URL"},
		"audience": {[]string{"media_type", "TEXT", "text", "a", "reply_control", "nobody"},
			"reply_control"},
		"topic": {[]string{"media_type", "TEXT", "text", "a", "topic_tag", "a&b"}, "topic_tag"},
		"poll of one": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment", `{"option_a":"a"}`},
			"2 to 4"},
		"long option": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment",
			`{"option_a":"a","option_b":"` + strings.Repeat("b", 26) + `"}`}, "25"},
		"poll and link": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment",
			`{"option_a":"a","option_b":"b"}`, "link_attachment", "http://a.example"}, "poll_attachment"},
		"poll that is broken": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment", `{`}, "poll_attachment"},
		"GIF": {[]string{"media_type", "TEXT", "text", "a", "gif_attachment",
			`{"gif_id":"1","provider":"NONE"}`}, "GIPHY"},
		"entities": {[]string{"media_type", "TEXT", "text", "a", "text_entities",
			`[{"entity_type":"BOLD"}]`}, "SPOILER"},
		"alt text of a text": {[]string{"media_type", "TEXT", "text", "a", "alt_text", "a"}, "alt_text"},
		"spoiler in a text": {[]string{"media_type", "TEXT", "text", "a", "is_spoiler_media", "true"},
			"is_spoiler_media"},
		"ghostly reply": {[]string{"media_type", "TEXT", "text", "a", "is_ghost_post", "true", "reply_to_id",
			"1"}, "ghost"},
		"countries": {[]string{"media_type", "TEXT", "text", "a", "allowlisted_country_codes", "US"},
			"THREADS_API__FEATURE_NOT_AVAILABLE"},
		"no country": {[]string{"media_type", "TEXT", "text", "a", "allowlisted_country_codes", "Utopia"},
			"THREADS_API__GEO_GATING_INVALID_COUNTRY_CODES"},
		"reply to nothing": {[]string{"media_type", "TEXT", "text", "a", "reply_to_id", "1"}, "reply_to_id"},
		"quote of nothing": {[]string{"media_type", "TEXT", "text", "a", "quote_post_id", "1"}, "quote_post_id"},
		"no picture":       {[]string{"media_type", "IMAGE", "text", "a"}, "image_url"},
	}
	a := setup(t, sim.Options{})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := a.call("POST", "me/threads", c.params...)
			wantError(t, resp, 100, 0)
			if resp.Text("error", "type") != "THApiException" ||
				!strings.Contains(resp.Text("error", "message"), c.want) {
				t.Errorf("%s, want %q", resp.Body, c.want)
			}
		})
	}
	a.createContainer("media_type", "TEXT", "text", strings.Repeat("故", 500))
	a.createContainer("media_type", "TEXT", "text", strings.Repeat("😀", 125))
	a.createContainer("media_type", "TEXT", "text", links+"http://a.example")
}

func TestChainsAreRepliesToPublishedPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.post("1/3")
	second := a.reply(root, "2/3")
	third := a.reply(second, "3/3")
	posts := a.Posts()
	if posts[1].Kind != sim.KindComment || *posts[1].ParentID != root || *posts[2].ParentID != second {
		t.Errorf("controls show %+v", posts)
	}
	if list := a.must("GET", "me/threads", "fields", "id"); list.Text("data", 0, "id") != root ||
		list.Value("data", 1) != nil {
		t.Errorf("threads are %s", list.Body)
	}
	if list := a.must("GET", "me/replies", "fields", "id,root_post,replied_to,is_reply"); list.Text("data", 0,
		"id") != third || list.Text("data", 0, "root_post", "id") != root ||
		list.Text("data", 0, "replied_to", "id") != second || list.Value("data", 0, "is_reply") != true {
		t.Errorf("replies are %s", list.Body)
	}
	if list := a.must("GET", root+"/replies"); list.Text("data", 0, "id") != second || list.Value("data", 1) != nil {
		t.Errorf("replies to the root are %s", list.Body)
	}
	limit := a.must("GET", "me/threads_publishing_limit", "fields",
		"quota_usage,config,reply_quota_usage,reply_config,delete_quota_usage,delete_config")
	if limit.Value("data", 0, "quota_usage") != 1.0 || limit.Value("data", 0, "reply_quota_usage") != 2.0 ||
		limit.Value("data", 0, "config", "quota_total") != 25000.0 {
		t.Errorf("limit is %s", limit.Body)
	}
	a.seed = a.Seed("bob")
	wantError(t, a.call("POST", "me/threads", "media_type", "TEXT", "text", "hi", "reply_to_id", root), 10, 0)
}

func TestRepostsAndQuotes(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.post("original")
	repost := a.must("POST", root+"/repost").Text("id")
	if again := a.must("POST", root+"/repost").Text("id"); again != repost {
		t.Errorf("reposted twice: %s and %s", repost, again)
	}
	quote := a.publish("media_type", "TEXT", "text", "as I said", "quote_post_id", root)
	if post := a.must("GET", quote, "fields", "is_quote_post,quoted_post"); post.Value("is_quote_post") != true ||
		post.Text("quoted_post", "id") != root {
		t.Errorf("quote is %s", post.Body)
	}
	if post := a.must("GET", repost, "fields",
		"media_type,reposted_post"); post.Text("media_type") != "REPOST_FACADE" ||
		post.Text("reposted_post", "id") != root {
		t.Errorf("repost is %s", post.Body)
	}
	if numbers := a.must("GET", root+"/insights", "metric", "reposts,quotes"); numbers.Value("data", 0, "values", 0,
		"value") != 1.0 || numbers.Value("data", 1, "values", 0, "value") != 1.0 {
		t.Errorf("insights are %s", numbers.Body)
	}
	if numbers := a.must("GET", repost+"/insights", "metric", "views"); numbers.Value("data", 0) != nil {
		t.Errorf("insights of a repost are %s", numbers.Body)
	}
}

func TestDeletesAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	t.Run("before", func(t *testing.T) {
		a := setup(t, sim.Options{DataDir: dir})
		id := a.post("gone")
		if resp := a.must("DELETE", id); resp.Value("success") != true || resp.Text("deleted_id") != id {
			t.Errorf("response %s", resp.Body)
		}
		wantError(t, a.call("DELETE", id), 100, 33)
		wantError(t, a.call("GET", id), 100, 33)
		mine := a.post("mine")
		a.seed = a.Seed("bob")
		wantError(t, a.call("DELETE", mine), 100, 33)
	})
	a := setup(t, sim.Options{DataDir: dir})
	if limit := a.must("GET", "me/threads_publishing_limit", "fields",
		"delete_quota_usage,quota_usage"); limit.Value("data", 0, "delete_quota_usage") != 1.0 ||
		limit.Value("data", 0, "quota_usage") != 2.0 {
		t.Errorf("after a restart: %s", limit.Body)
	}
}

func TestQuotaIsEnforced(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	for range 250 {
		a.must("POST", "me/threads", "media_type", "TEXT", "text", "again", "auto_publish_text", "true")
	}
	container := a.createContainer("media_type", "TEXT", "text", "one more")
	a.Clock.Advance(time.Second)
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", container), 9, 2207042)
	a.Clock.Advance(24*time.Hour - 2*time.Second)
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", container), 9, 2207042)
	a.Clock.Advance(time.Second)
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", container), 24, 4279009)
	if len(a.Posts()) != 250 {
		t.Errorf("%d posts", len(a.Posts()))
	}
	a.Clock.Advance(time.Second)
	a.post("the next day")
}

func TestContainersExpireAfterADay(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	container := a.createContainer("media_type", "TEXT", "text", "late")
	a.Clock.Advance(24 * time.Hour)
	if status := a.must("GET", container, "fields", "status"); status.Text("status") != "EXPIRED" {
		t.Errorf("status is %s", status.Body)
	}
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", container), 24, 4279009)
}

func TestGhostPostsDisappear(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish("media_type", "TEXT", "text", "boo", "is_ghost_post", "true")
	a.must("GET", id)
	a.Clock.Advance(24 * time.Hour)
	wantError(t, a.call("GET", id), 100, 33)
}

func TestInsightsFollowTheLikes(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post("like me")
	a.Like(id, 12)
	numbers := a.must("GET", id+"/insights", "metric", "views,likes,replies,reposts,quotes,shares")
	if numbers.Value("data", 1, "values", 0, "value") != 12.0 || numbers.Text("data", 0, "period") != "lifetime" ||
		numbers.Text("data", 0, "id") != id+"/insights/views/lifetime" {
		t.Errorf("insights are %s", numbers.Body)
	}
	account := a.must("GET", "me/threads_insights", "metric", "views,likes,followers_count")
	if account.Value("data", 0, "values", 0, "value") != 240.0 ||
		account.Value("data", 1, "total_value", "value") != 12.0 {
		t.Errorf("insights are %s", account.Body)
	}
	wantError(t, a.call("GET", "me/threads_insights", "metric", "likes", "since", "1600000000"), 100, 0)
}

func TestLostAnswerLeavesOnePost(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	container := a.createContainer("media_type", "TEXT", "text", "once")
	a.Clock.Advance(time.Second)
	a.Fault(sim.Publish, sim.LostResponse, map[string]any{"accountId": a.seed.AccountID})
	if resp := a.call("POST", "me/threads_publish", "creation_id", container); resp.Status != 0 {
		t.Fatalf("response %d %s", resp.Status, resp.Body)
	}
	if status := a.must("GET", container, "fields", "status"); status.Text("status") != "PUBLISHED" {
		t.Errorf("status is %s", status.Body)
	}
	list := a.must("GET", "me/threads", "fields", "id,text,timestamp", "since", "1794733200")
	if list.Text("data", 0, "text") != "once" || len(a.Posts()) != 1 {
		t.Errorf("threads are %s", list.Body)
	}
}

func TestFaultsUseThreadsErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		op            sim.Operation
		kind          sim.FaultKind
		code, subcode int
	}{
		"rate limit":      {sim.Publish, sim.RateLimit, 4, 0},
		"outage":          {sim.Publish, sim.Outage, 2, 0},
		"auth expired":    {sim.Publish, sim.AuthExpired, 190, 463},
		"reject":          {sim.Publish, sim.Reject, 100, 0},
		"restricted":      {sim.Publish, sim.Restricted, 25, 4279013},
		"rejected upload": {sim.Upload, sim.Reject, 9004, 2207052},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			a.Fault(c.op, c.kind, map[string]any{"accountId": a.seed.AccountID})
			edge := map[sim.Operation]string{sim.Publish: "me/threads_publish", sim.Upload: "me/threads"}[c.op]
			wantError(t, a.call("POST", edge, "media_type", "TEXT", "text", "hi"), c.code, c.subcode)
			if posts := a.Posts(); len(posts) != 0 {
				t.Errorf("it was posted: %+v", posts)
			}
		})
	}
	a := setup(t, sim.Options{})
	container := a.createContainer("media_type", "TEXT", "text", "hi")
	a.Fault(sim.Upload, sim.Reject, nil)
	if status := a.must("GET", container, "fields", "status"); status.Text("status") != "ERROR" {
		t.Errorf("status is %s", status.Body)
	}
	a.Fault(sim.Publish, sim.Outage, nil)
	wantError(t, a.call("POST", "me/threads", "media_type", "TEXT", "text", "hi", "auto_publish_text", "true"), 2, 0)
}

func TestPagesEscapeTexts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`<script>alert("a")</script>`)
	permalink := a.must("GET", id, "fields", "permalink").Text("permalink")
	for _, address := range []string{permalink, a.URL + "/threads"} {
		page := string(a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: address}).Body)
		if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;") {
			t.Errorf("%s does not escape: %s", address, page)
		}
	}
}

func TestCallsAreCountedByOperation(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	container := a.createContainer("media_type", "TEXT", "text", "hi")
	a.must("GET", container)
	a.Clock.Advance(time.Second)
	id := a.must("POST", "me/threads_publish", "creation_id", container).Text("id")
	a.reply(id, "first!")
	a.must("POST", id+"/repost")
	a.must("GET", "me/threads")
	a.must("DELETE", id)
	calls := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/_control/calls?provider=threads"})
	for i, want := range []float64{3, 3, 0, 1, 1, 0} { // publish, upload, refresh, read, delete, comment
		if got := calls.Value("data", i, "count"); got != want {
			t.Errorf("%s was counted %v times, want %v", calls.Text("data", i, "operation"), got, want)
		}
	}
}
