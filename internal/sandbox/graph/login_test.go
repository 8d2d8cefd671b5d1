package graph

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

// loginNetwork is a network with both logins of the Graph API and a manual clock.
type loginNetwork struct {
	*harness
	now time.Time
}

func (d *loginNetwork) Fault(r *http.Request, f sim.Fault) sim.Reply {
	return d.api.Fault(r, f, func() sim.Reply { return Problem{Code: 368, Message: "own words"}.Reply() })
}

func (d *loginNetwork) NotFound() sim.Reply { return NotFound() }

var userLogin = UserLogin{Grant: "th", TokenPrefix: "TH", Scopes: []string{"basic", "publish"}, BasicScope: "basic",
	Exchanged: func(t sim.Token) any {
		return map[string]string{"access_token": t.Value, "user_id": t.AccountID}
	},
	CodeRefused: func(message string) sim.Reply {
		return sim.Reply{Status: http.StatusBadRequest, Body: map[string]string{"error_message": message}}
	}}

// pagesOf returns the Pages of a person: one that the person manages, and one of which only the name is visible.
func pagesOf(*Call, string) []Page {
	source := func(id string) Source {
		return Lookup(map[string]any{"id": id, "name": "Page " + id, "category": "Shop"})
	}
	return []Page{
		{AccountID: "page1", ID: "11", Tasks: []string{"CREATE_CONTENT"}, Portfolio: []string{OwnedPages},
			Source: source("11")},
		{AccountID: "page2", ID: "22", Portfolio: []string{ClientPages}, Hidden: true, Source: source("22")},
	}
}

