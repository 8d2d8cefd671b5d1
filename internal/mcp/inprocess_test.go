package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

type valueKey struct{}

func TestInProcessRequestIsServedLikeAnyOther(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(valueKey{}) != nil {
			t.Error("the handler sees values of the request around it")
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Path", r.RequestURI)
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(append([]byte("heard "), body...))
	})
	ctx := context.WithValue(context.Background(), valueKey{}, "around")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://crier/v1/teams?limit=1",
		strings.NewReader("words"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&http.Client{Transport: inProcess{handler}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got.StatusCode != http.StatusTeapot || string(body) != "heard words" ||
		got.Header.Get("X-Path") != "/v1/teams?limit=1" {
		t.Errorf("got %d %q at %q", got.StatusCode, body, got.Header.Get("X-Path"))
	}
}

func TestCanceledRequestIsNotServed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://crier/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = inProcess{http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("it was served")
	})}.RoundTrip(r)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
