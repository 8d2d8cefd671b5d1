package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"crier"
	"crier/client"
)

// wire responds to requests without a network, so that the test controls the time.
type wire func(n int, w http.ResponseWriter, r *http.Request) error

// scripted returns a client over a wire, with the times at which requests were sent since the start.
func scripted(answer wire, options ...client.Option) (c *client.Client, sent *[]time.Duration) {
	start, sent := time.Now(), &[]time.Duration{}
	transport := transportFunc(func(r *http.Request) (*http.Response, error) {
		*sent = append(*sent, time.Since(start))
		if r.Body != nil {
			defer r.Body.Close()
		}
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		recorder := httptest.NewRecorder()
		if err := answer(len(*sent), recorder, r); err != nil {
			return nil, err
		}
		return recorder.Result(), nil
	})
	options = append(options, client.WithHTTPClient(&http.Client{Transport: transport}))
	return client.New("http://crier.example", "secret", options...), sent
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// refuse responds with an error of crier.
func refuse(w http.ResponseWriter, status int, kind crier.Kind, retryAfter string) {
	if retryAfter != "" {
		w.Header().Set("Retry-After", retryAfter)
	}
	reply(w, status, map[string]any{"_tag": kind, "message": "no"})
}

func TestRetryDelaysAndCount(t *testing.T) {
	t.Parallel()
	lost := errors.New("the connection was lost")
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		err        error
		requests   int
		// least and most bound the time until the last request, without jitter.
		least, most time.Duration
	}{
		"no answer": {err: lost, requests: 4, least: 1400 * time.Millisecond,
			most: 4200 * time.Millisecond},
		"an outage": {status: 503, requests: 4, least: 1400 * time.Millisecond,
			most: 4200 * time.Millisecond},
		"a server that says now": {status: 503, retryAfter: "0", requests: 4, least: 1400 * time.Millisecond,
			most: 5 * time.Second},
		"a server that says when": {status: 429, retryAfter: "30", requests: 4, least: 90 * time.Second,
			most: 91 * time.Second},
		"a server that says later": {status: 429, retryAfter: "31", requests: 1},
		"a date": {status: 503, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT", requests: 4,
			least: time.Second, most: 5 * time.Second},
		"a time that has passed": {status: 503, retryAfter: "-5", requests: 4, least: time.Second,
			most: 5 * time.Second},
		"a mistake of the caller": {status: 400, retryAfter: "1", requests: 1},
		"a conflict":              {status: 409, requests: 1},
		"a name that nobody has": {err: &net.DNSError{Err: "no such host", Name: "crier.example", IsNotFound: true},
			requests: 1},
		"a name server that fails": {err: &net.DNSError{Err: "server misbehaving", Name: "crier.example",
			IsTemporary: true}, requests: 4, least: time.Second, most: 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				api, sent := scripted(func(_ int, w http.ResponseWriter, _ *http.Request) error {
					if c.err != nil {
						return c.err
					}
					refuse(w, c.status, crier.KindInternal, c.retryAfter)
					return nil
				})
				_, err := api.GetTeam(t.Context(), team)
				if err == nil {
					t.Fatal("it succeeded")
				}
				if _, gone := errors.AsType[*client.UnreachableError](err); gone != (c.err != nil) ||
					c.err != nil && !errors.Is(err, c.err) {
					t.Errorf("the error is %v", err)
				}
				last := (*sent)[len(*sent)-1]
				if len(*sent) != c.requests || last < c.least || last > c.most {
					t.Errorf("requests were sent at %v", *sent)
				}
			})
		})
	}
}

func TestErrorSaysWhetherTheChangeMayHaveBeenMade(t *testing.T) {
	t.Parallel()
	type try struct {
		status int // 0 is no response
		kind   crier.Kind
	}
	lost, outage, limit := try{}, try{503, crier.KindInternal}, try{429, crier.KindTooManyRequests}
	conflict, mistake := try{409, crier.KindConflict}, try{400, crier.KindInvalid}
	ended := try{401, crier.KindUnauthorized}
	for name, c := range map[string]struct {
		tries []try
		want  bool
	}{
		"a conflict":                            {[]try{conflict}, false},
		"a conflict after a lost answer":        {[]try{lost, conflict}, true},
		"a conflict after an outage":            {[]try{outage, conflict}, true},
		"a limit":                               {slices.Repeat([]try{limit}, 4), false},
		"an expired token after a lost answer":  {[]try{lost, limit, ended}, true},
		"an outage":                             {slices.Repeat([]try{outage}, 4), true},
		"a success of another program":          {[]try{{200, ""}}, true},
		"a rejection of another program":        {[]try{{403, ""}}, true},
		"a mistake of the caller after a limit": {[]try{limit, mistake}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				api, sent := scripted(func(n int, w http.ResponseWriter, _ *http.Request) error {
					now := c.tries[n-1]
					if now.status == 0 {
						return errors.New("the connection was lost")
					}
					if now.kind == "" {
						w.WriteHeader(now.status)
						return nil
					}
					refuse(w, now.status, now.kind, "")
					return nil
				})
				_, err := api.PostNow(t.Context(), team, team, crier.PostNowRequest{})
				refused, ok := errors.AsType[*client.Error](err)
				if !ok || len(*sent) != len(c.tries) || refused.Uncertain != c.want {
					t.Errorf("after %d tries: %+v", len(*sent), err)
				}
			})
		})
	}
}

