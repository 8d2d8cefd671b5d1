package linkedin_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier/internal/sandbox/linkedin"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// refused checks the status, the code and the text of an error.
func refused(t *testing.T, name string, resp simtest.Response, status int, code, message string) {
	t.Helper()
	if resp.Status != status || resp.Text("code") != code || !strings.Contains(resp.Text("message"), message) ||
		resp.Value("status") != float64(status) {
		t.Errorf("%s: %d %s, want %d %s with %q", name, resp.Status, resp.Body, status, code, message)
	}
}

func TestIdentityNeedsItsScopes(t *testing.T) {
	t.Parallel()
	a := setup(t, "community:ada", sim.Options{})
	resp := a.Must(http.StatusForbidden, simtest.Request{Method: "GET", Path: "/linkedin/v2/userinfo",
		Token: a.seed.AccessToken})
	if string(resp.Body) != `{"status":403,"serviceErrorCode":100,"message":"Not enough permissions to access: `+
		`userinfo.GET.NO_VERSION"}` {
		t.Errorf("userinfo: %s", resp.Body)
	}
	me := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/linkedin/v2/me", Token: a.seed.AccessToken})
	if me.Text("localizedFirstName") != "Ada" || me.Text("localizedLastName") != "Sandbox" ||
		"urn:li:person:"+me.Text("id") != a.seed.AccountID || me.Text("vanityName") != "ada" ||
		me.Value("profilePicture") != nil {
		t.Errorf("me: %s", me.Body)
	}
	decorated := a.Must(http.StatusOK, simtest.Request{Method: "GET", Token: a.seed.AccessToken,
		Path: "/linkedin/v2/me?projection=(id,profilePicture(displayImage~:playableStreams))"})
	picture := decorated.Text("profilePicture", "displayImage~", "elements", 0, "identifiers", 0, "identifier")
	if kind := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: picture}).Header.Get("Content-Type"); kind !=
		"image/png" {
		t.Errorf("the picture %s is %s", picture, kind)
	}
	b := setup(t, "bob", sim.Options{})
	b.Must(http.StatusForbidden, simtest.Request{Method: "GET", Path: "/linkedin/v2/me", Token: b.seed.AccessToken})
}

func TestUserinfoHasTheEmailWithItsScope(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	token := a.connect("openid profile email").Text("access_token")
	resp := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/linkedin/v2/userinfo", Token: token})
	if resp.Text("email") != "carol@sandbox.example" || resp.Value("email_verified") != true ||
		resp.Text("given_name") != "Carol" || resp.Text("family_name") != "Sandbox" ||
		resp.Text("locale", "country") != "US" || resp.Text("locale", "language") != "en" {
		t.Errorf("response %s", resp.Body)
	}
}

func TestMembersAdministerTwoOrganizations(t *testing.T) {
	t.Parallel()
	a := setup(t, "community:acme", sim.Options{})
	list := a.must(http.StatusOK, "GET", "organizationAcls?q=roleAssignee&role=ADMINISTRATOR&state=APPROVED", "")
	if list.Value("paging", "total") != 2.0 || list.Value("elements", 2) != nil {
		t.Fatalf("list is %s", list.Body)
	}
	for i, name := range []string{"Acme Inc", "Acme Labs"} {
		urn := list.Text("elements", i, "organization")
		if list.Text("elements", i, "roleAssignee") != a.seed.AccountID ||
			list.Text("elements", i, "role") != "ADMINISTRATOR" || list.Text("elements", i, "state") != "APPROVED" {
			t.Errorf("role %d is %v", i, list.Value("elements", i))
		}
		id := strings.TrimPrefix(urn, "urn:li:organization:")
		one := a.must(http.StatusOK, "GET", "organizations/"+id, "")
		if one.Text("localizedName") != name || one.Text("vanityName") != strings.ToLower(strings.Replace(name, " ",
			"-", 1)) ||
			one.Text("logoV2", "original") != "urn:li:digitalmediaAsset:"+id {
			t.Errorf("%s is %s", urn, one.Body)
		}
		logo := a.must(http.StatusOK, "GET", "images/urn:li:image:"+id, "")
		if logo.Text("owner") != urn || logo.Text("status") != "AVAILABLE" {
			t.Errorf("logo is %s", logo.Body)
		}
		a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: logo.Text("downloadUrl")})
	}
	for _, query := range []string{"&role=CONTENT_ADMIN", "&state=REQUESTED"} {
		if none := a.must(http.StatusOK, "GET", "organizationAcls?q=roleAssignee"+query, ""); none.Value("elements",
			0) != nil || none.Value("elements") == nil {
			t.Errorf("%s: %s", query, none.Body)
		}
	}
	refused(t, "finder", a.rest("GET", "organizationAcls?q=organization", ""), 400, "PARAM_INVALID",
		"q must be roleAssignee")
	refused(t, "method", a.rest("GET", "organizationAcls?q=roleAssignee", "", "X-RestLi-Method", "GET"), 400,
		"PARAM_INVALID", "X-RestLi-Method must be FINDER")
	refused(t, "unknown", a.rest("GET", "organizations/12", ""), 404, "NOT_FOUND", "Entity with key 12 not found")
	refused(t, "no number", a.rest("GET", "organizations/acme", ""), 404, "NOT_FOUND", "Entity with key acme not found")
}

