package graph

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"crier/internal/sandbox/graph/graphtest"
)

func TestCrawlerErrors(t *testing.T) {
	t.Parallel()
	crawler := setup(t).api.Crawler
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-hold
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/moved":
			http.Redirect(w, r, "/large", http.StatusFound)
		case "/large":
			w.Header().Set("Content-Type", "image/jpeg")
			_, _ = w.Write(make([]byte, 1001))
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hold) })
	for path, want := range map[string]error{"/loop": ErrUnreachable, "/moved": ErrTooLarge, "/large": ErrTooLarge} {
		if _, err := crawler.Fetch(t.Context(), server.URL+path, 1000); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if file, err := crawler.Fetch(t.Context(), server.URL+"/moved", 1001); err != nil || file.Size != 1001 {
		t.Errorf("a file of the largest size: %+v %v", file, err)
	}
	crawler.timeout = 20 * time.Millisecond
	if _, err := crawler.Fetch(t.Context(), server.URL+"/slow", 1000); !errors.Is(err, ErrTimeout) {
		t.Errorf("a host that does not answer: %v", err)
	}
}

func TestUnknownImageFormat(t *testing.T) {
	t.Parallel()
	host := graphtest.NewHost(t)
	file, err := setup(t).api.Crawler.Fetch(t.Context(),
		host.Serve("/a.tiff", "image/tiff", []byte("II*\x00 and more")), 100)
	if err != nil || file.Type != "image/tiff" {
		t.Errorf("%+v %v", file, err)
	}
}
