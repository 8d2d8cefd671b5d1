package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestMalformedBodiesAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.number(t, `SELECT count(*) FROM organizations`)
		cases := map[string]any{
			"empty":                           "",
			"white space":                     " \n",
			"not JSON":                        "name=Acme",
			"half an object":                  `{"name":"Acme"`,
			"half a string":                   `{"name":"Ac`,
			"a comma too many":                `{"name":"Acme",}`,
			"no comma":                        `{"name":"Acme" "x":1}`,
			"single quotes":                   `{'name':'Acme'}`,
			"a comment":                       `{"name":"Acme" /* ours */}`,
			"NaN":                             `{"name":NaN}`,
			"something behind":                `{"name":"Acme"} {}`,
			"a brace behind":                  `{"name":"Acme"}}`,
			"a key twice":                     `{"name":"Acme","name":"Evil"}`,
			"a key twice, escaped":            `{"name":"Acme","n\u0061me":"Evil"}`,
			"null":                            `null`,
			"a list":                          `[{"name":"Acme"}]`,
			"a string":                        `"Acme"`,
			"a number":                        `7`,
			"NUL in a string":                 `{"name":"Ac\u0000me"}`,
			"NUL as a byte":                   "{\"name\":\"Ac\x00me\"}",
			"invalid UTF-8":                   "{\"name\":\"Ac\xff\xfeme\"}",
			"overlong UTF-8":                  "{\"name\":\"Ac\xc0\xafme\"}",
			"half a surrogate pair":           `{"name":"Ac\ud800me"}`,
			"half a surrogate pair at an end": `{"name":"Acme\udc00"}`,
			"a surrogate pair in bytes":       "{\"name\":\"Ac\xed\xa0\x80me\"}",
			"UTF-16":                          "\xff\xfe{\x00}\x00",
			"a byte order mark":               "\xef\xbb\xbf{\"name\":\"Acme\"}",
			"deep nesting of lists":           strings.Repeat("[", 100_000),
			"deep nesting of objects":         strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000),
			"deep nesting in a value":         `{"name":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
			"a body over 1 MiB":               `{"name":"` + strings.Repeat("a", 1<<20) + `"}`,
			"a body of 10 MB":                 `{"name":"` + strings.Repeat("a", 10_000_000) + `"}`,
			"10 MB of white space":            strings.Repeat(" ", 10_000_000) + `{"name":"Acme"}`,
		}
		for rule, body := range cases {
			t.Run(rule, func(t *testing.T) {
				s.do(t, "POST", "/v1/organizations", body).wantIssues(t, ".")
			})
		}
		if n := s.number(t, `SELECT count(*) FROM organizations`); n != before {
			t.Errorf("%d organizations were made", n-before)
		}
		s.do(t, "POST", "/v1/organizations", `{"name":"\ud83e\udd89\ud83e\udd89"}`).want(t, http.StatusCreated)
		s.do(t, "POST", "/v1/organizations", "\n { \"name\" : \"Acme\" } \t").want(t, http.StatusCreated)
	})
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, good := range []string{"application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"} {
			s.do(t, "POST", "/v1/organizations", `{"name":"Acme"}`, "Content-Type", good).want(t, http.StatusCreated)
		}
		for _, bad := range []string{
			"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=latin1",
			"application/xml", "application", "json", ";", "application/json, text/plain",
		} {
			s.do(t, "POST", "/v1/organizations", `{"name":"Acme"}`, "Content-Type", bad).wantIssues(t, ".")
		}
	})
}

func TestEveryIssueIsToldAtOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		s.do(t, "PATCH", "/v1/teams/nobody", object{
			"name": "a", "website": 5, "linkTrackingDefault": "x", "timezone": "Local", "requireApproval": nil, "publishLateMinutes": 1441, "extra": 1,
		}, "Idempotency-Key", "").wantIssues(t, "teamId", "name", "website", "linkTrackingDefault", "timezone", "requireApproval",
			"publishLateMinutes", "extra", "Idempotency-Key")
		s.do(t, "GET", "/v1/teams?limit=0&sortBy=colour&sortOrder=up&cursor=x&organizationId=1", nil).
			wantIssues(t, "limit", "sortBy", "sortOrder", "cursor", "organizationId")
		s.do(t, "POST", path("/v1/organizations/%s/api-keys", s.organization), object{
			"role": "boss", "permissions": []any{"read", "fly", "read", 5}, "teamIds": []any{"x", s.team, s.team}, "expiresAt": "2001-01-01T00:00:00Z",
		}).wantIssues(t, "name", "role", "permissions.1", "permissions.2", "permissions.3", "teamIds.0", "teamIds.2", "expiresAt")
		message := s.do(t, "GET", "/v1/teams?sortBy=colour", nil).wantIssues(t, "sortBy").text(t, "issues", 0, "message")
		for _, allowed := range []string{"createdAt", "updatedAt", "name"} {
			if !strings.Contains(message, allowed) {
				t.Errorf("the message does not list %s: %s", allowed, message)
			}
		}
	})
}

func TestABodyFullOfMistakesGetsABoundedAnswer(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		var keys strings.Builder
		for i := range 60_000 {
			fmt.Fprintf(&keys, `"k%d":1,`, i)
		}
		for rule, body := range map[string]string{
			"unknown keys": "{" + keys.String() + `"name":"Acme"}`,
			"wrong items":  `{"name":"Acme","role":"viewer","permissions":[` + strings.Repeat("1,", 400_000) + `1]}`,
		} {
			got := s.do(t, "POST", path("/v1/organizations/%s/api-keys", s.organization), body).want(t, http.StatusBadRequest)
			if len(got.body) > 1<<20 {
				t.Errorf("%s: a body of %d bytes is answered with %d bytes", rule, len(body), len(got.body))
			}
		}
	})
}

func TestPageSizes(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		lists := []string{"/v1/organizations", "/v1/teams", path("/v1/organizations/%s/api-keys", s.organization)}
		for _, list := range lists {
			for _, good := range []string{"1", "25", "99", "100", "007"} {
				s.do(t, "GET", list+"?limit="+good, nil).want(t, http.StatusOK)
			}
			for _, bad := range []string{
				"", "0", "101", "-1", "1e9", "1e1", "1000000000", "%2B5", "+5", "5.0", "5,0", "0x10", "five", "%20", "5%20", "99999999999999999999", "%D9%A5", "null", "Infinity", "%00",
			} {
				s.do(t, "GET", list+"?limit="+bad, nil).wantIssues(t, "limit")
			}
			s.do(t, "GET", list+"?sortBy=", nil).wantIssues(t, "sortBy")
			s.do(t, "GET", list+"?sortOrder=", nil).wantIssues(t, "sortOrder")
			for _, bad := range []string{"ASC", "descending", "1"} {
				s.do(t, "GET", list+"?sortOrder="+bad, nil).wantIssues(t, "sortOrder")
			}
			s.do(t, "GET", list+"?colour=red&limit=5", nil).want(t, http.StatusOK) // unknown parameters are ignored
			s.do(t, "GET", list+"?limit=%zz", nil).wantIssues(t, ".")
			s.do(t, "GET", list+"?limit=5;sortBy=name", nil).wantIssues(t, ".")
		}
		for range 26 {
			s.do(t, "POST", "/v1/teams", object{"organizationId": s.organization, "name": "Team"}).want(t, http.StatusCreated)
		}
		if n := len(s.do(t, "GET", "/v1/teams", nil).get(t, "data").([]any)); n != 25 {
			t.Errorf("%d entries without a limit, want 25", n)
		}
	})
}

func TestTimesInRequestsNeedAnOffset(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		bad := []string{"expiresAt"}
		s.tryFields(t, "POST", path("/v1/organizations/%s/api-keys", s.organization), object{"name": "Key", "role": "viewer"}, "expiresAt", http.StatusCreated, []field{
			{"UTC", "2099-01-01T00:00:00Z", nil}, {"milliseconds", "2099-01-01T00:00:00.123Z", nil}, {"an offset", "2099-01-01T00:00:00+05:30", nil},
			{"the far future", "9999-12-31T23:59:59Z", nil}, {"null", nil, nil}, {"absent", absent{}, nil},
			{"local", "2099-01-01T00:00:00", bad}, {"a date", "2099-01-01", bad}, {"a space", "2099-01-01 00:00:00Z", bad}, {"seconds since 1970", 4_070_908_800, bad},
			{"no seconds", "2099-01-01T00:00Z", bad}, {"one digit of an hour", "2099-01-01T0:00:00Z", bad}, {"a comma for the fraction", "2099-01-01T00:00:00,5Z", bad},
			{"no such day", "2099-02-29T00:00:00Z", bad}, {"no such hour", "2099-01-01T24:00:00Z", bad}, {"no such offset", "2099-01-01T00:00:00+25:00", bad},
			{"five digits of a year", "12099-01-01T00:00:00Z", bad}, {"beyond the year 9999", "9999-12-31T23:59:59-01:00", bad}, {"the past", "2001-01-01T00:00:00Z", bad},
			{"empty", "", bad}, {"text", "tomorrow", bad},
		})
	})
}

// saneID is a request id that the server makes.
var saneID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func TestEveryAnswerHasARequestIdAndSecurityHeaders(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		requests := []request{
			{method: "GET", path: "/healthz"}, {method: "GET", path: "/openapi.json"}, {method: "GET", path: "/docs"}, {method: "GET", path: "/nowhere"},
			{method: "GET", path: "/v1/teams"}, {method: "GET", path: "/v1/teams", key: s.key}, {method: "GET", path: "/v1/teams/1", key: s.key},
			{method: "PUT", path: "/v1/teams", key: s.key}, {method: "GET", path: "/v1/teams/" + unknownID, key: s.key},
		}
		for _, r := range requests {
			got := s.send(t, r)
			if !saneID.MatchString(got.header.Get("X-Request-Id")) {
				t.Errorf("%s %s: the request id is %q", r.method, r.path, got.header.Get("X-Request-Id"))
			}
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if got.header.Get(name) != want {
					t.Errorf("%s %s: %s is %q, want %q", r.method, r.path, name, got.header.Get(name), want)
				}
			}
			if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
				t.Errorf("%s %s: the content security policy is %q", r.method, r.path, policy)
			}
			if !strings.HasPrefix(r.path, "/v1") {
				continue
			}
			if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s %s may be cached or referred to: %v", r.method, r.path, got.header)
			}
		}
		for _, good := range []string{"12345678", "req_2026-11-15.7", strings.Repeat("a", 128)} {
			if got := s.do(t, "GET", "/v1/teams", nil, "X-Request-Id", good); got.header.Get("X-Request-Id") != good {
				t.Errorf("%q was not taken over: %q", good, got.header.Get("X-Request-Id"))
			}
		}
		for _, bad := range []string{"short", strings.Repeat("a", 129), "a b c d e f", "<script>1</script>", `quoted"quoted`, "ünïcödé-id"} {
			if got := s.do(t, "GET", "/v1/teams", nil, "X-Request-Id", bad); !saneID.MatchString(got.header.Get("X-Request-Id")) {
				t.Errorf("%q led to the request id %q", bad, got.header.Get("X-Request-Id"))
			}
		}
	})
}

