package youtube_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

func TestAssignableCategories(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	list := a.get(http.StatusOK, "videoCategories?part=snippet&regionCode=US")
	assignable := map[string]bool{}
	for i := 0; list.Value("items", i) != nil; i++ {
		if list.Text("items", i, "kind") != "youtube#videoCategory" {
			t.Errorf("item %d is %v", i, list.Value("items", i))
		}
		assignable[list.Text("items", i, "id")] = list.Value("items", i, "snippet", "assignable") == true
	}
	if len(assignable) != 18 || !assignable["22"] || assignable["18"] || assignable["21"] || assignable["30"] {
		t.Errorf("categories are %v", assignable)
	}
	a.get(http.StatusBadRequest, "videoCategories?part=status")
}

func TestListsComeInPages(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	var ids []string
	for i := range 7 {
		ids = append(ids, a.publish(metadata, file(1000+i)))
		a.Clock.Advance(time.Second)
	}
	uploads := "UU" + strings.TrimPrefix(a.seed.AccountID, "UC")
	path := "playlistItems?part=snippet,contentDetails,status&playlistId=" + uploads
	first := a.get(http.StatusOK, path)
	if first.Value("pageInfo", "totalResults") != 7.0 || first.Value("pageInfo", "resultsPerPage") != 5.0 ||
		first.Text("items", 0, "contentDetails", "videoId") != ids[6] || first.Text("nextPageToken") == "" ||
		first.Text("items", 0, "snippet", "resourceId", "videoId") != ids[6] ||
		first.Text("items", 0, "contentDetails", "videoPublishedAt") != "2026-11-15T09:00:06Z" {
		t.Errorf("first page is %s", first.Body)
	}
	last := a.get(http.StatusOK, path+"&pageToken="+first.Text("nextPageToken"))
	if last.Text("items", 1, "contentDetails", "videoId") != ids[0] || last.Value("items", 2) != nil ||
		last.Value("nextPageToken") != nil {
		t.Errorf("last page is %s", last.Body)
	}
	one := a.get(http.StatusOK, path+"&videoId="+ids[2])
	if one.Value("pageInfo", "totalResults") != 1.0 || one.Text("items", 0, "contentDetails", "videoId") != ids[2] {
		t.Errorf("one video: %s", one.Body)
	}
	if none := a.get(http.StatusOK, path+"&pageToken=100"); none.Value("items", 0) != nil {
		t.Errorf("after the end: %s", none.Body)
	}
	for query, want := range map[string]string{"&maxResults=51": "invalidParameter",
		"&maxResults=-1":  "invalidParameter",
		"&maxResults=few": "invalidParameter", "&pageToken=x": "invalidPageToken",
		"&pageToken=-1": "invalidPageToken"} {
		if resp := a.get(http.StatusBadRequest, path+query); reason(resp) != want {
			t.Errorf("%s: %s", query, resp.Body)
		}
	}
	if resp := a.get(http.StatusNotFound,
		"playlistItems?part=snippet&playlistId=PLnosuch"); reason(resp) != "playlistNotFound" {
		t.Errorf("unknown playlist: %s", resp.Body)
	}
}

func TestPrivateVideosAreListedToTheirChannelOnly(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	hidden := a.publish(strings.Replace(metadata, `"public"`, `"private"`, 1), file(1000))
	unlisted := a.publish(strings.Replace(metadata, `"public"`, `"unlisted"`, 1), file(1001))
	uploads := "playlistItems?part=snippet&playlistId=UU" + strings.TrimPrefix(a.seed.AccountID, "UC")
	if list := a.get(http.StatusOK, uploads); list.Value("pageInfo", "totalResults") != 2.0 {
		t.Errorf("the channel itself sees %s", list.Body)
	}
	a.seed = a.Seed("bob")
	if list := a.get(http.StatusOK, uploads); list.Value("pageInfo", "totalResults") != 1.0 {
		t.Errorf("another sees %s", list.Body)
	}
	list := a.get(http.StatusOK, "videos?part=status,processingDetails&id="+hidden+","+unlisted)
	if list.Text("items", 0, "id") != unlisted || list.Value("items", 1) != nil ||
		list.Value("items", 0, "processingDetails") != nil {
		t.Errorf("another sees %s", list.Body)
	}
	for _, c := range []struct {
		id     string
		status int
		reason string
	}{{hidden, 404, "videoNotFound"}, {unlisted, 403, "forbidden"}, {"nosuch", 404, "videoNotFound"}} {
		resp := a.Must(c.status, simtest.Request{Method: "DELETE", Path: "/youtube/youtube/v3/videos?id=" + c.id,
			Token: a.seed.AccessToken})
		if reason(resp) != c.reason {
			t.Errorf("delete %s: %s", c.id, resp.Body)
		}
	}
}

