package x_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	"crier/internal/sandbox/x"
)

func TestFieldsOfAPost(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.post(`{"text":"root"}`)
	id := a.post(`{"text":"go to https://example.com/a","made_with_ai":true,"paid_partnership":true,` +
		`"reply_settings":"following","community_id":"77","reply":{"in_reply_to_tweet_id":"` + root + `"}}`)
	for field, want := range map[string]any{
		"author_id":           a.seed.AccountID,
		"conversation_id":     root,
		"created_at":          "2026-11-15T09:00:00.000Z",
		"lang":                "und",
		"source":              "crier sandbox",
		"possibly_sensitive":  false,
		"reply_settings":      "following",
		"in_reply_to_user_id": a.seed.AccountID,
		"community_id":        "77",
		"made_with_ai":        true,
		"paid_partnership":    true,
		"referenced_tweets":   []any{map[string]any{"type": "replied_to", "id": root}},
		"geo":                 nil,
		"withheld":            nil,
		"attachments":         nil,
	} {
		resp := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields="+field)
		if got := resp.Value("data", field); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
}

func TestFieldsThatAPostDoesNotHaveAreLeftOut(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"plain"}`)
	resp := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields=entities,referenced_tweets,attachments,"+
		"in_reply_to_user_id,community_id,made_with_ai,paid_partnership,reply_settings,text,id")
	want := map[string]any{"id": id, "text": "plain", "edit_history_tweet_ids": []any{id}, "reply_settings": "everyone"}
	if got := resp.Value("data"); !reflect.DeepEqual(got, want) {
		t.Errorf("the post is %v, want %v", got, want)
	}
}

func TestUnknownFieldIsNamedInTheRefusal(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"a"}`)
	for _, parameter := range []string{"tweet.fields", "post.fields"} {
		resp := a.get(http.StatusBadRequest, "/2/tweets/"+id+"?"+parameter+"=text,mood")
		if resp.Text("title") != "Invalid Request" ||
			resp.Text("type") != "https://api.x.com/2/problems/invalid-request" ||
			resp.Text("detail") != "One or more parameters to your request was invalid." ||
			resp.Text("errors", 0, "parameters", parameter, 0) != "mood" ||
			!strings.HasPrefix(resp.Text("errors", 0, "message"),
				"The `"+parameter+"` query parameter value [mood] is not one of [article,attachments,") {
			t.Errorf("%s: %s", parameter, resp.Body)
		}
		if kind := resp.Header.Get("Content-Type"); kind != "application/problem+json" {
			t.Errorf("the refusal is %s", kind)
		}
	}
}

