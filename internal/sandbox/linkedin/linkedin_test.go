package linkedin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/linkedin"
	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// app is a client app of the sandbox, with one connected account.
type app struct {
	*simtest.Sandbox
	t    *testing.T
	seed sim.Seed
}

func setup(t *testing.T, handle string, options sim.Options) *app {
	t.Helper()
	s := simtest.Start(t, linkedin.Network(linkedin.Settings{}), options)
	return &app{Sandbox: s, t: t, seed: s.Seed(handle)}
}

// rest calls the versioned API.
func (a *app) rest(method, path, body string, more ...string) simtest.Response {
	a.t.Helper()
	header := map[string]string{"Linkedin-Version": "202609", "X-Restli-Protocol-Version": "2.0.0"}
	for i := 0; i < len(more); i += 2 {
		header[more[i]] = more[i+1]
	}
	return a.Do(simtest.Request{Method: method, Path: "/linkedin/rest/" + path, Token: a.seed.AccessToken, JSON: body,
		Header: header})
}

// must calls the versioned API and fails the test unless the status matches.
func (a *app) must(status int, method, path, body string, more ...string) simtest.Response {
	a.t.Helper()
	resp := a.rest(method, path, body, more...)
	if resp.Status != status {
		a.t.Fatalf("%s %s: status %d, want %d: %s", method, path, resp.Status, status, resp.Body)
	}
	return resp
}

// body returns a post's body with some fields changed; nil removes a field.
func (a *app) body(commentary string, changes map[string]any) string {
	a.t.Helper()
	post := map[string]any{"author": a.seed.AccountID, "commentary": commentary, "visibility": "PUBLIC",
		"lifecycleState": "PUBLISHED",
		"distribution": map[string]any{"feedDistribution": "MAIN_FEED", "targetEntities": []any{},
			"thirdPartyDistributionChannels": []any{}},
		"isReshareDisabledByAuthor": false}
	for key, value := range changes {
		if post[key] = value; value == nil {
			delete(post, key)
		}
	}
	text, err := json.Marshal(post)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}

// post publishes a post and returns its URN, from the header.
func (a *app) post(commentary string, changes map[string]any) string {
	a.t.Helper()
	resp := a.must(http.StatusCreated, "POST", "posts", a.body(commentary, changes))
	if len(resp.Body) != 0 || resp.Header.Get("x-restli-id") == "" {
		a.t.Fatalf("response has the id %q and the body %s", resp.Header.Get("x-restli-id"), resp.Body)
	}
	return resp.Header.Get("x-restli-id")
}

func TestPostAnswersWithAHeaderOnly(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.post(`Hello \(world\) #launch`, nil)
	if !strings.HasPrefix(urn, "urn:li:share:") {
		t.Errorf("urn is %s", urn)
	}
	posts := a.Posts()
	if len(posts) != 1 || posts[0].Text != "Hello (world) #launch" || posts[0].AccountID != a.seed.AccountID ||
		posts[0].PlatformPostID != urn {
		t.Errorf("posts are %+v", posts)
	}
	page := a.Must(http.StatusOK, simtest.Request{Method: "GET", Path: "/linkedin/feed/update/" + urn + "/"})
	if !strings.Contains(string(page.Body), "Hello (world) #launch") {
		t.Errorf("page is %s", page.Body)
	}
}

func TestUnescapedTextIsTruncatedSilently(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		`Hello (world)`:   "Hello ",
		`Hello \(world\)`: "Hello (world)",
		`a_b`:             "a",
		`a\_b \* c`:       "a_b * c",
		`#crier rocks`:    "#crier rocks",
		`# alone`:         "",
		`thanks @[Acme](urn:li:organization:12), all`: "thanks Acme, all",
		`mail me@example.com`:                         "mail me",
		`{hashtag|\#|launch} day`:                     "#launch day",
		`50% & "more"`:                                `50% & "more"`,
	}
	a := setup(t, "ada", sim.Options{})
	i := 0
	for commentary, want := range cases {
		a.post(commentary, nil)
		if got := a.Posts()[i].Text; got != want {
			t.Errorf("commentary %q was stored as %q, want %q", commentary, got, want)
		}
		i++
	}
}

