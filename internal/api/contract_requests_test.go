package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestMalformedBodiesAreRejected(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startServer(t, db, withRole("api"))
		before := s.Number(t, `SELECT count(*) FROM organizations`)
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
			"data after the value":            `{"name":"Acme"} {}`,
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
				s.Do(t, "POST", "/v1/organizations", body).WantIssues(t, ".")
			})
		}
		if n := s.Number(t, `SELECT count(*) FROM organizations`); n != before {
			t.Errorf("%d organizations were made", n-before)
		}
		s.Do(t, "POST", "/v1/organizations", `{"name":"\ud83e\udd89\ud83e\udd89"}`).Want(t, http.StatusCreated)
		s.Do(t, "POST", "/v1/organizations", "\n { \"name\" : \"Acme\" } \t").Want(t, http.StatusCreated)
	})
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		for _, good := range []string{"application/json", "application/json; charset=utf-8",
			"application/json;charset=UTF-8", "Application/JSON"} {
			s.Do(t, "POST", "/v1/organizations", `{"name":"Acme"}`, "Content-Type", good).Want(t, http.StatusCreated)
		}
		for _, bad := range []string{
			"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
			"application/json; charset=latin1",
			"application/xml", "application", "json", ";", "application/json, text/plain",
		} {
			s.Do(t, "POST", "/v1/organizations", `{"name":"Acme"}`, "Content-Type", bad).WantIssues(t, ".")
		}
	})
}

func TestEveryIssueIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	oneServer(t, func(t *testing.T, s *testServer) {
		s.Do(t, "PATCH", "/v1/teams/nobody", object{
			"name": "a", "website": 5, "linkTrackingDefault": "x", "timezone": "Local", "requireApproval": nil,
			"publishLateMinutes": 1441, "extra": 1,
		}, "Idempotency-Key", "").WantIssues(t, "teamId", "name", "website", "linkTrackingDefault", "timezone",
			"requireApproval",
			"publishLateMinutes", "extra", "Idempotency-Key")
		s.Do(t, "GET", "/v1/teams?limit=0&sortBy=colour&sortOrder=up&cursor=x&organizationId=1", nil).
			WantIssues(t, "limit", "sortBy", "sortOrder", "cursor", "organizationId")
		s.Do(t, "POST", path("/v1/organizations/%s/api-keys", s.Organization), object{
			"role": "boss", "permissions": []any{"read", "fly", "read", 5}, "teamIds": []any{"x", s.Team, s.Team},
			"expiresAt": "2001-01-01T00:00:00Z",
		}).WantIssues(t, "name", "role", "permissions.1", "permissions.2", "permissions.3", "teamIds.0", "teamIds.2",
			"expiresAt")
		message := s.Do(t, "GET", "/v1/teams?sortBy=colour", nil).WantIssues(t, "sortBy").Text(t, "issues", 0,
			"message")
		for _, allowed := range []string{"createdAt", "updatedAt", "name"} {
			if !strings.Contains(message, allowed) {
				t.Errorf("the message does not list %s: %s", allowed, message)
			}
		}
	})
}

func TestIssuesInAnErrorAreBounded(t *testing.T) {
	t.Parallel()
	oneServer(t, func(t *testing.T, s *testServer) {
		var keys strings.Builder
		for i := range 60_000 {
			fmt.Fprintf(&keys, `"k%d":1,`, i)
		}
		for rule, body := range map[string]string{
			"unknown keys": "{" + keys.String() + `"name":"Acme"}`,
			"wrong items":  `{"name":"Acme","role":"viewer","permissions":[` + strings.Repeat("1,", 400_000) + `1]}`,
		} {
			got := s.Do(t, "POST", path("/v1/organizations/%s/api-keys", s.Organization), body).Want(t,
				http.StatusBadRequest)
			if len(got.Body) > 1<<20 {
				t.Errorf("%s: a body of %d bytes is answered with %d bytes", rule, len(body), len(got.Body))
			}
		}
	})
}

