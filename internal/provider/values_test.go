package provider

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
)

// parts reads a multipart body.
func parts(t *testing.T, b Body) (texts []string, headers []http.Header) {
	t.Helper()
	_, params, err := mime.ParseMediaType(b.contentType)
	if err != nil {
		t.Fatal(err)
	}
	reader := multipart.NewReader(b.open(), params["boundary"])
	for {
		part, err := reader.NextRawPart()
		if err != nil {
			return texts, headers
		}
		data, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		texts, headers = append(texts, string(data)), append(headers, http.Header(part.Header))
	}
}

// A body with a wrong length hangs or is truncated; one that can be read only once cannot be sent on another
// connection.
func TestBodyHasItsLengthAndCanBeReread(t *testing.T) {
	t.Parallel()
	file := strings.NewReader("0123456789")
	object, err := JSONBody(map[string]string{"text": "a <b> & ü"})
	if err != nil {
		t.Fatal(err)
	}
	form, err := MultipartBody([]Field{{"name", "a&b\r\n"}}, FilePart{Field: "media", FileName: `a "b".png`,
		ContentType: "image/png", File: file, Offset: 2, Size: 5})
	if err != nil {
		t.Fatal(err)
	}
	related, err := RelatedBody(map[string]int{"n": 1}, "text/plain", "a text\r\n--x")
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]Body{"JSON": object, "a form with a file": form, "related": related,
		"a form": FormBody(map[string][]string{"a": {"b c"}}), "nothing": NoBody("text/plain"),
		"a section": SectionBody("video/mp4", file, 3, 4)} {
		var before string
		for round := range 2 {
			data, err := io.ReadAll(b.open())
			if err != nil || int64(len(data)) != b.length || round == 1 && string(data) != before {
				t.Errorf("%s: %d bytes, length %d, %v", name, len(data), b.length, err)
			}
			before = string(data)
		}
	}
	if object.preview != `{"text":"a <b> & ü"}` {
		t.Errorf("JSON is %s", object.preview)
	}
	texts, headers := parts(t, form)
	if !slices.Equal(texts, []string{"a&b\r\n", "23456"}) || headers[1].Get("Content-Type") != "image/png" ||
		strings.Contains(form.preview, "23456") {
		t.Errorf("the form is %q, %v, shown as %q", texts, headers, form.preview)
	}
	_, disposition, err := mime.ParseMediaType(headers[1].Get("Content-Disposition"))
	if err != nil || disposition["name"] != "media" || disposition["filename"] != `a "b".png` {
		t.Errorf("the file is called %v, %v", disposition, err)
	}
	if texts, _ := parts(t, related); !slices.Equal(texts, []string{`{"n":1}`, "a text\r\n--x"}) {
		t.Errorf("the related parts are %q", texts)
	}
	if _, err := JSONBody(func() {}); err == nil {
		t.Error("a function is JSON")
	}
	if _, err := RelatedBody(func() {}, "text/plain", ""); err == nil {
		t.Error("a function is JSON")
	}
}

func TestConsentURLQueryOrder(t *testing.T) {
	t.Parallel()
	got, err := ConsentAddress("https://network.example/auth", Credentials{ClientID: "id"},
		[]Field{{"scope", "a b,c"}, {"state", "x+y&z"}, {"client_id", "id"}})
	if want := "https://network.example/auth?scope=a%20b%2Cc&state=x%2By%26z&client_id=id"; err != nil || got != want {
		t.Errorf("the address is %s, %v", got, err)
	}
	if _, err := ConsentAddress("https://network.example/auth", Credentials{}, nil); err == nil {
		t.Error("there is an address without credentials")
	}
	// The example of RFC 7636, appendix B.
	challenge := S256Challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
	if challenge != "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" {
		t.Errorf("the challenge is %s", challenge)
	}
}

func TestTokensOfOneConsentExpireTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b Token
		same bool
	}{
		"the same refresh token":  {Token{Access: "1", Refresh: "r"}, Token{Access: "2", Refresh: "r"}, true},
		"other refresh tokens":    {Token{Access: "1", Refresh: "r"}, Token{Access: "1", Refresh: "s"}, false},
		"one has a refresh token": {Token{Access: "1", Refresh: "r"}, Token{Access: "1"}, false},
		"the same token alone":    {Token{Access: "1"}, Token{Access: "1"}, true},
		"other tokens":            {Token{Access: "1"}, Token{Access: "2"}, false},
	} {
		if c.a.SharesWith(c.b) != c.same || c.b.SharesWith(c.a) != c.same {
			t.Errorf("%s: %v", name, !c.same)
		}
	}
	a := Account{Scopes: []string{"read", "write"}}
	if !a.HasScope("x", "write") || a.HasScope("x") || a.HasScope() {
		t.Error("HasScope does not match the granted scopes")
	}
}

