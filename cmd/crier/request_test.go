package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// request is one call of the interface.
type request struct {
	method, path string
	// body is sent as JSON; a string, a []byte or a reader is sent as it is.
	body   any
	key    string // bearer token; empty: none
	header map[string]string
	// failure is true when a 5xx is what the test wants to see.
	failure bool
}

// response is the answer, checked against the OpenAPI document.
type response struct {
	status int
	header http.Header
	body   []byte
	// json is the decoded body; numbers are json.Number.
	json any
}

// do calls the server as its first tenant. headers are name, value pairs.
func (s *server) do(tb testing.TB, method, path string, body any, headers ...string) response {
	tb.Helper()
	return s.as(tb, s.key, method, path, body, headers...)
}

// as calls the server with a token.
func (s *server) as(tb testing.TB, key, method, path string, body any, headers ...string) response {
	tb.Helper()
	r := request{method: method, path: path, body: body, key: key, header: map[string]string{}}
	for i := 0; i+1 < len(headers); i += 2 {
		r.header[headers[i]] = headers[i+1]
	}
	return s.send(tb, r)
}

// send calls the server and checks the answer against the document. An answer that the document does not know, and a
// 5xx that was not asked for, fail the test.
func (s *server) send(tb testing.TB, r request) response {
	tb.Helper()
	got, err := s.roundTrip(r)
	if err != nil {
		tb.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	if got.status >= 500 && !r.failure {
		tb.Errorf("%s %s: status %d: %s", r.method, r.path, got.status, got.body)
	}
	if problem := s.openAPI(tb).check(r, got); problem != nil {
		tb.Errorf("%s %s: the answer does not fit the OpenAPI document: %v\n%d %s", r.method, r.path, problem, got.status, got.body)
	}
	return got
}

// roundTrip is send without opinions; it may be called from any goroutine.
func (s *server) roundTrip(r request) (response, error) {
	var got response
	body, err := encodeBody(r.body)
	if err != nil {
		return got, err
	}
	req, err := http.NewRequest(r.method, s.url+r.path, body)
	if err != nil {
		return got, err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return got, err
	}
	defer resp.Body.Close()
	got.status, got.header = resp.StatusCode, resp.Header
	if got.body, err = io.ReadAll(resp.Body); err != nil {
		return got, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		decoder := json.NewDecoder(bytes.NewReader(got.body))
		decoder.UseNumber()
		err = decoder.Decode(&got.json)
	}
	return got, err
}

func encodeBody(body any) (io.Reader, error) {
	switch b := body.(type) {
	case nil:
		return http.NoBody, nil
	case string:
		return strings.NewReader(b), nil
	case []byte:
		return bytes.NewReader(b), nil
	case io.Reader:
		return b, nil
	}
	data, err := json.Marshal(body)
	return bytes.NewReader(data), err
}

// want fails the test unless the status is the one expected, and returns the response for more.
func (r response) want(tb testing.TB, status int) response {
	tb.Helper()
	if r.status != status {
		tb.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// into decodes the body.
func (r response) into(tb testing.TB, dst any) response {
	tb.Helper()
	if err := json.Unmarshal(r.body, dst); err != nil {
		tb.Fatalf("decode %s: %v", r.body, err)
	}
	return r
}

// get walks to a value of the body: keys of objects and indexes of lists. A missing key is a failure; use has for those.
func (r response) get(tb testing.TB, path ...any) any {
	tb.Helper()
	value, ok := walk(r.json, path)
	if !ok {
		tb.Fatalf("there is no %v in %s", path, r.body)
	}
	return value
}

// text is get for strings.
func (r response) text(tb testing.TB, path ...any) string {
	tb.Helper()
	s, ok := r.get(tb, path...).(string)
	if !ok {
		tb.Fatalf("%v is not a string in %s", path, r.body)
	}
	return s
}

// has is true when the body has a value at the path, null included.
func (r response) has(path ...any) bool {
	_, ok := walk(r.json, path)
	return ok
}

func walk(value any, path []any) (any, bool) {
	for _, step := range path {
		switch at := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			if !ok {
				return nil, false
			}
			if value, ok = object[at]; !ok {
				return nil, false
			}
		case int:
			list, ok := value.([]any)
			if !ok || at >= len(list) {
				return nil, false
			}
			value = list[at]
		}
	}
	return value, true
}

// tag is the _tag of an error body.
func (r response) tag() string {
	tag, _ := walk(r.json, []any{"_tag"})
	s, _ := tag.(string)
	return s
}

// issues are the paths of a 400, joined by dots and sorted; the empty path is ".".
func (r response) issues(tb testing.TB) []string {
	tb.Helper()
	var body struct {
		Issues []struct {
			Path    []string
			Message string
		}
	}
	r.into(tb, &body)
	paths := []string{}
	for _, issue := range body.Issues {
		if issue.Message == "" {
			tb.Errorf("the issue at %v has no message", issue.Path)
		}
		path := strings.Join(issue.Path, ".")
		if path == "" {
			path = "."
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// wantIssues fails unless the answer is a 400 with issues at exactly these paths.
func (r response) wantIssues(tb testing.TB, paths ...string) response {
	tb.Helper()
	r.want(tb, http.StatusBadRequest)
	if r.tag() != "HttpApiDecodeError" {
		tb.Errorf("_tag is %q", r.tag())
	}
	slices.Sort(paths)
	if got := r.issues(tb); !slices.Equal(got, paths) {
		tb.Errorf("issues at %q, want %q: %s", got, paths, r.body)
	}
	return r
}

// wantError fails unless the answer is an error of this status and tag.
func (r response) wantError(tb testing.TB, status int, tag crierTag) response {
	tb.Helper()
	r.want(tb, status)
	if r.tag() != string(tag) {
		tb.Errorf("_tag is %q, want %q", r.tag(), tag)
	}
	return r
}

// crierTag is a _tag of the contract.
type crierTag string

// object is a JSON object to send.
type object = map[string]any

// path builds the address of a request.
func path(format string, args ...any) string { return fmt.Sprintf(format, args...) }
