// Package simtest helps the tests of simulated networks: a sandbox over loopback with a manual clock, and plain HTTP
// calls. It knows no network and no client of crier.
package simtest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/internal/sandbox/sim"
)

// Clock is a manual clock.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance advances the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Sandbox is one network over loopback.
type Sandbox struct {
	URL   string
	Clock *Clock

	t       *testing.T
	network sim.Network
	client  *http.Client
}

// Start runs a sandbox with one network until the test ends. Its clock starts at 2026-11-15 09:00 UTC.
func Start(t *testing.T, network sim.Network, options sim.Options) *Sandbox {
	t.Helper()
	clock := &Clock{now: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	if options.Now == nil {
		options.Now = clock.Now
	}
	world, err := sim.Open(options, []sim.Network{network})
	if err != nil {
		t.Fatalf("open sandbox: %v", err)
	}
	server := httptest.NewServer(world)
	t.Cleanup(func() {
		server.Close()
		if err := world.Close(); err != nil {
			t.Errorf("close sandbox: %v", err)
		}
	})
	// Not the default transport: closing any other test server closes its idle connections, one of which a request may
	// be about to use.
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sandbox{URL: server.URL, Clock: clock, t: t, network: network, client: client}
}

// Seed connects an account.
func (s *Sandbox) Seed(handle string) sim.Seed {
	s.t.Helper()
	seed, err := s.network.Seed(handle)
	if err != nil {
		s.t.Fatalf("seed %s: %v", handle, err)
	}
	return seed
}

// Request is one call. A path that starts with "/" is below the sandbox; any other is a complete URL.
type Request struct {
	Method, Path string
	Token        string // sent in the Authorization header
	Header       map[string]string
	JSON         string     // the body, or
	Form         url.Values // the body, or
	Body         []byte     // the body
}

// Response is the response to a call. Status 0 means that the connection was lost.
type Response struct {
	Status int
	Header http.Header
	Body   []byte

	t *testing.T
}

// Do makes a call.
func (s *Sandbox) Do(r Request) Response {
	s.t.Helper()
	address := r.Path
	if strings.HasPrefix(address, "/") {
		address = s.URL + address
	}
	body, kind := r.Body, ""
	switch {
	case r.JSON != "":
		body, kind = []byte(r.JSON), "application/json"
	case r.Form != nil:
		body, kind = []byte(r.Form.Encode()), "application/x-www-form-urlencoded"
	}
	req, err := http.NewRequestWithContext(s.t.Context(), r.Method, address, bytes.NewReader(body))
	if err != nil {
		s.t.Fatalf("make request: %v", err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if r.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	for key, value := range r.Header {
		req.Header.Set(key, value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return Response{t: s.t}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return Response{t: s.t}
	}
	return Response{Status: resp.StatusCode, Header: resp.Header, Body: text, t: s.t}
}

// Must makes a call that has to return a status.
func (s *Sandbox) Must(status int, r Request) Response {
	s.t.Helper()
	resp := s.Do(r)
	if resp.Status != status {
		s.t.Fatalf("%s %s: status %d, want %d: %s", r.Method, r.Path, resp.Status, status, resp.Body)
	}
	return resp
}

// Value returns the value at a path of the JSON body: keys, and indexes as numbers. It is nil if there is none.
func (r Response) Value(path ...any) any {
	r.t.Helper()
	var value any
	if err := json.Unmarshal(r.Body, &value); err != nil {
		r.t.Fatalf("response is not JSON: %v: %s", err, r.Body)
	}
	for _, step := range path {
		switch key := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[key]
		case int:
			array, _ := value.([]any)
			if key >= len(array) {
				return nil
			}
			value = array[key]
		}
	}
	return value
}

// Text returns the string at a path of the JSON body, or "".
func (r Response) Text(path ...any) string {
	r.t.Helper()
	text, _ := r.Value(path...).(string)
	return text
}

// Location returns the target of a redirect.
func (r Response) Location() *url.URL {
	r.t.Helper()
	to, err := url.Parse(r.Header.Get("Location"))
	if err != nil || r.Header.Get("Location") == "" {
		r.t.Fatalf("response %d is not a redirect: %s", r.Status, r.Body)
	}
	return to
}

// Post is a post as returned by the controls.
type Post struct {
	Provider, AccountID, PlatformPostID, Text string
	Kind                                      sim.Kind
	ParentID                                  *string
	Media                                     []sim.Media
	Likes                                     int
	DeletedAt                                 *time.Time
}

// Posts returns everything that was posted, oldest first.
func (s *Sandbox) Posts() []Post {
	s.t.Helper()
	resp := s.Must(http.StatusOK, Request{Method: "GET", Path: "/_control/posts?provider=" + s.network.Name})
	var out struct{ Data []Post }
	if err := json.Unmarshal(resp.Body, &out); err != nil {
		s.t.Fatalf("decode posts: %v", err)
	}
	return out.Data
}

// Fault scripts a failure of the next calls of an operation.
func (s *Sandbox) Fault(op sim.Operation, kind sim.FaultKind, more map[string]any) {
	s.t.Helper()
	in := map[string]any{"provider": s.network.Name, "operation": op, "kind": kind, "count": 1}
	maps.Copy(in, more)
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatalf("encode fault: %v", err)
	}
	s.Must(http.StatusCreated, Request{Method: "POST", Path: "/_control/faults", JSON: string(body)})
}

// Like adds likes to a post.
func (s *Sandbox) Like(id string, count int) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"provider": s.network.Name, "platformPostId": id, "count": count})
	if err != nil {
		s.t.Fatalf("encode likes: %v", err)
	}
	s.Must(http.StatusOK, Request{Method: "POST", Path: "/_control/likes", JSON: string(body)})
}
