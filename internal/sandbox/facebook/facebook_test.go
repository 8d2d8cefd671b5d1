package facebook_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/facebook"
	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

const version = "/facebook/v25.0/"

// app is a client app of the sandbox, with one connected Page and a host for its media.
type app struct {
	*simtest.Sandbox
	t    *testing.T
	seed sim.Seed
	page string
	host *graphtest.Host
}

func setup(t *testing.T, options sim.Options) *app {
	t.Helper()
	s := simtest.Start(t, facebook.Network(), options)
	seed := s.Seed("ada")
	return &app{Sandbox: s, t: t, seed: seed, page: seed.AccountID, host: graphtest.NewHost(t)}
}

// call calls the Graph API. Parameters are pairs of names and values, sent as JSON if there is a body.
func (a *app) call(method, path string, params ...string) simtest.Response {
	a.t.Helper()
	r := simtest.Request{Method: method, Path: version + path, Token: a.seed.AccessToken}
	if method == http.MethodPost {
		members := map[string]any{}
		for i := 0; i < len(params); i += 2 {
			members[params[i]] = params[i+1]
			if strings.HasPrefix(params[i+1], "[") || strings.HasPrefix(params[i+1], "{") {
				members[params[i]] = json.RawMessage(params[i+1])
			}
		}
		body, err := json.Marshal(members)
		if err != nil {
			a.t.Fatal(err)
		}
		r.JSON = string(body)
		return a.Do(r)
	}
	q := url.Values{}
	for i := 0; i < len(params); i += 2 {
		q.Set(params[i], params[i+1])
	}
	if len(q) > 0 {
		r.Path += "?" + q.Encode()
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

func (a *app) post(message string) string {
	a.t.Helper()
	return a.must("POST", a.page+"/feed", "message", message).Text("id")
}

func (a *app) picture() string {
	return a.host.Serve("/a.png", "image/png", graphtest.PNG(a.t, 300, 200))
}

// upload uploads an unpublished photo.
func (a *app) upload() string {
	a.t.Helper()
	return a.must("POST", a.page+"/photos", "url", a.picture(), "published", "false", "alt_text_custom",
		"grey").Text("id")
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

func TestTextAndLinkPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post("Hello & <all>")
	if !strings.HasPrefix(id, a.page+"_") {
		t.Errorf("id is %s", id)
	}
	link := a.must("POST", a.page+"/feed", "message", "look", "link", "https://example.com/a", "fields",
		"id,permalink_url")
	if link.Text("permalink_url") != a.URL+"/facebook/"+link.Text("id") {
		t.Errorf("response %s", link.Body)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: link.Text("permalink_url")})
	list := a.must("GET", a.page+"/published_posts", "fields",
		"id,message,created_time,permalink_url,attachments{target{id},media_type,url}", "limit", "10")
	if list.Text("data", 0, "attachments", "data", 0, "media_type") != "link" ||
		list.Text("data", 0, "attachments", "data", 0, "url") != "https://example.com/a" ||
		list.Text("data", 1, "message") != "Hello & <all>" ||
		list.Text("data", 1, "created_time") != "2026-11-15T09:00:00+0000" ||
		list.Value("data", 1, "attachments") != nil {
		t.Errorf("posts are %s", list.Body)
	}
	if posts := a.Posts(); len(posts) != 2 || posts[0].PlatformPostID != id || posts[0].AccountID != a.page {
		t.Errorf("controls show %+v", posts)
	}
}

func TestRejectedPosts(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		params        []string
		code, subcode int
	}{
		"empty":          {[]string{"message", " "}, 100, 0},
		"too long":       {[]string{"message", strings.Repeat("a", 63207)}, 100, 0},
		"no link":        {[]string{"link", "example.com"}, 1500, 2061006},
		"own link":       {[]string{"link", "https://www.facebook.com/ada"}, 100, 1609008},
		"link and photo": {[]string{"link", "https://example.com", "attached_media", `[{"media_fbid":"1"}]`}, 100, 0},
		"no such photo":  {[]string{"message", "a", "attached_media", `[{"media_fbid":"1"}]`}, 100, 0},
		"no photo":       {[]string{"message", "a", "attached_media", `["1"]`}, 100, 0},
		"too soon": {[]string{"message", "a", "published", "false", "scheduled_publish_time", "1794733799"}, 100,
			0},
		"too late": {[]string{"message", "a", "published", "false", "scheduled_publish_time", "1797325201"}, 100,
			0},
		"at two times": {[]string{"message", "a", "scheduled_publish_time", "1794740000"}, 100, 0},
	}
	a := setup(t, sim.Options{})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantError(t, a.call("POST", a.page+"/feed", c.params...), c.code, c.subcode)
		})
	}
}

