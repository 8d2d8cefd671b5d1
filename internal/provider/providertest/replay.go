// Package providertest helps to test providers. Run is the suite that all of them pass, against the sandbox and over
// real HTTP: post types, limits, faults, tokens, cancellation, and a crash after each step. Replay simulates a network
// by replaying the exchanges of golden files, and rejects every deviation from them.
package providertest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"crier/internal/provider"
)

// A golden file holds exchanges, separated by lines of equal signs. Each is a request and its response, separated by a
// line of hyphens:
//
//	POST /2/tweets
//	Authorization: Bearer access-1
//	Content-Type: application/json
//
//	{"text":"Hello"}
//	---
//	201
//	Content-Type: application/json
//
//	{"data":{"id":"1"}}
//	===
//
// All headers that a provider sets are listed; those of the transport are not compared. A multipart body is written as
// one line per part: name=value, or name=filename;type;bytes. The response "drop" reads the request and closes the
// connection. {{server}} stands for the address of the replay, in requests and responses.

const (
	betweenExchanges = "\n===\n"
	betweenSides     = "\n---\n"
	serverMark       = "{{server}}"
	dropAnswer       = "drop"
)

// transportHeaders are set by the HTTP client itself.
var transportHeaders = []string{"Accept-Encoding", "Content-Length", "Host", "User-Agent"}

// Replay is a server that expects the exchanges of a golden file, in order.
type Replay struct {
	// URL is the address of the server.
	URL string

	t         *testing.T
	mutex     sync.Mutex
	exchanges []exchange
	next      int
}

type exchange struct{ request, answer string }

// NewReplay starts a server for golden files, which are replayed one after the other. The test fails if a request
// differs from the file, or if requests are missing.
func NewReplay(t *testing.T, files ...string) *Replay {
	t.Helper()
	r := &Replay{t: t}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("read golden file: %v", err)
		}
		r.add(file, string(data))
	}
	server := httptest.NewServer(http.HandlerFunc(r.serve))
	r.URL = server.URL
	t.Cleanup(func() {
		server.Close()
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if r.next < len(r.exchanges) && !t.Failed() {
			t.Errorf("%d of %d exchanges were not made; the next is\n%s", len(r.exchanges)-r.next, len(r.exchanges),
				r.exchanges[r.next].request)
		}
	})
	return r
}

// Credentials are those of the app in golden files.
func Credentials() provider.Credentials {
	return provider.Credentials{ClientID: "client-1", ClientSecret: "client-secret"}
}

// NewReplayed returns what a network's provider runs against: a clock, and the address of a replay of golden files in
// the test's folder, named without their ending. Without any, nothing may be requested.
func NewReplayed(t *testing.T, golden ...string) (clock *Clock, base string) {
	t.Helper()
	if len(golden) == 0 {
		return NewClock(), ""
	}
	files := make([]string, len(golden))
	for i, name := range golden {
		files[i] = "testdata/" + name + ".txt"
	}
	return NewClock(), NewReplay(t, files...).URL
}

// NewAnswering returns the address of a network that gives every request the same response.
func NewAnswering(t *testing.T, status int, header map[string]string, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have given up
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// NewReplayOf is NewReplay for exchanges in the test itself.
func NewReplayOf(t *testing.T, exchanges string) *Replay {
	t.Helper()
	r := NewReplay(t)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.add("of the test", exchanges)
	return r
}

func (r *Replay) add(file, text string) {
	text = strings.TrimSuffix(strings.TrimSpace(text), strings.TrimSpace(betweenExchanges))
	for part := range strings.SplitSeq(text, betweenExchanges) {
		request, answer, ok := strings.Cut("\n"+strings.TrimSpace(part), betweenSides)
		if !ok {
			r.t.Fatalf("golden file %s: an exchange has no line of hyphens:\n%s", file, part)
		}
		r.exchanges = append(r.exchanges, exchange{request: strings.TrimSpace(request),
			answer: strings.TrimSpace(answer)})
	}
}

func (r *Replay) serve(w http.ResponseWriter, req *http.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	got, err := render(req)
	if err != nil {
		r.refuse(w, fmt.Sprintf("read request: %v", err))
		return
	}
	if r.next >= len(r.exchanges) {
		r.refuse(w, "one request more than expected:\n"+got)
		return
	}
	current := r.exchanges[r.next]
	if want := canonical(r.fill(current.request)); got != want {
		r.refuse(w, fmt.Sprintf("request %d differs\n--- got\n%s\n--- want\n%s", r.next+1, got, want))
		return
	}
	r.next++
	r.answer(w, current.answer)
}

func (r *Replay) fill(text string) string { return strings.ReplaceAll(text, serverMark, r.URL) }

// refuse responds with a status that no provider interprets as a success or retries.
func (r *Replay) refuse(w http.ResponseWriter, problem string) {
	r.t.Error(problem)
	w.WriteHeader(http.StatusTeapot)
}

func (r *Replay) answer(w http.ResponseWriter, text string) {
	if text == dropAnswer {
		panic(http.ErrAbortHandler) // closes the connection without a response
	}
	head, body, _ := strings.Cut(r.fill(text), "\n\n")
	lines := strings.Split(head, "\n")
	status, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		r.refuse(w, fmt.Sprintf("golden response starts with %q instead of a status", lines[0]))
		return
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		w.Header().Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	w.WriteHeader(status)
	if _, err := io.WriteString(w, body); err != nil {
		r.t.Errorf("write answer: %v", err)
	}
}

// render formats a request as in golden files.
func render(req *http.Request) (string, error) {
	body, contentType, err := renderBody(req)
	if err != nil {
		return "", err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	lines := []string{req.Method + " " + req.RequestURI}
	for name, values := range req.Header {
		if !slices.Contains(transportHeaders, name) {
			lines = append(lines, name+": "+strings.Join(values, ", "))
		}
	}
	return canonical(strings.Join(lines, "\n") + "\n\n" + body), nil
}

// canonical sorts the headers, so that their order does not matter.
func canonical(request string) string {
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(head, "\n")
	for i, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		lines[i+1] = http.CanonicalHeaderKey(strings.TrimSpace(name)) + ": " + strings.TrimSpace(value)
	}
	slices.Sort(lines[1:])
	return strings.TrimSpace(strings.Join(lines, "\n") + "\n\n" + body)
}

func renderBody(req *http.Request) (body, contentType string, err error) {
	mediaType, params, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if mediaType != "multipart/form-data" {
		data, err := io.ReadAll(req.Body)
		return printable(data), "", err
	}
	var lines []string
	form := multipart.NewReader(req.Body, params["boundary"])
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return strings.Join(lines, "\n"), mediaType, nil
		}
		if err != nil {
			return "", "", fmt.Errorf("read multipart body: %w", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return "", "", fmt.Errorf("read multipart part: %w", err)
		}
		value := printable(data)
		if part.FileName() != "" {
			value = part.FileName() + ";" + part.Header.Get("Content-Type") + ";" + value
		}
		lines = append(lines, part.FormName()+"="+value)
	}
}

// printable replaces content that does not fit a golden file with its length and digest.
func printable(data []byte) string {
	if utf8.Valid(data) && len(data) <= 4096 {
		return string(data)
	}
	return fmt.Sprintf("%d bytes, sha256 %x", len(data), sha256.Sum256(data))
}
