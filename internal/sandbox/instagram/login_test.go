package instagram_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

const redirect = "https://app.example/cb"

// authorize submits a consent page and returns the redirect.
func (a *app) authorize(path, scope string, form url.Values) *url.URL {
	a.t.Helper()
	q := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {redirect}, "state": {"S"},
		"scope": {scope}}
	address := "/instagram" + path + "?" + q.Encode()
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: address})
	return a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: address, Form: form}).Location()
}

func (a *app) get(status int, path string, params url.Values) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "GET", Path: "/instagram" + path + "?" + params.Encode()})
}

// exchange exchanges a code of Instagram Login.
func (a *app) exchange(status int, code string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "POST", Path: "/instagram/oauth/access_token",
		Form: url.Values{"client_id": {"app"}, "client_secret": {"secret"},
			"grant_type": {"authorization_code"}, "redirect_uri": {redirect}, "code": {code}}})
}

const allScopes = "instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments,instagram_business_manage_insights"

func TestInstagramLogin(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	to := a.authorize("/oauth/authorize", allScopes, url.Values{"decision": {"allow"}, "name": {"carol"}})
	if to.Fragment != "_" || to.Query().Get("state") != "S" {
		t.Errorf("consent redirects to %s", to)
	}
	short := a.exchange(http.StatusOK, to.Query().Get("code"))
	if !strings.Contains(string(short.Body), `"user_id":17841`) ||
		short.Text("permissions", 1) != "instagram_business_content_publish" {
		t.Errorf("response %s", short.Body)
	}
	if again := a.exchange(http.StatusBadRequest,
		to.Query().Get("code")); again.Text("error_type") != "OAuthException" || again.Value("code") != 400.0 ||
		again.Text("error_message") != "Matching code was not found or was already used" {
		t.Errorf("a code used twice: %s", again.Body)
	}
	params := url.Values{"grant_type": {"ig_exchange_token"}, "client_secret": {"secret"},
		"access_token": {short.Text("access_token")}}
	long := a.get(http.StatusOK, "/access_token", params)
	if long.Value("expires_in") != 5183944.0 || long.Text("token_type") != "bearer" {
		t.Errorf("response %s", long.Body)
	}
	a.seed.AccessToken = long.Text("access_token")
	me := a.must("GET", "me", "fields",
		"id,user_id,username,name,account_type,profile_picture_url,followers_count,media_count")
	if me.Text("username") != "carol" || me.Text("account_type") != "BUSINESS" || me.Text("id") == me.Text("user_id") {
		t.Errorf("identity is %s", me.Body)
	}
	wantError(t, a.call("GET", me.Text("id")), 100, 33)
	a.must("GET", me.Text("user_id"))
	a.Clock.Advance(time.Hour)
	wantError(t, a.get(http.StatusBadRequest, "/access_token", params), 190, 463)
}

func TestTokensCanBeRefreshedAfterADay(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	a.must("GET", "me")
	refresh := func(status int, token string) simtest.Response {
		return a.get(status, "/refresh_access_token",
			url.Values{"grant_type": {"ig_refresh_token"}, "access_token": {token}})
	}
	wantError(t, refresh(http.StatusBadRequest, a.seed.AccessToken), 100, 0)
	a.Clock.Advance(24 * time.Hour)
	renewed := refresh(http.StatusOK, a.seed.AccessToken)
	if renewed.Value("expires_in") != 5183944.0 || renewed.Text("access_token") == a.seed.AccessToken {
		t.Errorf("response %s", renewed.Body)
	}
	a.must("GET", "me")
	a.Clock.Advance(59 * 24 * time.Hour)
	wantError(t, a.call("GET", "me"), 190, 463)
	wantError(t, refresh(http.StatusBadRequest, a.seed.AccessToken), 190, 463)
	a.seed.AccessToken = renewed.Text("access_token")
	a.must("GET", "me")
	a.Fault(sim.Refresh, sim.AuthExpired, nil)
	wantError(t, refresh(http.StatusBadRequest, renewed.Text("access_token")), 190, 463)
}

func TestConsentCanBeRefusedOrNarrowed(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	denied := a.authorize("/oauth/authorize", allScopes, url.Values{"decision": {"deny"}}).Query()
	if denied.Get("error") != "access_denied" || denied.Get("error_reason") != "user_denied" ||
		denied.Get("state") != "S" {
		t.Errorf("denied: %v", denied)
	}
	code := a.authorize("/oauth/authorize", allScopes,
		url.Values{"decision": {"allow"}, "name": {"carol"}, "scope": {"instagram_business_basic"}}).Query().Get("code")
	a.seed.AccessToken = a.exchange(http.StatusOK, code).Text("access_token")
	id := a.must("GET", "me", "fields", "user_id").Text("user_id")
	wantError(t, a.call("POST", id+"/media", "image_url", a.picture()), 10, 0)
	a.Must(http.StatusBadRequest, simtest.Request{Method: "GET",
		Path: "/instagram/oauth/authorize?client_id=app&scope=everything&redirect_uri=" + redirect})
}

const facebookScopes = "instagram_basic,instagram_content_publish,instagram_manage_comments,instagram_manage_insights,instagram_manage_contents,pages_show_list,pages_read_engagement,business_management"