func TestUnreachableServerIsNamedOnce(t *testing.T) {
	t.Parallel()
	api, _ := scripted(func(int, http.ResponseWriter, *http.Request) error { return errors.New("refused") },
		client.WithTries(0)) // which is one
	_, err := api.GetTeam(t.Context(), team)
	if got := fmt.Sprint(err); got != "cannot reach http://crier.example: refused" {
		t.Errorf("the error is %q", got)
	}
}

func TestNoticeableWaitsAreReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		api, _ := scripted(func(n int, w http.ResponseWriter, _ *http.Request) error {
			refuse(w, 503, crier.KindInternal, []string{"0", "1", "7"}[min(n-1, 2)])
			return nil
		}, client.WithWaiting(func(wait time.Duration, why error) {
			if why == nil {
				t.Error("it is not told why")
			}
			waits = append(waits, wait)
		}))
		_, _ = api.GetTeam(t.Context(), team)
		if len(waits) != 2 || waits[0] < time.Second || waits[0] > 1200*time.Millisecond || waits[1] != 7*time.Second {
			t.Errorf("told of %v", waits)
		}
	})
}

func TestErrorMessagesIncludeTheRemedy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  client.Error
		want string
	}{
		{client.Error{Status: 500, Message: "broken", RequestID: "r1"}, "broken (request r1)"},
		{client.Error{Status: 503, Message: "busy"}, "busy"},
		{client.Error{Status: 404, Message: "not there", RequestID: "r1"}, "not there"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%+v says %q, want %q", c.err, got, c.want)
		}
	}
	if client.IsKind(errors.New("x"), crier.KindInternal) || client.IsKind(nil, "") {
		t.Error("any error is of a kind")
	}
}

func TestTokenSourceIsCalledForEveryTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		var seen []string
		api, _ := scripted(func(n int, w http.ResponseWriter, r *http.Request) error {
			seen = append(seen, r.Header.Get("Authorization")+" "+r.Header.Get("User-Agent"))
			if n == 1 {
				refuse(w, 503, crier.KindInternal, "")
				return nil
			}
			reply(w, 200, map[string]any{"id": team})
			return nil
		}, client.WithUserAgent("a test"), client.WithTokenSource(func(context.Context) (string, error) {
			requests++
			return fmt.Sprint("token", requests), nil
		}))
		if _, err := api.GetTeam(t.Context(), team); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(seen, []string{"Bearer token1 a test", "Bearer token2 a test"}) {
			t.Errorf("sent %q", seen)
		}
	})
	ended := errors.New("log in again")
	api, sent := scripted(func(int, http.ResponseWriter, *http.Request) error { return nil },
		client.WithTokenSource(func(context.Context) (string, error) { return "", ended }))
	if _, err := api.GetTeam(t.Context(), team); !errors.Is(err, ended) || len(*sent) != 0 {
		t.Errorf("without a token: %v after %d requests", err, len(*sent))
	}
	if _, err := api.StreamEvents(t.Context(), team, client.EventOptions{}, nil); !errors.Is(err, ended) {
		t.Errorf("a stream without a token: %v", err)
	}
}

// A file that is half written to its destination must not be restarted: the destination already has the first half.
func TestInterruptedFileIsNotRereadForRetry(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	})
	var got strings.Builder
	if err := c.AssetContent(t.Context(), team, team, &got); err == nil || got.String() != "half" || len(s.seen) != 1 {
		t.Errorf("%q after %d requests, %v", got.String(), len(s.seen), err)
	}
}

func TestMalformedResponseIsNotRetried(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"a page": "<html>", "nothing": "", "a list": "[1]"} {
		api, sent := scripted(func(_ int, w http.ResponseWriter, _ *http.Request) error {
			_, err := io.WriteString(w, answer)
			return err
		})
		_, err := api.GetTeam(t.Context(), team)
		if !client.IsKind(err, crier.KindInternal) || !strings.Contains(err.Error(), "not one of crier's") ||
			len(*sent) != 1 {
			t.Errorf("%s: %v after %d requests", name, err, len(*sent))
		}
	}
}

