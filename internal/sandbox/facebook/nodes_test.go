package facebook_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// refused checks the code and the text of an error.
func refused(t *testing.T, name string, resp simtest.Response, status, code int, words string) {
	t.Helper()
	if resp.Status != status || resp.Value("error", "code") != float64(code) ||
		!strings.Contains(resp.Text("error", "message"), words) {
		t.Errorf("%s: %d %s, want %d with %d and %q", name, resp.Status, resp.Body, status, code, words)
	}
}

func TestFieldsOfPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	text := a.post("Hello")
	photo := a.must("POST", a.page+"/photos", "url", a.picture(), "caption", "look").Text("post_id")
	a.Like(text, 3)
	a.must("POST", text+"/comments", "message", "First!")
	const fields = "id,message,created_time,updated_time,permalink_url,is_published,scheduled_publish_time,story," +
		"from," +
		"full_picture,status_type,attachments,shares,reactions.summary(total_count).limit(0)," +
		"comments.summary(true){message}"
	got := a.must("GET", text, "fields", fields)
	for _, c := range []struct {
		path []any
		want any
	}{
		{[]any{"id"}, text}, {[]any{"message"}, "Hello"}, {[]any{"is_published"}, true}, {[]any{"from", "id"}, a.page},
		{[]any{"from", "name"}, "Ada Page"}, {[]any{"status_type"}, "mobile_status_update"}, {[]any{"full_picture"},
			nil},
		{[]any{"attachments"}, nil}, {[]any{"shares"}, nil}, {[]any{"scheduled_publish_time"}, nil},
		{[]any{"reactions", "summary", "total_count"}, 3.0}, {[]any{"comments", "summary", "total_count"}, 1.0},
		{[]any{"comments", "data", 0, "message"}, "First!"}, {[]any{"comments", "data", 0, "from"}, nil},
		{[]any{"created_time"}, "2026-11-15T09:00:00+0000"},
	} {
		if value := got.Value(c.path...); value != c.want {
			t.Errorf("%v is %v, want %v", c.path, value, c.want)
		}
	}
	got = a.must("GET", photo, "fields", fields)
	if got.Text("status_type") != "added_photos" || !strings.Contains(got.Text("full_picture"), "/_media/") ||
		got.Text("attachments", "data", 0, "media_type") != "photo" {
		t.Errorf("the photo's post is %s", got.Body)
	}
	refused(t, "field", a.call("GET", text, "fields", "mood"), 400, 100,
		"(#100) Tried accessing nonexisting field (mood) on node type (Post)")
	refused(t, "syntax", a.call("GET", text, "fields", "comments{"), 400, 2500, "Syntax error")
	wantError(t, a.call("GET", "1"), 100, 33)
}

func TestAlbumsListTheirPhotos(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	one, two := a.upload(), a.upload()
	id := a.must("POST", a.page+"/feed", "message", "both", "attached_media",
		`[{"media_fbid":"`+one+`"},{"media_fbid":"`+two+`"}]`).Text("id")
	got := a.must("GET", id, "fields",
		"attachments{media_type,subattachments{target{id},media{image{src}}},target{id}}")
	if got.Text("attachments", "data", 0, "media_type") != "album" ||
		got.Text("attachments", "data", 0, "target", "id") != one ||
		got.Text("attachments", "data", 0, "subattachments", "data", 1, "target", "id") != two {
		t.Errorf("the album is %s", got.Body)
	}
	photo := a.must("GET", two, "fields", "id,page_story_id,name,alt_text_custom,width,height,images,picture,link")
	if photo.Text("page_story_id") != id || photo.Text("alt_text_custom") != "grey" || photo.Value("name") != nil ||
		photo.Value("width") != 300.0 || photo.Value("images", 0, "height") != 200.0 {
		t.Errorf("the photo is %s", photo.Body)
	}
}