// connectByFacebook logs in with Facebook and returns the person's long-lived token.
func (a *app) connectByFacebook() string {
	a.t.Helper()
	to := a.authorize("/v25.0/dialog/oauth", facebookScopes, url.Values{"decision": {"allow"}, "name": {"carol"}})
	short := a.get(http.StatusOK, "/v25.0/oauth/access_token",
		url.Values{"client_id": {"app"}, "client_secret": {"secret"}, "redirect_uri": {redirect},
			"code": {to.Query().Get("code")}})
	long := a.get(http.StatusOK, "/v25.0/oauth/access_token",
		url.Values{"client_id": {"app"}, "client_secret": {"secret"}, "grant_type": {"fb_exchange_token"},
			"fb_exchange_token": {short.Text("access_token")}})
	if short.Value("expires_in") != 5138.0 || long.Value("expires_in") != 5183944.0 ||
		!strings.HasPrefix(long.Text("access_token"), "EAA") {
		a.t.Errorf("responses %s and %s", short.Body, long.Body)
	}
	return long.Text("access_token")
}

func TestFacebookLoginOffersSeveralAccounts(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	a.seed.AccessToken = a.connectByFacebook()
	pages := a.must("GET", "me/accounts", "fields",
		"id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}", "limit", "100")
	if pages.Text("data", 0, "instagram_business_account", "username") != "carol" ||
		pages.Value("data", 1, "instagram_business_account") != nil || pages.Text("data", 1, "name") == "" ||
		pages.Value("data", 2) != nil {
		t.Fatalf("pages are %s", pages.Body)
	}
	portfolio := a.must("GET", "me/businesses", "fields", "id,name").Text("data", 0, "id")
	pages = a.must("GET", portfolio+"/owned_pages", "fields", "access_token,instagram_business_account{id,username}")
	if pages.Text("data", 0, "instagram_business_account", "username") != "carol.studio" {
		t.Fatalf("pages of the portfolio are %s", pages.Body)
	}
	if granted := a.must("GET", "me/permissions"); granted.Text("data", 1,
		"permission") != "instagram_content_publish" || granted.Text("data", 1, "status") != "granted" {
		t.Errorf("permissions are %s", granted.Body)
	}
	user := a.seed.AccessToken
	a.seed.AccessToken, a.seed.AccountID = pages.Text("data", 0, "access_token"),
		pages.Text("data", 0, "instagram_business_account", "id")
	a.publish("image_url", a.picture(), "caption", "from the studio")
	if posts := a.Posts(); posts[0].AccountID != a.seed.AccountID {
		t.Errorf("posted as %s", posts[0].AccountID)
	}
	a.Clock.Advance(365 * 24 * time.Hour)
	a.must("GET", a.seed.AccountID, "fields", "id,username,name,profile_picture_url,followers_count,media_count")
	a.seed.AccessToken = user
	wantError(t, a.call("GET", "me/accounts"), 190, 463)
}

func TestRevokingEndsTheTokensOfPages(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	user := a.connectByFacebook()
	a.seed.AccessToken = user
	page := a.must("GET", "me/accounts").Text("data", 0, "access_token")
	facts := a.get(http.StatusOK, "/v25.0/debug_token",
		url.Values{"input_token": {page}, "access_token": {"app|secret"}})
	if facts.Value("data", "is_valid") != true || facts.Text("data", "type") != "PAGE" ||
		facts.Value("data", "expires_at") != 0.0 {
		t.Errorf("token is %s", facts.Body)
	}
	id := a.must("GET", "me").Text("id")
	if resp := a.must("DELETE", id+"/permissions"); resp.Value("success") != true {
		t.Errorf("response %s", resp.Body)
	}
	for _, token := range []string{user, page} {
		a.seed.AccessToken = token
		wantError(t, a.call("GET", "me"), 190, 458)
	}
	facts = a.get(http.StatusOK, "/v25.0/debug_token",
		url.Values{"input_token": {page}, "access_token": {"app|secret"}})
	if facts.Value("data", "is_valid") != false || facts.Value("data", "error", "subcode") != 458.0 {
		t.Errorf("token is %s", facts.Body)
	}
}

func TestAppsCanProveTheirSecret(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{Clients: map[string]string{"app": "secret"}})
	a.seed.AccessToken = a.connectByFacebook()
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(a.seed.AccessToken))
	a.must("GET", "me", "appsecret_proof", hex.EncodeToString(mac.Sum(nil)))
	wantError(t, a.call("GET", "me", "appsecret_proof", strings.Repeat("00", 32)), 100, 0)
}

func TestInvalidTokens(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	a.seed.AccessToken = "IGAAnonsense"
	wantError(t, a.call("GET", "me"), 190, 0)
	a.seed.AccessToken = ""
	wantError(t, a.call("GET", "me"), 104, 0)
	a.seed = a.Seed("bob")
	other := a.Seed("ada").AccountID
	wantError(t, a.call("POST", other+"/media", "image_url", a.picture()), 100, 33)
	wantError(t, a.call("GET", "me/nosuchedge"), 2500, 0)
}