func TestRejectedPosts(t *testing.T) {
	t.Parallel()
	media := func(id string) map[string]any {
		return map[string]any{"content": map[string]any{"media": map[string]any{"id": id}}}
	}
	cases := map[string]struct {
		commentary string
		changes    map[string]any
		status     int
		code       string
	}{
		"no author":          {"a", map[string]any{"author": nil}, 400, "MISSING_FIELD"},
		"strange author":     {"a", map[string]any{"author": "urn:li:group:1"}, 400, "INVALID_URN_TYPE"},
		"someone else":       {"a", map[string]any{"author": "urn:li:person:nobody"}, 403, "ACCESS_DENIED"},
		"no commentary":      {"a", map[string]any{"commentary": nil}, 400, "MISSING_FIELD"},
		"blank":              {"", nil, 400, "INVALID_VALUE_BLANK_FIELD"},
		"too long":           {strings.Repeat("a", 3001), nil, 400, "FIELD_LENGTH_TOO_LONG"},
		"too long in UTF-16": {strings.Repeat("\U0001F600", 1501), nil, 400, "FIELD_LENGTH_TOO_LONG"},
		"visibility":         {"a", map[string]any{"visibility": "FRIENDS"}, 400, "INVALID_VALUE_FOR_FIELD"},
		"no distribution":    {"a", map[string]any{"distribution": nil}, 400, "MISSING_FIELD"},
		"draft":              {"a", map[string]any{"lifecycleState": "DRAFT"}, 400, "INVALID_VALUE_FOR_FIELD"},
		"unknown field":      {"a", map[string]any{"colour": "red"}, 422, "UNPROCESSABLE_ENTITY"},
		"dark post": {"a", map[string]any{"distribution": map[string]any{"feedDistribution": "NONE"}}, 400,
			"INVALID_VALUE_FOR_FIELD"},
		"unknown image": {"a", media("urn:li:image:nosuch"), 400, "INVALID_IMAGE_ID"},
		"unknown video": {"a", media("urn:li:video:nosuch"), 400, "INVALID_VIDEO_ID"},
		"one of many images": {"a",
			map[string]any{"content": map[string]any{"multiImage": map[string]any{"images": []any{map[string]any{"id": "urn:li:image:1"}}}}}, 400, "INVALID_VALUE_FOR_FIELD"},
		"article title": {"a",
			map[string]any{"content": map[string]any{"article": map[string]any{"source": "https://example.com"}}}, 400,
			"MISSING_FIELD"},
		"article source": {"a",
			map[string]any{"content": map[string]any{"article": map[string]any{"source": "example.com", "title": "t"}}},
			400, "INVALID_VALUE_FOR_FIELD"},
		"poll duration": {"a", map[string]any{"content": map[string]any{"poll": map[string]any{"question": "q",
			"options":  []any{map[string]any{"text": "a"}, map[string]any{"text": "b"}},
			"settings": map[string]any{"duration": "EVER"}}}}, 400, "INVALID_VALUE_FOR_FIELD"},
		"reshare of nothing": {"", map[string]any{"reshareContext": map[string]any{"parent": "urn:li:share:1"}}, 400,
			"INVALID_URN_ID"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := setup(t, "ada", sim.Options{})
			resp := a.rest("POST", "posts", a.body(c.commentary, c.changes))
			if resp.Status != c.status || resp.Text("code") != c.code {
				t.Errorf("%d %s, want %d with %s", resp.Status, resp.Body, c.status, c.code)
			}
			if posts := a.Posts(); len(posts) != 0 {
				t.Errorf("it was posted: %+v", posts)
			}
		})
	}
}

func TestDuplicateNamesThePostForTenMinutes(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.post("same", nil)
	resp := a.must(http.StatusUnprocessableEntity, "POST", "posts", a.body("same", nil))
	if !strings.HasSuffix(resp.Text("message"), "Content is a duplicate of "+urn) ||
		resp.Text("errorDetails", "inputErrors", 0, "code") != "DUPLICATE_POST" {
		t.Errorf("response %s", resp.Body)
	}
	a.Clock.Advance(10 * time.Minute)
	a.post("same", nil)
}

func TestLostAnswerIsFoundByTheDuplicate(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	a.Fault(sim.Publish, sim.LostResponse, nil)
	if resp := a.rest("POST", "posts", a.body("lost", nil)); resp.Status != 0 {
		t.Fatalf("got a response: %d", resp.Status)
	}
	posts := a.Posts()
	resp := a.must(http.StatusUnprocessableEntity, "POST", "posts", a.body("lost", nil))
	if len(posts) != 1 || !strings.Contains(resp.Text("message"), posts[0].PlatformPostID) {
		t.Errorf("posts %+v, response %s", posts, resp.Body)
	}
}