func TestAtMostFiftyVideosPerRequest(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(1000))
	if list := a.get(http.StatusOK, "videos?part=id&id="+id+strings.Repeat(",x", 49)); list.Text("items", 0,
		"id") != id ||
		list.Value("pageInfo", "totalResults") != 1.0 {
		t.Errorf("list is %s", list.Body)
	}
	if resp := a.get(http.StatusBadRequest, "videos?part=id&id="+id+strings.Repeat(",x",
		50)); reason(resp) != "invalidFilters" {
		t.Errorf("51 ids: %s", resp.Body)
	}
	for path, want := range map[string]string{"videos?id=" + id: "missingRequiredParameter",
		"videos?part=snippet": "missingRequiredParameter", "videos?part=mood&id=" + id: "unknownPart",
		"channels?part=snippet": "missingRequiredParameter", "playlists?part=snippet": "missingRequiredParameter"} {
		if resp := a.get(http.StatusBadRequest, path); reason(resp) != want {
			t.Errorf("%s: %s", path, resp.Body)
		}
	}
}

func TestVideoParts(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	resp := a.Must(http.StatusOK, simtest.Request{Method: "POST", Token: a.seed.AccessToken,
		Path: "/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status," +
			"paidProductPlacementDetails," +
			"recordingDetails,localizations",
		JSON: `{"snippet":{"title":"T","defaultLanguage":"en","defaultAudioLanguage":"de"},"status":{"embeddable":false,
			"publicStatsViewable":false,"license":"creativeCommon","containsSyntheticMedia":true,` +
			`"selfDeclaredMadeForKids":true},
			"paidProductPlacementDetails":{"hasPaidProductPlacement":true},
			"recordingDetails":{"recordingDate":"2026-01-01T00:00:00Z"},"localizations":{"de":{"title":"D"}}}`})
	video := shapedFile(1280, 720, 61)
	id := a.put(resp.Header.Get("Location"), video, "").Text("id")
	a.Clock.Advance(time.Second)
	got := a.get(http.StatusOK, "videos?part=snippet,status,contentDetails,statistics,processingDetails,"+
		"paidProductPlacementDetails,recordingDetails,localizations,player&id="+id)
	for _, c := range []struct {
		path []any
		want any
	}{
		{[]any{"snippet", "defaultLanguage"}, "en"}, {[]any{"snippet", "defaultAudioLanguage"}, "de"},
		{[]any{"snippet", "channelId"}, a.seed.AccountID}, {[]any{"snippet", "categoryId"}, "22"},
		{[]any{"snippet", "tags"}, nil}, {[]any{"snippet", "thumbnails", "medium", "height"}, 180.0},
		{[]any{"status", "embeddable"}, false}, {[]any{"status", "publicStatsViewable"}, false},
		{[]any{"status", "license"}, "creativeCommon"}, {[]any{"status", "containsSyntheticMedia"}, true},
		{[]any{"status", "madeForKids"}, true}, {[]any{"status", "uploadStatus"}, "processed"},
		{[]any{"contentDetails", "duration"}, "PT1M1S"}, {[]any{"contentDetails", "definition"}, "hd"},
		{[]any{"contentDetails", "hasCustomThumbnail"}, false}, {[]any{"statistics", "viewCount"}, "0"},
		{[]any{"processingDetails", "processingStatus"}, "succeeded"},
		{[]any{"paidProductPlacementDetails", "hasPaidProductPlacement"}, true},
		{[]any{"recordingDetails", "recordingDate"}, "2026-01-01T00:00:00Z"},
		{[]any{"localizations", "de", "title"}, "D"}, {[]any{"player"}, nil},
	} {
		if value := got.Value(append([]any{"items", 0}, c.path...)...); !reflect.DeepEqual(value, c.want) {
			t.Errorf("%v is %v, want %v", c.path, value, c.want)
		}
	}
	plain := a.get(http.StatusOK, "videos?part=recordingDetails,localizations&id="+a.publish(metadata, file(1000)))
	if fmt.Sprint(plain.Value("items", 0, "recordingDetails")) != "map[]" {
		t.Errorf("a video without them: %s", plain.Body)
	}
}

