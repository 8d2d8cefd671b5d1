package contract

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"crier"
)

// testInput is an input with parameters of every kind.
type testInput struct {
	ID     crier.ID   `path:"id"`
	Limit  string     `query:"limit" default:"20"`
	Sort   string     `query:"sortBy"`
	Since  crier.Time `query:"since"`
	Range  string     `header:"Content-Range" doc:"which bytes"`
	Prefer string     `header:"Prefer" required:"false"`
}

const anID = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d"

// decodeInput decodes a request for testInput.
func decodeInput(t *testing.T, id, query string, header http.Header, body Body) (got testInput, issues []crier.Issue) {
	t.Helper()
	in := NewInput(NewRegistry(), reflect.TypeFor[testInput]())
	in.sortBy([]string{"createdAt", "name"})
	r := httptest.NewRequest(http.MethodGet, "/things", nil)
	r.URL.RawQuery, r.Header = query, header
	routes := chi.NewRouteContext()
	routes.URLParams.Add("id", id)
	r = r.WithContext(context.WithValue(r.Context(), chi.RouteCtxKey, routes))
	issues = in.Decode(r, body, time.Time{}, reflect.ValueOf(&got).Elem())
	return got, issues
}

func pathsOf(issues []crier.Issue) string {
	var paths []string
	for _, issue := range issues {
		paths = append(paths, strings.Join(issue.Path, "."))
	}
	return strings.Join(paths, " ")
}

func TestParametersAreReadFromPathAndQuery(t *testing.T) {
	t.Parallel()
	ranged := http.Header{"Content-Range": {"bytes 0-1/2"}}
	for name, c := range map[string]struct {
		id, query string
		header    http.Header
		body      Body
		paths     string // of issues, in order
	}{
		"all of them":            {anID, "limit=5&sortBy=name&since=2026-11-15T09:00:00Z", ranged, Body{}, ""},
		"as few as can be":       {anID, "", ranged, Body{}, ""},
		"an empty object":        {anID, "", ranged, Body{Data: []byte(" {} ")}, ""},
		"an unknown parameter":   {anID, "other=1", ranged, Body{}, ""},
		"a wrong id":             {"x", "", ranged, Body{}, "id"},
		"no header":              {anID, "", http.Header{}, Body{}, "Content-Range"},
		"a wrong order":          {anID, "sortBy=size", ranged, Body{}, "sortBy"},
		"a wrong time":           {anID, "since=yesterday", ranged, Body{}, "since"},
		"a NUL":                  {anID, "limit=%00", ranged, Body{}, "limit"},
		"no UTF-8":               {anID, "limit=%ff", ranged, Body{}, "limit"},
		"no query":               {anID, "limit=%zz", ranged, Body{}, ""},
		"a body":                 {anID, "", ranged, Body{Data: []byte(`{"a":1}`)}, ""},
		"a large body":           {anID, "", ranged, Body{Large: true}, ""},
		"several things at once": {"x", "sortBy=size", http.Header{}, Body{}, "id sortBy Content-Range"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, issues := decodeInput(t, c.id, c.query, c.header, c.body)
			if strings.TrimSpace(pathsOf(issues)) != c.paths {
				t.Errorf("the issues are %+v, want %q", issues, c.paths)
			}
			if whole := name == "no query" || name == "a body" || name == "a large body"; whole != (len(issues) == 1 &&
				len(issues[0].Path) == 0) {
				t.Errorf("the issues are %+v", issues)
			}
			switch name {
			case "all of them":
				if got.ID != anID || got.Limit != "5" || got.Sort != "name" || got.Since.Year() != 2026 ||
					got.Range != "bytes 0-1/2" {
					t.Errorf("read %+v", got)
				}
			case "as few as can be":
				if got.Limit != "20" || got.Sort != "createdAt" || got.Prefer != "" || !got.Since.IsZero() {
					t.Errorf("without a word %+v", got)
				}
			}
		})
	}
}