func TestUnknownPathsAndMethodsAreNotFound(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		for _, address := range []string{
			"/v1", "/v1/", "/v2/teams", "/v1/team", "/v1/teams/", "/V1/teams", "//v1/teams", "/v1//teams", "/v1/teams/" + string(s.team) + "/", "/v1/teams/" + string(s.team) + "/nothing",
			"/v1/organizations/" + string(s.organization) + "/api-keys/" + unknownID + "/rotate/again", "/.env", "/v1/../v1/teams", "/%2e%2e/etc/passwd",
		} {
			s.do(t, "GET", address, nil).wantError(t, http.StatusNotFound, "NotFound")
			s.send(t, request{method: "GET", path: address}).wantError(t, http.StatusNotFound, "NotFound")
		}
		for _, r := range []request{
			{method: "PUT", path: path("/v1/teams/%s", s.team)}, {method: "DELETE", path: path("/v1/organizations/%s", s.organization)}, {method: "DELETE", path: "/v1/teams"},
			{method: "POST", path: path("/v1/teams/%s", s.team)}, {method: "TRACE", path: "/v1/teams"}, {method: "BREW", path: "/v1/teams"}, {method: "OPTIONS", path: "/v1/teams"},
			{method: "POST", path: "/healthz"}, {method: "DELETE", path: "/openapi.json"},
		} {
			r.key = s.key
			s.send(t, r).wantError(t, http.StatusNotFound, "NotFound")
		}
	})
}

