package provider_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"crier/internal/nettest"
	"crier/internal/provider"
)

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func newCaller() *provider.Caller {
	return provider.NewCaller(provider.CallerConfig{Version: "1.2.3", Now: func() time.Time { return now }})
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestUnansweredRequestIsUnknownOnlyIfSent(t *testing.T) {
	t.Parallel()
	drop := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	cutOff := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"data":`)
	})
	tooLarge := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat(" ", 5<<20)) })
	refused := "http://" + nettest.ClosedAddress(t)
	for _, tc := range []struct {
		name      string
		url       string
		publishes bool
		want      provider.Kind
	}{
		{"refused connection, publishing", refused, true, provider.Temporary},
		{"unknown host, publishing", "http://nowhere.invalid", true, provider.Temporary},
		{"TLS failure, publishing", strings.Replace(drop, "http://", "https://", 1), true, provider.Temporary},
		{"dropped connection, publishing", drop, true, provider.OutcomeUnknown},
		{"dropped connection, reading", drop, false, provider.Temporary},
		{"answer cut off, publishing", cutOff, true, provider.OutcomeUnknown},
		{"answer too large, publishing", tooLarge, true, provider.OutcomeUnknown},
		{"answer too large, reading", tooLarge, false, provider.Temporary},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := newCaller().Send(context.Background(),
				provider.Request{Method: http.MethodPost, URL: tc.url, Publishes: tc.publishes})
			if failure := provider.AsError(err); failure == nil || failure.Kind != tc.want {
				t.Errorf("Send error = %v, want kind %s", err, tc.want)
			}
		})
	}
}

func TestDamagedResponseIsUnknownOnlyAfterPublishing(t *testing.T) {
	t.Parallel()
	damaged := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{\"id\":\"1\xff\"}") })
	for publishes, want := range map[bool]provider.Kind{true: provider.OutcomeUnknown, false: ""} {
		answer, err := newCaller().Send(context.Background(),
			provider.Request{Method: http.MethodPost, URL: damaged, Publishes: publishes})
		if err != nil {
			t.Fatal(err)
		}
		var created struct{ ID string }
		var got provider.Kind
		if failure := provider.AsError(answer.Decode(&created)); failure != nil {
			got = failure.Kind
		}
		if got != want {
			t.Errorf("publishes = %t: Decode error of kind %q, want %q", publishes, got, want)
		}
	}
}

// The calls of a burst come in waves; each wave uses the connections of the one before.
func TestBurstsReuseConnections(t *testing.T) {
	t.Parallel()
	const wave = 200
	var opened atomic.Int64
	waiting := make(chan struct{}, wave)
	answer := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		waiting <- struct{}{}
		<-answer
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	caller := newCaller()
	for range 3 {
		var calls errgroup.Group
		for range wave {
			calls.Go(func() error {
				_, err := caller.Send(t.Context(), provider.Request{Method: http.MethodGet, URL: server.URL})
				return err
			})
		}
		for range wave {
			<-waiting
		}
		for range wave {
			answer <- struct{}{}
		}
		if err := calls.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	// A connection is returned a moment after its answer was read, so a few more may be opened.
	if n := opened.Load(); n > wave*3/2 {
		t.Errorf("%d connections were opened for waves of %d calls", n, wave)
	}
}

func TestTimeoutAfterWritingTheRequestIsUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // time passes only when the network has the request
		here, there := net.Pipe()
		var received *http.Request
		go func() {
			received, _ = http.ReadRequest(bufio.NewReader(there)) // nil is reported below
			_, _ = io.Copy(io.Discard, there)                      // until the caller gives up
		}()
		caller := provider.NewCaller(provider.CallerConfig{Now: func() time.Time { return now },
			Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				return here, nil
			}}})
		_, err := caller.Send(t.Context(), provider.Request{Method: http.MethodPost, URL: "http://x.test",
			Publishes: true, Timeout: 20 * time.Millisecond})
		if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
			t.Errorf("Send error = %v, want an unknown outcome", err)
		}
		if synctest.Wait(); received == nil {
			t.Error("the network has no request")
		}
	})
}

func TestCancelledContextBeforeSendingIsTemporary(t *testing.T) {
	t.Parallel()
	address := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := newCaller().Send(ctx, provider.Request{Method: http.MethodPost, URL: address, Publishes: true})
	if failure := provider.AsError(err); failure == nil || failure.Kind == provider.Rejected {
		t.Errorf("Send error = %v, want one that can be retried or reconciled", err)
	}
}

func TestTransportErrorWithoutTraceIsUnknown(t *testing.T) {
	t.Parallel()
	caller := provider.NewCaller(provider.CallerConfig{Now: func() time.Time { return now },
		Transport: silentTransport{}})
	_, err := caller.Send(context.Background(), provider.Request{Method: http.MethodPost, URL: "http://x.test",
		Publishes: true})
	if failure := provider.AsError(err); failure == nil || failure.Kind != provider.OutcomeUnknown {
		t.Errorf("Send error = %v, want an unknown outcome", err)
	}
}

type silentTransport struct{}

func (silentTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("broken")
}

func TestTokensDoNotFollowRedirects(t *testing.T) {
	t.Parallel()
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	address := serve(t, func(w http.ResponseWriter,
		r *http.Request) {
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	})
	answer, err := newCaller().Send(context.Background(),
		provider.Request{Method: http.MethodGet, URL: address, Bearer: "access-token"})
	if err != nil || answer.Status != http.StatusTemporaryRedirect {
		t.Errorf("Send = %v, %v; want the redirect itself", answer, err)
	}
}

func TestRequestEncoding(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		got = r
		data, _ := io.ReadAll(r.Body)
		body = string(data)
	})
	encoded, err := provider.JSONBody(map[string]string{"text": "a < b"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = newCaller().Send(context.Background(), provider.Request{
		Method: http.MethodPost, URL: address + "/a?b=c", Header: http.Header{"X-Own": {"1"}}, Body: encoded,
		Bearer: "access-token",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.UserAgent() != "crier/1.2.3" || got.Header.Get("Authorization") != "Bearer access-token" ||
		got.Header.Get("X-Own") != "1" ||
		got.Header.Get("Content-Type") != "application/json" || got.URL.String() != "/a?b=c" ||
		body != `{"text":"a < b"}` {
		t.Errorf("request %v with body %q", got, body)
	}
}

func TestUploadBodyStartsAtItsOffset(t *testing.T) {
	t.Parallel()
	var body string
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body = fmt.Sprintf("%d:%s", r.ContentLength, data)
	})
	section := provider.SectionBody("application/octet-stream", strings.NewReader("0123456789"), 3, 4)
	if _, err := newCaller().Send(context.Background(),
		provider.Request{Method: http.MethodPut, URL: address, Body: section}); err != nil || body != "4:3456" {
		t.Errorf("sent %q, %v", body, err)
	}
}

func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "r-1")
		w.Header().Set("Set-Cookie", "session=1")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"access_token":"fresh-token","refresh_token" : "fresh\"refresh","uploadUrl":"https://up.test/?sig=1","echo":"access+token/1","encoded":"access%2Btoken%2F1","code":"SOME_CODE"}`)
	})
	var seen []provider.Exchange
	ctx := provider.WithExchanges(context.Background(), func(e provider.Exchange) { seen = append(seen, e) })
	answer, err := newCaller().Send(ctx, provider.Request{
		Operation: provider.OpConnect, Method: http.MethodPost, URL: address +
			"/p?access_token=query-token&code=query-code&q=1",
		Body:   provider.FormBody(url.Values{"client_secret": {"form-secret"}, "code": {"form-code"}, "state": {"s"}}),
		Bearer: "access+token/1", Secrets: []provider.Secret{"form-code"},
	})
	if err != nil {
		t.Fatal(err)
	}
	failure := answer.Fail(provider.Rejected, provider.CodeContentRejected,
		"token access+token/1 is bad, Bearer abcdefghijkl", errors.New("see access+token/1"))
	shown, err := json.Marshal(seen)
	if err != nil {
		t.Fatal(err)
	}
	everything := string(shown) + failure.Error()
	for _, secret := range []string{"fresh-token", "refresh\\\"", "access+token/1", "access%2Btoken", "query-token",
		"query-code", "form-secret", "form-code", "sig=1", "session=1", "abcdefghijkl"} {
		if strings.Contains(everything, secret) {
			t.Errorf("%q appears in %s", secret, everything)
		}
	}
	for _, harmless := range []string{"SOME_CODE", "q=1", "state=s", "r-1", "connect"} {
		if !strings.Contains(everything, harmless) {
			t.Errorf("%q is missing in %s", harmless, everything)
		}
	}
}