func TestPageAndPersonFields(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	page := a.must("GET", "me", "fields", "id,name,username,category,link,picture{url},fan_count,followers_count,about")
	if page.Text("id") != a.page || page.Text("name") != "Ada Page" || page.Text("username") != "ada" ||
		page.Value("followers_count") != 100.0 || page.Value("about") != nil ||
		page.Text("link") != a.URL+"/facebook/ada" {
		t.Errorf("the page is %s", page.Body)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: page.Text("picture", "data", "url")})
	_, long := a.login()
	a.seed.AccessToken = long
	me := a.must("GET", "me", "fields", "id,name,picture")
	if me.Text("name") == "" || me.Text("id") == a.page || me.Text("picture", "data", "url") == "" {
		t.Errorf("the person is %s", me.Body)
	}
	for name, resp := range map[string]simtest.Response{
		"post": a.call("POST", a.page+"/feed", "message", "a"), "read": a.call("GET", a.page+"/feed"),
		"comment": a.call("POST", "1/comments", "message", "a"), "insights": a.call("GET", "1/insights", "metric",
			"post_clicks"),
		"video": a.call("POST", a.page+"/videos", "file_url", "http://a"), "delete": a.call("DELETE", "1"),
	} {
		wantError(t, resp, 190, 2069032)
		if resp.Text("error", "error_user_title") != "User Access Token Is Not Supported" {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
}

func TestFeedRules(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	media := func(n int) string {
		return `[{"media_fbid":"1"}` + strings.Repeat(`,{"media_fbid":"1"}`, n-1) + `]`
	}
	for name, c := range map[string]struct {
		params        []string
		code, subcode int
		words         string
	}{
		"empty": {[]string{"message", " "}, 100, 0, "The post is empty. Please enter a message to share."},
		"long":  {[]string{"message", strings.Repeat("a", 63207)}, 100, 0, "at most 63206 characters long"},
		"link and photos": {[]string{"message", "a", "link", "https://a.com", "attached_media", media(1)}, 100, 0,
			"link and attached_media cannot be used together"},
		"eleven photos": {[]string{"message", "a", "attached_media", media(11)}, 100, 0,
			"attached_media can have at most 10 photos"},
		"odd photo": {[]string{"message", "a", "attached_media", `[{"id":"1"}]`}, 100, 0,
			"objects with a media_fbid"},
		"unknown photo": {[]string{"message", "a", "attached_media", media(1)}, 100, 0,
			"media_fbid 1 is not a photo of this Page"},
		"background, long": {[]string{"message", strings.Repeat("a", 131), "text_format_preset_id", "1"}, 100, 0,
			"at most 130 characters"},
		"background, link": {[]string{"message", "a", "link", "https://a.com", "text_format_preset_id", "1"}, 100, 0,
			"text_format_preset_id"},
		"no address": {[]string{"message", "a", "link", "example.com"}, 1500, 2061006,
			"The url you supplied is invalid"},
		"other scheme": {[]string{"message", "a", "link", "ftp://example.com"}, 1500, 2061006,
			"The url you supplied is invalid"},
		"own address": {[]string{"message", "a", "link", "https://www.Facebook.com/ada"}, 100, 1609008,
			"Links to facebook.com"},
		"soon": {[]string{"message", "a", "published", "false", "scheduled_publish_time", "1794733799"},
			100, 0, "between 10 minutes and 30 days"},
		"never": {[]string{"message", "a", "published", "false", "scheduled_publish_time", "soon"}, 100, 0,
			"between 10 minutes and 30 days"},
		"late": {[]string{"message", "a", "published", "false", "scheduled_publish_time", "1797325201"},
			100, 0, "between 10 minutes and 30 days"},
		"timed and at once": {[]string{"message", "a", "scheduled_publish_time", "1794740400"}, 100, 0,
			"published must be false for a scheduled post"},
	} {
		resp := a.call("POST", a.page+"/feed", c.params...)
		wantError(t, resp, c.code, c.subcode)
		if !strings.Contains(resp.Text("error", "message"), c.words) {
			t.Errorf("%s: %s, want %q", name, resp.Body, c.words)
		}
	}
	if len(a.Posts()) != 0 {
		t.Error("something was posted")
	}
	a.must("POST", a.page+"/feed", "message", strings.Repeat("a", 130), "text_format_preset_id", "1")
	a.must("POST", a.page+"/feed", "message", "b", "link", "https://notfacebook.com")
	a.must("POST", a.page+"/feed", "message", "c", "published", "false", "scheduled_publish_time", "1794733800")
	wantError(t, a.call("POST", "1/feed", "message", "a"), 100, 33)
}

func TestDraftsBelongToTheirPage(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	photo := a.upload()
	id := a.must("POST", a.page+"/feed", "message", "later", "published", "false", "scheduled_publish_time",
		"1794740400",
		"attached_media", `[{"media_fbid":"`+photo+`"}]`).Text("id")
	kept := a.must("GET", id, "fields", "id,message,is_published,scheduled_publish_time")
	if kept.Value("is_published") != false || kept.Value("scheduled_publish_time") != 1794740400.0 ||
		kept.Text("message") != "later" {
		t.Errorf("the draft is %s", kept.Body)
	}
	wantError(t, a.call("POST", a.page+"/feed", "message", "again", "attached_media", `[{"media_fbid":"`+photo+`"}]`),
		100, 1366051)
	a.must("DELETE", id)
	wantError(t, a.call("GET", id), 100, 33)
	wantError(t, a.call("DELETE", id), 100, 33)
	a.Clock.Advance(24 * time.Hour)
	a.must("GET", "me")
	if len(a.Posts()) != 0 {
		t.Error("a deleted draft was posted")
	}
}

func TestCommentRules(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post("root")
	refused(t, "empty", a.call("POST", id+"/comments", "message", " "), 400, 100, "The parameter message is required")
	refused(t, "long", a.call("POST", id+"/comments", "message", strings.Repeat("a", 8001)), 400, 100,
		"at most 8000 characters")
	wantError(t, a.call("POST", id+"/comments", "attachment_url", a.host.URL+"/nothing"), 324, 2069019)
	wantError(t, a.call("POST", "1/comments", "message", "a"), 100, 33)
	first := a.must("POST", id+"/comments", "message", "one", "attachment_url", a.picture()).Text("id")
	second := a.must("POST", first+"/comments", "message", "two").Text("id")
	a.must("POST", id+"/comments", "message", "three")
	list := a.must("GET", id+"/comments", "order", "reverse_chronological")
	if list.Text("data", 0, "message") != "three" || list.Text("data", 1, "id") != first || list.Value("data",
		2) != nil {
		t.Errorf("comments are %s", list.Body)
	}
	below := a.must("GET", second, "fields", "message,parent,from,like_count,comment_count,is_hidden,created_time")
	if below.Text("parent", "id") != first || below.Text("from", "id") != a.page ||
		below.Value("comment_count") != 0.0 {
		t.Errorf("the answer is %s", below.Body)
	}
	if top := a.must("GET", first, "fields", "parent,comment_count"); top.Value("parent") != nil ||
		top.Value("comment_count") != 1.0 {
		t.Errorf("the comment is %s", top.Body)
	}
	a.must("DELETE", first)
	wantError(t, a.call("GET", first), 100, 33)
	wantError(t, a.call("GET", "1/comments"), 100, 33)
	if posts := a.Posts(); len(posts[1].Media) != 1 || posts[1].DeletedAt == nil {
		t.Errorf("posts are %+v", posts)
	}
}

func TestPageInsightsByDay(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.post("first")
	a.Like(first, 2)
	a.Clock.Advance(24 * time.Hour)
	second := a.post("second")
	a.Like(second, 3)
	a.Clock.Advance(time.Hour)
	path := a.page + "/insights"
	day := a.must("GET", path, "metric", "page_media_view,page_post_engagements,page_follows", "period", "day")
	values := []any{day.Value("data", 0, "values", 0, "value"), day.Value("data", 0, "values", 1, "value")}
	if values[0] != 40.0 || values[1] != 60.0 || day.Value("data", 0, "values", 2) != nil ||
		day.Text("data", 0, "values", 1, "end_time") != "2026-11-16T10:00:00+0000" ||
		day.Value("data", 1, "values", 1, "value") != 3.0 || day.Value("data", 2, "values", 0, "value") != 100.0 {
		t.Errorf("by day: %s", day.Body)
	}
	week := a.must("GET", path, "metric", "page_media_view,page_total_media_view_unique", "period", "week")
	if week.Value("data", 0, "values", 1, "value") != 100.0 || week.Value("data", 1, "values", 1, "value") != 50.0 {
		t.Errorf("by week: %s", week.Body)
	}
	refused(t, "period", a.call("GET", path, "metric", "page_media_view"), 400, 100,
		"period must be day, week or days_28")
	refused(t, "window", a.call("GET", path, "metric", "page_media_view", "period", "day", "since", "1", "until",
		"7776002"),
		400, 100, "There cannot be more than 90 days")
	refused(t, "since", a.call("GET", path, "metric", "page_media_view", "period", "day", "since", "x"), 400, 100,
		"param since")
	refused(t, "gone metric", a.call("GET", path, "metric", "page_impressions", "period", "day"), 400, 100,
		"metric[0] must be one of")
	refused(t, "gone metric", a.call("GET", first+"/insights", "metric", "post_impressions"), 400, 100,
		"metric[0] must be one of")
	post := a.must("GET", first+"/insights", "metric", "post_reactions_by_type_total,post_clicks_by_type,post_clicks")
	if post.Value("data", 0, "values", 0, "value", "like") != 2.0 || post.Value("data", 2, "values", 0,
		"value") != 0.0 {
		t.Errorf("of a post: %s", post.Body)
	}
	wantError(t, a.call("GET", "1/insights", "metric", "post_clicks"), 100, 33)
	wantError(t, a.call("GET", "1/video_insights"), 100, 33)
}

func TestListsCanBeFilteredByTime(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.post("first")
	a.Clock.Advance(time.Hour)
	second := a.post("second")
	for _, edge := range []string{"feed", "posts", "published_posts"} {
		list := a.must("GET", a.page+"/"+edge, "since", "2026-11-15T09:30:00+0000")
		if list.Text("data", 0, "id") != second || list.Value("data", 1) != nil {
			t.Errorf("%s since half past nine: %s", edge, list.Body)
		}
		list = a.must("GET", a.page+"/"+edge, "until", "2026-11-15T09:30:00+0000", "fields", "id")
		if list.Text("data", 0, "id") != first || list.Value("data", 1) != nil || list.Value("data", 0,
			"message") != nil {
			t.Errorf("%s until half past nine: %s", edge, list.Body)
		}
	}
	page := a.must("GET", a.page+"/feed", "limit", "1")
	next := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: page.Text("paging", "next")})
	if next.Text("data", 0, "id") != first || next.Value("paging", "next") != nil {
		t.Errorf("the next page is %s", next.Body)
	}
	for _, edge := range []string{"feed", "videos", "video_reels", "stories"} {
		wantError(t, a.call("GET", "1/"+edge), 100, 33)
	}
	refused(t, "until", a.call("GET", a.page+"/videos", "until", "later"), 400, 100,
		"param until must be a unix timestamp or a date")
}