func TestOrganizationsAreFoundByExactName(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	a.must(http.StatusOK, "GET", "organizationAcls?q=roleAssignee", "")
	found := a.must(http.StatusOK, "GET", "organizations?q=vanityName&vanityName=Acme-Labs", "")
	if found.Text("elements", 0, "localizedName") != "Acme Labs" || found.Value("paging", "total") != 1.0 {
		t.Errorf("found %s", found.Body)
	}
	for _, name := range []string{"acme", "acme-l", "nobody"} { // acme is a member
		if none := a.must(http.StatusOK, "GET", "organizations?q=vanityName&vanityName="+name,
			""); none.Value("elements",
			0) != nil {
			t.Errorf("search for %s: %s", name, none.Body)
		}
	}
	refused(t, "no name", a.rest("GET", "organizations?q=vanityName", ""), 400, "PARAM_INVALID", "q must be vanityName")
	b := setup(t, "ada", sim.Options{})
	refused(t, "scope", b.rest("GET", "organizations?q=vanityName&vanityName=acme-inc", ""), 403, "ACCESS_DENIED",
		"organizations.FINDER-vanityName.20260701")
	refused(t, "scope", b.rest("GET", "organizations/1", ""), 403, "ACCESS_DENIED", "organizations.GET.20260701")
	refused(t, "scope", b.rest("GET", "organizationAcls?q=roleAssignee", ""), 403, "ACCESS_DENIED", "organizationAcls")
}

func TestFollowersAreFoundByPrefix(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	for _, name := range []string{"carol", "carlos"} {
		a.authorize("openid profile", url.Values{"decision": {"allow"}, "name": {name}})
	}
	path := "peopleTypeahead?q=organizationFollowers&organization=" + url.QueryEscape(a.seed.AccountID) + "&keywords="
	if two := a.must(http.StatusOK, "GET", path+"Car", ""); two.Value("paging", "total") != 2.0 {
		t.Errorf("search for Car: %s", two.Body)
	}
	one := a.must(http.StatusOK, "GET", path+"caro", "")
	if one.Value("paging", "total") != 1.0 || one.Text("elements", 0, "firstName") != "Carol" ||
		one.Text("elements", 0, "lastName") != "Sandbox" ||
		!strings.HasPrefix(one.Text("elements", 0, "member"), "urn:li:person:") {
		t.Errorf("search for caro: %s", one.Body)
	}
	if none := a.must(http.StatusOK, "GET", path+"Acme+Inc", ""); none.Value("elements", 0) != nil {
		t.Errorf("an organization is a follower: %s", none.Body)
	}
	refused(t, "short", a.rest("GET", path+"ca", ""), 400, "PARAM_INVALID", "keywords must have at least 3 characters")
	refused(t, "not one's own", a.rest("GET", "peopleTypeahead?q=organizationFollowers&organization="+
		url.QueryEscape("urn:li:organization:1")+"&keywords=carol", ""), 403, "ACCESS_DENIED", "peopleTypeahead")
}

func TestConsentErrors(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	good := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {redirect}, "scope": {"openid"}}
	for name, c := range map[string]struct{ key, value, message string }{
		"response type": {"response_type", "token", "response_type must be code"},
		"client":        {"client_id", "", "client_id is missing"},
		"scope":         {"scope", " , ", "scope is missing"},
		"redirect":      {"redirect_uri", "ftp://app.example", "is not an absolute http or https address"},
	} {
		q := maps.Clone(good)
		q.Set(c.key, c.value)
		page := a.Must(http.StatusBadRequest, simtest.Request{Method: "GET",
			Path: "/linkedin/oauth/v2/authorization?" + q.Encode()})
		if !strings.Contains(string(page.Body), c.message) {
			t.Errorf("%s: %s", name, page.Body)
		}
	}
	s := simtest.Start(t, linkedin.Network(linkedin.Settings{Scopes: []string{"openid"}}), sim.Options{})
	good.Set("scope", "openid w_member_social")
	to := s.Must(http.StatusSeeOther, simtest.Request{Method: "GET",
		Path: "/linkedin/oauth/v2/authorization?" + good.Encode()}).Location().Query()
	if to.Get("error") != "unauthorized_scope_error" ||
		to.Get("error_description") != `Scope "w_member_social" is not authorized for your application` {
		t.Errorf("redirected with %v", to)
	}
}

