package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/client"
)

// stub is a server with scripted responses that records the idempotency keys.
type stub struct {
	mu   sync.Mutex
	keys []string
	seen []*http.Request
}

func (s *stub) note(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys, s.seen = append(s.keys, r.Header.Get("Idempotency-Key")), append(s.seen, r)
	return len(s.seen)
}

// serve starts a server that passes the number of each request to answer.
func serve(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request),
	options ...client.Option) (*client.Client, *stub) {
	t.Helper()
	s := &stub{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		answer(s.note(r), w, r)
	}))
	t.Cleanup(server.Close)
	return client.New(server.URL+"/", "secret", options...), s
}

func reply(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

const team = crier.ID("018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d")

func TestRetryUsesTheSameIdempotencyKey(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w http.ResponseWriter){
		"no answer": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"half of an answer": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"id":`)
		},
		"an outage": func(w http.ResponseWriter) {
			reply(w, http.StatusServiceUnavailable, map[string]string{"_tag": "InternalError"})
		},
		"too many requests": func(w http.ResponseWriter) {
			reply(w, http.StatusTooManyRequests, map[string]string{"_tag": "TooManyRequests"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 1 {
					lose(w)
					return
				}
				reply(w, http.StatusCreated, map[string]any{"id": team})
			})
			post, err := c.CreatePost(t.Context(), team, crier.PostCreate{})
			if err != nil || post.ID != team {
				t.Fatalf("%+v, %v", post, err)
			}
			if len(s.keys) != 2 || s.keys[0] == "" || s.keys[0] != s.keys[1] {
				t.Errorf("the keys are %q", s.keys)
			}
		})
	}
}

func TestLongRetryAfterIsNotRetried(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	c, s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		if n > 1 {
			w.Header().Set("Retry-After", "3600")
		}
		reply(w, http.StatusTooManyRequests, map[string]string{"_tag": "TooManyRequests"})
	}, client.WithWaiting(func(wait time.Duration, why error) {
		if !client.IsKind(why, crier.KindTooManyRequests) {
			t.Errorf("it waits because of %v", why)
		}
		waits = append(waits, wait)
	}))
	_, err := c.GetPost(t.Context(), team, team)
	if !client.IsKind(err, crier.KindTooManyRequests) || len(s.seen) != 2 {
		t.Errorf("%v after %d requests", err, len(s.seen))
	}
	if len(waits) != 1 || waits[0] < time.Second {
		t.Errorf("the program was told of waits of %v", waits)
	}
}

func TestEachChangeHasItsOwnIdempotencyKey(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"id": team})
	})
	for _, ctx := range []context.Context{t.Context(), t.Context(), client.WithIdempotencyKey(t.Context(), "mine")} {
		if _, err := c.CreatePost(ctx, team, crier.PostCreate{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.GetPost(t.Context(), team, team); err != nil {
		t.Fatal(err)
	}
	if s.keys[0] == s.keys[1] || s.keys[2] != "mine" || s.keys[3] != "" {
		t.Errorf("the keys are %q", s.keys)
	}
	if got := s.seen[3].Header.Get("Authorization"); got != "Bearer secret" {
		t.Errorf("the token is sent as %q", got)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "r1")
		reply(w, http.StatusBadRequest, map[string]any{"_tag": "HttpApiDecodeError", "message": "no",
			"issues": []any{map[string]any{"path": []string{"text"}, "message": "too long"}}})
	})
	_, err := c.CreatePost(t.Context(), team, crier.PostCreate{})
	var refused *client.Error
	if !errors.As(err, &refused) || !client.IsKind(err, crier.KindInvalid) || client.IsKind(err, crier.KindNotFound) {
		t.Fatalf("the error is %#v", err)
	}
	if refused.Status != 400 || refused.Message != "no" || refused.RequestID != "r1" || len(refused.Issues) != 1 ||
		refused.Issues[0].Path[0] != "text" {
		t.Errorf("the error is %+v", refused)
	}
	if len(s.seen) != 1 {
		t.Errorf("a request that cannot succeed was sent %d times", len(s.seen))
	}
}

func TestForeignResponseIsAnError(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html>")
	}, client.WithTries(1))
	_, err := c.GetTeam(t.Context(), team)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusBadGateway || !strings.Contains(err.Error(), "502") {
		t.Errorf("the error is %v", err)
	}
}

func TestRetryWaitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "20")
		reply(w, http.StatusServiceUnavailable, map[string]string{"_tag": "InternalError"})
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.GetTeam(ctx, team); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

func TestListIteratesAllPages(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		page := crier.Page[crier.Tag]{Data: []crier.Tag{{ID: team, TeamID: team, Name: strconv.Itoa(n)}}}
		if want := []string{"", "c1", "c2"}[n-1]; r.URL.Query().Get("cursor") != want {
			t.Errorf("page %d was asked for with %s", n, r.URL.RawQuery)
		}
		if n < 3 {
			next := "c" + strconv.Itoa(n)
			page.NextCursor = &next
		}
		reply(w, http.StatusOK, page)
	})
	list := func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Tag], error) {
		return c.ListTags(ctx, team, o)
	}
	var names []string
	for tag, err := range client.All(t.Context(), client.ListOptions{Limit: 1}, list) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tag.Name)
	}
	if !slices.Equal(names, []string{"1", "2", "3"}) || len(s.seen) != 3 {
		t.Errorf("the list is %q", names)
	}
}

func TestListStopsAtTheFirstError(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusForbidden, map[string]string{"_tag": "Forbidden"})
	})
	rounds := 0
	for _, err := range client.All(t.Context(), client.ListOptions{},
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Tag], error) {
			return c.ListTags(ctx, team, o)
		}) {
		if rounds++; !client.IsKind(err, crier.KindForbidden) {
			t.Errorf("the error is %v", err)
		}
	}
	if rounds != 1 {
		t.Errorf("there were %d rounds", rounds)
	}
}

func TestUploadResumesAtTheServersOffset(t *testing.T) {
	t.Parallel()
	file := "0123456789"
	var stored strings.Builder
	c, _ := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		state := crier.Upload{UploadID: team, ByteSize: 10, ChunkSize: 4}
		switch {
		case r.Method == http.MethodPut && n == 2: // half of a chunk arrives, the response is lost
			_, _ = io.CopyN(&stored, r.Body, 2)
			panic(http.ErrAbortHandler)
		case r.Method == http.MethodPut:
			_, _ = io.Copy(&stored, r.Body)
		case strings.HasSuffix(r.URL.Path, "/complete"):
			reply(w, http.StatusCreated, map[string]any{"id": team})
			return
		}
		state.NextByteStart = int64(stored.Len())
		reply(w, http.StatusOK, state)
	})
	var last int64
	asset, err := c.Upload(t.Context(), team, crier.UploadCreate{}, strings.NewReader(file),
		func(sent, _ int64) { last = sent })
	if err != nil || asset.ID != team || stored.String() != file || last != 10 {
		t.Errorf("stored %q, progress %d, %v", stored.String(), last, err)
	}
}