func TestUploadPhasesAreChecked(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for _, edge := range []string{"video_reels", "video_stories"} {
		refused(t, edge, a.call("POST", a.page+"/"+edge, "upload_phase", "middle"), 400, 100,
			"upload_phase must be start or finish")
		wantError(t, a.call("POST", a.page+"/"+edge, "upload_phase", "finish", "video_id", "1", "video_state",
			"PUBLISHED"), 100, 33)
		wantError(t, a.call("POST", "1/"+edge, "upload_phase", "start"), 100, 33)
	}
	refused(t, "videos", a.call("POST", a.page+"/videos", "upload_phase", "middle"), 400, 100,
		"upload_phase must be start, transfer, finish or cancel")
	refused(t, "nothing", a.call("POST", a.page+"/videos"), 400, 100, "One of file_url and source is required")
	refused(t, "gone", a.call("POST", a.page+"/videos", "file_url", a.host.URL+"/none"), 400, 389,
		"Unable to fetch video file from URL")
	for size, subcode := range map[string]int{"": 1363022, "1023": 1363022, "10737418241": 1363023} {
		wantError(t, a.call("POST", a.page+"/videos", "upload_phase", "start", "file_size", size), 6000, subcode)
	}
	for _, phase := range []string{"finish", "cancel"} {
		wantError(t, a.call("POST", a.page+"/videos", "upload_phase", phase, "upload_session_id", "1"), 100, 33)
	}
	started := a.must("POST", a.page+"/videos", "upload_phase", "start", "file_size", "2000")
	session := started.Text("upload_session_id")
	wantError(t, a.call("POST", a.page+"/videos", "upload_phase", "finish", "upload_session_id", session), 6000,
		1363019)
	a.must("POST", a.page+"/videos", "upload_phase", "cancel", "upload_session_id", session)
	wantError(t, a.call("POST", a.page+"/videos", "upload_phase", "cancel", "upload_session_id", session), 100, 33)
}

