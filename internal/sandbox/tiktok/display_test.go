package tiktok_test

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

const allUserFields = "open_id,union_id,avatar_url,avatar_url_100,avatar_large_url,display_name,bio_description," +
	"profile_deep_link,is_verified,username,follower_count,following_count,likes_count,video_count"

func (a *app) user(fields string) simtest.Response {
	a.t.Helper()
	return a.Do(simtest.Request{Method: "GET", Path: "/tiktok/v2/user/info/?fields=" + fields,
		Token: a.seed.AccessToken})
}

func TestUserInfoReturnsTheRequestedFields(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.small()
	a.Clock.Advance(2 * time.Second)
	a.must("post/publish/creator_info/query/", "")
	a.Like(a.Posts()[0].PlatformPostID, 30)
	resp := a.user(allUserFields)
	for field, want := range map[string]any{"open_id": a.seed.AccountID, "display_name": "Ada Clips", "username": "ada",
		"is_verified": false, "following_count": 0.0, "likes_count": 30.0, "video_count": 1.0, "follower_count": 103.0,
		"bio_description": "An account of the crier sandbox"} {
		if got := resp.Value("data", "user", field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	picture := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: resp.Text("data", "user", "avatar_url")})
	if picture.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the picture is %s", picture.Header.Get("Content-Type"))
	}
	if two := a.user("open_id,display_name"); len(two.Value("data", "user").(map[string]any)) != 2 {
		t.Errorf("two fields: %s", two.Body)
	}
	for fields, message := range map[string]string{"": "The parameter fields is required.",
		"mood": "Invalid field: mood"} {
		if resp := a.user(fields); resp.Status != 400 || resp.Text("error", "code") != "invalid_params" ||
			resp.Text("error", "message") != message {
			t.Errorf("fields %q: %d %s", fields, resp.Status, resp.Body)
		}
	}
}

// connect connects carol with some scopes and uses her token.
func (a *app) connect(scopes ...string) {
	a.t.Helper()
	form := url.Values{"decision": {"allow"}, "name": {"carol"}, "scope": scopes}
	code := a.authorize("", form).Get("code")
	a.seed.AccessToken = a.token(http.StatusOK, exchange(code, "https://app.example/cb", "")).Text("access_token")
}

