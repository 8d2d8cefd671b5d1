package youtube

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

// good returns metadata that YouTube accepts.
func good() metadata {
	return metadata{Snippet: snippet{Title: "A title"}}.withDefaults()
}

func TestMetadataDefaults(t *testing.T) {
	t.Parallel()
	m := good()
	if m.Snippet.CategoryID != "22" || m.Status.Privacy != "public" || m.Status.License != "youtube" {
		t.Errorf("defaults are %+v", m)
	}
	m = metadata{Snippet: snippet{CategoryID: "10"}, Status: visibility{Privacy: "private", License: "creativeCommon"}}
	if got := m.withDefaults(); !reflect.DeepEqual(got, m) {
		t.Errorf("explicit values became %+v", got)
	}
}

func TestMetadataAtTheEdgeOfTheRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change           func(m *metadata)
		reason, location string
	}{
		"good":         {func(*metadata) {}, "", ""},
		"title of 100": {func(m *metadata) { m.Snippet.Title = strings.Repeat("ä", 100) }, "", ""},
		"title of 101": {func(m *metadata) { m.Snippet.Title = strings.Repeat("ä", 101) }, "invalidTitle",
			"body.snippet.title"},
		"no title": {func(m *metadata) { m.Snippet.Title = "" }, "invalidTitle", "body.snippet.title"},
		"title with brackets": {func(m *metadata) { m.Snippet.Title = "a > b" }, "invalidTitle",
			"body.snippet.title"},
		"description of 5000": {func(m *metadata) { m.Snippet.Description = strings.Repeat("ä", 2500) }, "", ""},
		"description of 5001": {func(m *metadata) { m.Snippet.Description = strings.Repeat("ä", 2500) + "a" },
			"invalidDescription", "body.snippet.description"},
		"description with angles": {func(m *metadata) { m.Snippet.Description = "<b>" }, "invalidDescription",
			"body.snippet.description"},
		"tags of 500": {func(m *metadata) { m.Snippet.Tags = []string{strings.Repeat("a", 499), ""}[:1] },
			"", ""},
		"tags of 501": {func(m *metadata) {
			m.Snippet.Tags = []string{strings.Repeat("a", 250),
				strings.Repeat("b", 250)}
		}, "invalidTags", "body.snippet.tags"},
		"empty tag": {func(m *metadata) { m.Snippet.Tags = []string{"a", ""} }, "invalidTags",
			"body.snippet.tags"},
		"tag with brackets": {func(m *metadata) { m.Snippet.Tags = []string{"<a>"} }, "invalidTags",
			"body.snippet.tags"},
		"unknown category": {func(m *metadata) { m.Snippet.CategoryID = "99" }, "invalidCategoryId",
			"body.snippet.categoryId"},
		"closed category": {func(m *metadata) { m.Snippet.CategoryID = "30" }, "invalidCategoryId",
			"body.snippet.categoryId"},
		"localized alone": {func(m *metadata) { m.Localizations = []byte(`{"de":{}}`) },
			"defaultLanguageNotSet", "body.snippet.defaultLanguage"},
		"localized": {func(m *metadata) {
			m.Localizations, m.Snippet.DefaultLanguage = []byte(`{"de":{}}`), "en"
		}, "", ""},
		"privacy": {func(m *metadata) { m.Status.Privacy = "friends" }, "invalidVideoMetadata",
			"body.status.privacyStatus"},
		"license": {func(m *metadata) { m.Status.License = "mit" }, "invalidVideoMetadata",
			"body.status.license"},
		"planned, public": {func(m *metadata) { m.Status.PublishAt = "2026-12-01T00:00:00Z" }, "invalidPublishAt",
			"body.status.publishAt"},
		"planned": {func(m *metadata) {
			m.Status.PublishAt, m.Status.Privacy = "2026-12-01T00:00:00.5Z", "private"
		}, "", ""},
		"planned for no time": {func(m *metadata) {
			m.Status.PublishAt, m.Status.Privacy = "2026-12-01", "private"
		}, "invalidPublishAt", "body.status.publishAt"},
	} {
		m := good()
		c.change(&m)
		refusal := m.check()
		if c.reason == "" {
			if refusal != nil {
				t.Errorf("%s is refused: %+v", name, refusal.Body)
			}
			continue
		}
		if refusal == nil || refusal.Status != http.StatusBadRequest {
			t.Errorf("%s passes", name)
			continue
		}
		item := refusal.Body.(errorBody).Error.Errors[0]
		if item.Reason != c.reason || item.Location != c.location || item.LocationType != "other" ||
			item.Domain != "youtube.video" {
			t.Errorf("%s is refused with %+v", name, item)
		}
	}
}

func TestTagsCountWithCommasAndQuotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tags []string
		want int
	}{
		{nil, 0}, {[]string{"abc"}, 3}, {[]string{"abc", "de"}, 6}, {[]string{"a b"}, 5}, {[]string{"a b", "ä"}, 7},
	} {
		if got := tagLength(c.tags); got != c.want {
			t.Errorf("%q count %d, want %d", c.tags, got, c.want)
		}
	}
}

func TestOnlyNamedPartsAreWritten(t *testing.T) {
	t.Parallel()
	in := metadata{Snippet: snippet{Title: "new"}, Status: visibility{Privacy: "private"},
		Placement: placement{HasPaid: true},
		Recording: []byte(`{"a":1}`), Localizations: []byte(`{"de":1}`)}
	before := metadata{Snippet: snippet{Title: "old"}, Status: visibility{Privacy: "public"}}
	for _, c := range []struct {
		parts []string
		want  metadata
	}{
		{nil, before},
		{[]string{"contentDetails", "id"}, before},
		{[]string{"snippet"}, metadata{Snippet: in.Snippet, Status: before.Status}},
		{[]string{"status", "paidProductPlacementDetails"}, metadata{Snippet: before.Snippet, Status: in.Status,
			Placement: in.Placement}},
		{writableParts, in},
	} {
		if got := in.only(c.parts, before); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v writes %+v, want %+v", c.parts, got, c.want)
		}
	}
}

func TestPlannedVideosArePublicFromTheirInstant(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	v := visibility{Privacy: "private", PublishAt: "2026-12-01T01:00:00+01:00"}
	if got := v.privacyAt(at.Add(-time.Nanosecond)); got != "private" {
		t.Errorf("before: %s", got)
	}
	if got := v.privacyAt(at); got != "public" {
		t.Errorf("then: %s", got)
	}
	if got := (visibility{Privacy: "unlisted"}).privacyAt(at); got != "unlisted" {
		t.Errorf("not planned: %s", got)
	}
}

func TestDurationsAreWrittenInWholeSeconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "PT0S", 400 * time.Millisecond: "PT0S", 500 * time.Millisecond: "PT1S", time.Second: "PT1S",
		time.Minute: "PT1M", 61 * time.Second: "PT1M1S", time.Hour: "PT1H", time.Hour + time.Second: "PT1H1S",
		3*time.Hour + 25*time.Minute + 45*time.Second: "PT3H25M45S", 100 * time.Hour: "PT100H",
	} {
		if got := isoDuration(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
}

func TestSubscribersAreRoundedDownToThreeFigures(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 0, 7: 7, 999: 999, 1000: 1000, 1234: 1230, 9999: 9990, 123456: 123000,
		98765432: 98700000} {
		if got := rounded(n); got != want {
			t.Errorf("%d is shown as %d, want %d", n, got, want)
		}
	}
}

