package x_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func TestTimelineShowsNewPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for i := range 8 {
		a.post(fmt.Sprintf(`{"text":"post %d"}`, i))
		a.Clock.Advance(time.Minute)
	}
	path := "/2/users/" + a.seed.AccountID +
		"/tweets?max_results=5&tweet.fields=created_at,entities,referenced_tweets,note_tweet&exclude=retweets"
	resp := a.get(http.StatusOK, path)
	if resp.Text("data", 0, "text") != "post 7" || resp.Value("meta", "result_count") != 5.0 ||
		resp.Text("data", 0, "created_at") != "2026-11-15T09:07:00.000Z" {
		t.Errorf("first page is %s", resp.Body)
	}
	resp = a.get(http.StatusOK, path+"&pagination_token="+resp.Text("meta", "next_token"))
	if resp.Text("data", 0, "text") != "post 2" || resp.Value("meta", "result_count") != 3.0 ||
		resp.Value("meta", "next_token") != nil {
		t.Errorf("second page is %s", resp.Body)
	}
	resp = a.get(http.StatusOK, path+"&start_time=2026-11-15T09:07:00Z")
	if resp.Value("meta", "result_count") != 1.0 {
		t.Errorf("since 09:07: %s", resp.Body)
	}
	resp = a.get(http.StatusOK, path+"&start_time=2026-11-15T09:08:00Z")
	if resp.Value("meta", "result_count") != 0.0 || resp.Value("data") != nil {
		t.Errorf("an empty page is %s", resp.Body)
	}
	a.get(http.StatusBadRequest, "/2/users/"+a.seed.AccountID+"/tweets?max_results=4")
	a.get(http.StatusBadRequest, "/2/users/"+a.seed.AccountID+"/tweets?start_time=yesterday")
}

func TestMetricsInBothFormats(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"popular"}`)
	a.Like(id, 7)
	old := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields=public_metrics,non_public_metrics")
	if old.Value("data", "public_metrics", "like_count") != 7.0 ||
		old.Value("data", "public_metrics", "retweet_count") != 0.0 ||
		old.Value("data", "non_public_metrics", "engagements") != 7.0 ||
		old.Value("data", "edit_history_tweet_ids") == nil {
		t.Errorf("tweet.fields: %s", old.Body)
	}
	renamed := a.get(http.StatusOK, "/2/tweets/"+id+"?post.fields=public_metrics")
	if renamed.Value("data", "public_metrics", "repost_count") != 0.0 ||
		renamed.Value("data", "edit_history_post_ids") == nil {
		t.Errorf("post.fields: %s", renamed.Body)
	}
	a.get(http.StatusBadRequest, "/2/tweets/"+id+"?tweet.fields=mood")
	a.Clock.Advance(31 * 24 * time.Hour)
	if resp := a.get(http.StatusUnauthorized, "/2/tweets/"+id); resp.Text("title") != "Unauthorized" {
		t.Errorf("expired token: %s", resp.Body)
	}
	a.seed.AccessToken = a.refresh(http.StatusOK, a.seed.RefreshToken).Text("access_token")
	late := a.get(http.StatusOK, "/2/tweets/"+id+"?tweet.fields=non_public_metrics")
	if late.Value("data", "non_public_metrics") != nil ||
		!strings.HasSuffix(late.Text("errors", 0, "type"), "/not-authorized-for-field") {
		t.Errorf("private metrics after 31 days: %s", late.Body)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	resp := a.get(http.StatusOK,
		"/2/users/me?user.fields=id,name,username,profile_image_url,verified,verified_type,subscription_type,protected,public_metrics")
	if resp.Text("data", "id") != a.seed.AccountID || resp.Text("data", "username") != "ada" ||
		resp.Text("data", "subscription_type") != "None" {
		t.Errorf("response %s", resp.Body)
	}
	picture := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: resp.Text("data", "profile_image_url")})
	if picture.Header.Get("Content-Type") != "image/png" {
		t.Errorf("picture is %s", picture.Header.Get("Content-Type"))
	}
}

func TestAppOnlyTokensMayNotPost(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.seed.AccessToken = "AAAAAAAAAAAAAAAAAAAAAapp"
	if resp := a.tweet(`{"text":"hi"}`); resp.Status != 403 ||
		!strings.HasSuffix(resp.Text("type"), "/unsupported-authentication") {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestCreditsRunOut(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{Credits: 215})
	a.post(`{"text":"costs 15"}`)
	a.post(`{"text":"costs 200: example.com"}`)
	if resp := a.tweet(`{"text":"nothing left"}`); resp.Status != http.StatusPaymentRequired ||
		resp.Text("title") != "CreditsDepleted" {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestRateLimitIsEnforced(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	for range 75 {
		a.get(http.StatusOK, "/2/users/me")
	}
	resp := a.get(http.StatusTooManyRequests, "/2/users/me")
	if resp.Text("title") != "Too Many Requests" || resp.Header.Get("x-rate-limit-remaining") != "0" ||
		resp.Header.Get("x-rate-limit-reset") != fmt.Sprint(a.Clock.Now().Add(15*time.Minute).Unix()) ||
		resp.Header.Get("Retry-After") != "" {
		t.Errorf("%s %v", resp.Body, resp.Header)
	}
	a.Clock.Advance(15 * time.Minute)
	a.get(http.StatusOK, "/2/users/me")
}

func TestPagesOfAPost(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.post(`{"text":"<i>look</i>"}`)
	for _, path := range []string{"/x/ada/status/" + id, "/x/i/web/status/" + id, "/x", "/"} {
		page := string(a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: path}).Body)
		if !strings.Contains(page, "&lt;i&gt;look&lt;/i&gt;") ||
			!strings.Contains(page, `href="/x/ada/status/`+id+`"`) {
			t.Errorf("%s: %s", path, page)
		}
	}
	a.Must(http.StatusNotFound, simtest.Request{Method: "GET", Path: "/x/ada/status/1"})
}