func TestVersionIsRequired(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	for version, want := range map[string]struct {
		status int
		code   string
	}{
		"":       {400, "VERSION_MISSING"},
		"202508": {426, "NONEXISTENT_VERSION"},
		"202701": {426, "NONEXISTENT_VERSION"},
		"latest": {426, "NONEXISTENT_VERSION"},
	} {
		resp := a.rest("POST", "posts", a.body("a", nil), "Linkedin-Version", version)
		if resp.Status != want.status || resp.Text("code") != want.code {
			t.Errorf("version %q: %d %s", version, resp.Status, resp.Body)
		}
	}
}

func TestMembersCannotReadTheirPosts(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.post("mine", nil)
	for _, path := range []string{"posts/" + url.PathEscape(urn), "posts?q=author&author=" +
		url.QueryEscape(a.seed.AccountID), "socialMetadata/" + url.PathEscape(urn)} {
		resp := a.must(http.StatusForbidden, "GET", path, "", "X-RestLi-Method", "FINDER")
		if resp.Text("code") != "ACCESS_DENIED" || resp.Value("serviceErrorCode") != 100.0 ||
			!strings.HasPrefix(resp.Text("message"), "Not enough permissions to access: ") {
			t.Errorf("%s: %s", path, resp.Body)
		}
	}
}

func TestDeleteIsIdempotent(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.post("gone", nil)
	path := "posts/" + strings.ReplaceAll(urn, ":", "%3A")
	a.must(http.StatusNoContent, "DELETE", path, "", "X-RestLi-Method", "DELETE")
	a.must(http.StatusNoContent, "DELETE", path, "", "x-restli-method", "delete")
	if a.Posts()[0].DeletedAt == nil {
		t.Error("the post still exists")
	}
	a.post("gone", nil)
}

func TestReshareAndQuote(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.post("original", nil)
	reshare := map[string]any{"reshareContext": map[string]any{"parent": urn}}
	a.post("", reshare)
	a.post("look at this", reshare)
	posts := a.Posts()
	if posts[1].Kind != sim.KindRepost || *posts[1].ParentID != urn || posts[2].Kind != sim.KindPost ||
		*posts[2].ParentID != urn {
		t.Errorf("posts are %+v", posts)
	}
	closed := a.post("not to be shared", map[string]any{"isReshareDisabledByAuthor": true})
	a.must(http.StatusUnprocessableEntity, "POST", "posts",
		a.body("", map[string]any{"reshareContext": map[string]any{"parent": closed}}))
}

func TestArticleAndPoll(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	article := a.post("read", map[string]any{"content": map[string]any{"article": map[string]any{"source": "https://example.com/a", "title": "A", "description": "B"}}})
	poll := a.post("vote", map[string]any{"content": map[string]any{"poll": map[string]any{"question": "q",
		"options": []any{map[string]any{"text": "a"}, map[string]any{"text": "b"}},
		"settings": map[string]any{"duration": "THREE_DAYS", "voteSelectionType": "SINGLE_VOTE",
			"isVoterVisibleToAuthor": true}}}})
	if !strings.HasPrefix(article, "urn:li:share:") || !strings.HasPrefix(poll, "urn:li:ugcPost:") {
		t.Errorf("urns are %s and %s", article, poll)
	}
}

