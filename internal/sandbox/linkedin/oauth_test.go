package linkedin_test

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
	return a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: "/linkedin/oauth/v2/authorization?" +
		q.Encode(), Form: form}).Location()
}

func (a *app) token(status int, form url.Values) simtest.Response {
	a.t.Helper()
	form.Set("client_id", "app")
	form.Set("client_secret", "secret")
	return a.Must(status, simtest.Request{Method: "POST", Path: "/linkedin/oauth/v2/accessToken", Form: form})
}

func (a *app) connect(scope string) simtest.Response {
	a.t.Helper()
	code := a.authorize(scope, url.Values{"decision": {"allow"}, "name": {"carol"}}).Query().Get("code")
	return a.token(http.StatusOK, exchange(code, redirect))
}

func exchange(code, redirect string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}}
}

func TestMemberTokensCannotBeRefreshed(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	resp := a.connect("openid profile w_member_social")
	if resp.Value("expires_in") != 5184000.0 || resp.Text("scope") != "openid,profile,w_member_social" ||
		resp.Value("refresh_token") != nil || resp.Text("id_token") == "" {
		t.Errorf("response %s", resp.Body)
	}
	a.seed.AccessToken = resp.Text("access_token")
	who := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/linkedin/v2/userinfo",
		Token: a.seed.AccessToken})
	if who.Text("name") != "Carol Sandbox" || who.Value("email") != nil || who.Text("sub") == "" {
		t.Errorf("identity is %s", who.Body)
	}
	a.seed.AccountID = "urn:li:person:" + who.Text("sub")
	a.post("hello", nil)
	a.Clock.Advance(60 * 24 * time.Hour)
	if late := a.must(http.StatusUnauthorized, "POST", "posts",
		a.body("late", nil)); late.Text("code") != "EXPIRED_ACCESS_TOKEN" {
		t.Errorf("after 60 days: %s", late.Body)
	}
}

func TestCommunityAppsGetRefreshTokensAndOrganizations(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	resp := a.connect("r_basicprofile w_member_social w_organization_social r_organization_social " +
		"rw_organization_admin")
	if resp.Value("refresh_token_expires_in") != 31536000.0 {
		t.Fatalf("response %s", resp.Body)
	}
	a.Clock.Advance(330 * 24 * time.Hour)
	again := a.token(http.StatusOK, url.Values{"grant_type": {"refresh_token"},
		"refresh_token": {resp.Text("refresh_token")}})
	if left := float64(35 * 24 * 3600); again.Value("refresh_token_expires_in") != left ||
		again.Value("expires_in") != left {
		t.Errorf("near the end: %s", again.Body)
	}
	a.seed.AccessToken = again.Text("access_token")
	acls := a.must(http.StatusOK, "GET", "organizationAcls?q=roleAssignee&role=ADMINISTRATOR&state=APPROVED", "",
		"X-RestLi-Method", "FINDER")
	organization := acls.Text("elements", 1, "organization")
	if acls.Text("elements", 0, "role") != "ADMINISTRATOR" || !strings.HasPrefix(organization, "urn:li:organization:") {
		t.Fatalf("roles are %s", acls.Body)
	}
	number := strings.TrimPrefix(organization, "urn:li:organization:")
	if one := a.must(http.StatusOK, "GET", "organizations/"+number, ""); one.Text("localizedName") != "Carol Labs" ||
		one.Text("vanityName") != "carol-labs" {
		t.Errorf("organization is %s", one.Body)
	}
	a.seed.AccountID = organization
	a.post("as an organization", nil)
	decorated := a.Must(http.StatusOK, simtest.Request{Method: "GET", Token: a.seed.AccessToken,
		Path: "/linkedin/v2/me?projection=(id,profilePicture(displayImage~:playableStreams))"})
	if decorated.Text("profilePicture", "displayImage~", "elements", 0, "identifiers", 0, "identifier") == "" {
		t.Errorf("the profile has no picture: %s", decorated.Body)
	}
	me := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/linkedin/v2/me", Token: a.seed.AccessToken})
	if me.Text("vanityName") != "carol" {
		t.Errorf("identity is %s", me.Body)
	}
	a.Must(http.StatusForbidden, simtest.Request{Method: "GET", Path: "/linkedin/v2/userinfo",
		Token: a.seed.AccessToken})
}