func TestReelStatesAreChecked(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	video, address := a.start("video_reels")
	finish := func(more ...string) simtest.Response {
		t.Helper()
		return a.call("POST", a.page+"/video_reels", append([]string{"upload_phase", "finish", "video_id", video},
			more...)...)
	}
	refused(t, "no state", finish(), 400, 100, "video_state must be one of PUBLISHED, SCHEDULED and DRAFT")
	refused(t, "no time", finish("video_state", "SCHEDULED"), 400, 100,
		"scheduled_publish_time belongs to the video_state SCHEDULED")
	refused(t, "time", finish("video_state", "PUBLISHED", "scheduled_publish_time", "1794740400"), 400, 100,
		"SCHEDULED")
	wantError(t, finish("video_state", "PUBLISHED"), 6000, 1363019)
	body := graphtest.MP4(graphtest.Video{})
	if resp := a.send(address, 0, len(body), body); resp.Status != http.StatusOK {
		t.Fatalf("%d %s", resp.Status, resp.Body)
	}
	if resp := finish("video_state", "DRAFT"); resp.Status != http.StatusOK {
		t.Fatalf("%d %s", resp.Status, resp.Body)
	}
	refused(t, "twice", finish("video_state", "PUBLISHED"), 400, 100, "was published already")
	refused(t, "no target", a.call("POST", video+"/collaborators"), 400, 100, "The parameter target_id is required")
	a.must("POST", video+"/collaborators", "target_id", "1")
	wantError(t, a.call("POST", "1/collaborators", "target_id", "1"), 100, 33)
	a.Clock.Advance(time.Hour)
	a.must("GET", "me")
	if len(a.Posts()) != 0 {
		t.Error("a draft was posted")
	}
	a.must("POST", video+"/thumbnails", "url", a.picture())
	wantError(t, a.call("POST", video+"/thumbnails", "url", a.host.URL+"/none"), 324, 2069019)
	wantError(t, a.call("POST", "1/thumbnails", "url", a.picture()), 100, 33)
}