func TestOrganizationPostsCanBeReadAndCounted(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	a.must(http.StatusBadRequest, "POST", "posts", a.body("a", map[string]any{"visibility": "CONNECTIONS"}))
	first := a.post("first", nil)
	second := a.post(`second \(2\) #two`, map[string]any{"distribution": map[string]any{"feedDistribution": "NONE"}})
	list := a.must(http.StatusOK, "GET",
		"posts?q=author&author="+url.QueryEscape(a.seed.AccountID)+"&count=10&sortBy=CREATED", "", "X-RestLi-Method",
		"FINDER")
	if list.Text("elements", 0, "id") != second || list.Text("elements", 1, "id") != first ||
		list.Text("elements", 0, "commentary") != `second \(2\) {hashtag|\#|two}` ||
		list.Value("elements", 0, "createdAt") != float64(a.Clock.Now().UnixMilli()) {
		t.Errorf("list is %s", list.Body)
	}
	if one := a.must(http.StatusOK, "GET", "posts/"+url.PathEscape(first)+"?viewContext=AUTHOR",
		""); one.Text("lifecycleState") != "PUBLISHED" {
		t.Errorf("post is %s", one.Body)
	}
	a.Like(first, 5)
	counts := a.must(http.StatusOK, "GET", "socialMetadata/"+url.PathEscape(first), "")
	if counts.Value("reactionSummaries", "LIKE", "count") != 5.0 || counts.Text("commentsState") != "OPEN" {
		t.Errorf("counts are %s", counts.Body)
	}
	path := "organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=" +
		url.QueryEscape(a.seed.AccountID) + "&shares="
	stats := a.must(http.StatusOK, "GET", path+"List("+url.QueryEscape(first)+","+url.QueryEscape(second)+")", "")
	if stats.Value("elements", 0, "totalShareStatistics", "likeCount") != 5.0 || stats.Value("elements", 1) != nil {
		t.Errorf("statistics are %s", stats.Body)
	}
	if resp := a.must(http.StatusBadRequest, "GET", path+url.QueryEscape("List("+first+")"),
		""); resp.Text("code") != "PARAM_INVALID" {
		t.Errorf("encoded brackets: %s", resp.Body)
	}
}

func TestMemberStatisticsReturnOneMetricPerCall(t *testing.T) {
	t.Parallel()
	a := setup(t, "community:ada", sim.Options{})
	urn := a.post("mine", nil)
	a.Like(urn, 4)
	path := "memberCreatorPostAnalytics?q=entity&entity=(share:" + url.QueryEscape(urn) +
		")&aggregation=TOTAL&queryType="
	if resp := a.must(http.StatusOK, "GET", path+"REACTION", ""); resp.Value("elements", 0, "count") != 4.0 {
		t.Errorf("response %s", resp.Body)
	}
	a.must(http.StatusBadRequest, "GET", path+"MOOD", "")
}

func TestDailyQuotaHasNoHeaders(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{LimitFactor: 1})
	userinfo := simtest.Request{Method: "GET", Path: "/linkedin/v2/userinfo", Token: a.seed.AccessToken}
	for range 150 {
		a.Must(http.StatusOK, userinfo)
	}
	resp := a.Must(http.StatusTooManyRequests, userinfo)
	if resp.Header.Get("Retry-After") != "" ||
		resp.Text("message") != "Resource level throttle MEMBER DAY limit for calls to this resource is reached." ||
		resp.Value("code") != nil {
		t.Errorf("%s %v", resp.Body, resp.Header)
	}
	a.Clock.Advance(15 * time.Hour)
	a.Must(http.StatusOK, userinfo)
}

func TestFaultsUseLinkedInErrors(t *testing.T) {
	t.Parallel()
	cases := map[sim.FaultKind]struct {
		status int
		code   string
	}{
		sim.Outage:      {503, "SERVICE_UNAVAILABLE"},
		sim.RateLimit:   {429, "TOO_MANY_REQUESTS"},
		sim.AuthExpired: {401, "EXPIRED_ACCESS_TOKEN"},
		sim.Reject:      {422, "UNPROCESSABLE_ENTITY"},
		sim.Restricted:  {403, "ACCESS_DENIED"},
	}
	for kind, want := range cases {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			a := setup(t, "ada", sim.Options{})
			a.Fault(sim.Publish, kind, nil)
			resp := a.rest("POST", "posts", a.body("a", nil))
			if resp.Status != want.status || resp.Text("code") != want.code || resp.Header.Get("x-li-uuid") == "" {
				t.Errorf("%d %s", resp.Status, resp.Body)
			}
			a.post("a", nil)
		})
	}
}

func TestRestartKeepsPostsAndTheirDuplicates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := ""
	t.Run("before", func(t *testing.T) {
		a := setup(t, "organization:acme", sim.Options{DataDir: dir})
		first = a.post("kept", nil)
		a.Like(first, 1)
	})
	a := setup(t, "organization:acme", sim.Options{DataDir: dir})
	if resp := a.must(http.StatusUnprocessableEntity, "POST", "posts",
		a.body("kept", nil)); !strings.Contains(resp.Text("message"), first) {
		t.Errorf("response %s", resp.Body)
	}
	if counts := a.must(http.StatusOK, "GET", "socialMetadata/"+url.PathEscape(first),
		""); counts.Value("reactionSummaries", "LIKE", "count") != 1.0 {
		t.Errorf("counts are %s", counts.Body)
	}
}
