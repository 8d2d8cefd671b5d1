package linkedin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func TestPostsOfAnOrganizationComeInPages(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	var urns []string
	for i := range 5 {
		urns = append(urns, a.post(fmt.Sprint("post ", i), nil))
	}
	a.must(http.StatusNoContent, "DELETE", "posts/"+url.PathEscape(urns[3]), "")
	a.must(http.StatusCreated, "POST", "socialActions/"+url.PathEscape(urns[0])+"/comments",
		a.commentBody(urns[0], "not a post", ""))
	path := "posts?q=author&author=" + url.QueryEscape(a.seed.AccountID)
	for query, want := range map[string][]string{
		"":                           {urns[4], urns[2], urns[1], urns[0]},
		"&count=2":                   {urns[4], urns[2]},
		"&count=2&start=2":           {urns[1], urns[0]},
		"&start=3&sortBy=CREATED":    {urns[0]},
		"&start=4":                   {},
		"&count=0":                   {},
		"&sortBy=LAST_MODIFIED":      {urns[4], urns[2], urns[1], urns[0]},
		"&count=100&start=1&extra=1": {urns[2], urns[1], urns[0]},
	} {
		list := a.must(http.StatusOK, "GET", path+query, "", "X-RestLi-Method", "FINDER")
		got := []string{}
		for i := 0; list.Value("elements", i) != nil; i++ {
			got = append(got, list.Text("elements", i, "id"))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

func TestReadsThatLinkedInRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	urn := a.post("root", nil)
	escaped, author := url.PathEscape(urn), url.QueryEscape(a.seed.AccountID)
	for name, c := range map[string]struct {
		path          string
		status        int
		code, message string
	}{
		"finder": {"posts?q=owner&author=" + author, 400, "PARAM_INVALID", "q must be author"},
		"order": {"posts?q=author&sortBy=LIKES&author=" + author, 400, "PARAM_INVALID",
			"sortBy must be LAST_MODIFIED or CREATED"},
		"page": {"posts?q=author&start=-1&author=" + author, 400, "PARAM_INVALID",
			"Invalid query parameter start"},
		"somebody else": {"posts?q=author&author=urn%3Ali%3Aorganization%3A1", 403, "ACCESS_DENIED",
			"posts.FINDER-author"},
		"view": {"posts/" + escaped + "?viewContext=ADMIN", 400, "PARAM_INVALID",
			"viewContext must be AUTHOR or READER"},
		"gone":        {"posts/urn%3Ali%3Ashare%3A1", 404, "NOT_FOUND", "Entity with key urn:li:share:1 not found"},
		"no metadata": {"socialMetadata/urn%3Ali%3Ashare%3A1", 404, "NOT_FOUND", "urn:li:share:1"},
		"no comments": {"socialActions/urn%3Ali%3Ashare%3A1/comments", 404, "NOT_FOUND", "urn:li:share:1"},
		"comments' page": {"socialActions/" + escaped + "/comments?count=x", 400, "PARAM_INVALID",
			"Invalid query parameter count"},
		"statistics finder": {"organizationalEntityShareStatistics?q=share", 400, "PARAM_INVALID",
			"q must be organizationalEntity"},
		"statistics of " +
			"all": {"organizationalEntityShareStatistics?q=organizationalEntity&" +
			"organizationalEntity=urn%3Ali%3Aorganization%3A1",
			403, "ACCESS_DENIED", "organizationalEntityShareStatistics"},
		"list": {"organizationalEntityShareStatistics?q=organizationalEntity&ugcPosts=1", 400, "PARAM_INVALID",
			"expected List(…)"},
	} {
		refused(t, name, a.rest("GET", c.path, "", "X-RestLi-Method", "FINDER"), c.status, c.code, c.message)
	}
	refused(t, "method", a.rest("GET", "posts?q=author&author="+author, ""), 400, "PARAM_INVALID",
		"X-RestLi-Method must be FINDER")
	refused(t, "delete by another method", a.rest("DELETE", "posts/"+escaped, "", "X-RestLi-Method", "UPDATE"), 400,
		"PARAM_INVALID", "X-RestLi-Method must be DELETE")
	refused(t, "delete of nothing", a.rest("DELETE", "posts/urn%3Ali%3Ashare%3A1", ""), 404, "NOT_FOUND", "not found")
	a.seed = a.Seed("bob")
	refused(t, "delete by somebody else", a.rest("DELETE", "posts/"+escaped, ""), 403, "ACCESS_DENIED", "posts.DELETE")
	a.seed = a.Seed("organization:zenith")
	refused(t, "read by somebody else", a.rest("GET", "posts/"+escaped, ""), 403, "ACCESS_DENIED", "posts.GET")
	refused(t, "counted by somebody else", a.rest("GET", "socialMetadata/"+escaped, ""), 403, "ACCESS_DENIED",
		"socialMetadata.GET")
}

func TestStatisticsAreDerivedFromReactions(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	urn := a.post("root", poll("q", "ONE_DAY", "a", "b"))
	if !strings.HasPrefix(urn, "urn:li:ugcPost:") {
		t.Fatalf("urn is %s", urn)
	}
	a.Like(urn, 3)
	a.post("", map[string]any{"reshareContext": map[string]any{"parent": urn}})
	a.post("look", map[string]any{"reshareContext": map[string]any{"parent": urn}})
	activity := strings.Replace(urn, "ugcPost", "activity", 1)
	a.must(http.StatusCreated, "POST", "socialActions/"+url.PathEscape(activity)+"/comments",
		a.commentBody(activity, "one", ""))
	resp := a.must(http.StatusOK, "GET",
		"organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity="+
			url.QueryEscape(a.seed.AccountID)+"&ugcPosts=List("+url.QueryEscape(urn)+")", "")
	want := map[string]any{"organizationalEntity": a.seed.AccountID, "ugcPost": urn,
		"totalShareStatistics": map[string]any{"uniqueImpressionsCount": 42.0, "clickCount": 0.0,
			"engagement": 6.0 / 85.0, "likeCount": 3.0, "commentCount": 1.0, "shareCount": 2.0,
			"impressionCount": 85.0}}
	if got := resp.Value("elements", 0); !reflect.DeepEqual(got, any(want)) {
		t.Errorf("statistics are %v, want %v", got, want)
	}
	b := setup(t, "community:ada", sim.Options{})
	mine := b.post("mine", nil)
	b.Like(mine, 3)
	path := "memberCreatorPostAnalytics?q=entity&entity=(share:" + url.QueryEscape(mine) + ")"
	for metric, want := range map[string]float64{"IMPRESSION": 60, "MEMBERS_REACHED": 30, "REACTION": 3, "COMMENT": 0,
		"RESHARE": 0, "LINK_CLICKS": 0, "POST_SAVE": 0, "POST_SEND": 0} {
		resp := b.must(http.StatusOK, "GET", path+"&aggregation=TOTAL&queryType="+metric, "")
		if resp.Value("elements", 0, "count") != want || resp.Text("elements", 0, "metricType") != metric ||
			resp.Text("elements", 0, "targetEntity", "share") != mine {
			t.Errorf("%s: %s, want %v", metric, resp.Body, want)
		}
	}
	refused(t, "aggregation", b.rest("GET", path+"&aggregation=WEEKLY&queryType=REACTION", ""), 400, "PARAM_INVALID",
		"aggregation must be TOTAL or DAILY")
	refused(t, "entity", b.rest("GET", "memberCreatorPostAnalytics?q=entity&entity="+url.QueryEscape("(share:1)"), ""),
		400,
		"PARAM_INVALID", "q must be entity")
	refused(t, "not one's own", b.rest("GET",
		"memberCreatorPostAnalytics?q=entity&entity=(ugc:urn%3Ali%3AugcPost%3A1)&queryType=REACTION", ""), 404,
		"NOT_FOUND",
		"urn:li:ugcPost:1")
	c := setup(t, "carol", sim.Options{})
	refused(t, "scope", c.rest("GET", path, ""), 403, "ACCESS_DENIED", "memberCreatorPostAnalytics")
}

func TestCommentsThatLinkedInRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	urn, other := a.post("root", nil), a.post("other", nil)
	path := "socialActions/" + url.PathEscape(urn) + "/comments"
	body := func(actor, object, text string) string {
		return `{"actor":"` + actor + `","object":"` + object + `","message":{"text":"` + text + `"}}`
	}
	for name, c := range map[string]struct {
		body          string
		status        int
		code, message string
	}{
		"no actor": {body("", urn, "a"), 400, "MISSING_FIELD",
			"ERROR :: /actor :: field is required but not found"},
		"no object": {body(a.seed.AccountID, "", "a"), 400, "MISSING_FIELD",
			"ERROR :: /object :: field is required but not found"},
		"blank": {body(a.seed.AccountID, urn, " "), 400, "INVALID_VALUE_BLANK_FIELD",
			"ERROR :: /message/text :: must not be blank"},
		"too long": {body(a.seed.AccountID, urn, strings.Repeat("a", 1251)), 400, "FIELD_LENGTH_TOO_LONG",
			"at most 1250 characters"},
		"other object":  {body(a.seed.AccountID, other, "a"), 400, "INVALID_URN_ID", "is not what is commented on"},
		"somebody else": {body("urn:li:organization:1", urn, "a"), 403, "ACCESS_DENIED", "socialActions.CREATE"},
		"unknown key":   {`{"actor":"a","mood":1}`, 422, "UNPROCESSABLE_ENTITY", `unknown field "mood"`},
	} {
		refused(t, name, a.rest("POST", path, c.body), c.status, c.code, c.message)
	}
	a.must(http.StatusCreated, "POST", path, body(a.seed.AccountID, urn, strings.Repeat("a", 1250)))
}

func TestCommentsAreDeletedByTheirAuthorOnly(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	urn := a.post("root", nil)
	path := "socialActions/" + url.PathEscape(urn) + "/comments"
	id := a.must(http.StatusCreated, "POST", path, a.commentBody(urn, "one", "")).Text("id")
	actor := "?actor=" + url.QueryEscape(a.seed.AccountID)
	refused(t, "unknown", a.rest("DELETE", path+"/1"+actor, ""), 404, "NOT_FOUND", "Entity with key 1 not found")
	refused(t, "other actor", a.rest("DELETE", path+"/"+id+"?actor=urn%3Ali%3Aperson%3A1", ""), 403, "ACCESS_DENIED",
		"partnerApiSocialActions.DELETE")
	author := a.seed
	a.seed = a.Seed("organization:zenith")
	refused(t, "somebody else", a.rest("DELETE", path+"/"+id+actor, ""), 403, "ACCESS_DENIED", "DELETE")
	a.seed = author
	for range 2 {
		a.must(http.StatusNoContent, "DELETE", path+"/"+id+actor, "")
	}
	if list := a.must(http.StatusOK, "GET", path, ""); list.Value("elements", 0) != nil || list.Value("paging",
		"total") != nil {
		t.Errorf("list is %s", list.Body)
	}
}

func TestAuthorOpensAndClosesComments(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	urn := a.post("root", nil)
	path := "socialMetadata/" + url.PathEscape(urn)
	actor := "?actor=" + url.QueryEscape(a.seed.AccountID)
	set := func(path, state string) simtest.Response {
		t.Helper()
		return a.rest("POST", path, `{"patch":{"$set":{"commentsState":"`+state+`"}}}`, "X-RestLi-Method",
			"PARTIAL_UPDATE")
	}
	if resp := set(path+actor, "CLOSED"); resp.Status != http.StatusNoContent || len(resp.Body) != 0 {
		t.Fatalf("%d %s", resp.Status, resp.Body)
	}
	if state := a.must(http.StatusOK, "GET", path, "").Text("commentsState"); state != "CLOSED" {
		t.Errorf("comments are %s", state)
	}
	refused(t, "comment", a.rest("POST", "socialActions/"+url.PathEscape(urn)+"/comments", a.commentBody(urn, "a", "")),
		403,
		"ACCESS_DENIED", "Comments on "+urn+" are closed")
	refused(t, "state", set(path+actor, "SHUT"), 400, "INVALID_VALUE_FOR_FIELD", "must be OPEN or CLOSED")
	refused(t, "actor", set(path, "OPEN"), 403, "ACCESS_DENIED", "PARTIAL_UPDATE")
	refused(t, "post", set("socialMetadata/urn%3Ali%3Ashare%3A1"+actor, "OPEN"), 404, "NOT_FOUND", "urn:li:share:1")
	refused(t, "method", a.rest("POST", path+actor, `{}`), 400, "PARAM_INVALID",
		"X-RestLi-Method must be PARTIAL_UPDATE")
	refused(t, "key", a.rest("POST", path+actor, `{"set":1}`, "X-RestLi-Method", "PARTIAL_UPDATE"), 422,
		"UNPROCESSABLE_ENTITY", "unknown field")
	set(path+actor, "OPEN")
	a.must(http.StatusCreated, "POST", "socialActions/"+url.PathEscape(urn)+"/comments", a.commentBody(urn, "a", ""))
}