func TestRejectedSessions(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{LimitFactor: 1})
	base := "/youtube/upload/youtube/v3/videos?"
	for name, c := range map[string]struct {
		query, kind, size, body, reason string
	}{
		"protocol":     {"uploadType=multipart&part=snippet", "", "", metadata, "badRequest"},
		"no part":      {"uploadType=resumable", "", "", metadata, "missingRequiredParameter"},
		"read-only":    {"uploadType=resumable&part=statistics", "", "", metadata, "unknownPart"},
		"picture":      {"uploadType=resumable&part=snippet", "image/png", "", metadata, "badContent"},
		"odd type":     {"uploadType=resumable&part=snippet", "video", "", metadata, "badContent"},
		"no size":      {"uploadType=resumable&part=snippet", "video/mp4", "0", metadata, "invalidArgument"},
		"huge":         {"uploadType=resumable&part=snippet", "video/mp4", "274877906945", metadata, "invalidArgument"},
		"no number":    {"uploadType=resumable&part=snippet", "video/mp4", "1e6", metadata, "invalidArgument"},
		"broken":       {"uploadType=resumable&part=snippet", "video/mp4", "1", `{"snippet":`, "parseError"},
		"status alone": {"uploadType=resumable&part=status", "video/mp4", "1", metadata, "invalidTitle"},
	} {
		resp := a.Must(http.StatusBadRequest, simtest.Request{Method: "POST", Path: base + c.query,
			Token: a.seed.AccessToken,
			JSON:  c.body, Header: map[string]string{"X-Upload-Content-Type": c.kind,
				"X-Upload-Content-Length": c.size}})
		if reason(resp) != c.reason {
			t.Errorf("%s: %s, want %s", name, resp.Body, c.reason)
		}
	}
	for range 50 {
		a.open(1000, metadata)
	}
	if resp := a.start(1000, metadata); resp.Status != http.StatusBadRequest || reason(resp) != "uploadLimitExceeded" {
		t.Errorf("the 51st of a day: %d %s", resp.Status, resp.Body)
	}
}

func TestPlaylistItemsThatYouTubeRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(1000))
	list := a.get(http.StatusOK, "playlists?part=snippet,status,contentDetails&mine=true").Text("items", 0, "id")
	body := func(list, kind, video string) string {
		return fmt.Sprintf(`{"snippet":{"playlistId":%q,"resourceId":{"kind":%q,"videoId":%q}}}`, list, kind, video)
	}
	for name, c := range map[string]struct {
		body   string
		status int
		reason string
	}{
		"broken":           {`{`, 400, "parseError"},
		"unknown playlist": {body("PLx", "youtube#video", id), 404, "playlistNotFound"},
		"unknown video":    {body(list, "youtube#video", "nosuch"), 404, "videoNotFound"},
		"a channel":        {body(list, "youtube#channel", id), 404, "videoNotFound"},
	} {
		if resp := a.post(c.status, "playlistItems?part=snippet", c.body); reason(resp) != c.reason {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
	a.seed = a.Seed("bob")
	resp := a.post(http.StatusForbidden, "playlistItems?part=snippet", body(list, "youtube#video", id))
	if reason(resp) != "playlistItemsNotAccessible" {
		t.Errorf("of another channel: %s", resp.Body)
	}
}

func TestThreadsBelongToTheChannelOfTheVideo(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	owner := a.seed.AccountID
	id := a.publish(metadata, file(1000))
	a.seed = a.Seed("bob")
	resp := a.post(http.StatusOK, "commentThreads?part=snippet", threadBody(id, "Hello"))
	if resp.Text("snippet", "channelId") != owner || resp.Text("snippet", "videoId") != id ||
		resp.Text("snippet", "topLevelComment", "snippet", "authorChannelId", "value") != a.seed.AccountID ||
		resp.Text("snippet", "topLevelComment", "snippet", "authorDisplayName") != "@bob" ||
		resp.Text("snippet", "topLevelComment", "snippet", "publishedAt") != "2026-11-15T09:00:00Z" {
		t.Errorf("response %s", resp.Body)
	}
}

func TestConsentsThatGoogleRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	base := url.Values{"response_type": {"code"}, "client_id": {"app"}, "redirect_uri": {"https://app.example/cb"},
		"scope": {"openid"}}
	for name, c := range map[string]struct{ key, value, message string }{
		"client":    {"client_id", "", "client_id is missing"},
		"response":  {"response_type", "token", "response_type must be code"},
		"scope":     {"scope", "", "scope is missing"},
		"unknown":   {"scope", "openid mood", "scope holds what Google does not know: mood"},
		"challenge": {"code_challenge", "abc", "code_challenge_method must be S256 or plain"},
	} {
		old := base.Get(c.key)
		base.Set(c.key, c.value)
		page := a.Must(http.StatusBadRequest, simtest.Request{Method: "GET", Path: "/youtube/o/oauth2/v2/auth?" +
			base.Encode()})
		if !strings.Contains(string(page.Body), c.message) {
			t.Errorf("%s: %s", name, page.Body)
		}
		base.Set(c.key, old)
	}
}