func setupLogin(t *testing.T, options sim.Options) *loginNetwork {
	t.Helper()
	d := &loginNetwork{harness: &harness{t: t}, now: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	options.Now = func() time.Time { return d.now }
	network := sim.Network{Name: "toy", Title: "Toy",
		Account: func(handle string) (sim.Account, error) {
			return sim.Account{ID: "id-" + handle, Handle: handle, Name: handle}, nil
		},
		New: func(env *sim.Env) sim.Service {
			d.api = New(env, Terms{UseCase: "toy", CallsPerDay: CallsPerDay, AppTokenPrefix: "TH|",
				Throttled: Problem{Code: 4, Message: "too many"}})
			d.api.ServeLogin(Login{Scopes: []string{"pages_show_list", ScopePortfolio, "publish"},
				Person: func(account string) Person { return Person{ID: "p-" + account, Name: account} },
				Pages:  pagesOf})
			d.api.ServeUserLogin(userLogin)
			d.api.Node(http.MethodGet, Always(sim.Read), func(c *Call) sim.Reply {
				return OK(Object{"id": c.Node, "account": c.Token.AccountID})
			})
			return d
		}}
	var err error
	if d.world, err = sim.Open(options, []sim.Network{network}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.world.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// response is a JSON response.
type response struct {
	t      *testing.T
	status int
	header http.Header
	body   string
	json   map[string]any
}

// do sends a request; the form is the body of a POST.
func (d *loginNetwork) do(method, path string, form url.Values) response {
	d.t.Helper()
	r := httptest.NewRequestWithContext(d.t.Context(), method, "/toy"+path, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	rec := httptest.NewRecorder()
	d.world.ServeHTTP(rec, r)
	a := response{t: d.t, status: rec.Code, header: rec.Header(), body: rec.Body.String()}
	if strings.HasPrefix(a.body, "{") {
		if err := json.Unmarshal(rec.Body.Bytes(), &a.json); err != nil {
			d.t.Fatal(err)
		}
	}
	return a
}

// text returns a string field of the response.
func (a response) text(key string) string {
	value, _ := a.json[key].(string)
	return value
}

// refused checks the code, the subcode and the text of a Graph API error.
func (a response) refused(name string, status, code, subcode int, words string) {
	a.t.Helper()
	problem, _ := a.json["error"].(map[string]any)
	got, _ := problem["error_subcode"].(float64)
	if a.status != status || problem["code"] != float64(code) || int(got) != subcode ||
		!strings.Contains(a.body, words) {
		a.t.Errorf("%s: %d %s, want %d with %d/%d and %q", name, a.status, a.body, status, code, subcode, words)
	}
}

const redirect = "https://app.example/cb"

// code submits a consent page as carol and returns the code.
func (d *loginNetwork) code(path, scope string) string {
	d.t.Helper()
	q := url.Values{"client_id": {"app"}, "redirect_uri": {redirect}, "scope": {scope}, "state": {"S"}}
	a := d.do(http.MethodPost, path+"?"+q.Encode(), url.Values{"decision": {"allow"}, "name": {"carol"}})
	to, err := url.Parse(a.header.Get("Location"))
	if err != nil || to.Query().Get("code") == "" || to.Query().Get("state") != "S" {
		d.t.Fatalf("consent: %d %s %v", a.status, a.body, a.header)
	}
	return to.Query().Get("code")
}

// login connects carol with Facebook Login and returns the token response.
func (d *loginNetwork) login(scope string) response {
	d.t.Helper()
	q := url.Values{"client_id": {"app"}, "client_secret": {"secret"}, "redirect_uri": {redirect},
		"code": {d.code("/v25.0/dialog/oauth", scope)}}
	return d.do(http.MethodGet, "/v25.0/oauth/access_token?"+q.Encode(), nil)
}

func (d *loginNetwork) extend(token string) response {
	d.t.Helper()
	q := url.Values{"grant_type": {"fb_exchange_token"}, "client_id": {"app"}, "client_secret": {"secret"},
		"fb_exchange_token": {token}}
	return d.do(http.MethodGet, "/v25.0/oauth/access_token?"+q.Encode(), nil)
}

func TestFacebookLoginIssuesShortAndLongLivedTokens(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{})
	short := d.login("pages_show_list")
	if short.text("token_type") != "bearer" || short.json["expires_in"] != 5138.0 ||
		!strings.HasPrefix(short.text("access_token"), "EAA") {
		t.Fatalf("short: %s", short.body)
	}
	long := d.extend(short.text("access_token"))
	if long.json["expires_in"] != 5183944.0 || long.text("access_token") == short.text("access_token") {
		t.Fatalf("long: %s", long.body)
	}
	d.now = d.now.Add(time.Hour)
	again := d.extend(long.text("access_token"))
	if again.text("access_token") != long.text("access_token") || again.json["expires_in"] != 5183944.0-3600 {
		t.Errorf("a long-lived token is extended: %s", again.body)
	}
	d.now = d.now.Add(26 * time.Minute)
	d.do(http.MethodGet, "/v25.0/me?access_token="+short.text("access_token"), nil).refused("short, expired", 400, 190,
		463,
		"Error validating access token: Session has expired on Sunday, 15-Nov-26 10:25:38 UTC. The current time is "+
			"Sunday, 15-Nov-26 10:26:00 UTC.")
	d.extend("EAAnosuch").refused("unknown", 400, 190, 0, "Invalid OAuth access token - Cannot parse access token")
	d.extend("").refused("none", 400, 104, 0, "An access token is required to request this resource.")
}

func TestFacebookCodeErrors(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{Clients: map[string]string{"app": "secret"}})
	code := d.code("/dialog/oauth", "publish")
	exchange := func(code, redirect, secret string) response {
		t.Helper()
		q := url.Values{"client_id": {"app"}, "client_secret": {secret}, "redirect_uri": {redirect}, "code": {code}}
		return d.do(http.MethodPost, "/v25.0/oauth/access_token", q)
	}
	exchange(code, redirect, "guess").refused("secret", 400, 101, 0, "Error validating client secret.")
	exchange(code, redirect+"/", "secret").refused("redirect", 400, 100, 36008, "redirect_uri is identical")
	exchange("AQnosuch", redirect, "secret").refused("unknown", 400, 100, 36009,
		"This authorization code has been used.")
	if a := exchange(code, redirect, "secret"); a.status != http.StatusOK {
		t.Fatalf("exchange: %s", a.body)
	}
	exchange(code, redirect, "secret").refused("twice", 400, 100, 36009, "This authorization code has been used.")
	late := d.code("/dialog/oauth", "publish")
	d.now = d.now.Add(time.Hour)
	exchange(late, redirect, "secret").refused("late", 400, 100, 36007, "This authorization code has expired.")
	q := "/v25.0/oauth/access_token?client_id=app&client_secret=secret&grant_type="
	d.do(http.MethodGet, q+"password", nil).refused("grant", 400, 100, 0, "grant_type is not supported")
	if a := d.do(http.MethodGet, q+"client_credentials", nil); a.text("access_token") != "app|secret" {
		t.Errorf("the app's own token: %s", a.body)
	}
}

func TestPersonGrantsListsPagesAndRevokes(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{})
	token := d.extend(d.login("pages_show_list,publish").text("access_token")).text("access_token")
	granted := d.do(http.MethodGet, "/v25.0/me/permissions?access_token="+token, nil)
	if granted.body != `{"data":[{"permission":"pages_show_list","status":"granted"},{"permission":"publish",`+
		`"status":"granted"}]}` {
		t.Errorf("permissions: %s", granted.body)
	}
	list := d.do(http.MethodGet, "/v25.0/me/accounts?fields=id,name,tasks,access_token&access_token="+token, nil)
	data, _ := list.json["data"].([]any)
	if len(data) != 1 {
		t.Fatalf("pages: %s", list.body)
	}
	page, _ := data[0].(map[string]any)
	pageToken, _ := page["access_token"].(string)
	if page["id"] != "11" || page["name"] != "Page 11" || !strings.HasPrefix(pageToken, "EAAP") {
		t.Errorf("the page is %v", page)
	}
	// The token of a Page does not expire if the person's token is long-lived.
	d.now = d.now.Add(365 * 24 * time.Hour)
	if a := d.do(http.MethodGet, "/v25.0/me?access_token="+pageToken, nil); a.text("account") != "page1" {
		t.Errorf("as the page: %s", a.body)
	}
	d.do(http.MethodGet, "/v25.0/me/accounts?access_token="+pageToken, nil).refused("pages of a page", 400, 100, 33,
		"Object with ID 'page1' does not exist")
	d.do(http.MethodGet, "/v25.0/me/permissions?access_token="+pageToken, nil).refused("of a page", 400, 100, 33,
		"get request")
}

func TestPageTokensExpireWithTheirUserToken(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{})
	pageToken := func(user string) string {
		t.Helper()
		list := d.do(http.MethodGet, "/v25.0/me/accounts?access_token="+user, nil)
		return list.json["data"].([]any)[0].(map[string]any)["access_token"].(string)
	}
	short := d.login("pages_show_list").text("access_token")
	first := pageToken(short)
	if second := pageToken(short); second != first {
		t.Errorf("one person's token gives two tokens for a Page: %s, %s", first, second)
	}
	d.now = d.now.Add(5138 * time.Second)
	d.do(http.MethodGet, "/v25.0/me?access_token="+first, nil).refused("expired", 400, 190, 463, "Session has expired")
	user := d.extend(d.login("pages_show_list").text("access_token")).text("access_token")
	page := pageToken(user)
	d.do(http.MethodDelete, "/v25.0/other/permissions?access_token="+user, nil).refused("of another", 400, 100, 33,
		"Unsupported delete request. Object with ID 'other' does not exist")
	if a := d.do(http.MethodDelete, "/v25.0/me/permissions?access_token="+user, nil); a.body != `{"success":true}` {
		t.Fatalf("revoke: %s", a.body)
	}
	for name, value := range map[string]string{"person": user, "page": page} {
		d.do(http.MethodGet, "/v25.0/me?access_token="+value, nil).refused(name, 400, 190, 458,
			"The user has not authorized application.")
	}
}

