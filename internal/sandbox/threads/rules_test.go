package threads_test

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

// refused checks the code and the text of an error.
func refused(t *testing.T, name string, resp simtest.Response, status, code int, words string) {
	t.Helper()
	if resp.Status != status || resp.Value("error", "code") != float64(code) ||
		!strings.Contains(resp.Text("error", "message"), words) {
		t.Errorf("%s: %d %s, want %d with %d and %q", name, resp.Status, resp.Body, status, code, words)
	}
}

func TestContainersThatThreadsRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	twenty := strings.TrimSuffix(strings.Repeat("1,", 21), ",")
	for name, c := range map[string]struct {
		params  []string
		message string
	}{
		"no kind": {[]string{"text", "a"}, "Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}"},
		"odd kind": {[]string{"media_type", "STORY"},
			"Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}"},
		"text as item": {[]string{"media_type", "TEXT", "text", "a", "is_carousel_item", "true"},
			"Param is_carousel_item is only allowed for IMAGE and VIDEO"},
		"no image":    {[]string{"media_type", "IMAGE"}, "Param image_url is required"},
		"no video":    {[]string{"media_type", "VIDEO"}, "Param video_url is required"},
		"no children": {[]string{"media_type", "CAROUSEL"}, "Param children must have 2 to 20 items"},
		"21 children": {[]string{"media_type", "CAROUSEL", "children", twenty},
			"Param children must have 2 to 20 items"},
		"text of some": {[]string{"media_type", "TEXT", "text", "a", "children", "1,2"},
			"Param children is not allowed for media_type TEXT"},
		"blank": {[]string{"media_type", "TEXT", "text", " "}, "text can't be blank"},
		"long": {[]string{"media_type", "TEXT", "text", strings.Repeat("a", 501)},
			"Param text must be at most 500 characters long."},
		"six links": {[]string{"media_type", "TEXT", "text",
			"http://a http://b http://c http://d http://e http://f"}, "THREADS_API__LINK_LIMIT_EXCEEDED"},
		"link on image": {[]string{"media_type", "IMAGE", "image_url", "http://a", "link_attachment", "http://a.com"},
			"Param link_attachment is not allowed for media_type IMAGE"},
		"spoiler text": {[]string{"media_type", "TEXT", "text", "a", "is_spoiler_media", "true"},
			"Param is_spoiler_media is not allowed for media_type TEXT"},
		"alt of text": {[]string{"media_type", "TEXT", "text", "a", "alt_text", "x"},
			"Param alt_text is not allowed for media_type TEXT"},
		"long alt": {[]string{"media_type", "IMAGE", "image_url", "http://a", "alt_text", strings.Repeat("a",
			1001)}, "Param alt_text must be at most 1000 characters long."},
		"audience": {[]string{"media_type", "TEXT", "text", "a", "reply_control", "nobody"},
			"Param reply_control must be one of {everyone, accounts_you_follow"},
		"long topic": {[]string{"media_type", "TEXT", "text", "a", "topic_tag", strings.Repeat("t", 51)},
			"Param topic_tag must have 1 to 50 characters without . and &"},
		"odd topic": {[]string{"media_type", "TEXT", "text", "a", "topic_tag", "a.b"},
			"Param topic_tag must have 1 to 50 characters without . and &"},
		"odd link": {[]string{"media_type", "TEXT", "text", "a", "link_attachment", "example.com"},
			"Param link_attachment must be a valid URL"},
		"odd country": {[]string{"media_type", "TEXT", "text", "a", "allowlisted_country_codes", "usa"},
			"THREADS_API__GEO_GATING_INVALID_COUNTRY_CODES"},
		"country": {[]string{"media_type", "TEXT", "text", "a", "allowlisted_country_codes", "US,CA"},
			"THREADS_API__FEATURE_NOT_AVAILABLE"},
		"poll, no JSON": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment", "a,b"},
			"param poll_attachment must be JSON"},
		"poll of one": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment", `{"option_a":"a"}`},
			"Param poll_attachment needs 2 to 4 options"},
		"poll, gap": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment",
			`{"option_a":"a","option_c":"c"}`}, "Param poll_attachment needs 2 to 4 options"},
		"poll, long": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment",
			`{"option_a":"a","option_b":"` + strings.Repeat("b", 26) + `"}`}, "can have at most 25 characters"},
		"poll, a list": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment", `["a","b"]`},
			"must have the options option_a to option_d"},
		"poll and link": {[]string{"media_type", "TEXT", "text", "a", "poll_attachment",
			`{"option_a":"a","option_b":"b"}`, "link_attachment", "http://a.com"},
			"cannot be used with another attachment"},
		"GIF, provider": {[]string{"media_type", "TEXT", "text", "a", "gif_attachment",
			`{"gif_id":"1","provider":"ME"}`}, "Param gif_attachment needs a gif_id and the provider GIPHY"},
		"GIF, no id": {[]string{"media_type", "TEXT", "text", "a", "gif_attachment", `{"provider":"GIPHY"}`},
			"Param gif_attachment needs a gif_id and the provider GIPHY"},
		"attached text": {[]string{"media_type", "TEXT", "text", "a", "text_attachment", `{}`},
			"Param text_attachment needs a plaintext of at most 10000 characters"},
		"attached long": {[]string{"media_type", "TEXT", "text", "a", "text_attachment", `{"plaintext":"` +
			strings.Repeat("a", 10001) + `"}`}, "Param text_attachment needs a plaintext of at most 10000 characters"},
		"attached link": {[]string{"media_type", "TEXT", "text", "a", "text_attachment",
			`{"plaintext":"a","link_attachment_url":"x"}`},
			"link_attachment_url of text_attachment must be a valid URL"},
		"entities": {[]string{"media_type", "TEXT", "text", "a", "text_entities", `{}`},
			"Param text_entities must be a list of at most 10 entities"},
		"11 entities": {[]string{"media_type", "TEXT", "text", "a", "text_entities", `[{}` + strings.Repeat(`,{}`,
			10) + `]`}, "Param text_entities must be a list of at most 10 entities"},
		"entity of type": {[]string{"media_type", "TEXT", "text", "a", "text_entities",
			`[{"entity_type":"BOLD","offset":0,"length":1}]`}, "needs the type SPOILER, an offset and a length"},
		"empty entity": {[]string{"media_type", "TEXT", "text", "a", "text_entities",
			`[{"entity_type":"SPOILER","offset":0,"length":0}]`}, "needs the type SPOILER, an offset and a length"},
		"quote": {[]string{"media_type", "TEXT", "text", "a", "quote_post_id", "1"},
			"Param quote_post_id is not a valid post: 1"},
		"reply": {[]string{"media_type", "TEXT", "text", "a", "reply_to_id", "1"},
			"Param reply_to_id is not a valid post: 1"},
		"ghost reply": {[]string{"media_type", "TEXT", "text", "a", "reply_to_id", "1", "is_ghost_post", "true"},
			"A ghost post cannot be a reply"},
	} {
		refused(t, name, a.call("POST", "me/threads", c.params...), 400, 100, c.message)
	}
	wantError(t, a.call("POST", "1/threads", "media_type", "TEXT", "text", "a"), 24, 4279009)
	if len(a.Posts()) != 0 {
		t.Error("something was posted")
	}
}

