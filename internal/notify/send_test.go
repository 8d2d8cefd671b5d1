package notify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"crier"
)

// transport answers a request without a network, for what no server can be made to say.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

var sentAt = time.Date(2026, 11, 16, 12, 0, 0, 999, time.UTC)

func sentNow() time.Time { return sentAt }

// The example of the specification: receivers that follow it verify what crier signs.
func TestSignIsThatOfTheSpecification(t *testing.T) {
	t.Parallel()
	got, err := Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`),
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("the signature is %q, %v; want %q", got, err, want)
	}
	both, err := Sign("1", sentAt, []byte("x"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	one, two, ok := strings.Cut(both, " ")
	if err != nil || !ok || one != two {
		t.Errorf("with and without the prefix: %q, %v", both, err)
	}
	if none, err := Sign("1", sentAt, []byte("x")); none != "" || err != nil {
		t.Errorf("without a secret: %q, %v", none, err)
	}
}

func TestSendCarriesWhatReceiversVerify(t *testing.T) {
	t.Parallel()
	secret := NewSecret()
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, body = r, readAll(t, r.Body)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	result := Sender{Transport: &http.Transport{DisableKeepAlives: true}, Now: sentNow, Timeout: time.Minute}.Send(
		t.Context(), Message{URL: server.URL + "/hook?key=1", ID: "evt_1", Body: []byte(`{"a":1}`), Secrets: []string{secret}})
	if result != (Result{Status: http.StatusNoContent}) {
		t.Fatalf("the result is %+v", result)
	}
	want, err := Sign("evt_1", sentAt, []byte(`{"a":1}`), secret)
	if err != nil {
		t.Fatal(err)
	}
	for header, value := range map[string]string{"Content-Type": "application/json", "User-Agent": "crier-webhooks",
		HeaderID: "evt_1", HeaderTimestamp: "1794830400", HeaderSignature: want} {
		if got.Header.Get(header) != value {
			t.Errorf("%s is %q, want %q", header, got.Header.Get(header), value)
		}
	}
	if got.Method != http.MethodPost || got.URL.RequestURI() != "/hook?key=1" || string(body) != `{"a":1}` {
		t.Errorf("the request is %s %s %s", got.Method, got.URL, body)
	}
}

func readAll(t *testing.T, r io.Reader) []byte {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return data
}

func TestSendTellsWhyThereWasNoAnswerWithoutTheAddress(t *testing.T) {
	t.Parallel()
	const address = "https://ada:hush@hooks.example.com/x?token=hush"
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: &net.OpError{Err: syscall.ECONNREFUSED}}
	for name, c := range map[string]struct {
		message Message
		err     error
		explain func(error) string
		want    string
	}{
		"no address": {Message{URL: ":", Secrets: []string{NewSecret()}}, nil, nil, "the address cannot be read"},
		"no secret": {Message{URL: address, Secrets: []string{"whsec_%"}}, nil, nil,
			"the secret of the webhook cannot be read"},
		"refused": {Message{URL: address}, refused, nil, "The endpoint could not be reached: connection refused"},
		"unknown name": {Message{URL: address}, &net.DNSError{Err: "no such host", Name: "hooks.example.com"}, nil,
			"The endpoint could not be reached: lookup hooks.example.com: no such host"},
		"explained": {Message{URL: address}, refused, func(error) string { return "The address is private." },
			"The address is private."},
		"not explained": {Message{URL: address}, refused, func(error) string { return "" },
			"The endpoint could not be reached: connection refused"},
	} {
		s := Sender{Now: sentNow, Explain: c.explain, Transport: transport(func(r *http.Request) (*http.Response,
			error) {
			return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: c.err}
		})}
		got := s.Send(t.Context(), c.message)
		if got.Error != c.want || got.Status != 0 || strings.Contains(got.Error, "hush") || got.Gone() {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

func TestSendTellsHowLongItWaited(t *testing.T) {
	t.Parallel()
	wait := transport(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	s := Sender{Now: sentNow, Transport: wait, Timeout: time.Nanosecond}
	if got := s.Send(t.Context(), Message{URL: "https://example.com"}); got.Error !=
		"The endpoint did not answer within 0 seconds." {
		t.Errorf("a short wait: %+v", got)
	}
	deadline := transport(func(r *http.Request) (*http.Response, error) {
		at, ok := r.Context().Deadline()
		if left := time.Until(at); !ok || left > defaultTimeout {
			t.Errorf("without a timeout there are %s", left)
		}
		return nil, errors.New("enough")
	})
	s = Sender{Now: sentNow, Transport: deadline}
	if got := s.Send(t.Context(), Message{URL: "https://example.com"}); got.Error !=
		"The endpoint could not be reached: enough" {
		t.Errorf("the usual wait: %+v", got)
	}
	given, cancel := context.WithCancel(t.Context())
	cancel() // a node that stops
	s = Sender{Now: sentNow, Transport: wait, Timeout: time.Hour}
	if got := s.Send(given, Message{URL: "https://example.com"}); got.Error !=
		"The endpoint could not be reached: context canceled" {
		t.Errorf("a node that stops: %+v", got)
	}
}

// halfAnswer breaks off after some bytes.
type halfAnswer struct {
	io.Reader
	err error
}

func (h halfAnswer) Read(p []byte) (int, error) {
	if n, err := h.Reader.Read(p); err == nil {
		return n, nil
	}
	return 0, h.err
}

func (halfAnswer) Close() error { return nil }

func TestSendKeepsTheBeginningOfAnAnswer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", crier.MaxWebhookAnswer) // two bytes each: the cut may split one
	for name, c := range map[string]struct {
		status       int
		body         string
		broken       error
		want, reason string
	}{
		"empty":        {200, "", nil, "", ""},
		"text":         {200, "ok", nil, "ok", ""},
		"zeros":        {200, "a\x00b", nil, "ab", ""},
		"no text":      {200, "\xff\xfea", nil, "�a", ""},
		"zeros inside": {200, "\xc3\x00\xa9", nil, "é", ""}, // what the zero parted is a character again
		"long":         {200, long, nil, long[:crier.MaxWebhookAnswer], ""},
		"broken off":   {200, "half", errors.New("reset"), "half", ""}, // it has arrived: the status says so
		"broken, none": {200, "", errors.New("reset"), "", ""},
		"unknown": {599, "x", nil, "x",
			"The endpoint answered 599; an answer of 2xx means that the event has arrived."},
		"teapot": {418, "", nil, "",
			"The endpoint answered 418 I'm a teapot; an answer of 2xx means that the event has arrived."},
		"moved": {308, "", nil, "",
			"The endpoint answered 308: redirects are not followed. Change the address of the webhook."},
	} {
		s := Sender{Now: sentNow, Transport: transport(func(*http.Request) (*http.Response, error) {
			var body io.ReadCloser = io.NopCloser(bytes.NewReader([]byte(c.body)))
			if c.broken != nil {
				body = halfAnswer{bytes.NewReader([]byte(c.body)), c.broken}
			}
			return &http.Response{StatusCode: c.status, Body: body,
				Header: http.Header{"Location": {"https://b.example"}}}, nil
		})}
		got := s.Send(t.Context(), Message{URL: "https://example.com"})
		if got != (Result{Status: c.status, Answer: c.want, Error: c.reason}) {
			t.Errorf("%s: %d %.80q %q, want %.80q and %q", name, got.Status, got.Answer, got.Error, c.want, c.reason)
		}
	}
}

func TestNewSecretsAreStrong(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		secret := NewSecret()
		if seen[secret] || len(secret) != len(secretPrefix)+44 {
			t.Fatalf("%q is no new secret", secret)
		}
		seen[secret] = true
	}
}