func TestEntitiesCountCharactersOfTheReturnedText(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"ä & https://example.com/a/very/long/path/indeed, example.org"}`)
	resp := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields=entities")
	text := []rune(resp.Text("data", "text"))
	for i, want := range []struct{ expanded, display string }{
		{"https://example.com/a/very/long/path/indeed", "example.com/a/very/long/pa…"},
		{"http://example.org", "example.org"},
	} {
		at := func(key string) any { return resp.Value("data", "entities", "urls", i, key) }
		start, _ := at("start").(float64)
		end, _ := at("end").(float64)
		if at("expanded_url") != want.expanded || at("display_url") != want.display ||
			int(end) > len(text) || string(text[int(start):int(end)]) != at("url") || end-start != 23 {
			t.Errorf("address %d of %q is %v", i, string(text), resp.Value("data", "entities", "urls", i))
		}
	}
	if !strings.HasPrefix(string(text), "ä &amp; https://t.co/") {
		t.Errorf("the text is %q", string(text))
	}
}

// measured creates a post with one reply, one repost and 3 likes.
func (a *app) measured(text string) string {
	a.t.Helper()
	id := a.post(`{"text":"` + text + `"}`)
	a.post(`{"text":"reply","reply":{"in_reply_to_tweet_id":"` + id + `"}}`)
	a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: "/x/2/users/" + a.seed.AccountID + "/retweets",
		Token: a.seed.AccessToken, JSON: `{"tweet_id":"` + id + `"}`})
	a.Like(id, 3)
	return id
}

func TestMetricsOfEachGroup(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.measured("see example.com")
	groups := map[string]map[string]any{
		"public_metrics": {"retweet_count": 1.0, "reply_count": 1.0, "like_count": 3.0, "quote_count": 0.0,
			"bookmark_count": 0.0, "impression_count": 75.0},
		"non_public_metrics": {"impression_count": 75.0, "url_link_clicks": 3.0, "user_profile_clicks": 0.0,
			"engagements": 8.0},
		"organic_metrics": {"impression_count": 75.0, "like_count": 3.0, "reply_count": 1.0, "retweet_count": 1.0,
			"url_link_clicks": 3.0, "user_profile_clicks": 0.0},
	}
	for group, want := range groups {
		got := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields="+group).Value("data", group)
		if !reflect.DeepEqual(got, any(want)) {
			t.Errorf("%s is %v, want %v", group, got, want)
		}
	}
	// No post is promoted, so there are no promoted metrics.
	if got := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields=promoted_metrics"); got.Value("data",
		"promoted_metrics") != nil || got.Value("errors") != nil {
		t.Errorf("promoted: %s", got.Body)
	}
}

func TestPrivateMetricsAreTheAuthorsAndForThirtyDays(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"mine"}`)
	author := a.seed
	a.seed = a.Seed("bob")
	for _, group := range []string{"non_public_metrics", "organic_metrics", "promoted_metrics"} {
		resp := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields=text,"+group)
		want := map[string]any{"title": "Field Authorization Error",
			"type":          "https://api.x.com/2/problems/not-authorized-for-field",
			"resource_type": "tweet", "resource_id": id, "parameter": "tweet.fields", "value": group, "field": group,
			"section": "data",
			"detail":  "Sorry, you are not authorized to access '" + group + "' on the Tweet with id : [" + id + "]."}
		if got := resp.Value("errors", 0); !reflect.DeepEqual(got, any(want)) ||
			resp.Value("data", group) != nil || resp.Text("data", "text") != "mine" {
			t.Errorf("%s of another account: %s", group, resp.Body)
		}
	}
	a.seed = author
	a.Clock.Advance(30 * 24 * time.Hour)
	a.seed.AccessToken = a.refresh(http.StatusOK, a.seed.RefreshToken).Text("access_token")
	path := "/2/tweets/" + id + "?tweet.fields=non_public_metrics"
	if resp := a.get(http.StatusOK, path); resp.Value("data", "non_public_metrics") == nil {
		t.Errorf("after 30 days: %s", resp.Body)
	}
	a.Clock.Advance(time.Second)
	if resp := a.get(http.StatusOK, path); resp.Value("data", "non_public_metrics") != nil {
		t.Errorf("after more than 30 days: %s", resp.Body)
	}
}

func TestNewFieldNamesInNewRequests(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.measured("root")
	reply := a.post(`{"text":"second","reply":{"in_reply_to_tweet_id":"` + root + `"}}`)
	bare := a.get(http.StatusOK, "/2/tweets/"+reply+"?post.fields=referenced_posts")
	if bare.Value("data", "referenced_posts") != nil || bare.Value("data", "edit_history_post_ids", 0) != reply ||
		bare.Value("data", "edit_history_tweet_ids") != nil {
		t.Errorf("without the expansion: %s", bare.Body)
	}
	whole := a.get(http.StatusOK, "/2/tweets/"+reply+"?post.fields=referenced_posts&expansions=referenced_posts.id")
	if whole.Text("data", "referenced_posts", 0, "id") != root {
		t.Errorf("with the expansion: %s", whole.Body)
	}
	metrics := a.get(http.StatusOK, "/2/tweets/"+root+"?post.fields=public_metrics,organic_metrics")
	if metrics.Value("data", "public_metrics", "repost_count") != 1.0 ||
		metrics.Value("data", "organic_metrics", "repost_count") != 1.0 ||
		metrics.Value("data", "public_metrics", "retweet_count") != nil {
		t.Errorf("metrics: %s", metrics.Body)
	}
}

