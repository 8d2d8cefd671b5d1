package enrich_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier/internal/enrich"
	"crier/internal/nettest"
)

const post = "Our new #coffee machine is wonderful, thanks @alice! https://www.example.com"

// endpoint returns a client, with a large budget, of a server that uses the handler.
func endpoint(t *testing.T, handler http.HandlerFunc) *enrich.Remote {
	t.Helper()
	return enrich.NewRemote(configOf(t, handler))
}

func configOf(t *testing.T, handler http.HandlerFunc) enrich.RemoteConfig {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return enrich.RemoteConfig{
		BaseURL: server.URL + "/v1", Key: "secret", Model: "small", Timeout: time.Minute, DailyTokens: 1_000_000,
		Client: server.Client(), Now: func() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC) },
	}
}

// respondWith responds like a model that returns the content, having used the tokens.
func respondWith(content string, tokens int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		answer := map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": content}}},
			"usage":   map[string]any{"total_tokens": tokens},
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

const wellAnswered = `{"language":"pt-BR","topics":["Café  da manhã","máquina"],"sentiment":"negative"}`

func TestRemoteUsesTheModelForOpinionsOnly(t *testing.T) {
	t.Parallel()
	got := endpoint(t, respondWith(wellAnswered, 100)).Text(t.Context(), post)
	want := enrich.Analysis{Source: enrich.RemoteSource, TextFacts: enrich.TextFacts{
		Language: "pt", Topics: []string{"café da manhã", "máquina"}, Sentiment: enrich.Negative,
		Hashtags: []string{"coffee"}, Mentions: []string{"alice"}, LinkDomains: []string{"example.com"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("analysis (-want +got):\n%s", diff)
	}
}

func TestRemoteRequestFormat(t *testing.T) {
	t.Parallel()
	var request *http.Request
	var body []byte
	remote := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		request = r
		body, _ = io.ReadAll(r.Body)
		respondWith(wellAnswered, 100)(w, r)
	})
	remote.Text(t.Context(), "hello"+strings.Repeat("ä", 10_000))
	if request.Method != "POST" || request.URL.Path != "/v1/chat/completions" ||
		request.Header.Get("Authorization") != "Bearer secret" {
		t.Errorf("%s %s, Authorization %q", request.Method, request.URL.Path, request.Header.Get("Authorization"))
	}
	var sent struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent.Model != "small" || len(sent.Messages) != 2 || sent.Messages[1].Role != "user" {
		t.Fatalf("sent %.200s", body)
	}
	if want := "hello" + strings.Repeat("ä", 8000-len("hello")); sent.Messages[1].Content != want {
		t.Errorf("sent a text of %d bytes, want its first 8000 characters", len(sent.Messages[1].Content))
	}
}

func TestRemoteFallsBackOnBadAnswers(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter,
			_ *http.Request) {
			http.Error(w, "down", http.StatusInternalServerError)
		},
		"a refusal": func(w http.ResponseWriter,
			_ *http.Request) {
			http.Error(w, "slow down", http.StatusTooManyRequests)
		},
		"no JSON":              func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"JSON cut off":         func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[{"mess`) },
		"an empty object":      func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) },
		"other types":          func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":"none"}`) },
		"a hung-up connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"an endless answer": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"choices":["`)
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		},
		"nothing said":       respondWith("", 5),
		"prose":              respondWith("The post is happy.", 5),
		"prose around JSON":  respondWith("Sure! "+wellAnswered, 5),
		"two objects":        respondWith(wellAnswered+wellAnswered, 5),
		"an unknown key":     respondWith(`{"language":"en","topics":[],"sentiment":"neutral","mood":"fine"}`, 5),
		"missing keys":       respondWith(`{"language":"en"}`, 5),
		"unknown sentiment":  respondWith(`{"language":"en","topics":[],"sentiment":"mixed"}`, 5),
		"a language by name": respondWith(`{"language":"English","topics":[],"sentiment":"neutral"}`, 5),
		"no language":        respondWith(`{"language":"","topics":[],"sentiment":"neutral"}`, 5),
		"too many topics": respondWith(`{"language":"en","topics":["a","b","c","d","e","f","g","h","i","j","k"],`+
			`"sentiment":"neutral"}`, 5),
		"an endless topic": respondWith(`{"language":"en","topics":["`+strings.Repeat("x", 101)+
			`"],"sentiment":"neutral"}`, 5),
		"an empty topic":    respondWith(`{"language":"en","topics":[" "],"sentiment":"neutral"}`, 5),
		"topics as objects": respondWith(`{"language":"en","topics":[{"a":1}],"sentiment":"neutral"}`, 5),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertLocal(t, endpoint(t, handler).Text(t.Context(), post))
		})
	}
}