func TestSameMessageTwiceIsADuplicate(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.post("same")
	wantError(t, a.call("POST", a.page+"/feed", "message", "same"), 506, 1455006)
	a.must("DELETE", first)
	a.post("same")
	a.post("other")
	a.post("same")
	if posts := a.Posts(); len(posts) != 4 {
		t.Errorf("%d posts", len(posts))
	}
}

func TestPhotosArePostedOnce(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first, second := a.upload(), a.upload()
	if posts := a.Posts(); len(posts) != 0 {
		t.Fatalf("an upload is public: %+v", posts)
	}
	if p := a.must("GET", first, "fields", "page_story_id"); p.Value("page_story_id") != nil {
		t.Errorf("photo is %s", p.Body)
	}
	attached := `[{"media_fbid":"` + first + `"},{"media_fbid":"` + second + `"}]`
	id := a.must("POST", a.page+"/feed", "message", "two", "attached_media", attached).Text("id")
	wantError(t, a.call("POST", a.page+"/feed", "message", "again", "attached_media", attached), 100, 1366051)
	if p := a.must("GET", first, "fields", "page_story_id,alt_text_custom"); p.Text("page_story_id") != id ||
		p.Text("alt_text_custom") != "grey" {
		t.Errorf("photo is %s", p.Body)
	}
	post := a.must("GET", id, "fields", "attachments{media_type,target{id},subattachments{target{id}}}")
	if post.Text("attachments", "data", 0, "media_type") != "album" ||
		post.Text("attachments", "data", 0, "subattachments", "data", 1, "target", "id") != second {
		t.Errorf("post is %s", post.Body)
	}
	if posts := a.Posts(); len(posts) != 1 || len(posts[0].Media) != 2 || posts[0].Media[0].Width != 300 ||
		posts[0].Media[0].AltText != "grey" {
		t.Errorf("controls show %+v", posts)
	}
	if visits := a.host.Visits(); len(visits) != 2 ||
		!strings.HasPrefix(visits[0].UserAgent(), "facebookexternalhit/1.1") {
		t.Errorf("%d visits", len(visits))
	}
	late := a.upload()
	a.Clock.Advance(24 * time.Hour)
	wantError(t, a.call("POST", a.page+"/feed", "message", "late", "attached_media", `[{"media_fbid":"`+late+`"}]`),
		100, 0)
}

func TestAttachedMediaFormEncoding(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	form := url.Values{"access_token": {a.seed.AccessToken}, "message": {"a form"},
		"attached_media[0]": {`{"media_fbid":"` + a.upload() + `"}`},
		"attached_media[1]": {`{"media_fbid":"` + a.upload() + `"}`}}
	a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: version + a.page + "/feed", Form: form})
	if posts := a.Posts(); len(posts[0].Media) != 2 {
		t.Errorf("controls show %+v", posts)
	}
}

