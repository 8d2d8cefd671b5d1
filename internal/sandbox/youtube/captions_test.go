package youtube_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"crier/internal/sandbox/sim"
	"crier/internal/sandbox/simtest"
)

const srt = "1\n00:00:00,000 --> 00:00:01,000\nHello\n"

// caption sends captions: metadata and text in a multipart/related body.
func (a *app) caption(metadata, text string) simtest.Response {
	a.t.Helper()
	body := fmt.Sprintf("--b\r\nContent-Type: application/json\r\n\r\n%s\r\n--b\r\nContent-Type: "+
		"text/plain\r\n\r\n%s\r\n--b--",
		metadata, text)
	return a.Do(simtest.Request{Method: "POST", Token: a.seed.AccessToken, Body: []byte(body),
		Path:   "/youtube/upload/youtube/v3/captions?uploadType=multipart&part=snippet",
		Header: map[string]string{"Content-Type": "multipart/related; boundary=b"}})
}

func captionOf(video, language, name string) string {
	return fmt.Sprintf(`{"snippet":{"videoId":%q,"language":%q,"name":%q,"isDraft":false}}`, video, language, name)
}

func TestCaptionsAreAddedOnceAndListed(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(1000))
	details := "videos?part=contentDetails&id=" + id
	if got := a.get(http.StatusOK, details).Value("items", 0, "contentDetails", "caption"); got != "false" {
		t.Errorf("without captions: %v", got)
	}
	for _, c := range [][2]string{{"en", ""}, {"en", "Director"}, {"de", ""}} {
		resp := a.caption(captionOf(id, c[0], c[1]), srt)
		if resp.Status != http.StatusOK || resp.Text("kind") != "youtube#caption" ||
			resp.Text("snippet", "videoId") != id || resp.Text("snippet", "language") != c[0] ||
			resp.Text("snippet", "name") != c[1] || resp.Text("snippet", "status") != "serving" {
			t.Errorf("%v: %d %s", c, resp.Status, resp.Body)
		}
	}
	resp := a.caption(captionOf(id, "en", ""), srt)
	if resp.Status != http.StatusConflict || reason(resp) != "captionExists" {
		t.Errorf("again: %d %s", resp.Status, resp.Body)
	}
	list := a.get(http.StatusOK, "captions?part=id,snippet&videoId="+id)
	if list.Text("kind") != "youtube#captionListResponse" || list.Value("pageInfo", "totalResults") != 3.0 ||
		list.Text("items", 1, "snippet", "name") != "Director" || list.Text("items", 0, "id") == list.Text("items", 1,
		"id") {
		t.Errorf("list is %s", list.Body)
	}
	if got := a.get(http.StatusOK, details).Value("items", 0, "contentDetails", "caption"); got != "true" {
		t.Errorf("with captions: %v", got)
	}
}

func TestCaptionsThatYouTubeRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	id := a.publish(metadata, file(1000))
	for name, c := range map[string]struct {
		metadata, text string
		status         int
		reason         string
	}{
		"no language":    {captionOf(id, "", ""), srt, 400, "invalidMetadata"},
		"no video":       {captionOf("", "en", ""), srt, 400, "invalidMetadata"},
		"long name":      {captionOf(id, "en", strings.Repeat("ä", 151)), srt, 400, "nameTooLong"},
		"no text":        {captionOf(id, "en", ""), "", 400, "contentRequired"},
		"no captions":    {captionOf(id, "en", ""), "Hello", 400, "contentRequired"},
		"unknown video":  {captionOf("nosuch", "en", ""), srt, 404, "videoNotFound"},
		"broken JSON":    {`{"snippet":`, srt, 400, "parseError"},
		"name of 150":    {captionOf(id, "en", strings.Repeat("ä", 150)), srt, 200, ""},
		"other language": {captionOf(id, "fr", ""), srt, 200, ""},
	} {
		if resp := a.caption(c.metadata, c.text); resp.Status != c.status || reason(resp) != c.reason {
			t.Errorf("%s: %d %s", name, resp.Status, resp.Body)
		}
	}
	for _, r := range map[string]simtest.Request{
		"protocol": {Path: "/youtube/upload/youtube/v3/captions?uploadType=resumable&part=snippet"},
		"part":     {Path: "/youtube/upload/youtube/v3/captions?uploadType=multipart"},
		"form":     {Path: "/youtube/upload/youtube/v3/captions?uploadType=multipart&part=snippet", JSON: `{}`},
	} {
		r.Method, r.Token = "POST", a.seed.AccessToken
		a.Must(http.StatusBadRequest, r)
	}
	a.seed = a.Seed("bob")
	if resp := a.caption(captionOf(id, "en", "x"), srt); resp.Status != 403 || reason(resp) != "forbidden" {
		t.Errorf("of another channel: %d %s", resp.Status, resp.Body)
	}
	a.get(http.StatusForbidden, "captions?part=snippet&videoId="+id)
	a.get(http.StatusNotFound, "captions?part=snippet&videoId=nosuch")
	a.get(http.StatusBadRequest, "captions?part=mood&videoId="+id)
}