func TestContainersAtTheEdgeOfTheRules(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for name, params := range map[string][]string{
		"500 characters": {"media_type", "TEXT", "text", strings.Repeat("a", 500)},
		"five links, twice": {"media_type", "TEXT", "text",
			strings.Repeat("http://a http://b http://c http://d http://e ", 2)},
		"link alone": {"media_type", "TEXT", "link_attachment", "https://example.com"},
		"poll": {"media_type", "TEXT", "text", "a", "poll_attachment",
			`{"option_a":"a","option_b":"b","option_c":"c","option_d":"d"}`},
		"GIF": {"media_type", "TEXT", "gif_attachment", `{"gif_id":"1","provider":"GIPHY"}`},
		"attached text": {"media_type", "TEXT", "text", "a", "text_attachment", `{"plaintext":"` +
			strings.Repeat("ä", 10000) + `"}`},
		"ten spoilers": {"media_type", "TEXT", "text", "a", "text_entities", `[` +
			strings.TrimSuffix(strings.Repeat(`{"entity_type":"spoiler","offset":0,"length":1},`, 10), ",") + `]`},
		"topic of 50":         {"media_type", "TEXT", "text", "a", "topic_tag", strings.Repeat("ä", 50)},
		"ghost":               {"media_type", "TEXT", "text", "a", "is_ghost_post", "true"},
		"false is not there":  {"media_type", "IMAGE", "image_url", a.picture(), "is_ghost_post", "false"},
		"alt of a thousand":   {"media_type", "IMAGE", "image_url", a.picture(), "alt_text", strings.Repeat("ä", 1000)},
		"spoiler of pictures": {"media_type", "IMAGE", "image_url", a.picture(), "is_spoiler_media", "true"},
	} {
		if resp := a.call("POST", "me/threads", params...); resp.Status != http.StatusOK || resp.Text("id") == "" {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
}

func TestOptionalScopesAreRequired(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for scope, params := range map[string][]string{
		"threads_location_tagging":   {"media_type", "TEXT", "text", "a", "location_id", "1"},
		"threads_share_to_instagram": {"media_type", "TEXT", "text", "a", "crossreshare_to_ig", "true"},
	} {
		refused(t, scope, a.call("POST", "me/threads", params...), 403, 10, scope+" is missing")
	}
	refused(t, "location search", a.call("GET", "location_search", "q", "crier"), 403, 10,
		"threads_location_tagging is missing")
	refused(t, "limit", a.call("GET", "me/threads_publishing_limit", "fields", "location_search_quota_usage"), 403, 10,
		"threads_location_tagging")
	other := a.post("by ada")
	a.seed = a.Seed("bob")
	refused(t, "reply to another", a.call("POST", "me/threads", "media_type", "TEXT", "text", "a", "reply_to_id",
		other), 403,
		10, "threads_manage_mentions is missing")
	a.seed = a.Seed("approved:carol")
	a.reply(other, "hello")
	a.publish("media_type", "TEXT", "text", "here", "location_id", "110506962309835", "crossreshare_to_ig", "true")
}

func TestPlacesAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.seed = a.Seed("approved:ada")
	found := a.must("GET", "location_search", "q", "STATION")
	want := []any{map[string]any{"id": "110506962309836", "name": "Crier Station", "address": "2 Station Road",
		"city": "Sandbox", "country": "Nowhere"}}
	if got := found.Value("data"); !reflect.DeepEqual(got, any(want)) {
		t.Errorf("found %v", got)
	}
	if all := a.must("GET", "location_search", "latitude", "1", "longitude", "2", "fields", "name"); all.Text("data", 0,
		"name") != "Menlo Park" || all.Value("data", 0, "city") != nil || all.Value("data", 2) == nil {
		t.Errorf("around a place: %s", all.Body)
	}
	if none := a.must("GET", "location_search", "q", "moon"); none.Value("data", 0) != nil {
		t.Errorf("no place: %s", none.Body)
	}
	refused(t, "no question", a.call("GET", "location_search", "latitude", "1"), 400, 100,
		"q, or latitude and longitude")
	refused(t, "field", a.call("GET", "location_search", "q", "crier", "fields", "mood"), 400, 100,
		"Tried accessing nonexisting field (mood) on node type (ThreadsLocation)")
}

func TestRelationsOfPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.post("root")
	reply := a.reply(root, "one")
	below := a.reply(reply, "two")
	quote := a.publish("media_type", "TEXT", "text", "as I said", "quote_post_id", root)
	both := a.publish("media_type", "TEXT", "text", "as you said", "reply_to_id", below, "quote_post_id", root)
	repost := a.must("POST", root+"/repost").Text("id")
	const fields = "is_quote_post,quoted_post,reposted_post,has_replies,is_reply,root_post,replied_to," +
		"is_reply_owned_by_me,hide_status,media_type,owner"
	ref := func(id string) map[string]any { return map[string]any{"id": id} }
	for id, want := range map[string]map[string]any{
		root: {"is_quote_post": false, "quoted_post": nil, "has_replies": true, "is_reply": false, "root_post": nil},
		reply: {"is_reply": true, "root_post": ref(root), "replied_to": ref(root), "is_reply_owned_by_me": true,
			"hide_status": "NOT_HUSHED"},
		below: {"is_reply": true, "root_post": ref(root), "replied_to": ref(reply), "has_replies": true,
			"is_quote_post": false, "quoted_post": nil},
		both: {"is_reply": true, "root_post": ref(root), "replied_to": ref(below), "is_quote_post": true,
			"quoted_post": ref(root)},
		quote: {"is_quote_post": true, "quoted_post": ref(root), "is_reply": false, "reposted_post": nil},
		repost: {"reposted_post": ref(root), "media_type": "REPOST_FACADE", "is_quote_post": false,
			"owner": ref(a.seed.AccountID)},
	} {
		resp := a.must("GET", id, "fields", fields)
		for field, value := range want {
			if got := resp.Value(field); !reflect.DeepEqual(got, value) && (got != nil || value != nil) {
				t.Errorf("%s of %s is %v, want %v", field, id, got, value)
			}
		}
	}
	if numbers := a.must("GET", root+"/insights", "metric", "quotes"); numbers.Value("data", 0, "values", 0,
		"value") != 2.0 {
		t.Errorf("quotes of the post and of the reply: %s", numbers.Body)
	}
	if again := a.must("POST", root+"/repost").Text("id"); again != repost {
		t.Errorf("reposted twice: %s and %s", repost, again)
	}
	wantError(t, a.call("POST", "1/repost"), 24, 4279009)
}

