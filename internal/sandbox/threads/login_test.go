package threads_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

const redirect = "https://app.example/cb"

// authorize submits the consent page and returns the redirect.
func (a *app) authorize(scope string, form url.Values) *url.URL {
	a.t.Helper()
	q := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {redirect}, "state": {"S"},
		"scope": {scope}}
	address := "/threads/oauth/authorize?" + q.Encode()
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: address})
	return a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: address, Form: form}).Location()
}

func (a *app) exchange(status int, code string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "POST", Path: "/threads/oauth/access_token",
		Form: url.Values{"client_id": {"app"}, "client_secret": {"secret"},
			"grant_type": {"authorization_code"}, "redirect_uri": {redirect}, "code": {code}}})
}

func (a *app) get(status int, path string, params url.Values) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "GET", Path: "/threads" + path + "?" + params.Encode()})
}

func TestLogin(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{Clients: map[string]string{"app": "secret"}})
	to := a.authorize("threads_basic,threads_content_publish", url.Values{"decision": {"allow"}, "name": {"carol"}})
	if to.Fragment != "_" || to.Query().Get("state") != "S" {
		t.Errorf("consent redirects to %s", to)
	}
	short := a.exchange(http.StatusOK, to.Query().Get("code"))
	if _, isNumber := short.Value("user_id").(float64); !isNumber {
		t.Errorf("response %s", short.Body)
	}
	wantError(t, a.exchange(http.StatusBadRequest, to.Query().Get("code")), 100, 0)
	long := a.get(http.StatusOK, "/access_token", url.Values{"grant_type": {"th_exchange_token"},
		"client_secret": {"secret"}, "access_token": {short.Text("access_token")}})
	if long.Value("expires_in") != 5183944.0 || long.Text("token_type") != "bearer" {
		t.Errorf("response %s", long.Body)
	}
	wantError(t, a.get(http.StatusBadRequest, "/access_token",
		url.Values{"grant_type": {"th_exchange_token"}, "client_secret": {"guess"},
			"access_token": {short.Text("access_token")}}), 101, 0)
	a.seed.AccessToken = long.Text("access_token")
	me := a.must("GET", "me", "fields", "id,username,name,threads_profile_picture_url,threads_biography,is_verified")
	if me.Text("username") != "carol" || !strings.Contains(string(short.Body), `"user_id":`+me.Text("id")+"}") {
		t.Errorf("identity is %s", me.Body)
	}
	facts := a.get(http.StatusOK, "/debug_token", url.Values{"input_token": {a.seed.AccessToken},
		"access_token": {a.seed.AccessToken}})
	if facts.Value("data", "is_valid") != true ||
		facts.Text("data", "type") != "USER" || facts.Text("data", "scopes", 1) != "threads_content_publish" {
		t.Errorf("token is %s", facts.Body)
	}
	wantError(t, a.call("GET", "me/threads_insights", "metric", "likes"), 10, 0)
	wantError(t, a.call("DELETE", "1"), 10, 0)
}

func TestTokensCanBeRefreshedAfterADay(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.must("GET", "me")
	refresh := func(status int, token string) simtest.Response {
		return a.get(status, "/refresh_access_token",
			url.Values{"grant_type": {"th_refresh_token"}, "access_token": {token}})
	}
	a.Clock.Advance(24*time.Hour - time.Second)
	wantError(t, refresh(http.StatusBadRequest, a.seed.AccessToken), 100, 0)
	a.Clock.Advance(time.Second)
	renewed := refresh(http.StatusOK, a.seed.AccessToken).Text("access_token")
	a.Clock.Advance(59 * 24 * time.Hour)
	wantError(t, refresh(http.StatusBadRequest, a.seed.AccessToken), 190, 463)
	a.seed.AccessToken = renewed
	a.must("GET", "me")
}

func TestConsentCanBeRefused(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	denied := a.authorize("threads_basic", url.Values{"decision": {"deny"}}).Query()
	if denied.Get("error") != "access_denied" || denied.Get("error_reason") != "user_denied" {
		t.Errorf("denied: %v", denied)
	}
}