func TestTokenEndpointRefusals(t *testing.T) {
	t.Parallel()
	a := setup(t, "community:ada", sim.Options{Clients: map[string]string{"app": "secret", "other": "x"}})
	for name, c := range map[string]struct {
		form        url.Values
		status      int
		code, words string
	}{
		"grant": {url.Values{"grant_type": {"password"}}, 400, "unsupported_grant_type",
			"The grant_type is not supported"},
		"code": {exchange("AQTnosuch", redirect), 401, "invalid_request", "authorization code not found"},
		"no refresh token": {url.Values{"grant_type": {"refresh_token"}}, 400, "invalid_request",
			`A required parameter "refresh_token" is missing`},
		"access token": {url.Values{"grant_type": {"refresh_token"}, "refresh_token": {a.seed.AccessToken}}, 400,
			"invalid_request", "invalid, expired or revoked"},
	} {
		resp := a.token(c.status, c.form)
		if resp.Text("error") != c.code || !strings.Contains(resp.Text("error_description"), c.words) {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
	for _, path := range []string{"accessToken", "revoke"} {
		resp := a.Must(http.StatusUnauthorized, simtest.Request{Method: "POST", Path: "/linkedin/oauth/v2/" + path,
			Form: url.Values{"client_id": {"app"}, "client_secret": {"guess"}, "grant_type": {"refresh_token"}}})
		if resp.Text("error") != "invalid_client" {
			t.Errorf("%s: %s", path, resp.Body)
		}
	}
	// A token of one app is not valid for another.
	code := a.authorize("w_organization_social", url.Values{"decision": {"allow"},
		"name": {"carol"}}).Query().Get("code")
	pair := a.token(http.StatusOK, exchange(code, redirect))
	a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: "/linkedin/oauth/v2/accessToken",
		Form: url.Values{"client_id": {"other"}, "client_secret": {"x"}, "grant_type": {"refresh_token"},
			"refresh_token": {pair.Text("refresh_token")}}})
}

func TestUnknownPathsAndProtocolsAreRefused(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	refused(t, "path", a.rest("GET", "nosuch", ""), 404, "NOT_FOUND", "No virtual resource found")
	refused(t, "protocol", a.rest("POST", "posts", a.body("a", nil), "X-Restli-Protocol-Version", "1.0.0"), 400,
		"PARAM_INVALID", "X-Restli-Protocol-Version must be 2.0.0")
	for _, version := range []string{"202511", "202611"} {
		a.must(http.StatusCreated, "POST", "posts", a.body("in "+version, nil), "Linkedin-Version", version)
	}
	for _, version := range []string{"202510", "202612", "202600", "202613", "20260901"} {
		refused(t, version, a.rest("POST", "posts", a.body("a", nil), "Linkedin-Version", version), 426,
			"NONEXISTENT_VERSION", "Requested version "+version+" is not active")
	}
}

func TestFaultsOfOtherOperations(t *testing.T) {
	t.Parallel()
	a := setup(t, "community:ada", sim.Options{})
	a.Fault(sim.Publish, sim.RateLimit, map[string]any{"retryAfterSeconds": 3600})
	refused(t, "a day", a.rest("POST", "posts", a.body("a", nil)), 429, "TOO_MANY_REQUESTS",
		"throttle MEMBER DAY limit")
	a.Fault(sim.Publish, sim.RateLimit, map[string]any{"retryAfterSeconds": 3599})
	refused(t, "a while", a.rest("POST", "posts", a.body("a", nil)), 429, "TOO_MANY_REQUESTS",
		"throttle APPLICATION limit")
	a.Fault(sim.Upload, sim.Reject, nil)
	refused(t, "upload", a.rest("POST", "images?action=initializeUpload", "{}"), 400, "MEDIA_ASSET_PROCESSING_FAILED",
		"could not be processed")
	a.Fault(sim.Refresh, sim.AuthExpired, nil)
	resp := a.token(http.StatusBadRequest, url.Values{"grant_type": {"refresh_token"},
		"refresh_token": {a.seed.RefreshToken}})
	if resp.Text("error") != "invalid_request" {
		t.Errorf("refresh: %s", resp.Body)
	}
	a.token(http.StatusOK, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {a.seed.RefreshToken}})
}
