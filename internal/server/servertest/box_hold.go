package servertest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// held are the texts whose requests to the sandbox wait, with what they wait for.
type held struct {
	mu    sync.Mutex
	texts map[string]chan struct{}
}

// Hold lets JSON requests with a text wait until release is called or the test ends, so that a test can look at a
// call that takes long and does not depend on how long. The box must have been started in this process.
func (b *Box) Hold(tb testing.TB, text string) (release func()) {
	tb.Helper()
	gate := make(chan struct{})
	b.held.mu.Lock()
	defer b.held.mu.Unlock()
	if b.held.texts == nil {
		b.held.texts = map[string]chan struct{}{}
	}
	if _, ok := b.held.texts[text]; ok {
		tb.Fatalf("requests with %q are held already", text)
	}
	b.held.texts[text] = gate
	release = sync.OnceFunc(func() {
		b.held.mu.Lock()
		defer b.held.mu.Unlock()
		delete(b.held.texts, text)
		close(gate)
	})
	tb.Cleanup(release)
	return release
}

// before is the handler that holds requests before they reach next.
func (h *held) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			h.wait(r, body)
		}
		next.ServeHTTP(w, r)
	})
}

// wait returns when no text in the body is held, or the caller has gone.
func (h *held) wait(r *http.Request, body []byte) {
	for _, gate := range h.gates(body) {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	}
}

func (h *held) gates(body []byte) []chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []chan struct{}
	for text, gate := range h.texts {
		if bytes.Contains(body, []byte(text)) {
			found = append(found, gate)
		}
	}
	return found
}