func TestPortfoliosListHiddenPages(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{})
	token := d.login("pages_show_list " + ScopePortfolio).text("access_token")
	list := d.do(http.MethodGet, "/v25.0/me/businesses?access_token="+token, nil)
	data, _ := list.json["data"].([]any)
	if len(data) != 1 || data[0].(map[string]any)["name"] != "Sandbox portfolio" {
		t.Fatalf("portfolios: %s", list.body)
	}
	id, _ := data[0].(map[string]any)["id"].(string)
	owned := d.do(http.MethodGet, "/v25.0/"+id+"/owned_pages?fields=id,access_token&access_token="+token, nil)
	if !strings.Contains(owned.body, `"id":"11"`) || !strings.Contains(owned.body, `"access_token":"EAAP`) {
		t.Errorf("owned: %s", owned.body)
	}
	// Without a task on the Page there is no token for it.
	client := d.do(http.MethodGet, "/v25.0/"+id+"/client_pages?fields=id,access_token&access_token="+token, nil)
	if !strings.HasPrefix(client.body, `{"data":[{"id":"22"}]`) {
		t.Errorf("clients': %s", client.body)
	}
	d.do(http.MethodGet, "/v25.0/9other/owned_pages?access_token="+token, nil).refused("of another", 400, 100, 33,
		"9other")
	d.do(http.MethodGet, "/v25.0/me/businesses?fields=mood&access_token="+token, nil).refused("field", 400, 100, 0,
		"(#100) Tried accessing nonexisting field (mood) on node type (Business)")
	lacking := d.login("pages_show_list").text("access_token")
	for _, path := range []string{"me/businesses", id + "/owned_pages", id + "/client_pages"} {
		d.do(http.MethodGet, "/v25.0/"+path+"?access_token="+lacking, nil).refused(path, 400, 200, 0,
			"(#200) Requires business_management permission to manage the object")
	}
	none := d.login("publish").text("access_token")
	if a := d.do(http.MethodGet, "/v25.0/me/accounts?access_token="+none, nil); a.body != `{"data":[]}` {
		t.Errorf("without pages_show_list: %s", a.body)
	}
}