func TestStoriesOfPhotosAreChecked(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	refused(t, "no photo", a.call("POST", a.page+"/photo_stories"), 400, 100, "The parameter photo_id is required")
	refused(t, "unknown", a.call("POST", a.page+"/photo_stories", "photo_id", "1"), 400, 100,
		"media_fbid 1 is not a photo of this Page")
	photo := a.upload()
	story := a.must("POST", a.page+"/photo_stories", "photo_id", photo)
	if story.Value("success") != true {
		t.Errorf("response %s", story.Body)
	}
	var posted struct {
		ID json.Number `json:"post_id"`
	}
	if err := json.Unmarshal(story.Body, &posted); err != nil || a.Posts()[0].PlatformPostID != posted.ID.String() {
		t.Errorf("the story is %s (%v)", posted.ID, err)
	}
	wantError(t, a.call("POST", a.page+"/photo_stories", "photo_id", photo), 100, 1366051)
	late := a.upload()
	a.Clock.Advance(24 * time.Hour)
	refused(t, "of yesterday", a.call("POST", a.page+"/photo_stories", "photo_id", late), 400, 100,
		"is not a photo of this Page")
	wantError(t, a.call("DELETE", posted.ID.String()), 100, 33)
	wantError(t, a.call("POST", posted.ID.String()+"/comments", "message", "a"), 100, 33)
}
