package x_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
	"crier/internal/sandbox/x"
)

// app is a client app of the sandbox, with one connected account.
type app struct {
	*simtest.Sandbox
	t    *testing.T
	seed sim.Seed
}

func setup(t *testing.T, options sim.Options) *app {
	t.Helper()
	s := simtest.Start(t, x.Network(x.Settings{}), options)
	return &app{Sandbox: s, t: t, seed: s.Seed("ada")}
}

// tweet posts a body and returns the response.
func (a *app) tweet(body string) simtest.Response {
	a.t.Helper()
	return a.Do(simtest.Request{Method: "POST", Path: "/x/2/tweets", Token: a.seed.AccessToken, JSON: body})
}

// post posts a body, which must succeed, and returns the id.
func (a *app) post(body string) string {
	a.t.Helper()
	resp := a.tweet(body)
	if resp.Status != http.StatusCreated || resp.Text("data", "id") == "" {
		a.t.Fatalf("post %s: %d %s", body, resp.Status, resp.Body)
	}
	return resp.Text("data", "id")
}

func (a *app) get(status int, path string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "GET", Path: "/x" + path, Token: a.seed.AccessToken})
}

func TestPostAnswersWithItsID(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	resp := a.tweet(`{"text":"Hello & <b> https://example.com/a"}`)
	if resp.Status != http.StatusCreated {
		t.Fatalf("%d %s", resp.Status, resp.Body)
	}
	if id := resp.Text("data", "id"); len(id) != 19 {
		t.Errorf("id %q does not look like a snowflake", id)
	}
	if text := resp.Text("data", "text"); !strings.HasPrefix(text, "Hello &amp; &lt;b&gt; https://t.co/") ||
		strings.Contains(text, "example.com") {
		t.Errorf("text is %q", text)
	}
	for _, header := range []string{"x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset",
		"x-transaction-id"} {
		if resp.Header.Get(header) == "" {
			t.Errorf("header %s is missing", header)
		}
	}
	if posts := a.Posts(); len(posts) != 1 || posts[0].Text != "Hello & <b> https://example.com/a" ||
		posts[0].Kind != sim.KindPost {
		t.Errorf("controls show %+v", posts)
	}
}

func TestRejectedPosts(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		body   string
		status int
		want   string
	}{
		"unknown property": {`{"text":"a","colour":"red"}`, 400, "colour"},
		"no text":          {`{"text":"  "}`, 400, "required"},
		"too long":         {`{"text":"` + strings.Repeat("a", 281) + `"}`, 400, "Your Tweet text is too long."},
		"too long in CJK":  {`{"text":"` + strings.Repeat("故", 141) + `"}`, 400, "Your Tweet text is too long."},
		"two cashtags":     {`{"text":"$AAPL and $MSFT"}`, 403, "maximum of one cashtag"},
		"poll and quote": {`{"text":"a","quote_tweet_id":"1","poll":{"options":["a","b"],"duration_minutes":5}}`,
			400, "You can only provide one of poll or quote_tweet_id"},
		"one option": {`{"text":"a","poll":{"options":["a"],"duration_minutes":5}}`, 400, "2 to 4"},
		"long option": {`{"text":"a","poll":{"options":["a","` + strings.Repeat("b", 26) +
			`"],"duration_minutes":5}}`, 400, "25"},
		"short poll":    {`{"text":"a","poll":{"options":["a","b"],"duration_minutes":4}}`, 400, "10080"},
		"unknown media": {`{"text":"a","media":{"media_ids":["1"]}}`, 400, "Your media IDs are invalid."},
		"five media":    {`{"text":"a","media":{"media_ids":["1","2","3","4","5"]}}`, 400, "1 to 4"},
		"reply to nothing": {`{"text":"a","reply":{"in_reply_to_tweet_id":"1"}}`, 400,
			"Your reply tweet ID is invalid."},
		"quote of nothing": {`{"text":"a","quote_tweet_id":"1"}`, 400, "Your quote tweet ID is invalid."},
		"reply settings":   {`{"text":"a","reply_settings":"everyone"}`, 400, "reply_settings"},
		"edit without Premium": {`{"text":"a","edit_options":{"previous_post_id":"1"}}`, 403,
			"You are not permitted to perform this action."},
		"byte order mark": {`{"text":"a\uFEFF"}`, 400, "invalid"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			resp := a.tweet(c.body)
			if resp.Status != c.status || !strings.Contains(string(resp.Body), c.want) {
				t.Errorf("%d %s, want %d with %q", resp.Status, resp.Body, c.status, c.want)
			}
			if posts := a.Posts(); len(posts) != 0 {
				t.Errorf("it was posted: %+v", posts)
			}
		})
	}
}

