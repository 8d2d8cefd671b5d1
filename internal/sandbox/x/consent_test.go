package x_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func TestConsentsThatXRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	base := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {"https://app.example/cb"},
		"state": {"S"}, "scope": {"tweet.read"}, "code_challenge": {"abc"}}
	for name, c := range map[string]struct{ key, value, message string }{
		"response":    {"response_type", "token", "response_type must be code"},
		"app":         {"client_id", "", "client_id is missing"},
		"no state":    {"state", "", "state must have 1 to 500 characters"},
		"long state":  {"state", strings.Repeat("s", 501), "state must have 1 to 500 characters"},
		"challenge":   {"code_challenge", "", "code_challenge is missing: PKCE is mandatory"},
		"method":      {"code_challenge_method", "S512", "code_challenge_method must be S256 or plain"},
		"no scope":    {"scope", " ", "scope is missing"},
		"odd scope":   {"scope", "tweet.read tweet.like", "scope holds what X does not know: tweet.like"},
		"redirect":    {"redirect_uri", "app://cb", "is not an absolute http or https address"},
		"to fragment": {"redirect_uri", "https://app.example/cb#x", "without a fragment"},
	} {
		old := base.Get(c.key)
		base.Set(c.key, c.value)
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			page := a.Must(http.StatusBadRequest, simtest.Request{Method: method, Path: "/x/i/oauth2/authorize?" +
				base.Encode()})
			if !strings.Contains(string(page.Body), c.message) || page.Header.Get("Location") != "" {
				t.Errorf("%s by %s: %s", name, method, page.Body)
			}
		}
		base.Set(c.key, old)
		if old == "" {
			base.Del(c.key)
		}
	}
}

func TestPlainChallengesArePassed(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	q := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {"https://app.example/cb?keep=1"},
		"state": {"S"}, "scope": {"tweet.read users.read"}, "code_challenge": {"verifier"}}
	to := a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: "/x/i/oauth2/authorize?" + q.Encode(),
		Form: url.Values{"decision": {"allow"}, "name": {"@carol"}}}).Location()
	if to.Query().Get("keep") != "1" || to.Host != "app.example" {
		t.Errorf("redirects to %s", to)
	}
	code := to.Query().Get("code")
	a.exchange(http.StatusBadRequest, code, "other", "https://app.example/cb?keep=1")
	pair := a.exchange(http.StatusOK, code, "verifier", "https://app.example/cb?keep=1")
	if pair.Text("scope") != "tweet.read users.read" || pair.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("response %s", pair.Body)
	}
}

func TestPublicAppsHaveNoSecret(t *testing.T) {
	t.Parallel()
	refresh := func(a *app, id string) simtest.Response {
		a.t.Helper()
		return a.Do(simtest.Request{Method: "POST", Path: "/x/2/oauth2/token", Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {a.seed.RefreshToken}, "client_id": {id}}})
	}
	for name, c := range map[string]struct {
		clients map[string]string
		id      string
		want    int
	}{
		"any app":             {nil, "app", 200},
		"nobody":              {nil, "", 401},
		"listed as public":    {map[string]string{"app": ""}, "app", 200},
		"listed with secret":  {map[string]string{"app": "secret"}, "app", 401},
		"not among the known": {map[string]string{"other": ""}, "app", 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, sim.Options{Clients: c.clients})
			if resp := refresh(a, c.id); resp.Status != c.want {
				t.Errorf("%d %s, want %d", resp.Status, resp.Body, c.want)
			}
		})
	}
}

func TestTokenEndpointRefusals(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for name, c := range map[string]struct {
		form        url.Values
		code, words string
	}{
		"grant": {url.Values{"grant_type": {"password"}}, "unsupported_grant_type",
			"Value passed for the grant type was invalid."},
		"code": {url.Values{"grant_type": {"authorization_code"}, "code": {"x"}}, "invalid_request",
			"Value passed for the authorization code was invalid."},
		"token": {url.Values{"grant_type": {"refresh_token"}}, "invalid_request",
			"Value passed for the token was invalid."},
		"access token": {url.Values{"grant_type": {"refresh_token"}, "refresh_token": {a.seed.AccessToken}},
			"invalid_request", "Value passed for the token was invalid."},
	} {
		resp := a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: "/x/2/oauth2/token",
			Header: basic("app", "secret"), Form: c.form})
		if resp.Text("error") != c.code || resp.Text("error_description") != c.words {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
	// A token belongs to the app that it was issued to.
	code := a.authorize("verifier", url.Values{"decision": {"allow"}, "name": {"carol"}}).Query().Get("code")
	token := a.exchange(http.StatusOK, code, "verifier", "https://app.example/cb").Text("refresh_token")
	a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: "/x/2/oauth2/token", Header: basic("other",
		"secret"),
		Form: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}})
	a.refresh(http.StatusOK, token)
	a.Must(http.StatusUnauthorized, simtest.Request{Method: "POST", Path: "/x/2/oauth2/revoke",
		Form: url.Values{"token": {token}}})
	unknown := a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: "/x/2/oauth2/revoke", Header: basic("app",
		"secret"),
		Form: url.Values{"token": {"nosuch"}}})
	if string(unknown.Body) != `{"revoked":true}` {
		t.Errorf("an unknown token: %s", unknown.Body)
	}
}

