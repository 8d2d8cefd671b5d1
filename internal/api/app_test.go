package api

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"crier/internal/service"
)

const script = "assets/index-AbCd1234.js"

// newApp returns a site with a small dashboard, and the cookie of its owner.
func newApp(t *testing.T) (*site, *http.Cookie) {
	t.Helper()
	s := newSite(t)
	services := s.services
	s.Server = New(Config{
		Services: services, Now: s.now, Logger: s.Server.log, Ready: s.Server.ready,
		PublicURL: "https://crier.example.com",
		App: fstest.MapFS{
			"index.html": {Data: []byte("<!doctype html><title>crier</title>")},
			script:       {Data: []byte(strings.Repeat("console.log('crier');", 100))},
		},
	})
	session, err := services.Instance.SetUpOwner(t.Context(), s.tenant.SetupToken, "Ada", "ada@example.com",
		"correct horse battery", service.Browser{})
	requireNoError(t, err)
	return s, &http.Cookie{Name: secureSessionCookie, Value: session.Token}
}

func (s *site) appGet(t *testing.T, address string, cookie *http.Cookie, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if cookie != nil {
		r.AddCookie(cookie)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestDashboardRoutesServeTheIndex(t *testing.T) {
	t.Parallel()
	s, cookie := newApp(t)
	for _, address := range []string{"/app", "/app/", "/app/posts/123?tab=why", "/app/settings/profile"} {
		w := s.appGet(t, address, cookie)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<title>crier</title>") {
			t.Errorf("%s: %d %s", address, w.Code, w.Body)
		}
		if got := w.Header().Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q: a new version would not be seen", address, got)
		}
	}
}

func TestDashboardRequiresASession(t *testing.T) {
	t.Parallel()
	s, cookie := newApp(t)
	w := s.appGet(t, "/app/posts?status=draft", nil)
	if want := "/sign-in?next=" + url.QueryEscape("/app/posts?status=draft"); w.Code != http.StatusSeeOther ||
		w.Header().Get("Location") != want {
		t.Errorf("got %d to %q, want %q", w.Code, w.Header().Get("Location"), want)
	}
	if w := s.appGet(t, "/", cookie); w.Code != http.StatusSeeOther || w.Header().Get("Location") != appPath {
		t.Errorf("/ leads a signed-in person to %q (%d)", w.Header().Get("Location"), w.Code)
	}
	if w := s.appGet(t, "/", nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `href="/sign-in"`) {
		t.Errorf("/ shows nobody the way in: %d", w.Code)
	}
}

func TestDashboardCSPForbidsInlineScripts(t *testing.T) {
	t.Parallel()
	s, cookie := newApp(t)
	policy := s.appGet(t, "/app", cookie).Header().Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';",
		"frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, rule) {
			t.Errorf("%q is missing in %q", rule, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http: ") {
		t.Errorf("too much is allowed: %q", policy)
	}
	if open := appPolicy("http://localhost:8080"); !strings.Contains(open, "https: http:;") {
		t.Errorf("pictures of a sandbox without TLS are forbidden: %q", open)
	}
}

func TestHashedFilesAreImmutableAndCompressed(t *testing.T) {
	t.Parallel()
	s, _ := newApp(t)
	plain := s.appGet(t, "/app/"+script, nil)
	small := s.appGet(t, "/app/"+script, nil, "Accept-Encoding", "br, gzip;q=0.8")
	for _, w := range []*httptest.ResponseRecorder{plain, small} {
		h := w.Header()
		if w.Code != http.StatusOK || !strings.Contains(h.Get("Cache-Control"), "immutable") ||
			h.Get("Content-Type") != "text/javascript; charset=utf-8" || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%d %v", w.Code, h)
		}
	}
	if small.Header().Get("Content-Encoding") != "gzip" || small.Body.Len() >= plain.Body.Len() {
		t.Fatalf("not compressed: %v", small.Header())
	}
	r, err := gzip.NewReader(small.Body)
	requireNoError(t, err)
	content, err := io.ReadAll(r)
	requireNoError(t, err)
	if string(content) != plain.Body.String() {
		t.Error("decompressed, it is another file")
	}
	again := s.appGet(t, "/app/"+script, nil, "If-None-Match", plain.Header().Get("ETag"))
	if again.Code != http.StatusNotModified {
		t.Errorf("asked again: %d", again.Code)
	}
	if w := s.appGet(t, "/app/"+script, nil, "Accept-Encoding", "gzip;q=0"); w.Header().Get("Content-Encoding") != "" {
		t.Error("compressed for who refuses it")
	}
}

func TestMissingFileIsNotTheIndex(t *testing.T) {
	t.Parallel()
	s, cookie := newApp(t)
	for _, name := range []string{"assets/gone.js", "assets/../index.html", "assets/"} {
		if w := s.appGet(t, "/app/"+name, cookie); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
