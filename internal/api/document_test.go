package api

import (
	"bytes"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"crier/internal/service"
)

var update = flag.Bool("update", false, "renew the golden files")

const goldenDocument = "testdata/openapi.json"

// TestDocumentChangesOnPurposeOnly makes every change of the contract visible in review.
func TestDocumentChangesOnPurposeOnly(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	bare().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	got := recorder.Body.Bytes()
	if *update {
		if err := os.WriteFile(goldenDocument, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenDocument)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the OpenAPI document is not the one in %s; if the change is meant, renew it: go test "+
			"./internal/api -run Document -update", goldenDocument)
	}
}

// TestRouteTableIsComplete: a route that is not in the table escapes the tests that walk it.
func TestRouteTableIsComplete(t *testing.T) {
	t.Parallel()
	s := bare()
	table := []string{"GET /openapi.json", "GET /metrics"} // these need no permission and are tested by name
	for _, r := range s.Routes() {
		table = append(table, r.Method+" "+r.Path)
	}
	err := chi.Walk(s.router, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if !slices.Contains(table, method+" "+path) {
			t.Errorf("%s %s is served and not in the route table", method, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bare returns a server without services: enough to read its routes and its document.
func bare() *Server {
	return New(Config{Services: &service.Services{}, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Version: "test"})
}