func TestRenamedNetworkUsesNewFieldNames(t *testing.T) {
	t.Parallel()
	s := simtest.Start(t, x.Network(x.Settings{Renamed: true, Quotes: true}), sim.Options{})
	a := &app{Sandbox: s, t: t, seed: s.Seed("ada")}
	root := a.post(`{"text":"root"}`)
	quote := a.post(`{"text":"as I said","quote_tweet_id":"` + root + `"}`)
	resp := a.get(http.StatusOK, "/2/tweets/"+quote+"?tweet.fields=referenced_tweets,public_metrics")
	if resp.Value("data", "referenced_posts") != nil || resp.Value("data", "referenced_tweets") != nil ||
		resp.Value("data", "edit_history_post_ids") == nil || resp.Value("data", "public_metrics",
		"repost_count") != 0.0 {
		t.Errorf("response %s", resp.Body)
	}
	resp = a.get(http.StatusOK, "/2/tweets/"+quote+"?tweet.fields=referenced_tweets&expansions=referenced_posts.id")
	if resp.Text("data", "referenced_posts", 0, "type") != "quoted" ||
		resp.Text("data", "referenced_posts", 0, "id") != root {
		t.Errorf("response %s", resp.Body)
	}
	a.post(`{"text":"as you said","quote_tweet_id":"` + root + `","reply":{"in_reply_to_tweet_id":"` + quote + `"}}`)
	root2 := a.get(http.StatusOK, "/2/tweets/"+root+"?tweet.fields=public_metrics")
	if root2.Value("data", "public_metrics", "quote_count") != 2.0 {
		t.Errorf("the quoted post is %s", root2.Body)
	}
}

func TestQuotesNeedPermissionAndOwnPost(t *testing.T) {
	t.Parallel()
	s := simtest.Start(t, x.Network(x.Settings{Quotes: true}), sim.Options{})
	a := &app{Sandbox: s, t: t, seed: s.Seed("ada")}
	root := a.post(`{"text":"root"}`)
	a.seed = s.Seed("bob")
	if resp := a.tweet(`{"text":"look","quote_tweet_id":"` + root + `"}`); resp.Status != http.StatusForbidden ||
		!strings.HasPrefix(resp.Text("detail"), "Quoting this post is not allowed because") {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	if resp := a.tweet(`{"text":"look","quote_tweet_id":"12"}`); resp.Status != http.StatusBadRequest ||
		resp.Text("errors", 0, "message") != "Your quote tweet ID is invalid." {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestMediaIsIncludedOnRequest(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	still := a.upload(http.StatusOK, "", picture(t), nil).Text("data", "id")
	a.uploadJSON(http.StatusOK, "metadata", `{"id":"`+still+`","metadata":{"alt_text":{"text":"Grey"}}}`)
	photo := a.post(`{"text":"photo","media":{"media_ids":["` + still + `"]}}`)
	movie := a.movie()
	video := a.post(`{"text":"film","media":{"media_ids":["` + movie + `"]}}`)
	a.Like(video, 2)
	const query = "&expansions=attachments.media_keys&media.fields=alt_text,public_metrics,non_public_metrics"
	resp := a.get(http.StatusOK, "/2/tweets?ids="+photo+","+video+query)
	want := []any{
		map[string]any{"media_key": "3_" + still, "type": "photo", "alt_text": "Grey"},
		map[string]any{"media_key": "13_" + movie, "type": "video",
			"public_metrics": map[string]any{"view_count": 40.0},
			"non_public_metrics": map[string]any{"playback_0_count": 0.0, "playback_25_count": 0.0,
				"playback_50_count": 0.0, "playback_75_count": 0.0, "playback_100_count": 0.0}},
	}
	if got := resp.Value("includes", "media"); !reflect.DeepEqual(got, any(want)) {
		t.Errorf("files are %v", got)
	}
	if resp.Text("data", 0, "attachments", "media_keys", 0) != "3_"+still {
		t.Errorf("the post is %s", resp.Body)
	}
	plain := a.get(http.StatusOK, "/2/tweets/"+photo+"?tweet.fields=attachments,entities")
	if plain.Value("includes") != nil || plain.Text("data", "attachments", "media_keys", 0) != "3_"+still ||
		plain.Text("data", "entities", "urls", 0, "expanded_url") != "https://x.com/ada/status/"+photo+"/photo/1" {
		t.Errorf("without the expansion: %s", plain.Body)
	}
}

// movie uploads a video and waits until it is processed.
func (a *app) movie() string {
	a.t.Helper()
	file := video(100)
	id := a.initialize(len(file))
	a.upload(http.StatusOK, "/"+id+"/append", file, map[string]string{"segment_index": "0"})
	a.uploadJSON(http.StatusOK, "upload/"+id+"/finalize", `{}`)
	a.Clock.Advance(time.Second)
	return id
}
