package linkedin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

// commentBody returns the body of a comment on a post.
func (a *app) commentBody(object, text, parent string) string {
	body := `{"actor":"` + a.seed.AccountID + `","object":"` + object + `","message":{"text":"` + text + `"}`
	if parent != "" {
		body += `,"parentComment":"` + parent + `"`
	}
	return body + "}"
}

func TestSelfServeAppsUseTheOldCommentAPI(t *testing.T) {
	t.Parallel()
	a := setup(t, "ada", sim.Options{})
	urn := a.post("root", nil)
	path := "socialActions/" + url.PathEscape(urn) + "/comments"
	resp := a.must(http.StatusForbidden, "POST", path, a.commentBody(urn, "First!", ""))
	if resp.Text("message") != "Not enough permissions to access: partnerApiSocialActions.CREATE.20260701" ||
		resp.Value("serviceErrorCode") != 100.0 {
		t.Errorf("response %s", resp.Body)
	}
	old := a.Must(http.StatusCreated, simtest.Request{Method: "POST", Path: "/linkedin/v2/" + path,
		Token: a.seed.AccessToken, JSON: a.commentBody(urn, "First!", "")})
	id := old.Header.Get("x-restli-id")
	activity := strings.Replace(urn, "share", "activity", 1)
	if old.Text("id") != id || old.Text("commentUrn") != "urn:li:comment:("+activity+","+id+")" ||
		old.Text("object") != activity || old.Text("message", "text") != "First!" {
		t.Errorf("response %s", old.Body)
	}
	posts := a.Posts()
	if len(posts) != 2 || posts[1].Kind != sim.KindComment || *posts[1].ParentID != urn || posts[1].Text != "First!" {
		t.Errorf("posts are %+v", posts)
	}
	a.Must(http.StatusNoContent, simtest.Request{Method: "DELETE", Path: "/linkedin/v2/" + path + "/" + id + "?actor=" +
		url.QueryEscape(a.seed.AccountID), Token: a.seed.AccessToken})
	if a.Posts()[1].DeletedAt == nil {
		t.Error("the comment still exists")
	}
}

func TestPartnerComments(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	urn := a.post("root", nil)
	path := "socialActions/" + url.PathEscape(urn) + "/comments"
	activity := strings.Replace(urn, "share", "activity", 1)
	first := a.must(http.StatusCreated, "POST", path, a.commentBody(activity, "one", "")).Text("commentUrn")
	a.must(http.StatusCreated, "POST", "socialActions/"+url.PathEscape(first)+"/comments",
		a.commentBody(urn, "answer", first))
	a.must(http.StatusBadRequest, "POST", "socialActions/"+url.PathEscape(first)+"/comments",
		a.commentBody(urn, "answer", ""))
	a.must(http.StatusBadRequest, "POST", path, a.commentBody(urn, strings.Repeat("a", 1251), ""))
	a.must(http.StatusNotFound, "POST", "socialActions/urn%3Ali%3Ashare%3A1/comments", a.commentBody(urn, "lost", ""))
	list := a.must(http.StatusOK, "GET", path, "")
	if list.Text("elements", 0, "message", "text") != "one" || list.Value("elements", 1) != nil {
		t.Errorf("list is %s", list.Body)
	}
	counts := a.must(http.StatusOK, "GET", "socialMetadata/"+url.PathEscape(urn), "")
	if counts.Value("commentSummary", "count") != 2.0 || counts.Value("commentSummary", "topLevelCount") != 1.0 {
		t.Errorf("counts are %s", counts.Body)
	}
}

func TestClosedCommentsAreGone(t *testing.T) {
	t.Parallel()
	a := setup(t, "organization:acme", sim.Options{})
	urn := a.post("root", nil)
	path := "socialActions/" + url.PathEscape(urn) + "/comments"
	a.must(http.StatusCreated, "POST", path, a.commentBody(urn, "one", ""))
	a.must(http.StatusNoContent, "POST",
		"socialMetadata/"+url.PathEscape(urn)+"?actor="+url.QueryEscape(a.seed.AccountID),
		`{"patch":{"$set":{"commentsState":"CLOSED"}}}`, "X-RestLi-Method", "PARTIAL_UPDATE")
	a.must(http.StatusForbidden, "POST", path, a.commentBody(urn, "two", ""))
	if a.Posts()[1].DeletedAt == nil {
		t.Error("the comment still exists")
	}
}