func TestSinglePhotoByURLOrUpload(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	added := a.must("POST", a.page+"/photos", "url", a.picture(), "caption", "by address")
	if added.Text("id") == "" || !strings.HasPrefix(added.Text("post_id"), a.page+"_") {
		t.Errorf("response %s", added.Body)
	}
	resp := a.multipart(a.page+"/photos", "source", graphtest.JPEG(t, 30, 20), "message", "by bytes")
	if resp.Status != http.StatusOK || resp.Text("post_id") == "" {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	if posts := a.Posts(); posts[0].Text != "by address" || posts[1].Text != "by bytes" ||
		posts[1].Media[0].Type != "image/jpeg" {
		t.Errorf("controls show %+v", posts)
	}
	wantError(t, a.call("POST", a.page+"/photos", "url", a.host.URL+"/missing.png"), 324, 2069019)
	wantError(t, a.call("POST", a.page+"/photos", "url",
		a.host.Serve("/large.png", "image/png", append(graphtest.PNG(t, 3, 3), make([]byte, 10<<20)...))), 324, 1366046)
	wantError(t, a.call("POST", a.page+"/photos", "caption", "nothing"), 324, 2069019)
	wantError(t, a.multipart(a.page+"/photos", "source", []byte("hello")), 324, 2069019)
}

func TestScheduledPostsBecomePublicAtTheirTime(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.must("POST", a.page+"/feed", "message", "later", "published", "false", "scheduled_publish_time",
		"1794733800").Text("id")
	other := a.must("POST", a.page+"/feed", "message", "never", "published", "false", "scheduled_publish_time",
		"1794733800").Text("id")
	a.must("DELETE", other)
	a.Clock.Advance(10*time.Minute - time.Second)
	if post := a.must("GET", id, "fields", "is_published"); post.Value("is_published") != false || len(a.Posts()) != 0 {
		t.Errorf("post is %s", post.Body)
	}
	a.Clock.Advance(time.Minute)
	post := a.must("GET", id, "fields", "is_published,created_time")
	if post.Value("is_published") != true || post.Text("created_time") != "2026-11-15T09:10:00+0000" {
		t.Errorf("post is %s", post.Body)
	}
	if posts := a.Posts(); len(posts) != 1 {
		t.Errorf("controls show %+v", posts)
	}
}

func TestCommentsAndCounts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	post := a.post("root")
	_, number, _ := strings.Cut(post, "_")
	first := a.must("POST", post+"/comments", "message", "first!").Text("id")
	reply := a.must("POST", first+"/comments", "message", "a reply", "attachment_url", a.picture()).Text("id")
	if !strings.HasPrefix(first, number+"_") || !strings.HasPrefix(reply, number+"_") {
		t.Errorf("comments are %s and %s", first, reply)
	}
	a.must("POST", post+"/comments", "message", "second")
	list := a.must("GET", post+"/comments", "fields", "from,message,created_time", "order", "reverse_chronological",
		"limit", "10")
	if list.Text("data", 0, "message") != "second" || list.Text("data", 1, "from", "id") != a.page ||
		list.Value("data", 2) != nil {
		t.Errorf("comments are %s", list.Body)
	}
	a.Like(post, 5)
	counts := a.must("GET", post, "fields",
		"shares,reactions.summary(total_count).limit(0),comments.summary(total_count).limit(0)")
	if counts.Value("reactions", "summary", "total_count") != 5.0 ||
		counts.Value("comments", "summary", "total_count") != 2.0 || counts.Value("shares") != nil ||
		counts.Value("comments", "data", 0) != nil || counts.Value("comments", "summary", "can_comment") != true {
		t.Errorf("counts are %s", counts.Body)
	}
	posts := a.Posts()
	if posts[1].Kind != sim.KindComment || *posts[1].ParentID != post || *posts[2].ParentID != first ||
		len(posts[2].Media) != 1 {
		t.Errorf("controls show %+v", posts)
	}
	a.must("DELETE", first)
	wantError(t, a.call("GET", first), 100, 33)
	wantError(t, a.call("POST", "1_2/comments", "message", "hi"), 100, 33)
}

func TestPostsCanBeDeleted(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	post := a.post("typo")
	if resp := a.must("DELETE", post); resp.Value("success") != true {
		t.Errorf("response %s", resp.Body)
	}
	wantError(t, a.call("DELETE", post), 100, 33)
	wantError(t, a.call("GET", post), 100, 33)
	mine := a.post("mine")
	a.seed = a.Seed("bob")
	wantError(t, a.call("DELETE", mine), 100, 33)
}