func TestRevokedRefreshTokenLeavesTheAccessToken(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: "/x/2/oauth2/revoke", Header: basic("app", "secret"),
		Form: url.Values{"token": {a.seed.RefreshToken}}})
	a.refresh(http.StatusBadRequest, a.seed.RefreshToken)
	a.get(http.StatusOK, "/2/users/me")
}

func TestRefreshTokensEndAfterHalfAYear(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	next := a.refresh(http.StatusOK, a.seed.RefreshToken).Text("refresh_token")
	a.Clock.Advance(180*24*time.Hour - time.Second)
	last := a.refresh(http.StatusOK, next).Text("refresh_token")
	a.Clock.Advance(180 * 24 * time.Hour)
	a.refresh(http.StatusBadRequest, last)
}

func TestTimelineFilters(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	var ids []string
	for i := range 4 {
		ids = append(ids, a.post(fmt.Sprintf(`{"text":"post %d"}`, i)))
		a.Clock.Advance(time.Minute)
	}
	reply := a.post(`{"text":"reply","reply":{"in_reply_to_tweet_id":"` + ids[0] + `"}}`)
	repost := a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: "/x/2/users/" + a.seed.AccountID +
		"/retweets",
		Token: a.seed.AccessToken, JSON: `{"tweet_id":"` + ids[0] + `"}`}).Text("data", "rest_id")
	a.Must(http.StatusOK, simtest.Request{Method: "DELETE", Path: "/x/2/tweets/" + ids[1], Token: a.seed.AccessToken})
	path := "/2/users/" + a.seed.AccountID + "/tweets?"
	for query, want := range map[string][]string{
		"": {repost, reply, ids[3], ids[2], ids[0]}, "exclude=retweets": {reply, ids[3], ids[2], ids[0]},
		"exclude=replies": {repost, ids[3], ids[2], ids[0]}, "exclude=replies,retweets": {ids[3], ids[2], ids[0]},
		"since_id=" + ids[2]: {repost, reply, ids[3]}, "until_id=" + ids[3]: {ids[2], ids[0]},
		"since_id=" + ids[0] + "&until_id=" + ids[3]:                       {ids[2]},
		"end_time=2026-11-15T09:02:00Z":                                    {ids[0]},
		"start_time=2026-11-15T09:02:00Z&end_time=2026-11-15T09:03:00Z":    {ids[2]},
		"start_time=2026-11-15T10:02:00%2B01:00&exclude=replies,retweets":  {ids[3], ids[2]},
		"max_results=100&exclude=retweets&start_time=2026-11-15T09:03:00Z": {reply, ids[3]},
		"pagination_token=" + ids[0]:                                       {},
		"start_time=2026-11-15T09:00:00Z&end_time=2026-11-15T09:00:00Z":    {},
	} {
		resp := a.get(http.StatusOK, path+query)
		var got []string
		for i := 0; resp.Value("data", i) != nil; i++ {
			got = append(got, resp.Text("data", i, "id"))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || resp.Value("meta",
			"result_count") != float64(len(want)) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
		if len(want) > 0 && (resp.Text("meta", "newest_id") != want[0] || resp.Text("meta",
			"oldest_id") != want[len(want)-1]) {
			t.Errorf("%s: %v", query, resp.Value("meta"))
		}
	}
}

func TestInvalidTimelineRequests(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	path := "/2/users/" + a.seed.AccountID + "/tweets?"
	a.post(`{"text":"a"}`)
	for query, want := range map[string]string{
		"max_results=4":       "The `max_results` query parameter value [4] is not between 5 and 100",
		"max_results=101":     "The `max_results` query parameter value [101] is not between 5 and 100",
		"max_results=ten":     "The `max_results` query parameter value [ten] is not between 5 and 100",
		"start_time=today":    "The `start_time` query parameter value [today] is not a valid RFC3339 timestamp",
		"end_time=2026-11-15": "The `end_time` query parameter value [2026-11-15] is not a valid RFC3339 timestamp",
		"since_id=x":          "The `since_id` query parameter value [x] is not valid",
		"until_id=-1":         "The `until_id` query parameter value [-1] is not valid",
		"pagination_token=b2": "The `pagination_token` query parameter value [b2] is not valid",
		"exclude=quotes":      "The `exclude` query parameter value [quotes] is not one of [replies,retweets]",
	} {
		if got := a.get(http.StatusBadRequest, path+query).Text("errors", 0, "message"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	missing := a.get(http.StatusNotFound, "/2/users/1/tweets")
	if missing.Text("detail") != "Could not find user with id: [1]." || missing.Text("resource_type") != "user" {
		t.Errorf("an unknown user: %s", missing.Body)
	}
	for _, ids := range []string{"", "1" + strings.Repeat(",1", 100)} {
		if resp := a.get(http.StatusBadRequest, "/2/tweets?ids="+ids); !strings.Contains(resp.Text("errors", 0,
			"message"),
			"is not between 1 and 100") {
			t.Errorf("%d ids: %s", strings.Count(ids, ",")+1, resp.Body)
		}
	}
	if resp := a.get(http.StatusBadRequest, "/2/users/me?user.fields=mood"); !strings.Contains(resp.Text("errors", 0,
		"message"),
		"The `user.fields` query parameter value [mood] is not one of [affiliation,") {
		t.Errorf("an unknown field: %s", resp.Body)
	}
}