func TestPageSizes(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		lists := []string{"/v1/organizations", "/v1/teams", path("/v1/organizations/%s/api-keys", s.Organization)}
		for _, list := range lists {
			for _, good := range []string{"1", "25", "99", "100", "007"} {
				s.Do(t, "GET", list+"?limit="+good, nil).Want(t, http.StatusOK)
			}
			for _, bad := range []string{
				"", "0", "101", "-1", "1e9", "1e1", "1000000000", "%2B5", "+5", "5.0", "5,0", "0x10", "five", "%20",
				"5%20", "99999999999999999999", "%D9%A5", "null", "Infinity", "%00",
			} {
				s.Do(t, "GET", list+"?limit="+bad, nil).WantIssues(t, "limit")
			}
			s.Do(t, "GET", list+"?sortBy=", nil).WantIssues(t, "sortBy")
			s.Do(t, "GET", list+"?sortOrder=", nil).WantIssues(t, "sortOrder")
			for _, bad := range []string{"ASC", "descending", "1"} {
				s.Do(t, "GET", list+"?sortOrder="+bad, nil).WantIssues(t, "sortOrder")
			}
			s.Do(t, "GET", list+"?colour=red&limit=5", nil).Want(t, http.StatusOK) // unknown parameters are ignored
			s.Do(t, "GET", list+"?limit=%zz", nil).WantIssues(t, ".")
			s.Do(t, "GET", list+"?limit=5;sortBy=name", nil).WantIssues(t, ".")
		}
		for range 26 {
			s.Do(t, "POST", "/v1/teams", object{"organizationId": s.Organization, "name": "Team"}).Want(t,
				http.StatusCreated)
		}
		if n := len(s.Do(t, "GET", "/v1/teams", nil).Get(t, "data").([]any)); n != 25 {
			t.Errorf("%d entries without a limit, want 25", n)
		}
	})
}

func TestTimesInRequestsNeedAnOffset(t *testing.T) {
	t.Parallel()
	eachServer(t, func(t *testing.T, s *testServer) {
		bad := []string{"expiresAt"}
		s.tryFields(t, "POST", path("/v1/organizations/%s/api-keys", s.Organization),
			object{"name": "Key", "role": "viewer"}, "expiresAt", http.StatusCreated, []field{
				{"UTC", "2099-01-01T00:00:00Z", nil}, {"milliseconds", "2099-01-01T00:00:00.123Z", nil},
				{"an offset", "2099-01-01T00:00:00+05:30", nil},
				{"the far future", "9999-12-31T23:59:59Z", nil}, {"null", nil, nil}, {"absent", absent{}, nil},
				{"local", "2099-01-01T00:00:00", bad}, {"a date", "2099-01-01", bad},
				{"a space", "2099-01-01 00:00:00Z", bad}, {"seconds since 1970", 4_070_908_800, bad},
				{"no seconds", "2099-01-01T00:00Z", bad}, {"one digit of an hour", "2099-01-01T0:00:00Z", bad},
				{"a comma for the fraction", "2099-01-01T00:00:00,5Z", bad},
				{"no such day", "2099-02-29T00:00:00Z", bad}, {"no such hour", "2099-01-01T24:00:00Z", bad},
				{"no such offset", "2099-01-01T00:00:00+25:00", bad},
				{"five digits of a year", "12099-01-01T00:00:00Z", bad},
				{"beyond the year 9999", "9999-12-31T23:59:59-01:00", bad}, {"the past", "2001-01-01T00:00:00Z", bad},
				{"empty", "", bad}, {"text", "tomorrow", bad},
			})
	})
}