func TestEndpointsNeedTheirScopes(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.connect("user.info.basic")
	if resp := a.user("open_id,username"); resp.Status != 400 || resp.Text("error",
		"code") != "scope_permission_missed" ||
		resp.Text("error",
			"message") != "The user did not authorize the scope user.info.profile required for username." {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	if resp := a.user("open_id,display_name"); resp.Status != http.StatusOK {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	for path, body := range map[string]string{"post/publish/creator_info/query/": "", "video/list/?fields=id": "{}",
		"video/query/?fields=id": "{}", "post/publish/video/init/": "{}", "post/publish/inbox/video/init/": "{}",
		"post/publish/content/init/": "{}", "post/publish/status/fetch/": "{}"} {
		a.refused(http.StatusUnauthorized, "scope_not_authorized", path, body)
	}
	a.connect("video.publish")
	a.refused(http.StatusUnauthorized, "scope_not_authorized", "post/publish/content/init/",
		strings.Replace(photoBody("SELF_ONLY", "https://a.example/1.jpg"), "DIRECT_POST", "MEDIA_UPLOAD", 1))
	if resp := a.user("open_id"); resp.Status != http.StatusUnauthorized {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
}

func TestTokensThatTikTokDoesNotAccept(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	good := a.seed.AccessToken
	for name, token := range map[string]string{"none": "", "unknown": "act.nosuch", "refresh": a.seed.RefreshToken} {
		a.seed.AccessToken = token
		if resp := a.user("open_id"); resp.Status != 401 || resp.Text("error", "code") != "access_token_invalid" ||
			resp.Text("error", "message") != "The access token is invalid or not found in the request." ||
			len(resp.Text("error", "log_id")) != 34 {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
	resp := a.Do(simtest.Request{Method: "GET", Path: "/tiktok/v2/user/info/?fields=open_id&access_token=" + good})
	if resp.Status != http.StatusUnauthorized {
		t.Errorf("in the query: %d %s", resp.Status, resp.Body)
	}
}

func TestPathsEndWithASlash(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for _, path := range []string{"user/info?fields=open_id", "nosuch/", "video/list"} {
		a.refused(http.StatusNotFound, "unsupported_path", path, "{}")
	}
}

func TestVideoListComesInPages(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	for range 5 {
		a.small()
		a.Clock.Advance(2 * time.Second)
	}
	a.must("post/publish/creator_info/query/", "") // any call processes what is due
	posts := a.Posts()
	page := func(cursor, count int64) simtest.Response {
		t.Helper()
		return a.must("video/list/?fields=id,create_time", fmt.Sprintf(`{"cursor":%d,"max_count":%d}`, cursor, count))
	}
	cursor, seen := int64(0), []string{}
	for range 3 {
		resp := page(cursor, 2)
		for i := 0; resp.Value("data", "videos", i) != nil; i++ {
			seen = append(seen, resp.Text("data", "videos", i, "id"))
		}
		next, _ := resp.Value("data", "cursor").(float64)
		cursor = int64(next)
		if more := len(seen) < 5; resp.Value("data", "has_more") != more {
			t.Errorf("after %d: %s", len(seen), resp.Body)
		}
	}
	for i, id := range seen {
		if want := posts[4-i].PlatformPostID; id != want {
			t.Errorf("video %d is %s, want %s", i, id, want)
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d videos", len(seen))
	}
	if last := page(1, 20); last.Value("data", "videos", 0) != nil || last.Value("data", "has_more") != false {
		t.Errorf("before the first: %s", last.Body)
	}
}

func TestListAndQueryRefuseInvalidRequests(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	ids := `"1"` + strings.Repeat(`,"1"`, 20)
	for _, c := range [][2]string{
		{"video/list/", `{}`}, {"video/list/?fields=mood", `{}`}, {"video/list/?fields=id", `{`},
		{"video/list/?fields=id", `{"max_count":0}`}, {"video/list/?fields=id", `{"max_count":21}`},
		{"video/query/", `{}`}, {"video/query/?fields=id", `{}`}, {"video/query/?fields=id", `[`},
		{"video/query/?fields=id", `{"filters":{"video_ids":[` + ids + `]}}`},
	} {
		a.refused(http.StatusBadRequest, "invalid_params", c[0], c[1])
	}
	resp := a.must("video/query/?fields=id", `{"filters":{"video_ids":["1"]}}`)
	if resp.Value("data", "videos", 0) != nil || resp.Value("data", "videos") == nil {
		t.Errorf("unknown ids: %s", resp.Body)
	}
}

func TestVideosOfOtherAccountsAreNotListed(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	publishID := a.small()
	a.Clock.Advance(2 * time.Second)
	a.status(publishID)
	id := a.Posts()[0].PlatformPostID
	query := `{"filters":{"video_ids":["` + id + `"]}}`
	own := a.must("video/query/?fields=id,title,video_description,share_url,embed_link,duration,view_count", query)
	if own.Text("data", "videos", 0, "id") != id || own.Text("data", "videos", 0, "title") != "Look <b>here</b> #tag" ||
		own.Text("data", "videos", 0, "share_url") != a.URL+"/tiktok/@ada/video/"+id {
		t.Errorf("own: %s", own.Body)
	}
	a.seed = a.Seed("bob")
	if other := a.must("video/query/?fields=id", query); other.Value("data", "videos", 0) != nil {
		t.Errorf("of another: %s", other.Body)
	}
	a.refused(http.StatusBadRequest, "token_not_authorized_for_specified_publish_id", "post/publish/status/fetch/",
		`{"publish_id":"`+publishID+`"}`)
	for _, body := range []string{`{}`, `{"publish_id":"v_pub_file~v2-1.1"}`,
		`{"publish_id":"` + strings.Replace(publishID, "v_pub_file~v2-1", "p_pub_url~v2", 1) + `"}`} {
		a.refused(http.StatusBadRequest, "invalid_publish_id", "post/publish/status/fetch/", body)
	}
	a.refused(http.StatusBadRequest, "invalid_param", "post/publish/status/fetch/", `{`)
}

func TestConsentsThatTikTokRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	base := url.Values{"response_type": {"code"}, "client_key": {"app"}, "redirect_uri": {"https://app.example/cb"},
		"state": {"S"}, "scope": {"user.info.basic"}}
	for name, c := range map[string]struct{ key, value, message string }{
		"app":       {"client_key", "", "client_key is missing"},
		"response":  {"response_type", "token", "response_type must be code"},
		"state":     {"state", "", "state is missing"},
		"scope":     {"scope", "", "scope is missing"},
		"unknown":   {"scope", "user.info.basic,mood", "scope holds what TikTok does not know: mood"},
		"challenge": {"code_challenge", "x", "code_challenge_method must be S256"},
	} {
		old := base.Get(c.key)
		base.Set(c.key, c.value)
		page := a.Must(http.StatusBadRequest, simtest.Request{Method: "GET",
			Path: "/tiktok/v2/auth/authorize/?" + base.Encode()})
		if !strings.Contains(string(page.Body), c.message) {
			t.Errorf("%s: %s", name, page.Body)
		}
		base.Set(c.key, old)
	}
}

// After a consent in the same browser, the consent page is skipped unless the app requests it.
func TestConsentIsAutomaticTheSecondTime(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	q := url.Values{"response_type": {"code"}, "client_key": {"app"}, "redirect_uri": {"https://app.example/cb"},
		"state": {"S"}, "scope": {"user.info.basic"}}
	path := "/tiktok/v2/auth/authorize/?" + q.Encode()
	first := a.Must(http.StatusSeeOther, simtest.Request{Method: "POST", Path: path,
		Form: url.Values{"decision": {"allow"}, "name": {"carol"}}})
	cookie, _, _ := strings.Cut(first.Header.Get("Set-Cookie"), ";")
	header := map[string]string{"Cookie": cookie}
	again := a.Must(http.StatusSeeOther, simtest.Request{Method: "GET", Path: path, Header: header}).Location().Query()
	if again.Get("code") == "" || again.Get("state") != "S" || again.Get("scopes") != "user.info.basic" {
		t.Errorf("the second time redirects to %v", again)
	}
	a.seed.AccessToken = a.token(http.StatusOK, exchange(again.Get("code"), "https://app.example/cb",
		"")).Text("access_token")
	if name := a.user("display_name").Text("data", "user", "display_name"); name != "Carol Clips" {
		t.Errorf("connected as %s", name)
	}
	a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: path + "&disable_auto_auth=1", Header: header})
}

func TestTokenEndpointErrorsUseOAuthFormat(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{Clients: map[string]string{"app": "secret"}})
	for name, c := range map[string]struct {
		request simtest.Request
		status  int
		code    string
	}{
		"JSON": {simtest.Request{Path: "token/", JSON: `{"client_key":"app"}`}, 400, "invalid_request"},
		"app":  {simtest.Request{Path: "token/", Form: url.Values{"client_key": {"app"}}}, 401, "invalid_client"},
		"grant": {simtest.Request{Path: "token/", Form: url.Values{"client_key": {"app"}, "client_secret": {"secret"}}},
			400, "unsupported_grant_type"},
		"revoke": {simtest.Request{Path: "revoke/", Form: url.Values{"client_key": {"app"}, "client_secret": {"secret"},
			"token": {"act.x"}}}, 400, "invalid_request"},
		"revoke app": {simtest.Request{Path: "revoke/", Form: url.Values{"token": {a.seed.AccessToken}}}, 401,
			"invalid_client"},
	} {
		c.request.Method, c.request.Path = "POST", "/tiktok/v2/oauth/"+c.request.Path
		if resp := a.Must(c.status, c.request); resp.Text("error") != c.code || resp.Text("log_id") == "" ||
			resp.Text("error_description") == "" {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
	for kind, want := range map[sim.FaultKind]struct {
		status int
		code   string
	}{sim.RateLimit: {429, "rate_limit_exceeded"}, sim.Outage: {503, "server_error"}, sim.AuthExpired: {400,
		"invalid_grant"},
		sim.Reject: {400, "invalid_grant"}} {
		a.Fault(sim.Refresh, kind, nil)
		if resp := a.refresh(want.status, a.seed.RefreshToken); resp.Text("error") != want.code {
			t.Errorf("%s: %s", kind, resp.Body)
		}
	}
	a.refresh(http.StatusOK, a.seed.RefreshToken)
}

func TestFaultsOfTheUploadHostHaveNoBody(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	_, address := a.open(10_000_000, 5_000_000, 2)
	body := file(10_000_000)
	for kind, status := range map[sim.FaultKind]int{sim.RateLimit: 429, sim.Outage: 503, sim.AuthExpired: 403,
		sim.Reject:     400,
		sim.Restricted: 400} {
		a.Fault(sim.Upload, kind, nil)
		if resp := a.put(address, body[:5_000_000], "bytes 0-4999999/10000000"); resp.Status != status ||
			len(resp.Body) != 0 {
			t.Errorf("%s: %d %s", kind, resp.Status, resp.Body)
		}
	}
	if resp := a.put(address, body[:5_000_000], "bytes 0-4999999/10000000"); resp.Status != http.StatusPartialContent {
		t.Errorf("afterwards: %d", resp.Status)
	}
}

func TestDraftsOfPhotosWaitInTheInbox(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	files := host(t, map[string][]byte{"/1.jpg": jpegFile(t, 100, 100)})
	draft := strings.Replace(photoBody("", files+"/1.jpg"), "DIRECT_POST", "MEDIA_UPLOAD", 1)
	publishID := a.must("post/publish/content/init/", draft).Text("data", "publish_id")
	if !strings.HasPrefix(publishID, "p_inbox_url~v2.") {
		t.Errorf("the id is %s", publishID)
	}
	a.Clock.Advance(time.Second)
	if resp := a.wantStatus(publishID, "SEND_TO_USER_INBOX"); resp.Value("data", "downloaded_bytes") == 0.0 {
		t.Errorf("status is %s", resp.Body)
	}
	if len(a.Posts()) != 0 {
		t.Error("a draft was posted")
	}
	for _, change := range [][2]string{{`"PHOTO"`, `"VIDEO"`}, {"DIRECT_POST", "STORY"}} {
		a.refused(http.StatusBadRequest, "invalid_param", "post/publish/content/init/",
			strings.Replace(photoBody("SELF_ONLY", files+"/1.jpg"), change[0], change[1], 1))
	}
	a.refused(http.StatusBadRequest, "invalid_param", "post/publish/content/init/", `{`)
	a.refused(http.StatusBadRequest, "invalid_param", "post/publish/inbox/video/init/", `{`)
}
