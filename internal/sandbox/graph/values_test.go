package graph

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
	"crier/internal/sandbox/sim"
)

func TestContainerLifecycle(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	ready := Container{CreatedAt: created, CompleteAt: created.Add(time.Minute), Work: time.Second}
	failed, posted, waiting := ready, ready, ready
	failed.Failure, posted.PostID, waiting.CompleteAt = "too long", "1", time.Time{}
	for name, c := range map[string]struct {
		container Container
		after     time.Duration
		want      string
	}{
		"waiting for files":        {waiting, time.Hour, InProgress},
		"files have come":          {ready, time.Minute, InProgress},
		"nearly done":              {ready, time.Minute + time.Second - 1, InProgress},
		"done":                     {ready, time.Minute + time.Second, Finished},
		"failing is reported late": {failed, time.Minute, InProgress},
		"failed":                   {failed, time.Minute + time.Second, Failed},
		"just before a day":        {ready, ContainerLife - 1, Finished},
		"after a day":              {ready, ContainerLife, Lapsed},
		"failed, after a day":      {failed, ContainerLife, Lapsed},
		"published":                {posted, time.Hour, Published},
		"published, after a day":   {posted, 2 * ContainerLife, Published},
	} {
		if got := c.container.Status(created.Add(c.after)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if !ready.Kept(created.Add(7*ContainerLife-1)) || ready.Kept(created.Add(7*ContainerLife)) ||
		!posted.Kept(created.Add(70*ContainerLife)) {
		t.Error("unpublished containers must be kept for a week, published ones forever")
	}
}

func TestParamTypes(t *testing.T) {
	t.Parallel()
	p := Params{"yes": "true", "one": "1", "no": "false", "odd": "maybe", "n": "42", "neg": "-1", "half": "0.5",
		"array": `["a",2,{"b":1}]`, "commas": "a, b ,c", "l[0]": "x", "l[1]": "y", "l[3]": "z", "l": "ignored",
		"object": `{"a":1}`, "empty": ""}
	for name, want := range map[string]bool{"yes": true, "one": true, "no": false} {
		if p.Bool(name, !want) != want {
			t.Errorf("%s is %t", name, !want)
		}
	}
	for _, fallback := range []bool{true, false} {
		if p.Bool("odd", fallback) != fallback || p.Bool("none", fallback) != fallback {
			t.Errorf("a value that is neither is not %t", fallback)
		}
	}
	for name, want := range map[string]int64{"n": 42, "neg": -1} {
		if got, ok := p.Int(name); !ok || got != want {
			t.Errorf("%s is %d, %t", name, got, ok)
		}
	}
	for _, name := range []string{"half", "yes", "none", "empty"} {
		if got, ok := p.Int(name); ok {
			t.Errorf("%s is parsed as %d", name, got)
		}
	}
	for name, want := range map[string][]string{"array": {"a", "2", `{"b":1}`}, "commas": {"a", "b", "c"},
		"l": {"x", "y"}, "none": nil, "empty": nil, "n": {"42"}} {
		if got := p.List(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var object struct{ A int }
	if err := p.Decode("object", &object); err != nil || object.A != 1 {
		t.Errorf("%+v, %v", object, err)
	}
	if err := p.Decode("yes!", &object); err == nil || err.Error() != "param yes! must be JSON" {
		t.Errorf("invalid JSON: %v", err)
	}
}

func TestLaterParametersWin(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?a=query&b=query&b=again",
		strings.NewReader("a=body"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	c, err := ReadCall(r)
	if err != nil || c.Params["a"] != "body" || c.Params["b"] != "again" {
		t.Errorf("%v, %v", c, err)
	}
	for kind, body := range map[string]string{"application/x-www-form-urlencoded": "a=%zz", "application/json": `{"a":`,
		"multipart/form-data; boundary=b": "--b\r\nContent-"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		if _, err := ReadCall(r); err == nil {
			t.Errorf("%s was parsed from %q", kind, body)
		}
	}
}

func TestTokenInHeaderOrParameters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, param, want string }{
		{"Bearer a", "b", "a"}, {"OAuth a", "", "a"}, {"oauth  a ", "", "a"}, {"", "b", "b"}, {"Basic a", "b", "b"},
		{"", "", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		if c.header != "" {
			r.Header.Set("Authorization", c.header)
		}
		if got := (&Call{Request: r, Params: Params{"access_token": c.param}}).TokenOf(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestFilesOfAMultipartBody(t *testing.T) {
	t.Parallel()
	body := "--b\r\nContent-Disposition: form-data; name=\"first\"\r\n\r\n1\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"source\"; filename=\"a.jpg\"\r\n\r\nbytes\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"last\"\r\n\r\n2\r\n--b--\r\n"
	read := func(body, kind string, receive func(string, io.Reader) error) (*Call, error) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		c, err := ReadCall(r)
		if err != nil {
			t.Fatal(err)
		}
		return c, c.EachFile(receive)
	}
	got := ""
	c, err := read(body, "multipart/form-data; boundary=b", func(field string, file io.Reader) error {
		text, err := io.ReadAll(file)
		got += field + "=" + string(text)
		return err
	})
	if err != nil || got != "source=bytes" || c.Params["first"] != "1" || c.Params["last"] != "2" {
		t.Errorf("%q, %v, %v", got, c.Params, err)
	}
	errFull := errors.New("no room")
	if _, err := read(body, "multipart/form-data; boundary=b", func(string,
		io.Reader) error {
		return errFull
	}); !errors.Is(
		err, errFull) {
		t.Errorf("an unexpected file: %v", err)
	}
	cut := body[:strings.Index(body, "bytes")+2]
	if _, err := read(cut, "multipart/form-data; boundary=b", func(_ string, file io.Reader) error {
		_, err := io.ReadAll(file)
		return err
	}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a truncated file: %v", err)
	}
	if _, err := read("source=1", "application/x-www-form-urlencoded", func(string, io.Reader) error {
		return errFull
	}); err != nil {
		t.Errorf("a form has files: %v", err)
	}
}

func TestProblemCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply   sim.Reply
		status  int
		kind    string
		code    int
		subcode int
		message string
	}{
		"plain": {Problem{Code: 9, Message: "m"}.Reply(), 400, "OAuthException", 9, 0, "m"},
		"get": {Missing(http.MethodGet, "7"), 400, "GraphMethodException", 100, 33,
			"Unsupported get request. Object with ID '7' does not exist, "},
		"post": {Missing(http.MethodPost, "7"), 400, "GraphMethodException", 100, 33, "Unsupported post request. "},
		"delete": {Missing(http.MethodDelete, "7"), 400, "GraphMethodException", 100, 33,
			"Unsupported delete request. "},
		"scope": {Forbidden("publish"), 403, "OAuthException", 10, 0,
			"(#10) Application does not have permission for this action: publish is missing"},
		"down": {Outage().Reply(), 500, "OAuthException", 2, 0,
			"An unexpected error has occurred. Please retry your request later."},
		"invalid": {Invalid("%d is odd", 3), 400, "OAuthException", 100, 0, "(#100) 3 is odd"},
		"no path": {NotFound(), 400, "OAuthException", 2500, 0, "Unknown path components: /"},
		"no token": {noToken().Reply(), 400, "OAuthException", 104, 0,
			"An access token is required to request this resource."},
	} {
		body := c.reply.Body.(problemBody).Error
		if c.reply.Status != c.status || body.Type != c.kind || body.Code != c.code || body.Subcode != c.subcode ||
			!strings.HasPrefix(body.Message, c.message) || len(body.Trace) != 23 {
			t.Errorf("%s: %d %+v", name, c.reply.Status, body)
		}
	}
}

func TestInsights(t *testing.T) {
	t.Parallel()
	got := NewInsight("12", "profile_views", "day")
	if want := (Insight{Name: "profile_views", Period: "day", Title: "Profile views",
		ID: "12/insights/profile_views/day", Description: "The profile views of this " +
			"object."}); !reflect.DeepEqual(got, want) {
		t.Errorf("insight is %+v", got)
	}
	allowed := []string{"views", "likes"}
	for text, want := range map[string]string{"": "(#100) The parameter metric is required",
		"views,mood": "(#100) metric[1] must be one of the following values: views, likes"} {
		if _, refusal := (&Call{Params: Params{"metric": text}}).Metrics(allowed); refusal == nil ||
			refusal.Body.(problemBody).Error.Message != want {
			t.Errorf("%q: %+v", text, refusal)
		}
	}
	names, refusal := (&Call{Params: Params{"metric": "likes,views"}}).Metrics(allowed)
	if refusal != nil || strings.Join(names, " ") != "likes views" {
		t.Errorf("%v, %+v", names, refusal)
	}
	list := Lifetime("12", names, func(name string) any { return len(name) })
	if len(list.Data) != 2 || list.Data[0].Values[0].Value != 5 || list.Data[1].Period != "lifetime" {
		t.Errorf("list is %+v", list)
	}
}

func TestReceptionIsDerivedFromReactions(t *testing.T) {
	t.Parallel()
	r := Reception{Likes: 3, Comments: 2, Reposts: 1, Quotes: 1}
	if r.Views() != 90 || r.Reach() != 45 || r.Interactions() != 7 {
		t.Errorf("views %d, reach %d, interactions %d", r.Views(), r.Reach(), r.Interactions())
	}
	r.Add(Reception{Likes: 1, Comments: 1, Reposts: 1, Quotes: 1, more: -5})
	if r.Likes != 4 || r.Comments != 3 || r.Reposts != 2 || r.Quotes != 2 || r.Views() != 80+40+15-5 {
		t.Errorf("the sum is %+v with %d views", r, r.Views())
	}
}

func TestCrawlerAcceptsOnlyPicturesAndVideos(t *testing.T) {
	t.Parallel()
	crawler, host := setup(t).api.Crawler, graphtest.NewHost(t)
	for kind, good := range map[string]bool{"image/png": true, "video/mp4": true, "application/octet-stream": true,
		"text/html": false, "application/json": false, "audio/mpeg": false} {
		address := host.Serve("/"+strings.ReplaceAll(kind, "/", "-"), kind, []byte("bytes"))
		if _, err := crawler.Fetch(t.Context(), address, 100); (err == nil) != good ||
			err != nil && !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, address := range []string{"", "example.com/a.png", "ftp://example.com/a.png", "file:///etc/passwd",
		"http://",
		"http://example.com/ä.png", "http://example.com/a b.png"} {
		if _, err := crawler.Fetch(t.Context(), address, 100); !errors.Is(err, ErrUnreachable) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestUploadedFilesAreMeasured(t *testing.T) {
	t.Parallel()
	crawler := setup(t).api.Crawler
	movie := graphtest.MP4(graphtest.Video{Width: 1080, Height: 1920, Length: time.Second})
	file, err := crawler.Receive(strings.NewReader(string(movie)), 1<<20)
	if err != nil || !file.IsVideo() || file.Width != 1080 || file.Ratio() != 0.5625 ||
		file.Movie.Length != time.Second {
		t.Errorf("%+v, %v", file.Media, err)
	}
	if _, err := crawler.Receive(strings.NewReader("12345"), 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	for _, first := range []string{"II*\x00", "MM\x00*"} {
		upload, err := crawler.Extend(Upload{}, strings.NewReader(first[:2]))
		if err == nil {
			upload, err = crawler.Extend(upload, strings.NewReader(first[2:]+"rest"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if file, err := upload.File(); err != nil || file.Type != "image/tiff" || file.Ratio() != 0 || file.IsVideo() {
			t.Errorf("%q in two parts: %+v, %v", first, file.Media, err)
		}
	}
}

func TestShortcodesOfInvalidIDs(t *testing.T) {
	t.Parallel()
	if got := Shortcode("not a number"); got != "not a number" {
		t.Errorf("the shortcode of a word is %q", got)
	}
	for id, want := range map[string]string{"63": "_", "64": "BA", "4095": "__"} {
		if got := Shortcode(id); got != want {
			t.Errorf("the shortcode of %s is %s, want %s", id, got, want)
		}
	}
}