func TestFaultsOfEveryOperation(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(1000))
	thumbnail := simtest.Request{Method: "POST", Path: "/youtube/upload/youtube/v3/thumbnails/set?videoId=" + id}
	for name, c := range map[string]struct {
		op      sim.Operation
		kind    sim.FaultKind
		request simtest.Request
		status  int
		reason  string
	}{
		"thumbnail": {sim.Upload, sim.Reject, thumbnail, 400, "invalidImage"},
		"session": {sim.Upload, sim.Reject, simtest.Request{Method: "POST", Path: "/youtube/upload/youtube/v3/videos"},
			400,
			"invalidVideoMetadata"},
		"comment": {sim.Comment, sim.Reject, simtest.Request{Method: "POST",
			Path: "/youtube/youtube/v3/commentThreads"}, 400,
			"invalidCommentThreadMetadata"},
		"delete": {sim.Delete, sim.Reject, simtest.Request{Method: "DELETE", Path: "/youtube/youtube/v3/videos"}, 403,
			"forbidden"},
		"read": {sim.Read, sim.Reject, simtest.Request{Method: "GET", Path: "/youtube/youtube/v3/videos"}, 400,
			"badRequest"},
		"suspended": {sim.Read, sim.Restricted, simtest.Request{Method: "GET", Path: "/youtube/youtube/v3/videos"}, 403,
			"authenticatedUserAccountSuspended"},
		"expired": {sim.Read, sim.AuthExpired, simtest.Request{Method: "GET", Path: "/youtube/youtube/v3/videos"}, 401,
			"authError"},
	} {
		a.Fault(c.op, c.kind, nil)
		c.request.Token = a.seed.AccessToken
		if resp := a.Must(c.status, c.request); reason(resp) != c.reason || resp.Value("error",
			"code") != float64(c.status) {
			t.Errorf("%s: %s, want %s", name, resp.Body, c.reason)
		}
	}
	for kind, want := range map[sim.FaultKind]struct {
		status int
		code   string
	}{sim.RateLimit: {429, "rate_limit_exceeded"}, sim.Outage: {503, "internal_failure"}, sim.AuthExpired: {400,
		"invalid_grant"}} {
		a.Fault(sim.Refresh, kind, nil)
		if resp := a.refresh(want.status, a.seed.RefreshToken); resp.Text("error") != want.code {
			t.Errorf("refresh, %s: %s", kind, resp.Body)
		}
	}
	resp := a.Must(http.StatusNotFound, simtest.Request{Method: "GET", Path: "/youtube/youtube/v3/nosuch"})
	if reason(resp) != "notFound" || resp.Text("error", "message") != "Not Found" {
		t.Errorf("unknown path: %s", resp.Body)
	}
}
