package graph

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

// A client that follows the links must see every entry once, in both directions.
func TestPagingHasNoGapsOrDuplicates(t *testing.T) {
	t.Parallel()
	ids := strings.Split("abcdefg", "")
	for limit := 1; limit <= len(ids)+1; limit++ {
		var forward []string
		after, pages := "", 0
		for {
			page, isFirst, hasMore := cut(ids, after, "", limit)
			if isFirst != (pages == 0) || len(page) > limit {
				t.Fatalf("page %d by %d is %v, first: %v", pages, limit, page, isFirst)
			}
			forward, pages = append(forward, page...), pages+1
			if !hasMore {
				break
			}
			after = cursor(page[len(page)-1])
		}
		if got := strings.Join(forward, ""); got != "abcdefg" {
			t.Errorf("forward by %d: %s", limit, got)
		}
		back, before := "", cursor("g")
		for range ids {
			page, isFirst, hasMore := cut(ids, "", before, limit)
			if !hasMore {
				t.Fatalf("no next page after %v, before the last entry", page)
			}
			back = strings.Join(page, "") + back
			if isFirst {
				break
			}
			before = cursor(page[0])
		}
		if back != "abcdef" {
			t.Errorf("back by %d: %s", limit, back)
		}
	}
	for name, c := range map[string]struct {
		after, before string
		want          string
	}{
		"a cursor of what was deleted": {cursor("x"), "", "ab"},
		"between two":                  {cursor("b"), cursor("e"), "cd"},
		"between neighbours":           {cursor("b"), cursor("c"), ""},
		"the wrong way round":          {cursor("e"), cursor("b"), ""},
		"behind the last":              {cursor("g"), "", ""},
	} {
		if page, _, _ := cut(ids, c.after, c.before, 2); strings.Join(page, "") != c.want {
			t.Errorf("%s: %v, want %q", name, page, c.want)
		}
	}
}

func TestParseInstants(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1794740400": "2026-11-15T11:00:00+0000", "2026-11-15": "2026-11-15T00:00:00+0000",
		"2026-11-15T12:00:00+0100": "2026-11-15T11:00:00+0000", "2026-11-15T12:00:00+01:00": "2026-11-15T11:00:00+0000",
		"0": "1970-01-01T00:00:00+0000", "-1": "1969-12-31T23:59:59+0000",
	} {
		if at, ok := ParseTime(text); !ok || Timestamp(at) != want {
			t.Errorf("%s is %s, %v; want %s", text, Timestamp(at), ok, want)
		}
	}
	for _, wrong := range []string{"", "yesterday", "2026-13-01", "1.5", "2026-11-15 12:00"} {
		if at, ok := ParseTime(wrong); ok {
			t.Errorf("%q is parsed as %s", wrong, at)
		}
	}
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		since, until time.Time
		want         bool
	}{
		"open": {want: true}, "since then": {since: at, want: true}, "until then": {until: at, want: true},
		"since later": {since: at.Add(1)}, "until before": {until: at.Add(-1)},
	} {
		if Within(at, c.since, c.until) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
	for params, good := range map[string]bool{"": true, "1": true, "soon": false} {
		for _, name := range []string{"since", "until"} {
			_, _, refusal := (&Call{Params: map[string]string{name: params}}).Between()
			if (refusal == nil) != good {
				t.Errorf("%s=%s: %+v", name, params, refusal)
			}
		}
	}
}

func TestConsentShowsTheAppsScopes(t *testing.T) {
	t.Parallel()
	known := []string{"basic", "publish"}
	for query, says := range map[string]string{
		"client_id=1&scope=basic,publish&response_type=code": "",
		"client_id=1&scope=basic%20publish":                  "",
		"client_id=1&config_id=7":                            "",
		"client_id=1&scope=basic&response_type=token":        "response_type",
		"scope=basic":                   "client_id",
		"client_id=1":                   "scope is missing",
		"client_id=1&scope=,":           "scope is missing",
		"client_id=1&scope=basic,admin": `invalid scope "admin"`,
	} {
		c, err := parseConsent(httptest.NewRequest("GET", "/oauth/authorize?"+query, nil), known, "_")
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", query, err, says)
		}
		if strings.Contains(query, "config_id") && strings.Join(c.Scopes, " ") != "basic publish" {
			t.Errorf("%s requests %v", query, c.Scopes)
		}
	}
}

func TestLongAndShortLivedTokens(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		ends time.Time
		long bool
	}{"for an hour": {at.Add(shortLife), false}, "for a day": {at.Add(24 * time.Hour), false},
		"for sixty days": {at.Add(LongLife), true}, "for ever": {time.Time{}, true}} {
		if got := IsLong(sim.Token{IssuedAt: at, ExpiresAt: c.ends}); got != c.long {
			t.Errorf("%s: %v", name, got)
		}
	}
}