func TestInsightsFollowTheLikes(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	post := a.post("like me")
	a.Like(post, 10)
	list := a.must("GET", post+"/insights", "metric",
		"post_total_media_view_unique,post_clicks,post_clicks_by_type,post_reactions_by_type_total")
	if list.Value("data", 0, "values", 0, "value") != 100.0 ||
		list.Value("data", 3, "values", 0, "value", "like") != 10.0 || list.Text("data", 0, "period") != "lifetime" {
		t.Errorf("insights are %s", list.Body)
	}
	wantError(t, a.call("GET", post+"/insights", "metric", "post_impressions"), 100, 0)
	page := a.must("GET", a.page+"/insights", "metric", "page_post_engagements,page_follows", "period", "day")
	if page.Value("data", 0, "values", 1, "value") != 10.0 || page.Value("data", 1, "values", 1, "value") != 101.0 {
		t.Errorf("insights are %s", page.Body)
	}
	wantError(t, a.call("GET", a.page+"/insights", "metric", "page_follows", "period", "day", "since", "1700000000",
		"until", "1790000000"), 100, 0)
}

func TestLostAnswerLeavesOnePost(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.Fault(sim.Publish, sim.LostResponse, nil)
	if resp := a.call("POST", a.page+"/feed", "message", "once"); resp.Status != 0 {
		t.Fatalf("response %d %s", resp.Status, resp.Body)
	}
	wantError(t, a.call("POST", a.page+"/feed", "message", "once"), 506, 1455006)
	if list := a.must("GET", a.page+"/published_posts", "fields", "message"); list.Text("data", 0,
		"message") != "once" || len(a.Posts()) != 1 {
		t.Errorf("posts are %s", list.Body)
	}
}

func TestFaultsUseFacebookErrors(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		op            sim.Operation
		kind          sim.FaultKind
		code, subcode int
	}{
		"rate limit":       {sim.Publish, sim.RateLimit, 80001, 0},
		"outage":           {sim.Publish, sim.Outage, 2, 0},
		"auth expired":     {sim.Publish, sim.AuthExpired, 190, 463},
		"reject":           {sim.Publish, sim.Reject, 100, 0},
		"restricted":       {sim.Publish, sim.Restricted, 368, 1404112},
		"rejected photo":   {sim.Upload, sim.Reject, 324, 2069019},
		"rejected comment": {sim.Comment, sim.Reject, 100, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			a.Fault(c.op, c.kind, map[string]any{"accountId": a.page, "retryAfterSeconds": 30})
			edge := map[sim.Operation]string{sim.Publish: "/feed", sim.Upload: "/photos",
				sim.Comment: "/comments"}[c.op]
			resp := a.call("POST", a.page+edge, "message", "hi", "published", "false", "access_token",
				a.seed.AccessToken)
			wantError(t, resp, c.code, c.subcode)
			if usage := resp.Header.Get("X-Business-Use-Case-Usage"); c.kind == sim.RateLimit &&
				(!strings.Contains(usage, `"type":"pages"`) ||
					!strings.Contains(usage, `"estimated_time_to_regain_access":1`)) {
				t.Errorf("usage is %s", usage)
			}
		})
	}
}

func TestStateSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	post, uploaded, scheduled := "", "", ""
	t.Run("before", func(t *testing.T) {
		a := setup(t, sim.Options{DataDir: dir})
		post, uploaded = a.post("kept"), a.upload()
		scheduled = a.must("POST", a.page+"/feed", "message", "later", "published", "false", "scheduled_publish_time",
			"1794733800").Text("id")
	})
	a := setup(t, sim.Options{DataDir: dir})
	a.must("GET", post)
	a.must("POST", a.page+"/feed", "message", "a photo", "attached_media", `[{"media_fbid":"`+uploaded+`"}]`)
	a.Clock.Advance(time.Hour)
	if resp := a.must("GET", scheduled, "fields", "is_published"); resp.Value("is_published") != true {
		t.Errorf("post is %s", resp.Body)
	}
}

func TestPagesEscapeMessages(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`<script>alert("a")</script>`)
	for _, address := range []string{a.URL + "/facebook/" + id, a.URL + "/facebook"} {
		page := string(a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: address}).Body)
		if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;") {
			t.Errorf("%s does not escape: %s", address, page)
		}
	}
}
