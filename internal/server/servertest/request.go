package servertest

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

// Request is one API request.
type Request struct {
	Method, Path string
	// Body is sent as JSON; a string, a []byte or a reader is sent as it is.
	Body   any
	Key    string // bearer token; empty: none
	Header map[string]string
	// Failure is true when the test expects a 5xx.
	Failure bool
}

// Response is the response, checked against the OpenAPI document.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON is the decoded body; numbers are json.Number.
	JSON any
}

// Do calls the server as its first tenant. headers are name, value pairs.
func (s *Server) Do(tb testing.TB, method, path string, body any, headers ...string) Response {
	tb.Helper()
	return s.As(tb, s.Key, method, path, body, headers...)
}

// As calls the server with a token.
func (s *Server) As(tb testing.TB, key, method, path string, body any, headers ...string) Response {
	tb.Helper()
	r := Request{Method: method, Path: path, Body: body, Key: key, Header: map[string]string{}}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header[headers[i]] = headers[i+1]
	}
	return s.Send(tb, r)
}

// Send calls the server and checks the response against the document. A response that the document does not describe,
// and an unexpected 5xx, fail the test.
func (s *Server) Send(tb testing.TB, r Request) Response {
	tb.Helper()
	got, err := s.RoundTrip(r)
	if err != nil {
		tb.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	if got.Status >= 500 && !r.Failure {
		tb.Errorf("%s %s: status %d: %s", r.Method, r.Path, got.Status, got.Body)
	}
	if problem := s.OpenAPI(tb).Check(r, got); problem != nil {
		tb.Errorf("%s %s: the answer does not fit the OpenAPI document: %v\n%d %s", r.Method, r.Path, problem,
			got.Status, got.Body)
	}
	return got
}

// RoundTrip is Send without checks; it may be called from any goroutine.
func (s *Server) RoundTrip(r Request) (Response, error) {
	var got Response
	body, err := encodeBody(r.Body)
	if err != nil {
		return got, err
	}
	req, err := http.NewRequest(r.Method, s.URL+r.Path, body)
	if err != nil {
		return got, err
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.Key)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return got, err
	}
	defer resp.Body.Close()
	got.Status, got.Header = resp.StatusCode, resp.Header
	if got.Body, err = io.ReadAll(resp.Body); err != nil {
		return got, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		decoder := json.NewDecoder(bytes.NewReader(got.Body))
		decoder.UseNumber()
		err = decoder.Decode(&got.JSON)
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

// Want fails the test unless the status is the one expected, and returns the response for further checks.
func (r Response) Want(tb testing.TB, status int) Response {
	tb.Helper()
	if r.Status != status {
		tb.Fatalf("status %d, want %d: %s", r.Status, status, r.Body)
	}
	return r
}

// Into decodes the body.
func (r Response) Into(tb testing.TB, dst any) Response {
	tb.Helper()
	if err := json.Unmarshal(r.Body, dst); err != nil {
		tb.Fatalf("decode %s: %v", r.Body, err)
	}
	return r
}

// Get returns a value of the body by its path: keys of objects and indexes of lists. A missing key is a failure; use
// Has for those.
func (r Response) Get(tb testing.TB, path ...any) any {
	tb.Helper()
	value, ok := Walk(r.JSON, path)
	if !ok {
		tb.Fatalf("there is no %v in %s", path, r.Body)
	}
	return value
}

// Text is Get for strings.
func (r Response) Text(tb testing.TB, path ...any) string {
	tb.Helper()
	s, ok := r.Get(tb, path...).(string)
	if !ok {
		tb.Fatalf("%v is not a string in %s", path, r.Body)
	}
	return s
}

// Has reports whether the body has a value at the path, null included.
func (r Response) Has(path ...any) bool {
	_, ok := Walk(r.JSON, path)
	return ok
}

// Walk returns a value of a decoded body by its path: keys of objects and indexes of lists.
func Walk(value any, path []any) (any, bool) {
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

// Tag returns the _tag of an error body.
func (r Response) Tag() string {
	tag, _ := Walk(r.JSON, []any{"_tag"})
	s, _ := tag.(string)
	return s
}

// Issues returns the paths of the issues of a 400, joined by dots and sorted; the empty path is ".".
func (r Response) Issues(tb testing.TB) []string {
	tb.Helper()
	var body struct {
		Issues []struct {
			Path    []string
			Message string
		}
	}
	r.Into(tb, &body)
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

// WantIssues fails the test unless the response is a 400 with issues at exactly these paths.
func (r Response) WantIssues(tb testing.TB, paths ...string) Response {
	tb.Helper()
	r.Want(tb, http.StatusBadRequest)
	if r.Tag() != "HttpApiDecodeError" {
		tb.Errorf("_tag is %q", r.Tag())
	}
	slices.Sort(paths)
	if got := r.Issues(tb); !slices.Equal(got, paths) {
		tb.Errorf("issues at %q, want %q: %s", got, paths, r.Body)
	}
	return r
}

// WantError fails the test unless the response is an error of this status and tag.
func (r Response) WantError(tb testing.TB, status int, tag Tag) Response {
	tb.Helper()
	r.Want(tb, status)
	if r.Tag() != string(tag) {
		tb.Errorf("_tag is %q, want %q", r.Tag(), tag)
	}
	return r
}

// Tag is a _tag of the contract.
type Tag string

// Object is a JSON object to send.
type Object = map[string]any

// Path builds the path of a request.
func Path(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// WantOAuthError fails the test unless the response is an OAuth error with the code.
func (r Response) WantOAuthError(tb testing.TB, code string) {
	tb.Helper()
	r.Want(tb, http.StatusBadRequest)
	if got := r.Text(tb, "error"); got != code {
		tb.Fatalf("the error is %q, want %q: %s", got, code, r.Body)
	}
}

// WantReplay fails the test unless a response is the stored one again.
func (r Response) WantReplay(tb testing.TB, first Response) {
	tb.Helper()
	if r.Header.Get("Idempotency-Replayed") != "true" || r.Status != first.Status || !bytes.Equal(r.Body, first.Body) {
		tb.Errorf("not a replay of %d %s:\n%d %s (Idempotency-Replayed: %q)", first.Status, first.Body, r.Status,
			r.Body, r.Header.Get("Idempotency-Replayed"))
	}
}

// Result decodes the response of schedule and post-now.
func (r Response) Result(tb testing.TB) Result {
	tb.Helper()
	var out Result
	r.Want(tb, http.StatusOK).Into(tb, &out)
	return out
}

// WantUnavailable fails the test unless the server responds that it is unavailable, without the reason.
func (r Response) WantUnavailable(t *testing.T) {
	t.Helper()
	r.WantError(t, http.StatusServiceUnavailable, "InternalError")
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	for _, secret := range []string{"dial", "EOF", "SQL", "pgx", "127.0.0.1", "password", "database is locked"} {
		if strings.Contains(string(r.Body), secret) {
			t.Errorf("the answer tells of the inside (%s): %s", secret, r.Body)
		}
	}
}

// UnknownID is a well-formed id that does not exist.
const UnknownID = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"