func TestSameTextTwiceIsADuplicate(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.post(`{"text":"same  text"}`)
	if resp := a.tweet(`{"text":"same text"}`); resp.Status != 403 ||
		resp.Text("detail") != "You are not allowed to create a Tweet with duplicate content." {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.post(`{"text":"same text","reply":{"in_reply_to_tweet_id":"` + first + `"}}`)
	a.Clock.Advance(12 * time.Hour)
	a.seed = a.Seed("bob")
	a.post(`{"text":"same text"}`)
	a.Must(http.StatusForbidden, simtest.Request{Method: "DELETE", Path: "/x/2/tweets/" + first,
		Token: a.seed.AccessToken})
}

func TestDeletedTextCanBePostedAgain(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"again"}`)
	resp := a.Must(http.StatusOK, simtest.Request{Method: "DELETE", Path: "/x/2/tweets/" + id,
		Token: a.seed.AccessToken})
	if resp.Value("data", "deleted") != true {
		t.Errorf("response %s", resp.Body)
	}
	a.Must(http.StatusNotFound, simtest.Request{Method: "DELETE", Path: "/x/2/tweets/" + id, Token: a.seed.AccessToken})
	a.get(http.StatusNotFound, "/2/tweets/"+id)
	a.post(`{"text":"again"}`)
	if posts := a.Posts(); posts[0].DeletedAt == nil || posts[1].DeletedAt != nil {
		t.Errorf("posts are %+v", posts)
	}
}

func TestThreadPartsAreComments(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.post(`{"text":"1/3"}`)
	second := a.post(`{"text":"2/3","reply":{"in_reply_to_tweet_id":"` + first + `"}}`)
	a.post(`{"text":"3/3","reply":{"in_reply_to_tweet_id":"` + second + `"}}`)
	posts := a.Posts()
	if posts[1].Kind != sim.KindComment || *posts[1].ParentID != first || *posts[2].ParentID != second {
		t.Errorf("posts are %+v", posts)
	}
	resp := a.get(http.StatusOK, "/2/tweets?ids="+second+",7&tweet.fields=attachments,conversation_id,referenced_tweets")
	if resp.Text("data", 0, "conversation_id") != first ||
		resp.Text("data", 0, "referenced_tweets", 0, "id") != first ||
		resp.Text("data", 0, "referenced_tweets", 0, "type") != "replied_to" ||
		!strings.HasSuffix(resp.Text("errors", 0, "type"), "/resource-not-found") {
		t.Errorf("response %s", resp.Body)
	}
}

func TestRepliesNeedAMention(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	plain := a.post(`{"text":"nobody is asked"}`)
	invites := a.post(`{"text":"what do you think, @bob?"}`)
	a.seed = a.Seed("bob")
	resp := a.tweet(`{"text":"hi","reply":{"in_reply_to_tweet_id":"` + plain + `"}}`)
	if resp.Status != 403 || !strings.HasPrefix(resp.Text("detail"),
		"Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the "+
			"author") {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.post(`{"text":"hi","reply":{"in_reply_to_tweet_id":"` + invites + `"}}`)
	if resp := a.tweet(`{"text":"look","quote_tweet_id":"` + plain + `"}`); resp.Status != 403 ||
		!strings.HasPrefix(resp.Text("detail"), "Quoting this post is not allowed because") {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestRepostIsIdempotentAndCanBeUndone(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"original"}`)
	repost := simtest.Request{Method: "POST", Path: "/x/2/users/" + a.seed.AccountID + "/retweets",
		Token: a.seed.AccessToken, JSON: `{"tweet_id":"` + id + `"}`}
	first, second := a.Must(http.StatusOK, repost), a.Must(http.StatusOK, repost)
	if first.Value("data", "retweeted") != true || first.Text("data", "rest_id") != second.Text("data", "rest_id") {
		t.Errorf("responses %s and %s", first.Body, second.Body)
	}
	if posts := a.Posts(); len(posts) != 2 || posts[1].Kind != sim.KindRepost || *posts[1].ParentID != id {
		t.Errorf("posts are %+v", posts)
	}
	if text := a.get(http.StatusOK, "/2/users/"+a.seed.AccountID+"/tweets").Text("data", 0,
		"text"); text != "RT @ada: original" {
		t.Errorf("the timeline shows %q", text)
	}
	undo := simtest.Request{Method: "DELETE", Path: "/x/2/users/" + a.seed.AccountID + "/retweets/" + id,
		Token: a.seed.AccessToken}
	if resp := a.Must(http.StatusOK, undo); resp.Value("data", "retweeted") != false {
		t.Errorf("response %s", resp.Body)
	}
	repost.Path = "/x/2/users/1/retweets"
	a.Must(http.StatusForbidden, repost)
}