// plainID matches a request id generated by the server.
var plainID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func TestEveryResponseHasARequestIDAndSecurityHeaders(t *testing.T) {
	t.Parallel()
	oneServer(t, func(t *testing.T, s *testServer) {
		requests := []servertest.Request{
			{Method: "GET", Path: "/healthz"}, {Method: "GET", Path: "/openapi.json"}, {Method: "GET", Path: "/docs"},
			{Method: "GET", Path: "/nowhere"},
			{Method: "GET", Path: "/v1/teams"}, {Method: "GET", Path: "/v1/teams", Key: s.Key},
			{Method: "GET", Path: "/v1/teams/1", Key: s.Key},
			{Method: "PUT", Path: "/v1/teams", Key: s.Key}, {Method: "GET", Path: "/v1/teams/" + unknownID, Key: s.Key},
		}
		for _, r := range requests {
			got := s.Send(t, r)
			if !plainID.MatchString(got.Header.Get("X-Request-Id")) {
				t.Errorf("%s %s: the request id is %q", r.Method, r.Path, got.Header.Get("X-Request-Id"))
			}
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
				"Cross-Origin-Resource-Policy": "same-origin",
			} {
				if got.Header.Get(name) != want {
					t.Errorf("%s %s: %s is %q, want %q", r.Method, r.Path, name, got.Header.Get(name), want)
				}
			}
			if policy := got.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
				!strings.Contains(policy, "frame-ancestors 'none'") {
				t.Errorf("%s %s: the content security policy is %q", r.Method, r.Path, policy)
			}
			if !strings.HasPrefix(r.Path, "/v1") {
				continue
			}
			if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s %s may be cached or referred to: %v", r.Method, r.Path, got.Header)
			}
		}
		for _, good := range []string{"12345678", "req_2026-11-15.7", strings.Repeat("a", 128)} {
			if got := s.Do(t, "GET", "/v1/teams", nil, "X-Request-Id", good); got.Header.Get("X-Request-Id") != good {
				t.Errorf("%q was not taken over: %q", good, got.Header.Get("X-Request-Id"))
			}
		}
		for _, bad := range []string{"short", strings.Repeat("a", 129), "a b c d e f", "<script>1</script>",
			`quoted"quoted`, "ünïcödé-id"} {
			if got := s.Do(t, "GET", "/v1/teams", nil, "X-Request-Id",
				bad); !plainID.MatchString(got.Header.Get("X-Request-Id")) {
				t.Errorf("%q led to the request id %q", bad, got.Header.Get("X-Request-Id"))
			}
		}
	})
}

func TestUnknownPathsAndMethodsAreNotFound(t *testing.T) {
	t.Parallel()
	oneServer(t, func(t *testing.T, s *testServer) {
		for _, address := range []string{
			"/v1", "/v1/", "/v2/teams", "/v1/team", "/v1/teams/", "/V1/teams", "//v1/teams", "/v1//teams",
			"/v1/teams/" + string(s.Team) + "/", "/v1/teams/" + string(s.Team) + "/nothing",
			"/v1/organizations/" + string(s.Organization) + "/api-keys/" + unknownID + "/rotate/again", "/.env",
			"/v1/../v1/teams", "/%2e%2e/etc/passwd",
		} {
			s.Do(t, "GET", address, nil).WantError(t, http.StatusNotFound, "NotFound")
			s.Send(t, servertest.Request{Method: "GET", Path: address}).WantError(t, http.StatusNotFound, "NotFound")
		}
		for _, r := range []servertest.Request{
			{Method: "PUT", Path: path("/v1/teams/%s", s.Team)},
			{Method: "DELETE", Path: path("/v1/organizations/%s", s.Organization)},
			{Method: "DELETE", Path: "/v1/teams"},
			{Method: "POST", Path: path("/v1/teams/%s", s.Team)}, {Method: "TRACE", Path: "/v1/teams"},
			{Method: "BREW", Path: "/v1/teams"}, {Method: "OPTIONS", Path: "/v1/teams"},
			{Method: "POST", Path: "/healthz"}, {Method: "DELETE", Path: "/openapi.json"},
		} {
			r.Key = s.Key
			s.Send(t, r).WantError(t, http.StatusNotFound, "NotFound")
		}
	})
}

