package sim

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// request returns a request with a body.
func request(t *testing.T, body string) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
}

func TestReplyIsWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply      Reply
		status     int
		kind, body string
	}{
		"nothing": {Reply{Status: http.StatusNoContent}, 204, "", ""},
		"bytes": {Reply{Status: http.StatusOK, Body: []byte("plain")}, 200, "application/json; charset=utf-8",
			"plain"},
		"JSON": {Reply{Status: http.StatusCreated, Body: map[string]int{"n": 1}}, 201,
			"application/json; charset=utf-8", `{"n":1}`},
		"HTML as it is": {Reply{Status: http.StatusOK, Body: "<b>&"}, 200, "application/json; charset=utf-8", `"<b>&"`},
		"own type": {Reply{Status: http.StatusForbidden, Body: []byte("{}")}.With("content-type",
			"application/problem+json"),
			403, "application/problem+json", "{}"},
		"cannot be encoded": {Reply{Status: http.StatusOK, Body: math.NaN()}, 500, "text/plain; charset=utf-8",
			"encode answer: json: unsupported value: NaN\n"},
	} {
		w := httptest.NewRecorder()
		c.reply.write(w)
		if w.Code != c.status || w.Header().Get("Content-Type") != c.kind || w.Body.String() != c.body {
			t.Errorf("%s: %d %q %q", name, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
}

func TestReplyWithSetsOneHeader(t *testing.T) {
	t.Parallel()
	reply := Reply{Status: http.StatusOK}.With("x-limit", "1").With("X-Limit", "2").With("X-Other", "3")
	w := httptest.NewRecorder()
	reply.write(w)
	if got := w.Header().Values("X-Limit"); len(got) != 1 || got[0] != "2" || w.Header().Get("x-other") != "3" {
		t.Errorf("headers are %v", w.Header())
	}
}

func TestBodiesOfMoreThanAMebibyteAreRefused(t *testing.T) {
	t.Parallel()
	if body, err := ReadBody(request(t, strings.Repeat("a", MaxBody))); err != nil || len(body) != MaxBody {
		t.Errorf("a body of the limit's size: %d bytes, %v", len(body), err)
	}
	if _, err := ReadBody(request(t, strings.Repeat("a", MaxBody+1))); err == nil ||
		err.Error() != "body is larger than 1048576 bytes" {
		t.Errorf("a body over the limit: %v", err)
	}
	broken := request(t, "")
	broken.Body = brokenBody{}
	if _, err := ReadBody(broken); !errors.Is(err, errCut) {
		t.Errorf("a truncated body: %v", err)
	}
}

var errCut = errors.New("cut off")

// brokenBody is a body that cannot be read.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, errCut }
func (brokenBody) Close() error             { return nil }

func TestDecodeJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, loose, strict string }{
		"one value":     {body: `{"text":"a"}`},
		"spaces around": {body: " {\"text\":\"a\"}\n"},
		"unknown key": {body: `{"text":"a","more":1}`,
			strict: `decode JSON: json: unknown field "more"`},
		"two values": {body: `{"text":"a"}{}`, loose: "decode JSON: more than one value",
			strict: "decode JSON: more than one value"},
		"garbage behind": {body: `{"text":"a"} x`, loose: "decode JSON: more than one value",
			strict: "decode JSON: more than one value"},
		"nothing":  {body: "", loose: "decode JSON: EOF", strict: "decode JSON: EOF"},
		"cut off":  {body: `{"text":`, loose: "decode JSON: unexpected EOF", strict: "decode JSON: unexpected EOF"},
		"too long": {body: `"` + strings.Repeat("a", MaxBody) + `"`, loose: "body is larger", strict: "body is larger"},
	} {
		for mode, decode := range map[string]struct {
			run  func(*http.Request, any) error
			want string
		}{"loose": {DecodeJSON, c.loose}, "strict": {DecodeStrictJSON, c.strict}} {
			var in struct{ Text string }
			err := decode.run(request(t, c.body), &in)
			switch {
			case decode.want == "" && (err != nil || in.Text != "a"):
				t.Errorf("%s, %s: %q, %v", name, mode, in.Text, err)
			case decode.want != "" && (err == nil || !strings.HasPrefix(err.Error(), decode.want)):
				t.Errorf("%s, %s: error %v, want %s", name, mode, err, decode.want)
			}
		}
	}
}

func TestBearerTokenInHeaderOrQuery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, query, want string }{
		{"Bearer abc", "", "abc"}, {"bearer abc", "", "abc"}, {"BEARER  abc ", "", "abc"},
		{"Bearer abc", "access_token=other", "abc"}, {"", "access_token=abc", "abc"},
		{"Basic abc", "access_token=q", "q"}, {"Basic abc", "", ""}, {"Bearer", "", ""}, {"abc", "", ""}, {"", "", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+c.query, http.NoBody)
		if c.header != "" {
			r.Header.Set("Authorization", c.header)
		}
		if got := BearerToken(r); got != c.want {
			t.Errorf("header %q, query %q: %q, want %q", c.header, c.query, got, c.want)
		}
	}
}