func TestSecretURLsAndLongBodiesAreTruncated(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("ä", 5000)) })
	var seen provider.Exchange
	ctx := provider.WithExchanges(context.Background(), func(e provider.Exchange) { seen = e })
	_, err := newCaller().Send(ctx, provider.Request{Method: http.MethodPut, URL: address + "/upload?signature=abc",
		SecretURL: true})
	if err != nil || strings.Contains(seen.URL, "abc") || len(seen.ResponseBody) > 4100 ||
		!strings.HasSuffix(seen.ResponseBody, "ä…") {
		t.Errorf("recorded %+v, %v", seen, err)
	}
}

func TestTransportErrorsHideTheURL(t *testing.T) {
	t.Parallel()
	var seen provider.Exchange
	ctx := provider.WithExchanges(context.Background(), func(e provider.Exchange) { seen = e })
	_, err := newCaller().Send(ctx, provider.Request{Method: http.MethodGet,
		URL: "http://nowhere.invalid/?access_token=query-token"})
	if err == nil || strings.Contains(err.Error(), "query-token") || strings.Contains(seen.Error, "query-token") ||
		seen.Error == "" {
		t.Errorf("error %v, record %+v", err, seen)
	}
	_, err = newCaller().Send(ctx, provider.Request{Method: http.MethodGet,
		URL: "http://[bad/?access_token=query-token"})
	if err == nil || strings.Contains(err.Error(), "query-token") {
		t.Errorf("error for an invalid address: %v", err)
	}
}

func TestTokensAreSentOnlyToConfiguredHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://api.x.com/upload": true, "https://API.x.com/upload": true, "http://api.x.com/upload": false,
		"https://evil.test/api.x.com": false, "https://api.x.com.evil.test/": false, "://": false,
	} {
		if got := provider.SameHost(address, "https://api.x.com/base"); got != want {
			t.Errorf("SameHost(%q) = %v, want %v", address, got, want)
		}
	}
}

// TestErrorsTellWhatTheNetworkAsksToWait: an outage often ends sooner than announced, and an unknown outcome is looked
// up by its own times.
func TestErrorsTellWhatTheNetworkAsksToWait(t *testing.T) {
	t.Parallel()
	const date = "Thu, 19 Nov 2026 10:00:00 GMT"
	for _, tc := range []struct {
		asked, date string
		kind        provider.Kind
		want        time.Duration
	}{
		{"120", date, provider.RateLimited, 2 * time.Minute}, {"120", date, provider.Temporary, 2 * time.Minute},
		{"7200", date, provider.RateLimited, 2 * time.Hour}, {"7200", date, provider.Temporary, 10 * time.Minute},
		{"120", date, provider.OutcomeUnknown, 0}, {"120", date, provider.Rejected, 0},
		{"Thu, 19 Nov 2026 10:01:30 GMT", date, provider.RateLimited, 90 * time.Second},
		{"Thu, 19 Nov 2026 09:59:00 GMT", date, provider.RateLimited, 0},
		{"Thu, 19 Nov 2026 10:01:30 GMT", "", provider.RateLimited, 0},
		{"", date, provider.RateLimited, 0}, {"-5", date, provider.RateLimited, 0},
		{"soon", date, provider.RateLimited, 0},
		{"99999999999999999999", date, provider.RateLimited, 0},
	} {
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			if tc.date != "" {
				w.Header().Set("Date", tc.date)
			}
			if tc.asked != "" {
				w.Header().Set("Retry-After", tc.asked)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		answer, err := newCaller().Send(context.Background(), provider.Request{Method: http.MethodGet, URL: address})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Fail(tc.kind, provider.CodeProviderUnavailable, "", nil).RetryAfter; got != tc.want {
			t.Errorf("%s %q at %q: wait %s, want %s", tc.kind, tc.asked, tc.date, got, tc.want)
		}
	}
}