func assertLocal(t *testing.T, got enrich.Analysis) {
	t.Helper()
	if got.Source != enrich.LocalSource || got.Fallback == nil {
		t.Errorf("source %s, fallback %v", got.Source, got.Fallback)
	}
	if diff := cmp.Diff(enrich.Text(post), got.TextFacts); diff != "" {
		t.Errorf("not what the local analyser says (-want +got):\n%s", diff)
	}
}

func TestRemoteFallsBackWhenTheEndpointIsSlow(t *testing.T) {
	t.Parallel()
	config := configOf(t, func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil { // only then does the server notice that the client is gone
			<-r.Context().Done()
		}
	})
	config.Timeout = 20 * time.Millisecond
	got := enrich.NewRemote(config).Text(t.Context(), post)
	assertLocal(t, got)
	if !errors.Is(got.Fallback, context.DeadlineExceeded) {
		t.Errorf("fallback %v", got.Fallback)
	}
}

func TestRemoteFallsBackWhenTheEndpointIsDown(t *testing.T) {
	t.Parallel()
	config := configOf(t, nil)
	config.BaseURL = "http://" + nettest.ClosedAddress(t)
	assertLocal(t, enrich.NewRemote(config).Text(t.Context(), post))
}

func TestRemoteNeverRevealsTheKey(t *testing.T) {
	t.Parallel()
	config := configOf(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) })
	got := enrich.NewRemote(config).Text(t.Context(), post)
	if got.Fallback == nil || strings.Contains(got.Fallback.Error(), config.Key) {
		t.Errorf("fallback %v", got.Fallback)
	}
}

func TestRemoteKeepsToItsDailyBudget(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	config := configOf(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		respondWith(wellAnswered, 6000)(w, r)
	})
	now := time.Date(2026, 11, 15, 23, 59, 0, 0, time.UTC)
	config.Now = func() time.Time { return now }
	config.DailyTokens = 10_000
	remote := enrich.NewRemote(config)

	if got := remote.Text(t.Context(), post); got.Source != enrich.RemoteSource {
		t.Fatalf("within the budget: %v", got.Fallback)
	}
	got := remote.Text(t.Context(), post) // a second one of the same size fits, by the estimate in advance
	if got.Source != enrich.RemoteSource {
		t.Fatalf("within the budget: %v", got.Fallback)
	}
	got = remote.Text(t.Context(), post)
	assertLocal(t, got)
	if !errors.Is(got.Fallback, enrich.ErrBudgetExhausted) || calls.Load() != 2 {
		t.Errorf("fallback %v after %d calls", got.Fallback, calls.Load())
	}
	now = now.Add(time.Minute)
	if got := remote.Text(t.Context(), post); got.Source != enrich.RemoteSource {
		t.Errorf("on the next day: %v", got.Fallback)
	}
}

func TestRemoteIgnoresImpossibleUsage(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	config := configOf(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		respondWith(wellAnswered, -1_000_000)(w, r)
	})
	config.DailyTokens = 10_000
	remote := enrich.NewRemote(config)
	for range 10 {
		remote.Text(t.Context(), post)
	}
	if n := calls.Load(); n == 0 || n > 4 {
		t.Errorf("%d calls of some 2,500 tokens each on a budget of 10,000", n)
	}
}

func TestRequestsAtTheSameTimeCannotOverdrawTheBudget(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	config := configOf(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		respondWith("garbage", 0)(w, r)
	})
	config.DailyTokens = 10_000
	remote := enrich.NewRemote(config)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() { remote.Text(t.Context(), post) })
	}
	group.Wait()
	if n := calls.Load(); n == 0 || n > 4 {
		t.Errorf("%d calls of some 2,500 tokens each on a budget of 10,000", n)
	}
}
