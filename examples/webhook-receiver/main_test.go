package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func TestReceiverHandlesSignedEventsOnce(t *testing.T) {
	t.Parallel()
	const secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"type":"post.created"}`
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	handled := 0
	server := receiver(secret, func([]byte) { handled++ })
	for _, c := range []struct {
		id, body     string
		age          time.Duration
		status, done int
	}{
		{"1", body, 0, http.StatusOK, 1}, {"1", body, 0, http.StatusOK, 1}, {"2", body, 0, http.StatusOK, 2},
		{"3", body + " ", 0, http.StatusUnauthorized, 2}, {"4", body, time.Hour, http.StatusUnauthorized, 2},
	} {
		at := time.Now().Add(-c.age)
		signature, err := signer.Sign(c.id, at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		r.Header.Set("webhook-id", c.id)
		r.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
		r.Header.Set("webhook-signature", signature)
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code != c.status || handled != c.done {
			t.Errorf("%s: status %d, %d handled", c.id, w.Code, handled)
		}
	}
}
