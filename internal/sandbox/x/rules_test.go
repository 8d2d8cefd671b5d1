package x_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func TestPostsAtTheEdgeOfTheRulesPass(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for name, body := range map[string]string{
		"280 characters": `{"text":"` + strings.Repeat("a", 280) + `"}`,
		"140 CJK":        `{"text":"` + strings.Repeat("故", 140) + `"}`,
		"256 and an address": `{"text":"` + strings.Repeat("b", 256) + ` https://example.com/` + strings.Repeat("p",
			300) + `"}`,
		"one cashtag":        `{"text":"$AAPL to the moon"}`,
		"prices are no tags": `{"text":"from $5 to $10 USD"}`,
		"short poll":         `{"text":"poll 1","poll":{"options":["a","b"],"duration_minutes":5}}`,
		"long poll": `{"text":"poll 2","poll":{"options":["` + strings.Repeat("ä", 25) +
			`","b","c","d"],"duration_minutes":10080}}`,
		"for the mentioned":   `{"text":"settings 1","reply_settings":"mentionedUsers"}`,
		"for subscribers":     `{"text":"settings 2","reply_settings":"subscribers"}`,
		"for the verified":    `{"text":"settings 3","reply_settings":"verified"}`,
		"community":           `{"text":"group","community_id":"1234567890123456789","share_with_followers":true}`,
		"place":               `{"text":"here","geo":{"place_id":"5a110d312052166f"}}`,
		"advert, unpublished": `{"text":"advert","nullcast":true}`,
	} {
		if resp := a.tweet(body); resp.Status != http.StatusCreated {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
}

func TestRefusalsNameTheParameter(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for name, c := range map[string]struct{ body, parameter, value, message string }{
		"text missing": {`{"media":{"media_ids":["1"]}}`, "text", "", "The `text` field is missing."},
		"only spaces":  {`{"text":"\n\t "}`, "text", "\n\t ", "The `text` field is required unless media is present."},
		"no media ids": {`{"text":"a","media":{"media_ids":[]}}`, "media.media_ids", "0",
			"media_ids must have 1 to 4 items"},
		"eleven tags": {`{"text":"a","media":{"media_ids":["1"],"tagged_user_ids":["1"` + strings.Repeat(`,`+
			`"1"`, 10) + `]}}`,
			"media.tagged_user_ids", "11", "tagged_user_ids must have 0 to 10 items"},
		"five options": {`{"text":"a","poll":{"options":["a","b","c","d","e"],"duration_minutes":5}}`, "poll.options",
			"5",
			"poll.options must have 2 to 4 items"},
		"empty option": {`{"text":"a","poll":{"options":["a",""],"duration_minutes":5}}`, "poll.options", "",
			"each option must have 1 to 25 characters"},
		"endless poll": {`{"text":"a","poll":{"options":["a","b"],"duration_minutes":10081}}`, "poll.duration_minutes",
			"10081", "duration_minutes must be 5 to 10080"},
		"community": {`{"text":"a","community_id":"cats"}`, "community_id", "cats", "community_id is not valid"},
		"reply to words": {`{"text":"a","reply":{"in_reply_to_tweet_id":"latest"}}`, "reply.in_reply_to_tweet_id",
			"latest", "Your reply tweet ID is invalid."},
		"reply to a huge number": {`{"text":"a","reply":{"in_reply_to_tweet_id":"12345678901234567890"}}`,
			"reply.in_reply_to_tweet_id", "12345678901234567890", "Your reply tweet ID is invalid."},
		"settings": {`{"text":"a","reply_settings":"nobody"}`, "reply_settings", "nobody",
			"reply_settings is not one of [following,mentionedUsers,subscribers,verified]"},
	} {
		resp := a.tweet(c.body)
		if resp.Status != http.StatusBadRequest || resp.Text("errors", 0, "message") != c.message ||
			resp.Value("errors", 0, "parameters", c.parameter, 0) != c.value {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
	for name, body := range map[string]string{
		"for super followers": `{"text":"a","for_super_followers_only":true}`,
		"edit":                `{"text":"a","edit_options":{"previous_post_id":"1"}}`,
	} {
		if resp := a.tweet(body); resp.Status != http.StatusForbidden ||
			resp.Text("detail") != "You are not permitted to perform this action." {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
	if posts := a.Posts(); len(posts) != 0 {
		t.Errorf("posted: %+v", posts)
	}
}

func TestOnlyOneAttachmentIsAllowed(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	parts := map[string]string{
		"poll": `"poll":{"options":["a","b"],"duration_minutes":5}`, "quote": `"quote_tweet_id":"1"`,
		"message": `"direct_message_deep_link":"https://x.com/messages"`, "media": `"media":{"media_ids":["1"]}`,
		"card": `"card_uri":"card://1"`,
	}
	const message = "You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or " +
		"card_uri."
	for first, one := range parts {
		for second, other := range parts {
			if first == second {
				continue
			}
			resp := a.tweet(`{"text":"a",` + one + `,` + other + `}`)
			if resp.Status != http.StatusBadRequest || resp.Text("errors", 0, "message") != message ||
				resp.Value("errors", 0, "parameters") != nil {
				t.Errorf("%s and %s: %d %s", first, second, resp.Status, resp.Body)
			}
		}
	}
}

func TestDuplicatesAreNoticedForTwelveHours(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	first := a.post(`{"text":"good morning"}`)
	a.Clock.Advance(12*time.Hour - time.Second)
	a.seed.AccessToken = a.refresh(http.StatusOK, a.seed.RefreshToken).Text("access_token")
	if resp := a.tweet(`{"text":" good\nmorning "}`); resp.Status != http.StatusForbidden ||
		string(resp.Body) != `{"title":"Forbidden","detail":"You are not allowed to create a Tweet with duplicate `+
			`content.","type":"about:blank","status":403}` {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.post(`{"text":"Good morning"}`)
	a.post(`{"text":"good morning","poll":{"options":["a","b"],"duration_minutes":5}}`)
	a.post(`{"text":"good morning","reply":{"in_reply_to_tweet_id":"` + first + `"}}`)
	if resp := a.tweet(`{"text":"good morning","reply":{"in_reply_to_tweet_id":"` + first +
		`"}}`); resp.Status != http.StatusForbidden {
		t.Errorf("the same reply twice: %d %s", resp.Status, resp.Body)
	}
	id := a.upload(http.StatusOK, "", picture(t), nil).Text("data", "id")
	for range 2 {
		a.post(`{"text":"good morning","media":{"media_ids":["` + id + `"]}}`)
	}
}

func TestDuplicatesAreNoticedAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	t.Run("before", func(t *testing.T) {
		a := setup(t, sim.Options{DataDir: dir})
		a.post(`{"text":"once"}`)
		gone := a.post(`{"text":"taken back"}`)
		a.Must(http.StatusOK, simtest.Request{Method: "DELETE", Path: "/x/2/tweets/" + gone, Token: a.seed.AccessToken})
	})
	a := setup(t, sim.Options{DataDir: dir})
	if resp := a.tweet(`{"text":"once"}`); resp.Status != http.StatusForbidden {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	a.post(`{"text":"taken back"}`)
}

func TestMentionsMatchWholeHandles(t *testing.T) {
	t.Parallel()
	for text, invited := range map[string]bool{
		"@bob": true, "hi @Bob!": true, "(@bob)": true, "@ada @bob": true,
		"@bobby": false, "mail@bob": false, "@@bob": false, "bob": false, "@bob_": false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{})
			id := a.post(`{"text":"` + text + `"}`)
			a.seed = a.Seed("bob")
			want := http.StatusForbidden
			if invited {
				want = http.StatusCreated
			}
			if resp := a.tweet(`{"text":"here","reply":{"in_reply_to_tweet_id":"` + id + `"}}`); resp.Status != want {
				t.Errorf("%d %s, want %d", resp.Status, resp.Body, want)
			}
		})
	}
}

func TestDeletedPostsCannotBeAnsweredReadOrReposted(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	root := a.post(`{"text":"root"}`)
	reply := a.post(`{"text":"reply","reply":{"in_reply_to_tweet_id":"` + root + `"}}`)
	a.Must(http.StatusOK, simtest.Request{Method: "DELETE", Path: "/x/2/tweets/" + root, Token: a.seed.AccessToken})
	if resp := a.tweet(`{"text":"late","reply":{"in_reply_to_tweet_id":"` + root + `"}}`); resp.Status != 400 ||
		resp.Text("errors", 0, "message") != "Your reply tweet ID is invalid." {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	resp := a.get(http.StatusNotFound, "/2/tweets/"+root)
	want := `{"title":"Not Found Error","detail":"Could not find tweet with id: [` + root + `].",` +
		`"type":"https://api.x.com/2/problems/resource-not-found","resource_type":"tweet","resource_id":"` + root +
		`","parameter":"id","value":"` + root + `"}`
	if string(resp.Body) != want {
		t.Errorf("response %s, want %s", resp.Body, want)
	}
	repost := simtest.Request{Method: "POST", Path: "/x/2/users/" + a.seed.AccountID + "/retweets",
		Token: a.seed.AccessToken, JSON: `{"tweet_id":"` + root + `"}`}
	if resp := a.Must(http.StatusBadRequest, repost); resp.Text("errors", 0, "message") !=
		"Could not find tweet with tweet_id: ["+root+"]." {
		t.Errorf("repost: %s", resp.Body)
	}
	a.get(http.StatusOK, "/2/tweets/"+reply)
}

func TestRepostsNeedAPostAndTheOwnAccount(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	path := "/x/2/users/" + a.seed.AccountID + "/retweets"
	for name, body := range map[string]string{"empty": `{}`, "unknown key": `{"tweet_id":"1","a":1}`, "no JSON": `x`} {
		resp := a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: path, Token: a.seed.AccessToken,
			JSON: body})
		if resp.Text("errors", 0, "message") != "The `tweet_id` field is missing" {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
	a.Must(http.StatusForbidden, simtest.Request{Method: "DELETE", Path: "/x/2/users/1/retweets/2",
		Token: a.seed.AccessToken})
	// Undoing a repost that does not exist succeeds.
	resp := a.Must(http.StatusOK, simtest.Request{Method: "DELETE", Path: path + "/2", Token: a.seed.AccessToken})
	if string(resp.Body) != `{"data":{"retweeted":false}}` {
		t.Errorf("response %s", resp.Body)
	}
}

func TestRepostAfterUndoIsANewOne(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"original"}`)
	path := "/x/2/users/" + a.seed.AccountID + "/retweets"
	repost := simtest.Request{Method: "POST", Path: path, Token: a.seed.AccessToken, JSON: `{"tweet_id":"` + id + `"}`}
	first := a.Must(http.StatusOK, repost).Text("data", "rest_id")
	a.Must(http.StatusOK, simtest.Request{Method: "DELETE", Path: path + "/" + id, Token: a.seed.AccessToken})
	if second := a.Must(http.StatusOK, repost).Text("data", "rest_id"); second == first || second == "" {
		t.Errorf("reposts are %s and %s", first, second)
	}
	resp := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields=public_metrics")
	if resp.Value("data", "public_metrics", "retweet_count") != 1.0 {
		t.Errorf("the post is %s", resp.Body)
	}
}
