package notify

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"crier"
)

func TestStandardWebhooksSignatures(t *testing.T) {
	t.Parallel()
	old, secret := NewSecret(), NewSecret()
	if old == secret || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("secrets %q and %q", old, secret)
	}
	body := []byte(`{"id":"1"}`)
	at := time.Now()
	signature, err := Sign("msg_1", at, body, secret, old)
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set(HeaderID, "msg_1")
	header.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(HeaderSignature, signature)
	for _, s := range []string{secret, old} {
		verifier, err := standardwebhooks.NewWebhook(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(body, header); err != nil {
			t.Errorf("the library refuses the signature: %v", err)
		}
		if verifier.Verify([]byte(`{"id":"2"}`), header) == nil {
			t.Error("the library accepts another body")
		}
	}
	other, err := standardwebhooks.NewWebhook(NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	if other.Verify(body, header) == nil {
		t.Error("another secret fits")
	}
	for _, bad := range []string{"", "whsec_", "whsec_%%"} {
		if _, err := Sign("msg_1", at, body, bad); err == nil {
			t.Errorf("signs with %q", bad)
		}
	}
}

func TestDeliveryResults(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	mux := http.NewServeMux()
	for path, status := range map[string]int{"/ok": 200, "/accepted": 202, "/no-content": 204, "/broken": 500,
		"/gone": 410, "/refused": 400} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if status != http.StatusNoContent {
				_, _ = io.WriteString(w, "said\x00 "+strings.Repeat("x", 2*crier.MaxWebhookAnswer))
			}
		})
	}
	followed := false
	mux.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) { followed = true })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/hangs", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/closes", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		piece := make([]byte, 1<<20)
		for r.Context().Err() == nil {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(hang)
	for path, want := range map[string]struct {
		status  int
		wantErr string
	}{
		"/ok": {200, ""}, "/accepted": {202, ""}, "/no-content": {204, ""}, "/broken": {500, "500"},
		"/gone": {410, "410"}, "/refused": {400, "400"}, "/moved": {307, "redirects are not followed"},
		"/hangs": {0, "did not answer within"}, "/closes": {0, "could not be reached"}, "/endless": {200, ""},
	} {
		sender := Sender{Transport: &http.Transport{DisableKeepAlives: true}, Now: time.Now, Timeout: time.Minute}
		if path == "/hangs" { // the others answer, on a busy machine after a while
			sender.Timeout = 300 * time.Millisecond
		}
		start := time.Now()
		got := sender.Send(context.Background(), Message{URL: server.URL + path, ID: "1",
			Secrets: []string{NewSecret()}})
		if got.Status != want.status || (want.wantErr == "") != (got.Error == "") ||
			!strings.Contains(got.Error, want.wantErr) {
			t.Errorf("%s: %d %q", path, got.Status, got.Error)
		}
		if len(got.Answer) > crier.MaxWebhookAnswer || strings.ContainsRune(got.Answer, 0) ||
			got.Gone() != (path == "/gone") {
			t.Errorf("%s: %d bytes of the answer are kept", path, len(got.Answer))
		}
		if took := time.Since(start); took > 30*time.Second { // what has no end lasts until the timeout
			t.Errorf("%s took %s", path, took)
		}
	}
	if followed {
		t.Error("a redirect was followed")
	}
}