// raw sends bytes and reads the status line of the answer; it is empty when the connection was closed without one. What
// is no complete request needs to be ended, or the server would wait for the rest.
func (s *server) raw(t *testing.T, data []byte, end bool) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Write(data) // the server may close before it has read everything
	if end {
		_ = conn.(*net.TCPConn).CloseWrite()
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func TestBrokenHTTPIsRefusedAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		head := "GET /v1/teams HTTP/1.1\r\nHost: crier.test\r\nAuthorization: Bearer " + s.key + "\r\n"
		var many bytes.Buffer
		for i := range 20_000 {
			fmt.Fprintf(&many, "X-Flood-%d: flood\r\n", i)
		}
		cases := map[string]string{
			"many headers":               head + many.String() + "\r\n",
			"a huge header":              head + "X-Flood: " + strings.Repeat("a", 1<<20) + "\r\n\r\n",
			"a huge path":                "GET /v1/" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\nHost: crier.test\r\n\r\n",
			"NUL in a header":            head + "X-Nul: a\x00b\r\n\r\n",
			"no host":                    "GET /v1/teams HTTP/1.1\r\n\r\n",
			"two lengths":                head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\na",
			"a negative length":          head + "Content-Length: -1\r\n\r\n",
			"an unknown transfer coding": head + "Transfer-Encoding: gzip, chunked\r\n\r\n",
			"a space before the colon":   head + "X-Odd : a\r\n\r\n",
			"not HTTP":                   "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
			"an unknown version":         "GET /v1/teams HTTP/9.9\r\n\r\n",
		}
		for rule, data := range cases {
			line := s.raw(t, []byte(data), true)
			if line != "" && !strings.HasPrefix(line, "HTTP/1.1 4") && !strings.HasPrefix(line, "HTTP/1.1 505") && !strings.HasPrefix(line, "HTTP/1.1 501") {
				t.Errorf("%s: answered %q", rule, line)
			}
		}
		s.do(t, "GET", "/v1/teams", nil).want(t, http.StatusOK)
	})
}
