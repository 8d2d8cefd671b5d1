package linkedin

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

func TestRestliLists(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query string
		want  []string
		bad   bool
	}{
		"absent": {query: "q=author"},
		"one":    {query: "ids=List(a)", want: []string{"a"}},
		"two, encoded": {query: "ids=List(urn%3Ali%3Ashare%3A1,urn%3Ali%3Ashare%3A2)",
			want: []string{"urn:li:share:1", "urn:li:share:2"}},
		"after another":      {query: "q=x&ids=List(a,b)&z=1", want: []string{"a", "b"}},
		"comma in an item":   {query: "ids=List(a%2Cb)", want: []string{"a,b"}},
		"no list":            {query: "ids=a", bad: true},
		"not closed":         {query: "ids=List(a", bad: true},
		"encoded brackets":   {query: "ids=List%28a%29", bad: true},
		"colons as they are": {query: "ids=List(urn:li:share:1)", bad: true},
		"empty":              {query: "ids=List()", bad: true},
		"empty item":         {query: "ids=List(a,,b)", bad: true},
		"bad escape":         {query: "ids=List(%zz)", bad: true},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+c.query, http.NoBody)
		got, refusal := parseList(r, "ids")
		if !slices.Equal(got, c.want) || (refusal != nil) != c.bad {
			t.Errorf("%s: %q, %v", name, got, refusal)
		}
		if refusal != nil && (refusal.Status != http.StatusBadRequest ||
			!strings.HasPrefix(refusal.Body.(errorBody).Message, "Invalid query parameter ids: ")) {
			t.Errorf("%s is refused with %+v", name, refusal.Body)
		}
	}
}

func TestRestliRecords(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]map[string]string{
		"(share:urn%3Ali%3Ashare%3A1)": {"share": "urn:li:share:1"},
		"(a:1,b:2)":                    {"a": "1", "b": "2"},
		"":                             nil, "a:1": nil, "(a:1": nil, "a:1)": nil, "()": nil, "(a)": nil, "(a:)": nil,
		"(share:urn:li:share:1)": nil, "(a:%zz)": nil, "(a:(b:1))": nil,
	} {
		got, err := parseRecord(raw)
		if (err == nil) != (want != nil) || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v", raw, got, err)
		}
	}
}

func TestMethodHeaderIsComparedWithoutCase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent         string
		needed, want bool
	}{
		{"", false, true}, {"", true, false}, {"FINDER", true, true}, {"finder", false, true}, {"GET", false, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.Header.Set("X-RestLi-Method", c.sent)
		if got := isMethod(r, "FINDER", c.needed); got != c.want {
			t.Errorf("%q, needed %t: %t", c.sent, c.needed, got)
		}
	}
}

func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][2]int{
		"": {0, 10}, "start=5&count=20": {5, 20}, "count=0": {0, 0}, "count=100": {0, 100}, "count=101": {0, 100},
		"start=1000000": {1000000, 10},
		"start=-1":      {-1, -1}, "count=-1": {-1, -1}, "start=a": {-1, -1}, "count=1e2": {-1, -1},
		"start=1000001": {-1, -1},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query, http.NoBody)
		start, count, refusal := parsePage(r)
		if want[0] < 0 {
			if refusal == nil || refusal.Body.(errorBody).Code != "PARAM_INVALID" {
				t.Errorf("%s: %v", query, refusal)
			}
			continue
		}
		if start != want[0] || count != want[1] || refusal != nil {
			t.Errorf("%s: %d, %d, %v", query, start, count, refusal)
		}
	}
}