// report reads a report from the Analytics API.
func (a *app) report(status int, query string) simtest.Response {
	a.t.Helper()
	return a.Must(status, simtest.Request{Method: "GET", Path: "/youtube/v2/reports?" + query,
		Token: a.seed.AccessToken})
}

const reportQuery = "ids=channel%3D%3DMINE&startDate=2026-11-01&endDate=2026-11-15&metrics="

func TestReportsCountTheChannelAndItsVideos(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	a.seed = a.Seed("analytics:ada")
	popular, quiet, other := a.publish(metadata, file(1000)), a.publish(metadata, file(1001)), a.publish(metadata,
		file(1002))
	a.Like(popular, 4)
	a.Like(other, 2)
	a.post(http.StatusOK, "commentThreads?part=snippet", threadBody(popular, "First!"))
	const all = "views,likes,comments,estimatedMinutesWatched,averageViewDuration"
	total := a.report(http.StatusOK, reportQuery+all)
	if got := total.Value("rows"); !reflect.DeepEqual(got, any([]any{[]any{6.0, 6.0, 1.0, 9.0, 90.0}})) {
		t.Errorf("the channel has %v", got)
	}
	if total.Text("kind") != "youtubeAnalytics#resultTable" || total.Text("columnHeaders", 0, "name") != "views" ||
		total.Text("columnHeaders", 4, "columnType") != "METRIC" {
		t.Errorf("response %s", total.Body)
	}
	each := a.report(http.StatusOK,
		reportQuery+"comments,views&dimensions=video&maxResults=10&sort=-views&filters=video%3D%3D"+
			popular+","+quiet)
	if got := each.Value("rows"); !reflect.DeepEqual(got, any([]any{[]any{popular, 1.0, 4.0}})) {
		t.Errorf("the videos have %v", got)
	}
	if each.Text("columnHeaders", 0, "name") != "video" || each.Text("columnHeaders", 0, "columnType") != "DIMENSION" {
		t.Errorf("response %s", each.Body)
	}
	one := a.report(http.StatusOK, reportQuery+"views&filters=video%3D%3D"+other)
	if got := one.Value("rows"); !reflect.DeepEqual(got, any([]any{[]any{2.0}})) {
		t.Errorf("one video has %v", got)
	}
}

func TestReportsThatYouTubeRefuses(t *testing.T) {
	t.Parallel()
	a := setup(t, sim.Options{})
	if resp := a.report(http.StatusForbidden, reportQuery+"views"); reason(resp) != "insufficientPermissions" ||
		resp.Text("error", "details", 0, "reason") != "ACCESS_TOKEN_SCOPE_INSUFFICIENT" ||
		resp.Text("error", "status") != "PERMISSION_DENIED" {
		t.Errorf("without the scope: %s", resp.Body)
	}
	a.seed = a.Seed("analytics:ada")
	for name, query := range map[string]string{
		"of others":     strings.Replace(reportQuery, "MINE", "UC1", 1) + "views",
		"no start":      strings.Replace(reportQuery, "2026-11-01", "", 1) + "views",
		"odd end":       strings.Replace(reportQuery, "2026-11-15", "today", 1) + "views",
		"backwards":     strings.Replace(reportQuery, "2026-11-01", "2026-11-16", 1) + "views",
		"no metric":     reportQuery,
		"odd metric":    reportQuery + "views,mood",
		"odd dimension": reportQuery + "views&dimensions=country",
		"no sort":       reportQuery + "views&dimensions=video&maxResults=10",
		"no maximum":    reportQuery + "views&dimensions=video&sort=-views",
	} {
		if resp := a.report(http.StatusBadRequest, query); reason(resp) != "badRequest" {
			t.Errorf("%s: %s", name, resp.Body)
		}
	}
	a.report(http.StatusOK, strings.Replace(reportQuery, "2026-11-01", "2026-11-15", 1)+"views")
}