// An entry missing in a list that does not reach back far enough may still exist: believing the list would publish a
// post twice.
func TestListProvesAbsenceOnlyWithinItsRange(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	at := func(seconds ...int) (list []time.Time) {
		for _, s := range seconds {
			list = append(list, since.Add(time.Duration(s)*time.Second))
		}
		return list
	}
	for name, c := range map[string]struct {
		list  []time.Time
		limit int
		want  bool
	}{
		"an empty account":          {nil, 3, true},
		"fewer than requested":      {at(5, 4), 3, true},
		"full, and all are younger": {at(5, 4, 3), 3, false},
		"full, and one is older":    {at(5, 4, -1), 3, true},
		"full, and one is as old":   {at(5, 4, 0), 3, false},
		"a pinned old one is first": {at(-9, 5, 4), 3, false},
		"more than requested":       {at(5, 4, 3, 2), 3, false},
	} {
		if got := ReachesBack(c.list, c.limit, func(t time.Time) time.Time { return t }, since); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestStateCloneIsDeep(t *testing.T) {
	t.Parallel()
	var st State
	st.Note("key", "value")
	st.Hide("secret", "hidden")
	st.Uploads = []Upload{{Part: 0, Media: 1, Tags: []string{"a"}}, {Part: 1, Media: 1}}
	st.Warnings = []string{"w"}
	st.UploadProgress = &UploadProgress{}
	st.ContainerID = "c"
	before, err := json.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	copied := st.Clone()
	copied.Note("key", "other")
	copied.Hide("secret", "shown")
	copied.Upload(0, 1).Tags[0] = "b"
	copied.Upload(1, 1).Part = 7
	copied.Warnings[0] = "x"
	*copied.UploadProgress = UploadProgress{NextByteStart: 9}
	copied.Publish(Published{PlatformPostID: "first"}, 2)
	if after, err := json.Marshal(st); err != nil || string(after) != string(before) ||
		st.Secrets["secret"] != "hidden" {
		t.Errorf("the original was changed to %s", after)
	}
	if copied.Upload(5, 5) != nil {
		t.Error("Upload returns an upload that does not exist")
	}
	if copied.Done || copied.NextPart() != 1 || copied.PlatformPostID != "first" || copied.ContainerID != "" {
		t.Errorf("after the first part: %+v", copied)
	}
	copied.Publish(Published{PlatformPostID: "second"}, 2)
	if !copied.Done || copied.PlatformPostID != "first" || copied.NextPart() != 2 {
		t.Errorf("after the last part: %+v", copied)
	}
}

func TestClockSkewFromDateHeaders(t *testing.T) {
	t.Parallel()
	at := crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 10, 0, time.UTC))
	answer := func(date string) Exchange {
		return Exchange{StartedAt: at, ResponseHeader: map[string]string{"Date": date}}
	}
	for name, c := range map[string]struct {
		list []Exchange
		want time.Duration
	}{
		"nothing":  {nil, 0},
		"no date":  {[]Exchange{{StartedAt: at}, answer("yesterday")}, 0},
		"the same": {[]Exchange{answer("Mon, 16 Nov 2026 12:00:10 GMT")}, 0},
		"ahead": {[]Exchange{answer("Mon, 16 Nov 2026 12:00:07 GMT"),
			answer("Mon, 16 Nov 2026 12:00:09 GMT")}, 3 * time.Second},
		"behind is ignored": {[]Exchange{answer("Mon, 16 Nov 2026 12:00:20 GMT")}, 0},
	} {
		if got := ClockAhead(c.list); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestIssuePathsMatchTheAPI(t *testing.T) {
	t.Parallel()
	thread := Content{Parts: make([]Part, 2)}
	for want, path := range map[string][]string{
		"postInput.text":                  Content{}.Path(0, "text"),
		"postInput.posts.1.text":          thread.Path(1, "text"),
		"postInput.posts.1.attachments.3": thread.MediaPath(1, Media{Position: 3}),
		"postInput.attachments.0.altText": Content{}.MediaPath(0, Media{}, "altText"),
		"comment.text":                    Content{Action: Comment}.Path(0, "text"),
		"repostAfter.text":                Content{Action: Quote}.Path(0, "text"),
		"repostAfter":                     Content{Action: Repost}.Path(0),
		"platformSettings.key.0":          SettingPath("key", "0"),
	} {
		if got := strings.Join(path, "."); got != want {
			t.Errorf("path %s, want %s", got, want)
		}
	}
	var f Findings
	f.Warn([]string{"a"}, "careful")
	if !f.OK() || len(f.Warnings) != 1 {
		t.Error("a warning makes the content invalid")
	}
	if f.Reject([]string{"a"}, "no"); f.OK() {
		t.Error("an issue leaves the content valid")
	}
}

func TestDeclarationLookup(t *testing.T) {
	t.Parallel()
	info := Info{Formats: []Format{{Name: "text", PostTypes: []string{"text_post"}},
		{Name: "photo", PostTypes: []string{"text_image", "carousel"}}, {Name: "album",
			PostTypes: []string{"carousel"}}},
		Costs: []Cost{{Key: "post", Credits: 15}}}
	if f, ok := info.FormatFor("carousel"); !ok || f.Name != "photo" {
		t.Errorf("the format of a carousel is %q", f.Name)
	}
	if _, ok := info.FormatFor("text_video"); ok {
		t.Error("there is a format for videos")
	}
	if f, ok := info.Format("album"); !ok || f.Name != "album" {
		t.Errorf("the format album is %q", f.Name)
	}
	if _, ok := info.Format("story"); ok {
		t.Error("there is a format story")
	}
	if info.Cost("post") != 15 || info.Cost("other") != 0 {
		t.Errorf("a post costs %d, an unknown key %d", info.Cost("post"), info.Cost("other"))
	}
	data, err := json.Marshal(Format{Name: "comment"})
	if err != nil || !strings.Contains(string(data), `"postTypes":[]`) || !strings.Contains(string(data), `"media":[]`) {
		t.Errorf("a format without lists is %s, %v", data, err)
	}
}