func TestOnlyTheAuthorReadsReplies(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.post("root")
	ada := a.seed
	a.seed = a.Seed("approved:bob")
	reply := a.reply(root, "from bob")
	wantError(t, a.call("GET", root, "fields", "id"), 100, 33)
	wantError(t, a.call("GET", root+"/replies"), 100, 33)
	if own := a.must("GET", "me/replies", "fields", "id,text"); own.Text("data", 0, "id") != reply {
		t.Errorf("bob's replies: %s", own.Body)
	}
	a.seed = ada
	seen := a.must("GET", reply, "fields", "text,username,is_reply_owned_by_me")
	if seen.Text("text") != "from bob" || seen.Text("username") != "bob" ||
		seen.Value("is_reply_owned_by_me") != false {
		t.Errorf("the reply is %s", seen.Body)
	}
	second := a.reply(root, "thanks")
	if list := a.must("GET", root+"/replies", "fields", "id"); list.Text("data", 0, "id") != second ||
		list.Text("data", 1, "id") != reply || list.Value("data", 2) != nil {
		t.Errorf("replies: %s", list.Body)
	}
	if list := a.must("GET", "me/threads", "fields", "id"); list.Text("data", 0, "id") != root || list.Value("data",
		1) != nil {
		t.Errorf("posts: %s", list.Body)
	}
	wantError(t, a.call("GET", a.Seed("bob").AccountID+"/threads"), 100, 33)
	wantError(t, a.call("GET", "me/threads", "since", "yesterday"), 100, 0)
	wantError(t, a.call("GET", "me/threads", "fields", "mood"), 100, 0)
	wantError(t, a.call("GET", "me/threads", "fields", "a{"), 2500, 0)
	if list := a.must("GET", "me/threads", "until", "1"); list.Value("data", 0) != nil {
		t.Errorf("before 1970: %s", list.Body)
	}
	if list := a.must("GET", "me/threads", "since", "2026-11-15"); list.Text("data", 0, "id") != root {
		t.Errorf("since that day: %s", list.Body)
	}
}