func TestDebugToken(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{Clients: map[string]string{"app": "secret"}})
	token := d.login("pages_show_list").text("access_token")
	debug := func(input, by string) response {
		t.Helper()
		return d.do(http.MethodGet, "/v25.0/debug_token?input_token="+input+"&access_token="+url.QueryEscape(by), nil)
	}
	issued := strconv.FormatInt(d.now.Unix(), 10)
	want := `{"data":{"app_id":"app","type":"USER","application":"crier","is_valid":true,"issued_at":` + issued +
		`,"expires_at":` + strconv.FormatInt(d.now.Unix()+5138, 10) + `,"data_access_expires_at":` +
		strconv.FormatInt(d.now.Unix()+90*86400, 10) + `,"scopes":["pages_show_list"],"user_id":"id-carol"}}`
	for _, by := range []string{"app|secret", "TH|app|secret", token} {
		if a := debug(token, by); a.body != want {
			t.Errorf("by %s: %s, want %s", by, a.body, want)
		}
	}
	list := d.do(http.MethodGet, "/v25.0/me/accounts?access_token="+token, nil)
	page := list.json["data"].([]any)[0].(map[string]any)["access_token"].(string)
	if a := debug(page, token); !strings.Contains(a.body, `"type":"PAGE"`) ||
		!strings.Contains(a.body,
			`"granular_scopes":[{"scope":"pages_show_list","target_ids":["page1"]}],"profile_id":"page1"`) {
		t.Errorf("of a page: %s", a.body)
	}
	if a := debug("nosuch", token); a.body != `{"data":{"is_valid":false,"scopes":[],"error":{"code":190,`+
		`"message":"Invalid OAuth access token - Cannot parse access token"}}}` {
		t.Errorf("without a token: %s", a.body)
	}
	debug(token, "app|guess").refused("by a wrong secret", 400, 190, 0, "Cannot parse access token")
	debug(token, "").refused("by nobody", 400, 104, 0, "An access token is required")
}

func TestAppSecretProofIsChecked(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{Clients: map[string]string{"app": "secret"}})
	token := d.login("publish").text("access_token")
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(token))
	good := hex.EncodeToString(mac.Sum(nil))
	path := "/v25.0/me?access_token=" + token + "&appsecret_proof="
	if a := d.do(http.MethodGet, path+good, nil); a.status != http.StatusOK {
		t.Errorf("a good proof: %s", a.body)
	}
	for name, proof := range map[string]string{"empty": "", "short": good[2:], "no hex": strings.Repeat("x", 64),
		"of another": strings.Repeat("0", 64)} {
		d.do(http.MethodGet, path+proof, nil).refused(name, 400, 100, 0,
			"(#100) Invalid appsecret_proof provided in the API argument")
	}
}