func TestConsentErrorsComeBackOnTheRedirect(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	if to := a.authorize("openid",
		url.Values{"decision": {"deny"}}); to.Query().Get("error") != "user_cancelled_authorize" ||
		to.Query().Get("state") != "S" {
		t.Errorf("denied: %s", to)
	}
	if to := a.authorize("openid r_member_social",
		url.Values{"decision": {"allow"}}); to.Query().Get("error") != "unauthorized_scope_error" {
		t.Errorf("a closed scope: %s", to)
	}
}

func TestCodesWorkOnceAndForHalfAnHour(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	code := func() string {
		return a.authorize("openid profile", url.Values{"decision": {"allow"}, "name": {"carol"}}).Query().Get("code")
	}
	first := code()
	if resp := a.token(http.StatusBadRequest, exchange(first,
		"https://app.example/other")); resp.Text("error") != "invalid_redirect_uri" {
		t.Errorf("another redirect: %s", resp.Body)
	}
	a.token(http.StatusOK, exchange(first, redirect))
	if resp := a.token(http.StatusUnauthorized, exchange(first,
		redirect)); !strings.Contains(resp.Text("error_description"), "authorization code not found") {
		t.Errorf("used twice: %s", resp.Body)
	}
	late := code()
	a.Clock.Advance(30 * time.Minute)
	if resp := a.token(http.StatusBadRequest, exchange(late, redirect)); resp.Text("error") != "invalid_redirect_uri" {
		t.Errorf("too late: %s", resp.Body)
	}
}

func TestNewScopesRevokeEarlierTokens(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	first := a.connect("openid profile").Text("access_token")
	a.connect("openid profile")
	userinfo := simtest.Request{Method: "GET", Path: "/linkedin/v2/userinfo", Token: first}
	a.Must(http.StatusOK, userinfo)
	a.connect("openid profile w_member_social")
	if resp := a.Must(http.StatusUnauthorized, userinfo); resp.Value("serviceErrorCode") != 65601.0 ||
		resp.Value("code") != nil {
		t.Errorf("response %s", resp.Body)
	}
}

func TestRevokedTokensAreDead(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	a.Must(http.StatusOK, simtest.Request{Method: "POST", Path: "/linkedin/oauth/v2/revoke",
		Form: url.Values{"client_id": {"app"}, "client_secret": {"secret"}, "token": {a.seed.AccessToken}}})
	a.must(http.StatusUnauthorized, "POST", "posts", a.body("late", nil))
}

func TestTokenErrors(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	a.seed.AccessToken = ""
	if resp := a.must(http.StatusUnauthorized, "POST", "posts",
		a.body("a", nil)); resp.Text("code") != "EMPTY_ACCESS_TOKEN" {
		t.Errorf("no token: %s", resp.Body)
	}
	a.seed.AccessToken = "AQVnosuch"
	if resp := a.must(http.StatusUnauthorized, "POST", "posts",
		a.body("a", nil)); resp.Text("code") != "INVALID_ACCESS_TOKEN" || resp.Value("serviceErrorCode") != 65600.0 {
		t.Errorf("unknown token: %s", resp.Body)
	}
	if resp := a.token(http.StatusBadRequest, url.Values{"grant_type": {"refresh_token"},
		"refresh_token": {"AQXnosuch"}}); !strings.Contains(resp.Text("error_description"),
		"invalid, expired or revoked") {
		t.Errorf("unknown refresh token: %s", resp.Body)
	}
}