// raw sends bytes and reads the status line of the response; it is empty when the connection was closed without one. An
// incomplete request needs end, or the server would wait for the rest.
func (s *testServer) raw(t *testing.T, data []byte, end bool) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
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

func TestMalformedHTTPIsRejected(t *testing.T) {
	t.Parallel()
	oneServer(t, func(t *testing.T, s *testServer) {
		head := "GET /v1/teams HTTP/1.1\r\nHost: crier.test\r\nAuthorization: Bearer " + s.Key + "\r\n"
		var many bytes.Buffer
		for i := range 20_000 {
			fmt.Fprintf(&many, "X-Flood-%d: flood\r\n", i)
		}
		cases := map[string]string{
			"many headers":  head + many.String() + "\r\n",
			"a huge header": head + "X-Flood: " + strings.Repeat("a", 1<<20) + "\r\n\r\n",
			"a huge path": "GET /v1/" + strings.Repeat("a", 1<<20) +
				" HTTP/1.1\r\nHost: crier.test\r\n\r\n",
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
			if line != "" && !strings.HasPrefix(line, "HTTP/1.1 4") && !strings.HasPrefix(line, "HTTP/1.1 505") &&
				!strings.HasPrefix(line, "HTTP/1.1 501") {
				t.Errorf("%s: answered %q", rule, line)
			}
		}
		s.Do(t, "GET", "/v1/teams", nil).Want(t, http.StatusOK)
	})
}

func TestUnreadableRequestsAndRangesAreAnsweredInTheErrorShape(t *testing.T) {
	t.Parallel()
	s := startServer(t, servertest.Databases.Fresh(t, store.SQLite), withRole("api"))
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET /v1/teams/%zz HTTP/1.1\r\nHost: crier.test\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	wantErrorShape(t, answer, http.StatusBadRequest)
	image := s.File(t, crew{Tenant: s.Tenant}, "a.png", mediatest.PNG(8, 8))
	ranged, err := http.NewRequest(http.MethodGet, s.URL+path("/v1/teams/%s/assets/%s/content", s.Team, image), nil)
	if err != nil {
		t.Fatal(err)
	}
	ranged.Header.Set("Authorization", "Bearer "+s.Key)
	ranged.Header.Set("Range", "bytes=99999999-")
	answer, err = http.DefaultClient.Do(ranged)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	wantErrorShape(t, answer, http.StatusRequestedRangeNotSatisfiable)
}

func wantErrorShape(t *testing.T, answer *http.Response, status int) {
	t.Helper()
	var body struct {
		Tag    string `json:"_tag"`
		Issues []crier.Issue
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || answer.StatusCode != status ||
		body.Tag != "HttpApiDecodeError" || len(body.Issues) != 1 || answer.Header.Get("X-Request-Id") == "" {
		t.Errorf("%d %v %+v, %v", answer.StatusCode, answer.Header, body, err)
	}
}

func TestOperationsWithoutABodyRejectJunk(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db database) {
		s := startPostServer(t, db)
		id := s.NewPostID(t, object{"text": "Hello"})
		for _, junk := range []string{"junk", "[]", `{"a":1}`, "null"} {
			for method, address := range map[string]string{"POST": s.PostsPath(id, "move-to-draft"),
				"DELETE": s.PostsPath(id)} {
				if got := s.Do(t, method, address, junk); got.Status != http.StatusBadRequest {
					t.Errorf("%s with %s: %d %s", method, junk, got.Status, got.Body)
				}
			}
		}
		s.Do(t, "POST", s.PostsPath(id, "move-to-draft"), "{}").Want(t, http.StatusOK)
		s.Do(t, "DELETE", s.PostsPath(id), nil).Want(t, http.StatusOK)
	})
}