func TestRequestTargetHasOnlyKnownParameters(t *testing.T) {
	t.Parallel()
	in := NewInput(NewRegistry(), reflect.TypeFor[testInput]())
	for query, want := range map[string]string{
		"": "/things", "other=1": "/things", "limit=5&other=1": "/things?limit=5",
		"sortBy=b&limit=5": "/things?limit=5&sortBy=b", "limit=1&limit=2": "/things?limit=1",
	} {
		r := httptest.NewRequest(http.MethodGet, "/things?"+query, nil)
		if got := in.Target(r); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

func TestBodySizeIsBounded(t *testing.T) {
	t.Parallel()
	in := NewInput(NewRegistry(), reflect.TypeFor[struct{ Body crier.TeamUpdate }]())
	receive := func(body io.Reader) (Body, error) {
		return in.Receive(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", body))
	}
	for size, large := range map[int]bool{0: false, 1: false, maxBody: false, maxBody + 1: true} {
		b, err := receive(strings.NewReader(strings.Repeat("x", size)))
		if err != nil || b.Large != large || !large && len(b.Data) != size || large && len(b.Data) != 0 {
			t.Errorf("%d bytes: %d read, large: %v, %v", size, len(b.Data), b.Large, err)
		}
	}
	_, err := receive(io.MultiReader(strings.NewReader("{"), iotest.ErrReader(errors.New("the connection was lost"))))
	if !crier.IsKind(err, crier.KindInvalid) {
		t.Errorf("a body that breaks off: %v", err)
	}
	var dst struct{ Body crier.TeamUpdate }
	for name, c := range map[string]struct {
		body        Body
		contentType string
		wantText    string
	}{
		"no body":       {Body{}, "", "needs a JSON body"},
		"a large body":  {Body{Large: true}, "", "larger than"},
		"another type":  {Body{Data: []byte("a=b")}, "application/x-www-form-urlencoded", "Content-Type must be"},
		"no JSON":       {Body{Data: []byte("hello")}, "application/json", ""},
		"another shape": {Body{Data: []byte("[]")}, "", "must be an object, got a list"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Content-Type", c.contentType)
		issues := in.Decode(r, c.body, time.Time{}, reflect.ValueOf(&dst).Elem())
		if len(issues) != 1 || len(issues[0].Path) != 0 || !strings.Contains(issues[0].Message, c.wantText) {
			t.Errorf("%s: %+v", name, issues)
		}
	}
}

func TestStreamReportsSenderErrors(t *testing.T) {
	t.Parallel()
	in := NewInput(NewRegistry(), reflect.TypeFor[struct {
		Stream *Stream `stream:"application/octet-stream"`
	}]())
	open := func(body io.Reader, header http.Header) Body {
		r := httptest.NewRequest(http.MethodPut, "/", body)
		if header != nil {
			r.Header = header
		}
		b, err := in.Receive(httptest.NewRecorder(), r)
		if err != nil || b.Stream == nil {
			t.Fatalf("%+v, %v", b, err)
		}
		return b
	}
	if in.TakesForm() {
		t.Error("bytes are a form")
	}
	good := open(strings.NewReader("bytes"), nil)
	if data, err := io.ReadAll(good.Stream); err != nil || string(data) != "bytes" || good.Stream.Length != 5 {
		t.Errorf("read %q, %v", data, err)
	}
	bad := open(io.MultiReader(strings.NewReader("by"), iotest.ErrReader(errors.New("lost"))), nil)
	if data, err := io.ReadAll(bad.Stream); !crier.IsKind(err, crier.KindInvalid) || string(data) != "by" {
		t.Errorf("read %q, %v", data, err)
	}
	one := open(strings.NewReader("bytes"), http.Header{"Content-Range": {"bytes 0-4/9"}})
	two := open(strings.NewReader("bytes"), http.Header{"Content-Range": {"bytes 5-9/9"}})
	if string(one.Repetition()) == string(two.Repetition()) || string((Body{Data: []byte("x")}).Repetition()) != "x" {
		t.Error("two pieces are one request")
	}
	// After a refusal, the body of a client that waits for 100-continue is not read; other bodies are drained.
	for expect, left := range map[string]int{"100-continue": 5, "": 0} {
		body := strings.NewReader("bytes")
		b := open(io.MultiReader(body), http.Header{"Expect": {expect}})
		b.Drain()
		if body.Len() != left {
			t.Errorf("with Expect: %q %d bytes are left", expect, body.Len())
		}
	}
	Body{}.Drain()
}

func TestJSONContentTypes(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]bool{
		"":                                 true,
		"application/json":                 true,
		"Application/JSON; charset=UTF-8":  true,
		"application/json; charset=latin1": false,
		"text/plain":                       false,
		"application/problem+json":         false,
		"application/json; x":              false,
		"json":                             false,
	} {
		if got := isJSON(contentType); got != want {
			t.Errorf("%q: %v", contentType, got)
		}
	}
}

func TestInvalidValueIsReportedOnce(t *testing.T) {
	t.Parallel()
	known := []crier.Issue{crier.At("x", "a", "b"), crier.At("x", "list", "1")}
	for path, reported := range map[string]bool{"a": true, "a.b": false, "a.b.c": false, "a.bc": true, "list.10": true,
		"": true} {
		more := []crier.Issue{{Path: strings.FieldsFunc(path, func(r rune) bool { return r == '.' }), Message: "y"}}
		if got := len(UnlessKnown(known, more)) == 1; got != reported {
			t.Errorf("%q is told: %v", path, got)
		}
	}
	if got := UnlessKnown([]crier.Issue{crier.At("the body is no JSON")}, []crier.Issue{crier.At("y",
		"a")}); got != nil {
		t.Errorf("what is wrong with a part of nothing: %+v", got)
	}
}

func TestExpectationsAreDescribedInWords(t *testing.T) {
	t.Parallel()
	low, high, few, many := 1.0, 2.5, 2, 9
	for want, s := range map[string]*huma.Schema{
		"a value":                          nil,
		"true or false":                    {Type: huma.TypeBoolean},
		"a whole number":                   {Type: huma.TypeInteger},
		"a whole number of at least 1":     {Type: huma.TypeInteger, Minimum: &low},
		"a number of at most 2.5":          {Type: huma.TypeNumber, Maximum: &high},
		"a number from 1 to 2.5":           {Type: huma.TypeNumber, Minimum: &low, Maximum: &high},
		"a list":                           {Type: huma.TypeArray},
		"an object":                        {Type: huma.TypeObject},
		"a string":                         {Type: huma.TypeString},
		"one of a, b":                      {Type: huma.TypeString, Enum: []any{"a", "b"}},
		"a UUID":                           {Type: huma.TypeString, Format: "uuid"},
		"an RFC 3339 time":                 {Type: huma.TypeString, Format: "date-time"},
		"a string of 2 to 9 characters":    {Type: huma.TypeString, MinLength: &few, MaxLength: &many},
		"a string of at most 9 characters": {Type: huma.TypeString, MaxLength: &many},
	} {
		if got := expected(s); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
	for want, s := range map[string]*huma.Schema{"2 to 9 items": {MinItems: &few, MaxItems: &many},
		"at least 2 items": {MinItems: &few}, "at most 9 items": {MaxItems: &many}} {
		if got := itemRange(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A sender that first sends everything, as most do, gets the answer instead of a broken connection.
func TestSenderOfALargeBodyGetsTheAnswer(t *testing.T) {
	t.Parallel()
	in := NewInput(NewRegistry(), reflect.TypeFor[struct{ Body crier.TeamUpdate }]())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := in.Receive(w, r)
		defer body.Drain()
		if err != nil || !body.Large {
			t.Errorf("large: %v, %v", body.Large, err)
		}
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	const size = 20 << 20 // more than the buffers of a connection
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := fmt.Fprintf(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(connection, strings.NewReader(strings.Repeat("x", size))); err != nil {
		t.Fatalf("the body could not be sent: %v", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatalf("the answer was lost: %v", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("the answer is %s", answer.Status)
	}
}
