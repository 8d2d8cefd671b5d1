package facebook_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

const (
	redirect  = "https://app.example/cb"
	allScopes = "pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,read_insights"
)

// authorize submits the login dialog and returns the redirect.
func (a *app) authorize(form url.Values) *url.URL {
	a.t.Helper()
	q := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {redirect}, "state": {"S"},
		"scope": {allScopes}}
	address := version + "dialog/oauth?" + q.Encode()
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: address})
	return a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: address, Form: form}).Location()
}

func (a *app) token(status int, params url.Values) simtest.Response {
	a.t.Helper()
	params.Set("client_id", "app")
	params.Set("client_secret", "secret")
	return a.Must(status, simtest.Request{Method: "GET", Path: version + "oauth/access_token?" + params.Encode()})
}

// login logs in as carol and returns the short-lived and the long-lived token.
func (a *app) login() (short, long string) {
	a.t.Helper()
	code := a.authorize(url.Values{"decision": {"allow"}, "name": {"carol"}}).Query().Get("code")
	short = a.token(http.StatusOK, url.Values{"redirect_uri": {redirect}, "code": {code}}).Text("access_token")
	long = a.token(http.StatusOK, url.Values{"grant_type": {"fb_exchange_token"},
		"fb_exchange_token": {short}}).Text("access_token")
	return short, long
}

func TestLoginReturnsSeveralPages(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	short, long := a.login()
	a.seed.AccessToken = long
	pages := a.must("GET", "me/accounts", "fields",
		"id,name,username,access_token,category,tasks,picture.type(large){url}", "limit", "2")
	if pages.Text("data", 0, "name") != "Carol Page" || pages.Text("data", 0, "username") != "carol" ||
		pages.Text("data", 0, "picture", "data", "url") == "" ||
		pages.Text("data", 1, "name") != "Carol Shop" || pages.Value("data", 2) != nil {
		t.Fatalf("pages are %s", pages.Body)
	}
	rest := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: pages.Text("paging", "next")})
	if rest.Text("data", 0, "name") != "Carol Archive" || rest.Text("data", 0, "tasks", 0) != "ANALYZE" ||
		rest.Value("paging", "next") != nil {
		t.Fatalf("next page is %s", rest.Body)
	}
	if granted := a.must("GET", "me/permissions"); granted.Text("data", 1, "permission") != "pages_manage_posts" ||
		granted.Text("data", 1, "status") != "granted" {
		t.Errorf("permissions are %s", granted.Body)
	}
	wantError(t, a.call("POST", pages.Text("data", 0, "id")+"/feed", "message", "as a person"), 190, 2069032)
	a.seed.AccessToken, a.page = pages.Text("data", 1, "access_token"), pages.Text("data", 1, "id")
	a.post("as a Page")
	if posts := a.Posts(); posts[0].AccountID != a.page {
		t.Errorf("posted as %s", posts[0].AccountID)
	}
	a.seed.AccessToken, a.page = rest.Text("data", 0, "access_token"), rest.Text("data", 0, "id")
	wantError(t, a.call("POST", a.page+"/feed", "message", "not allowed"), 200, 0)
	a.seed.AccessToken = short
	soon := a.must("GET", "me/accounts").Text("data", 0, "access_token")
	a.Clock.Advance(2 * time.Hour)
	a.seed.AccessToken = soon
	wantError(t, a.call("GET", "me"), 190, 463)
	a.seed.AccessToken = pages.Text("data", 1, "access_token")
	a.Clock.Advance(365 * 24 * time.Hour)
	if me := a.must("GET", "me", "fields", "id,name,username"); me.Text("username") != "carol.shop" {
		t.Errorf("page is %s", me.Body)
	}
}

func TestLongLivedTokensCannotBeRenewed(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	_, long := a.login()
	a.Clock.Advance(24 * time.Hour)
	again := a.token(http.StatusOK, url.Values{"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {long}})
	if again.Text("access_token") != long || again.Value("expires_in") != 5183944.0-86400 {
		t.Errorf("response %s", again.Body)
	}
	a.Clock.Advance(60 * 24 * time.Hour)
	wantError(t, a.token(http.StatusBadRequest,
		url.Values{"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {long}}), 190, 463)
}

func TestCodesWorkOnce(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	to := a.authorize(url.Values{"decision": {"allow"}, "name": {"carol"}})
	if to.Fragment != "_=_" {
		t.Errorf("consent redirects to %s", to)
	}
	code := to.Query().Get("code")
	wantError(t, a.token(http.StatusBadRequest,
		url.Values{"redirect_uri": {"https://app.example/other"}, "code": {code}}), 100, 36008)
	a.token(http.StatusOK, url.Values{"redirect_uri": {redirect}, "code": {code}})
	wantError(t, a.token(http.StatusBadRequest, url.Values{"redirect_uri": {redirect}, "code": {code}}), 100, 36009)
	denied := a.authorize(url.Values{"decision": {"deny"}}).Query()
	if denied.Get("error") != "access_denied" || denied.Get("error_code") != "200" ||
		denied.Get("error_reason") != "user_denied" || denied.Get("state") != "S" {
		t.Errorf("denied: %v", denied)
	}
}

func TestRevokingEndsAllPages(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	_, a.seed.AccessToken = a.login()
	page := a.must("GET", "me/accounts").Text("data", 0, "access_token")
	id := a.must("GET", "me").Text("id")
	facts := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: version + "debug_token?input_token=" + page +
		"&access_token=app%7Csecret"})
	if facts.Text("data", "type") != "PAGE" || facts.Text("data", "user_id") != id ||
		facts.Text("data", "granular_scopes", 1, "scope") != "pages_manage_posts" ||
		facts.Value("data", "expires_at") != 0.0 {
		t.Errorf("token is %s", facts.Body)
	}
	a.must("DELETE", id+"/permissions")
	wantError(t, a.call("GET", "me"), 190, 458)
	a.seed.AccessToken = page
	wantError(t, a.call("GET", "me"), 190, 458)
}

func TestSeededPageHasAPersonBehindIt(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	if me := a.must("GET", "me", "fields", "id,name,username,followers_count"); me.Text("id") != a.page ||
		me.Text("username") != "ada" || me.Value("followers_count") != 100.0 {
		t.Errorf("page is %s", me.Body)
	}
	code := a.authorize(url.Values{"decision": {"allow"}, "account": {"ada"}}).Query().Get("code")
	a.seed.AccessToken = a.token(http.StatusOK, url.Values{"redirect_uri": {redirect},
		"code": {code}}).Text("access_token")
	if pages := a.must("GET", "me/accounts"); pages.Text("data", 0, "id") != a.page || pages.Value("data", 3) != nil ||
		pages.Text("data", 2, "id") == "" {
		t.Errorf("pages are %s", pages.Body)
	}
}