func TestLittleTextParsing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]littleText{
		"":                              {},
		"plain":                         {"plain", "plain"},
		"#größe2_x!":                    {`{hashtag|\#|größe2_x}!`, "#größe2_x!"},
		"#a#b":                          {`{hashtag|\#|a}{hashtag|\#|b}`, "#a#b"},
		`\#a`:                           {`\#a`, "#a"},
		`\\`:                            {`\\`, `\`},
		`\x`:                            {"", ""},
		`end\`:                          {"end", "end"},
		`{hashtag|\#|a} b`:              {`{hashtag|\#|a} b`, "#a b"},
		`{hashtag|#|a}`:                 {"", ""},
		"@[Ada L](urn:li:person:a-B_1)": {"@[Ada L](urn:li:person:a-B_1)", "Ada L"},
		"hi @[X](urn:li:group:1)":       {"hi ", "hi "},
		"a * b":                         {"a ", "a "},
		"a ~ b":                         {"a ", "a "},
		"a < b":                         {"a ", "a "},
		`\<\>\{\}\[\]\(\)\|\@\*\_\~`:    {`\<\>\{\}\[\]\(\)\|\@\*\_\~`, `<>{}[]()|@*_~`},
	} {
		if got := parseLittleText(in); got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}

func TestLengthCountsUTF16(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "äöü": 3, "故": 1, "\U0001F600": 2, "e\u0301": 2} {
		if got := length(text); got != want {
			t.Errorf("%q has length %d, want %d", text, got, want)
		}
	}
}

func TestFilesThatCannotBeProcessed(t *testing.T) {
	t.Parallel()
	uploaded := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		asset   asset
		failure string
	}{
		"picture": {asset{URN: imagePrefix, Digest: sim.Digest{Type: "image/png", Width: 6000, Height: 6000}}, ""},
		"huge picture": {asset{URN: imagePrefix, Digest: sim.Digest{Type: "image/png", Width: 6013, Height: 6013}},
			"the image has too many pixels"},
		"WebP": {asset{URN: imagePrefix, Digest: sim.Digest{Type: "image/webp"}},
			"the image is neither JPG, PNG nor GIF"},
		"video":       {asset{URN: videoPrefix, Total: minVideo, Digest: sim.Digest{Type: "video/mp4"}}, ""},
		"large video": {asset{URN: videoPrefix, Total: maxVideo, Digest: sim.Digest{Type: "video/mp4"}}, ""},
		"QuickTime": {asset{URN: videoPrefix, Total: minVideo, Digest: sim.Digest{Type: "video/quicktime"}},
			"the video is no MP4"},
		"small video": {asset{URN: videoPrefix, Total: minVideo - 1, Digest: sim.Digest{Type: "video/mp4"}},
			"the video is smaller than 75 KB or larger than 500 MB"},
		"huge video": {asset{URN: videoPrefix, Total: maxVideo + 1, Digest: sim.Digest{Type: "video/mp4"}},
			"the video is smaller than 75 KB or larger than 500 MB"},
		"PDF":  {asset{URN: documentPrefix, Digest: sim.Digest{Type: "application/pdf"}}, ""},
		"PPTX": {asset{URN: documentPrefix, Digest: sim.Digest{Type: "application/zip"}}, ""},
		"DOC":  {asset{URN: documentPrefix, Digest: sim.Digest{Type: "application/x-ole-storage"}}, ""},
		"plain text": {asset{URN: documentPrefix, Digest: sim.Digest{Type: "text/plain"}},
			"the document is neither PDF, PPT nor DOC"},
	} {
		if got := c.asset.failure(); got != c.failure {
			t.Errorf("%s: %q, want %q", name, got, c.failure)
		}
		want := statusAvailable
		if c.failure != "" {
			want = statusFailed
		}
		if got := c.asset.status(uploaded, time.Minute); got != statusWaiting {
			t.Errorf("%s before the upload is %s", name, got)
		}
		c.asset.UploadedAt = uploaded
		if got := c.asset.status(uploaded.Add(14*time.Second), time.Minute); got != statusProcessing {
			t.Errorf("%s after the upload is %s", name, got)
		}
		if got := c.asset.status(uploaded.Add(time.Minute), time.Minute); got != want {
			t.Errorf("%s after processing is %s, want %s", name, got, want)
		}
	}
}

func TestMemberHandleLength(t *testing.T) {
	t.Parallel()
	if _, err := member(strings.Repeat("a", 25)); err == nil {
		t.Error("a handle of 25 characters is allowed")
	}
	upper, err := member("Ada")
	lower, err2 := member("ada")
	if err != nil || err2 != nil || upper.ID != lower.ID {
		t.Errorf("Ada is %+v (%v), ada %+v (%v)", upper, err, lower, err2)
	}
	for _, handle := range []string{"", "community:", "organization:a b"} {
		if _, err := seed(handle); err == nil {
			t.Errorf("%q is seeded", handle)
		}
	}
}