func TestVideosAreJudgedByTypeAndLength(t *testing.T) {
	t.Parallel()
	verified, unverified := sim.Account{Handle: "ada"}, sim.Account{Handle: "UnverifiedAda"}
	for name, c := range map[string]struct {
		kind      string
		length    time.Duration
		channel   sim.Account
		failure   string
		rejection string
	}{
		"short":                {"video/mp4", time.Minute, verified, "", ""},
		"no index":             {"video/webm", 0, unverified, "", ""},
		"text":                 {"text/plain", 0, verified, "invalidFile", ""},
		"12 hours":             {"video/mp4", 12 * time.Hour, verified, "", ""},
		"over 12 hours":        {"video/mp4", 12*time.Hour + 1, verified, "", "length"},
		"15 minutes":           {"video/mp4", 15 * time.Minute, unverified, "", ""},
		"over 15 minutes":      {"video/mp4", 15*time.Minute + 1, unverified, "", "length"},
		"over 15 and verified": {"video/mp4", 16 * time.Minute, verified, "", ""},
	} {
		v := video{File: sim.Media{Type: c.kind}, Shape: mp4.Shape{Width: 16, Height: 9, Duration: c.length}}
		if failure, rejection := v.judge(c.channel); failure != c.failure || rejection != c.rejection {
			t.Errorf("%s: %q, %q", name, failure, rejection)
		}
	}
}

func TestShortsAreUprightAndShort(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		width, height int
		length        time.Duration
		want          bool
	}{
		"upright": {9, 16, time.Minute, true}, "square": {9, 9, time.Minute, true}, "three minutes": {9, 16,
			3 * time.Minute, true},
		"longer": {9, 16, 3*time.Minute + 1, false}, "wide": {16, 9, time.Minute, false}, "unknown": {0, 0, 0, false},
	} {
		v := video{Shape: mp4.Shape{Width: c.width, Height: c.height, Duration: c.length}}
		if got := v.isShort(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestSpansOfRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header string
		length int64
		want   span
		ok     bool
	}{
		"whole file":       {"", 10, span{end: 10, total: 10, length: 10}, true},
		"nothing":          {"", 0, span{}, false},
		"unknown length":   {"", -1, span{end: -1, total: -1, length: -1}, false},
		"probe":            {"bytes */10", 0, span{probe: true, total: 10}, true},
		"probe of unknown": {"bytes */*", 0, span{probe: true}, true},
		"probe with body":  {"bytes */10", 5, span{probe: true, total: 10}, false},
		"chunk":            {"bytes 5-9/10", 5, span{first: 5, end: 10, total: 10, length: 5}, true},
		"total unknown":    {"bytes 0-4/*", 5, span{end: 5, length: 5}, true},
		"backwards":        {"bytes 5-3/10", 1, span{first: 5, end: 4, total: 10, length: 1}, false},
		"over the end":     {"bytes 0-10/10", 11, span{end: 11, total: 10, length: 11}, false},
		"no unit":          {"0-4/10", 5, span{}, false},
		"spaces":           {"bytes 0 - 4 / 10", 5, span{}, false},
		"negative":         {"bytes -1-4/10", 5, span{}, false},
		"too many digits":  {"bytes 0-4/1234567890123456789", 5, span{}, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/", http.NoBody)
		r.ContentLength = c.length
		if c.header != "" {
			r.Header.Set("Content-Range", c.header)
		}
		if got, ok := parseSpan(r); got != c.want || ok != c.ok {
			t.Errorf("%s: %+v, %t", name, got, ok)
		}
	}
}

func TestSpansMustFollowInBlocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		span    span
		stored  int64
		message string
	}{
		"first block": {span{end: blockBytes, length: blockBytes}, 0, ""},
		"last piece": {span{first: blockBytes, end: blockBytes + 1, total: blockBytes + 1, length: 1}, blockBytes,
			""},
		"wrong place": {span{first: 5, end: 10, length: 5}, 7,
			"the upload offset is 5 byte(s), which does not match the already uploaded size of 7 byte(s)."},
		"wrong length":   {span{end: blockBytes, length: 3}, 0, "tells of 262144 byte(s), the Content-Length of 3."},
		"half a block":   {span{end: 1000, total: 5000, length: 1000}, 0, "multiple of 262144"},
		"no end in view": {span{end: 1000, length: 1000}, 0, "contained 1000 bytes"},
	} {
		refusal := c.span.check(c.stored)
		if c.message == "" {
			if refusal != nil {
				t.Errorf("%s is refused: %+v", name, refusal.Body)
			}
			continue
		}
		if refusal == nil || !strings.Contains(refusal.Body.(errorBody).Error.Message, c.message) {
			t.Errorf("%s: %+v", name, refusal)
		}
	}
}
