package instagram_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// refused checks the codes and the text of an error.
func refused(t *testing.T, name string, resp simtest.Response, status, code, subcode int, words string) {
	t.Helper()
	got, _ := resp.Value("error", "error_subcode").(float64)
	if resp.Status != status || resp.Value("error", "code") != float64(code) || int(got) != subcode ||
		!strings.Contains(resp.Text("error", "message"), words) {
		t.Errorf("%s: %d %s, want %d with %d/%d and %q", name, resp.Status, resp.Body, status, code, subcode, words)
	}
}

func TestContainerRulesOfInstagramLogin(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	picture, video := a.picture(), a.video()
	ten := strings.TrimSuffix(strings.Repeat("1,", 11), ",")
	tags := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"username":"a","x":0.5,"y":0.5},`, n),
			",") + "]"
	}
	for name, c := range map[string]struct {
		params        []string
		code, subcode int
		words         string
	}{
		"odd kind": {[]string{"media_type", "POST", "image_url", picture}, 100, 2207023,
			"The media type is unknown"},
		"video of its own": {[]string{"media_type", "VIDEO", "video_url", video}, 100, 2207023,
			"The media type is unknown"},
		"reel as item": {[]string{"media_type", "REELS", "video_url", video, "is_carousel_item", "true"}, 100,
			2207023, "The media type is unknown"},
		"carousel of one": {[]string{"media_type", "CAROUSEL", "children", "1"}, 100, 2207028,
			"The number of carousel items"},
		"carousel of 11": {[]string{"media_type", "CAROUSEL", "children", ten}, 100, 2207028,
			"The number of carousel items"},
		"unknown items": {[]string{"media_type", "CAROUSEL", "children", "1,2"}, 24, 2207006, "does not exist"},
		"bytes": {[]string{"media_type", "REELS", "upload_type", "resumable"}, 100, 0,
			"param upload_type is not allowed"},
		"no image": {nil, 100, 0, "The parameter image_url is required"},
		"image and video": {[]string{"image_url", picture, "video_url", video}, 100, 0,
			"The parameter image_url is required"},
		"reel of an image": {[]string{"media_type", "REELS", "image_url", picture}, 100, 0,
			"The parameter video_url is required"},
		"story of both": {[]string{"media_type", "STORIES", "image_url", picture, "video_url", video}, 100, 0,
			"One of the parameters image_url and video_url"},
		"story of nothing": {[]string{"media_type", "STORIES"}, 100, 0,
			"One of the parameters image_url and video_url"},
		"item with caption": {[]string{"image_url", picture, "is_carousel_item", "true", "caption", "a"}, 100, 0,
			"param caption is not allowed"},
		"long caption": {[]string{"image_url", picture, "caption", strings.Repeat("\U0001F600", 1101)}, 36004,
			2207010, "The caption was too long."},
		"31 hashtags": {[]string{"image_url", picture, "caption", strings.Repeat("#a ", 31)}, 36004, 2207010,
			"The caption was too long."},
		"21 mentions": {[]string{"image_url", picture, "caption", strings.Repeat("@a ", 21)}, 100, 2207040,
			"Cannot use more than 20 tags."},
		"alt of a reel": {[]string{"media_type", "REELS", "video_url", video, "alt_text", "x"}, 100, 0,
			"param alt_text is not allowed"},
		"long alt": {[]string{"image_url", picture, "alt_text", strings.Repeat("ä", 1001)}, 100, 0,
			"at most 1000 characters"},
		"place of a story": {[]string{"media_type", "STORIES", "image_url", picture, "location_id", "1"}, 100, 0,
			"param location_id is not allowed"},
		"place of an item": {[]string{"image_url", picture, "is_carousel_item", "true", "location_id", "1"}, 100, 0,
			"param location_id is not allowed"},
		"odd place": {[]string{"image_url", picture, "location_id", "home"}, 100, 0,
			"INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID"},
		"four friends": {[]string{"image_url", picture, "collaborators", `["a","b","c","d"]`}, 100, 0,
			"at most 3 usernames"},
		"cover of an image": {[]string{"image_url", picture, "cover_url", picture}, 100, 0,
			"param cover_url is not allowed"},
		"products": {[]string{"image_url", picture, "product_tags", "[]"}, 100, 0,
			"param product_tags is not allowed"},
		"sponsors": {[]string{"image_url", picture, "branded_content_sponsor_ids", "[1]"}, 100, 0,
			"param branded_content_sponsor_ids is not allowed"},
		"tags, no JSON": {[]string{"image_url", picture, "user_tags", "ada"}, 100, 0,
			"param user_tags must be JSON"},
		"tags, no place": {[]string{"image_url", picture, "user_tags", `[{"username":"a"}]`}, 100, 0,
			"param user_tags needs x and y for images"},
		"tags, outside": {[]string{"image_url", picture, "user_tags", `[{"username":"a","x":1.1,"y":0}]`}, 100, 0,
			"must be 0.0 to 1.0"},
		"tags, nobody": {[]string{"image_url", picture, "user_tags", `[{"username":" ","x":0,"y":0}]`}, 100, 0,
			"param user_tags needs a username"},
		"21 tags": {[]string{"image_url", picture, "user_tags", tags(21)}, 100, 2207040,
			"Cannot use more than 20 tags."},
		"odd offset": {[]string{"media_type", "REELS", "video_url", video, "thumb_offset", "-1"}, 1, 2207057,
			"The thumbnail offset is invalid."},
		"late offset": {[]string{"media_type", "REELS", "video_url", video, "thumb_offset", "5001"}, 1, 2207057,
			"The thumbnail offset is invalid."},
		"odd trial": {[]string{"media_type", "REELS", "video_url", video, "trial_params",
			`{"graduation_strategy":"NEVER"}`}, 100, 0, "must be MANUAL or SS_PERFORMANCE"},
		"cover is no JPEG": {[]string{"media_type", "REELS", "video_url", video, "cover_url", video}, 36001, 2207005,
			"The image format is not supported."},
	} {
		refused(t, name, a.call("POST", a.seed.AccountID+"/media", c.params...), 400, c.code, c.subcode, c.words)
	}
	wantError(t, a.call("POST", "1/media", "image_url", picture), 100, 33)
	for name, params := range map[string][]string{
		"2,200 units":   {"image_url", picture, "caption", strings.Repeat("\U0001F600", 1100)},
		"30 hashtags":   {"image_url", picture, "caption", strings.Repeat("#a ", 30) + strings.Repeat("@b ", 20)},
		"three friends": {"image_url", picture, "collaborators", `["a","b","c"]`, "location_id", "1"},
		"20 tags":       {"image_url", picture, "user_tags", tags(20)},
		"reel": {"media_type", "REELS", "video_url", video, "thumb_offset", "5000", "cover_url", picture,
			"share_to_feed", "true"},
		"trial": {"media_type", "REELS", "video_url", video, "trial_params",
			`{"graduation_strategy":"MANUAL"}`},
		"reel, no places": {"media_type", "REELS", "video_url", video, "user_tags", `[{"username":"a"}]`},
		"story":           {"media_type", "STORIES", "image_url", picture, "user_tags", `[{"username":"a"}]`},
	} {
		if resp := a.call("POST", a.seed.AccountID+"/media", params...); resp.Status != http.StatusOK {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
}

func TestContainerRulesOfFacebookLogin(t *testing.T) {
	t.Parallel()
	a := setup(t, "facebook:ada", sim.Options{})
	picture, video := a.picture(), a.video()
	path := a.seed.AccountID + "/media"
	const limit = "param upload_type is only allowed for videos without a URL"
	refused(t, "bytes of an image", a.call("POST", path, "upload_type", "resumable"), 400, 100, 0, limit)
	refused(t, "bytes and a URL", a.call("POST", path, "media_type", "REELS", "upload_type", "resumable", "video_url",
		video), 400,
		100, 0, limit)
	refused(t, "products", a.call("POST", path, "image_url", picture, "product_tags",
		`[{"product_id":"1","x":0,"y":0}]`), 403, 10,
		0, "instagram_shopping_tag_products is missing")
	refused(t, "three sponsors", a.call("POST", path, "image_url", picture, "branded_content_sponsor_ids", `[1,2,3]`),
		400, 100, 0,
		"Maximum number of sponsors exceeded. Limit is 2 per post.")
	refused(t, "oneself", a.call("POST", path, "image_url", picture, "branded_content_sponsor_ids",
		`["`+a.seed.AccountID+`"]`),
		400, 100, 0, "Cannot tag yourself as sponsor.")
	refused(t, "odd sponsors", a.call("POST", path, "image_url", picture, "branded_content_sponsor_ids", "ada"), 400,
		100, 0,
		"param branded_content_sponsor_ids must be JSON")
	a.must("POST", path, "image_url", picture, "branded_content_sponsor_ids", `[1,"2"]`, "is_paid_partnership", "true")
	a.seed = a.Seed("facebook:shop:ada")
	six := "[" + strings.TrimSuffix(strings.Repeat(`{"product_id":"1","x":0,"y":0},`, 6), ",") + "]"
	for name, c := range map[string]struct {
		params  []string
		subcode int
		words   string
	}{
		"no JSON": {[]string{"image_url", picture, "product_tags", "1"}, 0, "param product_tags must be JSON"},
		"six":     {[]string{"image_url", picture, "product_tags", six}, 2207035, "at most 5 product tags"},
		"odd product": {[]string{"image_url", picture, "product_tags", `[{"product_id":"shoe","x":0,"y":0}]`}, 2207036,
			"The product does not exist."},
		"no place": {[]string{"image_url", picture, "product_tags", `[{"product_id":"1"}]`}, 2207037,
			"needs x and y"},
		"placed video": {[]string{"media_type", "REELS", "video_url", video, "product_tags",
			`[{"product_id":"1","x":0,"y":0}]`}, 0, "are not allowed for videos"},
	} {
		refused(t, name, a.call("POST", path, c.params...), 400, 100, c.subcode, c.words)
	}
	a.must("POST", path, "image_url", picture, "product_tags", `[{"product_id":"1","x":0.5,"y":0.5}]`)
	a.must("POST", path, "media_type", "REELS", "video_url", video, "product_tags", `[{"product_id":"1"}]`)
}

func TestFieldsOfAPostByLogin(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	id := a.publish("image_url", a.picture(), "caption", "Hello", "alt_text", "grey")
	a.Like(id, 5)
	a.must("POST", id+"/comments", "message", "First!")
	got := a.must("GET", id, "fields",
		"id,caption,media_type,media_product_type,permalink,shortcode,timestamp,username,owner,"+
			"media_url,thumbnail_url,alt_text,is_comment_enabled,children,like_count,comments_count")
	for field, want := range map[string]any{"id": id, "caption": "Hello", "media_type": "IMAGE",
		"media_product_type": "FEED",
		"permalink":          a.URL + "/instagram/p/" + got.Text("shortcode") + "/",
		"timestamp":          "2026-11-15T09:00:01+0000",
		"username":           "ada", "owner": map[string]any{"id": a.seed.AccountID},
		"thumbnail_url": nil, "alt_text": "grey",
		"is_comment_enabled": true, "children": nil, "like_count": 5.0, "comments_count": 1.0} {
		if value := got.Value(field); !reflect.DeepEqual(value, want) {
			t.Errorf("%s is %v, want %v", field, value, want)
		}
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: got.Text("media_url")})
	for _, field := range []string{"total_like_count", "total_views_count", "saved_count", "mood"} {
		refused(t, field, a.call("GET", id, "fields", field), 400, 100, 0,
			"Tried accessing nonexisting field ("+field+")")
	}
	a.seed = a.Seed("facebook:ada")
	more := a.must("GET", id, "fields",
		"total_like_count,total_comments_count,total_views_count,saved_count,shares_count")
	if more.Value("total_like_count") != 5.0 || more.Value("total_comments_count") != 1.0 ||
		more.Value("total_views_count") != 105.0 || more.Value("saved_count") != 0.0 {
		t.Errorf("with Facebook Login: %s", more.Body)
	}
	a.seed = a.Seed("bob")
	wantError(t, a.call("GET", id), 100, 33)
	wantError(t, a.call("GET", id+"/comments"), 100, 33)
	wantError(t, a.call("GET", id+"/insights", "metric", "likes"), 100, 33)
	wantError(t, a.call("POST", id+"/comments", "message", "a"), 100, 33)
}

func TestAccountFieldsByLogin(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	a.publish("image_url", a.picture())
	a.publish("media_type", "STORIES", "image_url", a.picture())
	me := a.must("GET", "me", "fields", "id,user_id,username,name,account_type,profile_picture_url,followers_count,"+
		"follows_count,media_count,biography,website")
	if me.Text("user_id") != a.seed.AccountID || me.Text("id") == a.seed.AccountID || me.Text("username") != "ada" ||
		me.Text("account_type") != "BUSINESS" || me.Value("media_count") != 1.0 ||
		me.Value("followers_count") != 100.0 {
		t.Errorf("with Instagram Login: %s", me.Body)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: me.Text("profile_picture_url")})
	a.seed = a.Seed("facebook:ada")
	page := a.must("GET", "me", "fields", "id,name,instagram_business_account{id,username}")
	if page.Text("instagram_business_account", "id") != a.seed.AccountID || page.Text("id") == a.seed.AccountID {
		t.Errorf("with Facebook Login: %s", page.Body)
	}
	account := a.must("GET", a.seed.AccountID, "fields", "id,username,media_count")
	if account.Text("id") != a.seed.AccountID {
		t.Errorf("the account is %s", account.Body)
	}
	for _, field := range []string{"user_id", "account_type"} {
		refused(t, field, a.call("GET", a.seed.AccountID, "fields", field), 400, 100, 0,
			"nonexisting field ("+field+")")
	}
	wantError(t, a.call("POST", "me/media", "image_url", a.picture()), 100, 33)
	wantError(t, a.call("GET", a.Seed("bob").AccountID), 100, 33)
}

func TestOnlyTheOwnerReadsComments(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	id := a.publish("image_url", a.picture())
	comment := a.must("POST", id+"/comments", "message", "First!").Text("id")
	answer := a.must("POST", comment+"/replies", "message", "Second!").Text("id")
	got := a.must("GET", comment, "fields", "id,text,timestamp,username,from,like_count,hidden,media,parent_id")
	if got.Text("text") != "First!" || got.Text("username") != "ada" || got.Text("media", "id") != id ||
		got.Value("parent_id") != nil || got.Value("hidden") != false || got.Text("from", "id") != a.seed.AccountID {
		t.Errorf("the comment is %s", got.Body)
	}
	if below := a.must("GET", answer, "fields", "text,parent_id,media"); below.Text("parent_id") != comment ||
		below.Text("media", "id") != id || below.Text("text") != "Second!" {
		t.Errorf("reply %s", below.Body)
	}
	if list := a.must("GET", comment+"/replies"); list.Text("data", 0, "id") != answer || list.Value("data", 1) != nil {
		t.Errorf("replies %s", list.Body)
	}
	wantError(t, a.call("POST", comment+"/comments", "message", "a"), 100, 33)
	wantError(t, a.call("POST", id+"/replies", "message", "a"), 100, 33)
	refused(t, "field", a.call("GET", comment, "fields", "mood"), 400, 100, 0, "on node type (IGComment)")
	owner := a.seed
	a.seed = a.Seed("bob")
	wantError(t, a.call("GET", comment), 100, 33)
	wantError(t, a.call("GET", comment+"/replies"), 100, 33)
	wantError(t, a.call("DELETE", comment), 100, 33)
	a.seed = owner
	a.must("DELETE", comment)
	wantError(t, a.call("GET", comment), 100, 33)
}

func TestCommentRules(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	id := a.publish("image_url", a.picture())
	refused(t, "empty", a.call("POST", id+"/comments", "message", " "), 400, 100, 0,
		"The parameter message is required")
	refused(t, "long", a.call("POST", id+"/comments", "message", strings.Repeat("\U0001F600", 1101)), 400, 100, 0,
		"at most 2200")
	a.must("POST", id+"/comments", "message", strings.Repeat("\U0001F600", 1100))
	story := a.publish("media_type", "STORIES", "image_url", a.picture())
	refused(t, "story", a.call("POST", story+"/comments", "message", "a"), 400, 100, 0, "Stories cannot be commented")
	refused(t, "update", a.call("POST", id), 400, 100, 0, "The parameter comment_enabled is required")
	wantError(t, a.call("POST", "1", "comment_enabled", "false"), 100, 33)
	a.must("POST", id, "comment_enabled", "false")
	if got := a.must("GET", id, "fields", "is_comment_enabled"); got.Value("is_comment_enabled") != false {
		t.Errorf("the post is %s", got.Body)
	}
	refused(t, "closed", a.call("POST", id+"/comments", "message", "a"), 400, 100, 0,
		"Comments are turned off for this media")
	a.must("POST", id, "comment_enabled", "true")
	a.must("POST", id+"/comments", "message", "open again")
}

func TestFilesOfACarouselAreNodes(t *testing.T) {
	t.Parallel()
	a := setup(t, "facebook:ada", sim.Options{})
	first := a.createContainer("image_url", a.picture(), "is_carousel_item", "true", "alt_text", "grey")
	second := a.createContainer("media_type", "VIDEO", "video_url", a.video(), "is_carousel_item", "true")
	plain := a.createContainer("image_url", a.picture())
	a.Clock.Advance(time.Second)
	refused(t, "no item", a.call("POST", a.seed.AccountID+"/media", "media_type", "CAROUSEL", "children",
		first+","+plain), 400, 100,
		0, "container "+plain+" is no carousel item")
	id := a.publish("media_type", "CAROUSEL", "children", first+","+second, "caption", "both")
	post := a.must("GET", id, "fields", "media_type,children{id,media_type,alt_text}")
	one, two := post.Text("children", "data", 0, "id"), post.Text("children", "data", 1, "id")
	if post.Text("media_type") != "CAROUSEL_ALBUM" || post.Text("children", "data", 0, "alt_text") != "grey" ||
		post.Text("children", "data", 1, "media_type") != "VIDEO" || post.Value("children", "data", 2) != nil {
		t.Fatalf("the carousel is %s", post.Body)
	}
	child := a.must("GET", two, "fields",
		"id,media_type,media_url,timestamp,username,permalink,media_product_type,shortcode,owner")
	if child.Text("id") != two || child.Text("media_type") != "VIDEO" || child.Text("username") != "ada" ||
		child.Text("media_product_type") != "FEED" {
		t.Errorf("the file is %s", child.Body)
	}
	refused(t, "field", a.call("GET", one, "fields", "caption"), 400, 100, 0, "nonexisting field (caption)")
	resp := a.call("DELETE", one)
	refused(t, "delete", resp, 400, -1, 2207073, "Fatal")
	a.must("DELETE", id)
	wantError(t, a.call("GET", two), 100, 33)
	a.Clock.Advance(24 * time.Hour)
	wantError(t, a.call("POST", a.seed.AccountID+"/media", "media_type", "CAROUSEL", "children", first+","+second), -2,
		2207020)
}

func TestPublishingLimit(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{LimitFactor: 1})
	a.publish("image_url", a.picture())
	path := a.seed.AccountID + "/content_publishing_limit"
	limit := a.must("GET", path, "fields", "quota_usage,config")
	if limit.Value("data", 0, "quota_usage") != 1.0 || limit.Value("data", 0, "config", "quota_total") != 50.0 ||
		limit.Value("data", 0, "config", "quota_duration") != 86400.0 {
		t.Errorf("the limit is %s", limit.Body)
	}
	if later := a.must("GET", path, "since", "1794733202"); later.Value("data", 0, "quota_usage") != 0.0 {
		t.Errorf("since a second ago: %s", later.Body)
	}
	refused(t, "since", a.call("GET", path, "since", "1794646800"), 400, 100, 0,
		"param since must be at most 24 hours ago")
	refused(t, "field", a.call("GET", path, "fields", "mood"), 400, 100, 0, "on node type (ContentPublishingLimit)")
	wantError(t, a.call("GET", "1/content_publishing_limit"), 100, 33)
	refused(t, "creation", a.call("POST", a.seed.AccountID+"/media_publish"), 400, 100, 0,
		"The parameter creation_id is required")
	wantError(t, a.call("POST", a.seed.AccountID+"/media_publish", "creation_id", "1"), 24, 2207006)
}

func TestInsightsOfTheAccount(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	id := a.publish("image_url", a.picture())
	a.Like(id, 10)
	a.must("POST", id+"/comments", "message", "First!")
	path := a.seed.AccountID + "/insights"
	days := a.must("GET", path, "metric", "follower_count,reach,views,likes,comments,total_interactions", "period",
		"day")
	for i, want := range []float64{101, 102, 205, 10, 1, 11} {
		if got := days.Value("data", i, "values", 0, "value"); got != want {
			t.Errorf("metric %d is %v, want %v", i, got, want)
		}
	}
	total := a.must("GET", path, "metric", "views", "period", "day", "metric_type", "total_value")
	if total.Value("data", 0, "total_value", "value") != 205.0 || total.Value("data", 0, "values") != nil {
		t.Errorf("the total is %s", total.Body)
	}
	if none := a.must("GET", path, "metric", "views", "period", "day", "until", "1"); none.Value("data", 0, "values", 0,
		"value") != 0.0 {
		t.Errorf("before 1970: %s", none.Body)
	}
	refused(t, "period", a.call("GET", path, "metric", "views"), 400, 100, 0, "period must be day")
	refused(t, "window", a.call("GET", path, "metric", "views", "period", "day", "since", "1", "until", "2592002"), 400,
		100, 0,
		"There cannot be more than 30 days (2592000 s)")
	refused(t, "metric", a.call("GET", path, "metric", "impressions", "period", "day"), 400, 100, 0,
		"metric[0] must be one of")
	refused(t, "since", a.call("GET", path, "metric", "views", "period", "day", "since", "x"), 400, 100, 0,
		"param since")
	reel := a.publish("media_type", "REELS", "video_url", a.video())
	a.Like(reel, 2)
	watch := a.must("GET", reel+"/insights", "metric", "ig_reels_avg_watch_time,ig_reels_video_view_total_time,saved")
	if watch.Value("data", 0, "values", 0, "value") != 4500.0 || watch.Value("data", 1, "values", 0,
		"value") != 180000.0 {
		t.Errorf("of a reel: %s", watch.Body)
	}
	refused(t, "of another kind", a.call("GET", id+"/insights", "metric", "ig_reels_avg_watch_time"), 400, 100, 0,
		"metric[0]")
}

func TestResumablePhases(t *testing.T) {
	t.Parallel()
	a := setup(t, "facebook:ada", sim.Options{})
	created := a.must("POST", a.seed.AccountID+"/media", "media_type", "REELS", "upload_type", "resumable")
	id, body := created.Text("id"), graphtest.MP4(graphtest.Video{})
	phases := func(uploading, processing string, size int) {
		t.Helper()
		got := a.must("GET", id, "fields", "video_status,status_code,copyright_check_status")
		if got.Text("video_status", "uploading_phase", "status") != uploading ||
			got.Text("video_status", "processing_phase", "status") != processing ||
			got.Value("video_status", "uploading_phase", "bytes_transferred") != float64(size) {
			t.Errorf("%s, want %s, %s and %d bytes", got.Body, uploading, processing, size)
		}
	}
	phases("not_started", "not_started", 0)
	a.send(created.Text("uri"), 0, len(body), body[:100])
	phases("in_progress", "not_started", 100)
	a.send(created.Text("uri"), 100, len(body), body[100:])
	phases("complete", "in_progress", len(body))
	a.Clock.Advance(time.Second)
	phases("complete", "complete", len(body))
	bad := a.must("POST", a.seed.AccountID+"/media", "media_type", "REELS", "upload_type", "resumable")
	a.send(bad.Text("uri"), 0, 5, []byte("hello"))
	a.Clock.Advance(time.Second)
	id = bad.Text("id")
	phases("complete", "error", 5)
	refused(t, "field", a.call("GET", id, "fields", "mood"), 400, 100, 0, "on node type (IGMediaBuilder)")
}