func TestProfileFields(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	me := a.must("GET", "me", "fields", "id,username,name,threads_profile_picture_url,threads_biography,is_verified")
	if me.Text("id") != a.seed.AccountID || me.Text("username") != "ada" || me.Text("name") != "Ada Notes" ||
		me.Value("is_verified") != false || me.Text("threads_biography") != "An account of the sandbox." {
		t.Errorf("profile is %s", me.Body)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: me.Text("threads_profile_picture_url")})
	refused(t, "field", a.call("GET", "me", "fields", "mood"), 400, 100, "on node type (ThreadsUser)")
	wantError(t, a.call("GET", a.Seed("bob").AccountID), 100, 33)
}

func TestInsightsOfTheAccount(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.post("root")
	a.reply(root, "one")
	a.must("POST", root+"/repost")
	a.Like(root, 4)
	resp := a.must("GET", "me/threads_insights", "metric", "views,likes,replies,reposts,quotes,clicks,followers_count")
	if resp.Value("data", 0, "values", 0, "value") != 95.0 || resp.Text("data", 0, "period") != "day" ||
		resp.Text("data", 0, "values", 0, "end_time") != "2026-11-15T09:00:02+0000" {
		t.Errorf("views are %s", resp.Body)
	}
	for i, want := range []float64{4, 1, 1, 0, 0, 100} {
		if got := resp.Value("data", i+1, "total_value", "value"); got != want {
			t.Errorf("metric %d is %v, want %v", i+1, got, want)
		}
	}
	if late := a.must("GET", "me/threads_insights", "metric", "likes", "since", "1894733200"); late.Value("data", 0,
		"total_value", "value") != 0.0 {
		t.Errorf("in later years: %s", late.Body)
	}
	if some := a.must("GET", "me/threads_insights", "metric", "follower_demographics", "breakdown",
		"country"); some.Value(
		"data", 0, "total_value") == nil {
		t.Errorf("demographics: %s", some.Body)
	}
	refused(t, "breakdown", a.call("GET", "me/threads_insights", "metric", "follower_demographics"), 400, 100,
		"Param breakdown must be one of {country, city, age, gender}")
	refused(t, "too early", a.call("GET", "me/threads_insights", "metric", "views", "since", "1712991599"), 400, 100,
		"Param since must not be before 1712991600")
	refused(t, "metric", a.call("GET", "me/threads_insights", "metric", "mood"), 400, 100, "metric[0] must be one of")
	refused(t, "metric", a.call("GET", root+"/insights"), 400, 100, "The parameter metric is required")
	wantError(t, a.call("GET", "1/threads_insights", "metric", "views"), 100, 33)
	wantError(t, a.call("GET", "1/insights", "metric", "views"), 100, 33)
	repost := a.must("POST", root+"/repost").Text("id")
	if none := a.must("GET", repost+"/insights", "metric", "views"); none.Value("data", 0) != nil {
		t.Errorf("of a repost: %s", none.Body)
	}
}

func TestPicturesThatThreadsRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for name, c := range map[string]struct {
		body          []byte
		code, subcode int
	}{
		"no picture": {[]byte("hello"), 36001, 2207005},
		"GIF":        {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"), 36001, 2207005},
		"a ribbon":   {graphtest.JPEG(t, 110, 10), 36003, 2207009},
		"a pole":     {graphtest.PNG(t, 10, 110), 36003, 2207009},
		"too large":  {append(graphtest.JPEG(t, 10, 10), make([]byte, 8<<20)...), 36000, 2207004},
	} {
		address := a.host.Serve("/"+strings.ReplaceAll(name, " ", "-"), "image/jpeg", c.body)
		wantError(t, a.call("POST", "me/threads", "media_type", "IMAGE", "image_url", address), c.code, c.subcode)
	}
	wantError(t, a.call("POST", "me/threads", "media_type", "IMAGE", "image_url", a.host.URL+"/nothing"), 9004, 2207052)
	wide := a.host.Serve("/wide.jpg", "image/jpeg", graphtest.JPEG(t, 100, 10))
	a.publish("media_type", "IMAGE", "image_url", wide)
}

func TestContainersOfOtherAccountsAreNotFound(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.createContainer("media_type", "TEXT", "text", "a")
	item := a.createContainer("media_type", "IMAGE", "image_url", a.picture(), "is_carousel_item", "true")
	a.Clock.Advance(time.Second)
	a.seed = a.Seed("bob")
	own := a.createContainer("media_type", "IMAGE", "image_url", a.picture(), "is_carousel_item", "true")
	a.Clock.Advance(time.Second)
	wantError(t, a.call("GET", id, "fields", "status"), 100, 33)
	wantError(t, a.call("POST", "me/threads_publish", "creation_id", id), 24, 4279009)
	wantError(t, a.call("POST", "me/threads", "media_type", "CAROUSEL", "children", own+","+item), 24, 4279009)
	wantError(t, a.call("POST", "me/threads_publish"), 100, 0)
	wantError(t, a.call("POST", "1/threads_publish", "creation_id", id), 24, 4279009)
	refused(t, "field", a.call("GET", own, "fields", "mood"), 400, 100, "on node type (ThreadsMediaContainer)")
}