// upload returns a server that accepts the chunks of an upload according to a script.
func upload(t *testing.T, put func(n int, w http.ResponseWriter) (taken bool)) (send func() error,
	sent *[]time.Duration) {
	t.Helper()
	next, puts := int64(0), 0
	api, sent := scripted(func(_ int, w http.ResponseWriter, r *http.Request) error {
		state := crier.Upload{UploadID: team, ByteSize: 10, ChunkSize: 4}
		switch {
		case r.Method == http.MethodPut:
			puts++
			if !put(puts, w) {
				return nil
			}
			n, _ := io.Copy(io.Discard, r.Body)
			next += n
		case strings.HasSuffix(r.URL.Path, "/complete"):
			reply(w, http.StatusCreated, map[string]any{"id": team})
			return nil
		}
		state.NextByteStart = next
		reply(w, http.StatusOK, state)
		return nil
	})
	return func() error {
		_, err := api.Upload(t.Context(), team, crier.UploadCreate{}, strings.NewReader("0123456789"),
			func(int64, int64) {})
		return err
	}, sent
}

func TestChunkIsRetriedOnlyOnTransientErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		kind       crier.Kind
		retryAfter string
		times      int // how often the second chunk fails
		// puts and gets are the requests that follow; after is the minimum wait that the third asks for.
		requests int
		after    time.Duration
		good     bool
	}{
		"an outage":              {503, crier.KindInternal, "", 1, 7, 0, true},
		"another place":          {409, crier.KindConflict, "", 1, 7, 0, true},
		"too many requests":      {429, crier.KindTooManyRequests, "20", 1, 7, 20 * time.Second, true},
		"too many for long":      {429, crier.KindTooManyRequests, "3600", 1, 3, 0, false},
		"a file that is wrong":   {400, crier.KindInvalid, "", 9, 3, 0, false},
		"no room":                {402, crier.KindPaymentRequired, "", 9, 3, 0, false},
		"no permission":          {403, crier.KindForbidden, "", 9, 3, 0, false},
		"an upload that is over": {404, crier.KindNotFound, "", 9, 3, 0, false},
		"an outage that stays":   {503, crier.KindInternal, "", 9, 9, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				send, sent := upload(t, func(n int, w http.ResponseWriter) bool {
					if n < 2 || n > 1+c.times {
						return true
					}
					refuse(w, c.status, c.kind, c.retryAfter)
					return false
				})
				err := send()
				if (err == nil) != c.good || err != nil && !client.IsKind(err, c.kind) {
					t.Errorf("the upload ends with %v", err)
				}
				if len(*sent) != c.requests {
					t.Errorf("%d requests were sent, want %d", len(*sent), c.requests)
				}
				if c.after > 0 && (*sent)[3]-(*sent)[2] < c.after {
					t.Errorf("it waited for %v", (*sent)[3]-(*sent)[2])
				}
			})
		})
	}
}

func TestTokenEndpointErrorsAreDistinguished(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		answer string
		code   string // of an error
		good   bool
	}{
		"tokens":            {200, `{"access_token":"a","refresh_token":"r"}`, "", true},
		"not yet":           {400, `{"error":"authorization_pending","error_description":"wait"}`, "authorization_pending", false},
		"an error of crier": {500, `{"_tag":"InternalError","message":"broken"}`, "", false},
		"a page":            {200, `<html>`, "", false},
		"a refusing page":   {403, `<html>`, "", false},
		"another success":   {202, `{"access_token":"a"}`, "", false},
	} {
		api, sent := scripted(func(_ int, w http.ResponseWriter, r *http.Request) error {
			if r.Header.Get("Authorization") != "" || r.FormValue("refresh_token") != "r0 &" {
				t.Errorf("%s: sent %v with the token %q", name, r.Form, r.Header.Get("Authorization"))
			}
			w.WriteHeader(c.status)
			_, err := io.WriteString(w, c.answer)
			return err
		})
		tokens, err := api.RefreshTokens(t.Context(), "r0 &")
		refused, isRefusal := errors.AsType[*crier.OAuthError](err)
		if (err == nil) != c.good || c.good && tokens.AccessToken != "a" || isRefusal != (c.code != "") ||
			isRefusal && refused.Code != c.code {
			t.Errorf("%s: %+v, %v", name, tokens, err)
		}
		if len(*sent) != 1 {
			t.Errorf("%s: a refresh token was sent %d times", name, len(*sent))
		}
	}
}