func TestUserLoginTokenLifetimes(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{})
	exchange := func(code string, change ...string) response {
		t.Helper()
		form := url.Values{"client_id": {"app"}, "client_secret": {"secret"}, "redirect_uri": {redirect},
			"grant_type": {"authorization_code"}, "code": {code}}
		for i := 0; i < len(change); i += 2 {
			form.Set(change[i], change[i+1])
		}
		return d.do(http.MethodPost, "/oauth/access_token", form)
	}
	code := d.code("/oauth/authorize", "basic,publish")
	for _, c := range [][3]string{{"client_secret", "", "Error validating client secret."},
		{"grant_type", "password", "Invalid grant_type: must be authorization_code"},
		{"code", "AQx", "Matching code was not found or was already used"},
		{"redirect_uri", "https://evil.example", "Error validating verification code."}} {
		if a := exchange(code, c[0], c[1]); a.status != 400 || !strings.HasPrefix(a.text("error_message"), c[2]) {
			t.Errorf("%s: %d %s", c[0], a.status, a.body)
		}
	}
	token := exchange(code).text("access_token")
	if !strings.HasPrefix(token, "TH") || exchange(code).status != http.StatusBadRequest {
		t.Fatalf("token %q", token)
	}
	long := func(token, grant, secret string) response {
		t.Helper()
		return d.do(http.MethodGet, "/access_token?grant_type="+grant+"&client_secret="+secret+"&access_token="+token,
			nil)
	}
	renew := func(token string) response {
		t.Helper()
		return d.do(http.MethodGet, "/refresh_access_token?grant_type=th_refresh_token&access_token="+token, nil)
	}
	long(token, "ig_exchange_token", "secret").refused("grant", 400, 100, 0,
		"(#100) grant_type must be th_exchange_token")
	long(token, "th_exchange_token", "").refused("secret", 400, 101, 0, "Error validating client secret.")
	renew(token).refused("short", 400, 100, 0, "Only long-lived tokens can be refreshed")
	lived := long(token, "th_exchange_token", "secret")
	if lived.json["expires_in"] != 5183944.0 || lived.text("token_type") != "bearer" {
		t.Fatalf("long: %s", lived.body)
	}
	long(lived.text("access_token"), "th_exchange_token", "secret").refused("twice", 400, 452, 0,
		"Session key invalid.")
	d.now = d.now.Add(24*time.Hour - time.Second)
	renew(lived.text("access_token")).refused("young", 400, 100, 0, "must be at least 24 hours old")
	d.now = d.now.Add(time.Second)
	fresh := renew(lived.text("access_token"))
	if fresh.json["expires_in"] != 5183944.0 || fresh.text("access_token") == lived.text("access_token") {
		t.Errorf("renewed: %s", fresh.body)
	}
	if a := d.do(http.MethodGet, "/v1.0/me?access_token="+lived.text("access_token"), nil); a.status != http.StatusOK {
		t.Errorf("the old token: %s", a.body)
	}
	renew(d.login("publish").text("access_token")).refused("of the other login", 400, 190, 0,
		"Cannot parse access token")
	d.do(http.MethodGet, "/refresh_access_token?grant_type=x", nil).refused("grant", 400, 100, 0, "th_refresh_token")
}

func TestRefreshNeedsTheBasicScope(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{})
	form := url.Values{"client_id": {"app"}, "client_secret": {"secret"}, "redirect_uri": {redirect},
		"grant_type": {"authorization_code"}, "code": {d.code("/oauth/authorize", "publish")}}
	token := d.do(http.MethodPost, "/oauth/access_token", form).text("access_token")
	long := d.do(http.MethodGet, "/access_token?grant_type=th_exchange_token&client_secret=secret&access_token="+token,
		nil)
	d.now = d.now.Add(48 * time.Hour)
	d.do(http.MethodGet, "/refresh_access_token?grant_type=th_refresh_token&access_token="+long.text("access_token"),
		nil).
		refused("no basic scope", 403, 10, 0,
			"(#10) Application does not have permission for this action: basic is missing")
}

func TestFaultErrors(t *testing.T) {
	t.Parallel()
	d := setupLogin(t, sim.Options{})
	token := d.login("publish").text("access_token")
	for kind, want := range map[sim.FaultKind]struct {
		status, code, subcode int
		words                 string
	}{
		sim.RateLimit:   {400, 4, 0, "too many"},
		sim.Outage:      {500, 2, 0, `"is_transient":true`},
		sim.AuthExpired: {400, 190, 463, "Session has expired on Sunday, 15-Nov-26 08:00:00 UTC."},
		sim.Reject:      {400, 368, 0, "own words"},
		sim.Restricted:  {400, 368, 0, "own words"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/_control/faults", strings.NewReader(
			`{"provider":"toy","operation":"read","kind":"`+string(kind)+`","count":1,"retryAfterSeconds":90}`))
		r.Header.Set("Content-Type", "application/json")
		d.world.ServeHTTP(httptest.NewRecorder(), r)
		a := d.do(http.MethodGet, "/v25.0/me?access_token="+token, nil)
		a.refused(string(kind), want.status, want.code, want.subcode, want.words)
		if usage := a.header.Get("X-Business-Use-Case-Usage"); !strings.Contains(usage, `{"id-carol":[{"type":"toy"`) ||
			(kind == sim.RateLimit) != strings.Contains(usage, `"estimated_time_to_regain_access":2`) {
			t.Errorf("%s: usage %s", kind, usage)
		}
	}
}
