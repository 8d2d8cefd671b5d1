package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/service"
	"crier/internal/store"
)

// site is a server with pages over a fresh store, and a clock that stands still until it is moved.
type site struct {
	*Server
	store  *store.Store
	tenant service.Tenant
	log    *bytes.Buffer
	time   time.Time
	ready  error
}

type noJobs struct{}

func (noJobs) Enqueue(context.Context, *store.Tx, ...job.Job) error { return nil }

// newFacade returns a site whose pages need no store.
func newFacade() *site {
	s := &site{log: &bytes.Buffer{}, time: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	s.open(nil)
	return s
}

// open builds the API over the services.
func (s *site) open(services *service.Services) {
	s.Server = New(Config{
		Services: services, Now: s.now, Logger: slog.New(slog.NewTextHandler(s.log, nil)), Version: "1.2.3",
		Ready: func(context.Context) error { return s.ready },
	})
}

func (s *site) now() time.Time { return s.time }

func newSite(t *testing.T) *site {
	t.Helper()
	s := newFacade()
	s.store = databases.Fresh(t, store.SQLite).Open(t)
	keys, err := auth.NewKeyring(auth.NewSecretKey())
	requireNoError(t, err)
	services := service.New(service.Config{Store: s.store, Keys: keys, Queue: noJobs{}, Now: s.now,
		Logger: slog.New(slog.DiscardHandler), PasswordMemory: cheapPasswords})
	s.open(services)
	s.tenant, err = services.Instance.Initialise(t.Context(), service.TenantRequest{Name: "Acme"})
	requireNoError(t, err)
	return s
}

func requireNoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// get fetches a page.
func (s *site) get(t *testing.T, path string) *pageAnswer {
	t.Helper()
	return s.send(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
}

// post sends a form as a browser does from a page of this server.
func (s *site) post(t *testing.T, path string, form url.Values) *pageAnswer {
	t.Helper()
	return s.send(t, formRequest(t, path, form))
}

func formRequest(t *testing.T, path string, form url.Values) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// pageAnswer is a page as a browser receives it.
type pageAnswer struct {
	status int
	header http.Header
	body   string
	root   *html.Node
}

func (s *site) send(t *testing.T, r *http.Request) *pageAnswer {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	root, err := html.Parse(bytes.NewReader(w.Body.Bytes()))
	requireNoError(t, err)
	return &pageAnswer{status: w.Code, header: w.Result().Header, body: w.Body.String(), root: root}
}

func (a *pageAnswer) hasStatus(t *testing.T, want int) {
	t.Helper()
	if a.status != want {
		t.Fatalf("status %d, want %d: %s", a.status, want, a.text())
	}
}

func (a *pageAnswer) wantText(t *testing.T, want string) {
	t.Helper()
	if !strings.Contains(a.text(), want) {
		t.Errorf("the page does not say %q: %s", want, a.text())
	}
}

// text returns the visible text.
func (a *pageAnswer) text() string {
	var out strings.Builder
	for n := range a.root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			out.WriteString(n.Data)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// attributes returns the values of an attribute in the page, in order.
func (a *pageAnswer) attributes(name string) []string {
	var out []string
	for n := range a.root.Descendants() {
		for _, at := range n.Attr {
			if at.Key == name {
				out = append(out, at.Val)
			}
		}
	}
	return out
}

// element returns the element with an id, or nil.
func (a *pageAnswer) element(id string) *html.Node {
	for n := range a.root.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, at := range n.Attr {
		if at.Key == name {
			return at.Val
		}
	}
	return ""
}

func TestPagesAreSelfContained(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, status := range map[string]int{
		"/": 200, "/docs": 200, "/setup?token=" + s.tenant.SetupToken: 200, "/setup?token=wrong": 404, "/setup": 404,
		"/setup/done": 200,
	} {
		a := s.get(t, path)
		a.hasStatus(t, status)
		if got := a.header.Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("%s: content type %q", path, got)
		}
		for _, address := range append(a.attributes("href"), a.attributes("src")...) {
			if !strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "#") &&
				!strings.HasPrefix(address, "data:image/") || strings.HasPrefix(address, "//") {
				t.Errorf("%s: leads outside: %s", path, address)
			}
		}
		checkPolicy(t, path, a)
	}
}

// checkPolicy checks the page against its content security policy: one style sheet, no script, nothing inline.
func checkPolicy(t *testing.T, path string, a *pageAnswer) {
	t.Helper()
	policy := a.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") ||
		strings.Contains(policy, "script-src") {
		t.Errorf("%s: policy %q", path, policy)
	}
	for n := range a.root.Descendants() {
		if n.Data == "script" && n.Type == html.ElementNode {
			t.Errorf("%s: has a script", path)
		}
		if n.Data == "style" && n.Type == html.ElementNode {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			if !strings.Contains(policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("%s: the policy forbids the style sheet: %s", path, policy)
			}
		}
		for _, at := range n.Attr {
			if at.Key == "style" || strings.HasPrefix(at.Key, "on") {
				t.Errorf("%s: the policy forbids the attribute %s", path, at.Key)
			}
		}
	}
}

func TestHomeShowsReadiness(t *testing.T) {
	t.Parallel()
	s := newFacade()
	s.get(t, "/").wantText(t, "Ready: it takes requests")
	s.ready = errors.New("the disk is full")
	a := s.get(t, "/")
	a.wantText(t, "Not ready")
	if strings.Contains(a.body, "disk") {
		t.Error("the reason went outside")
	}
}

func TestWorkersHaveNoPages(t *testing.T) {
	t.Parallel()
	s := New(Config{Now: time.Now, Logger: slog.New(slog.DiscardHandler), WorkerOnly: true})
	for _, path := range []string{"/", "/docs", "/setup"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, w.Code)
		}
	}
}

func TestCrossSiteFormsAreRejected(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, c := range map[string]struct {
		header, value string
		want          int
	}{
		"sent by this site":       {"Sec-Fetch-Site", "same-origin", 303},
		"sent by another site":    {"Sec-Fetch-Site", "cross-site", 403},
		"sent by a sister site":   {"Sec-Fetch-Site", "same-site", 403},
		"origin is this one":      {"Origin", "http://example.com", 303},
		"origin is another":       {"Origin", "http://evil.example", 403},
		"origin has another port": {"Origin", "http://example.com:8080", 403},
		"origin is hidden":        {"Origin", "null", 403},
		"no browser":              {"User-Agent", "curl", 303},
	} {
		tenant, err := s.services.Instance.CreateTenant(t.Context(), service.TenantRequest{Name: "Acme"})
		requireNoError(t, err)
		form := ownerForm(tenant.SetupToken)
		form.Set("email", string(tenant.TeamID)+"@example.com")
		r := formRequest(t, "/setup", form)
		r.Header.Set(c.header, c.value)
		if a := s.send(t, r); a.status != c.want {
			t.Errorf("%s: status %d, want %d: %s", name, a.status, c.want, a.text())
		}
		used := s.get(t, "/setup?token="+tenant.SetupToken).status == http.StatusNotFound
		if used != (c.want == http.StatusSeeOther) {
			t.Errorf("%s: link used: %v", name, used)
		}
	}
}

func TestGuessesAreThrottledByAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	guess := func(remote string) *pageAnswer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/setup?token=guess", nil)
		r.RemoteAddr = remote
		return s.send(t, r)
	}
	for range guessesPerMinute {
		guess("192.0.2.1:1000").hasStatus(t, http.StatusNotFound)
	}
	refused := guess("192.0.2.1:1001")
	refused.hasStatus(t, http.StatusTooManyRequests)
	refused.wantText(t, "Wait 3 s, then try again.")
	if got := refused.header.Get("Retry-After"); got != "3" {
		t.Errorf("Retry-After %q, want 3", got)
	}
	guess("192.0.2.2:1000").hasStatus(t, http.StatusNotFound)
	s.time = s.time.Add(3 * time.Second)
	guess("192.0.2.1:1000").hasStatus(t, http.StatusNotFound)
}

func TestAddressesOfOneNetworkCountAsOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::1%eth1]:1", true},
		{"@", "@", true},
	} {
		if same := networkID(c.a) == networkID(c.b); same != c.same {
			t.Errorf("%s and %s count as one: %v, want %v", c.a, c.b, same, c.same)
		}
	}
}

func TestFormsHaveALimit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	form := ownerForm(s.tenant.SetupToken)
	form.Set("name", strings.Repeat("x", maxForm))
	s.post(t, "/setup", form).hasStatus(t, http.StatusRequestEntityTooLarge)
	r := formRequest(t, "/setup", nil)
	r.Body = io.NopCloser(strings.NewReader("name=%zz"))
	s.send(t, r).hasStatus(t, http.StatusBadRequest)
	s.get(t, "/setup?token="+s.tenant.SetupToken).hasStatus(t, http.StatusOK)
}

func TestInternalErrorsHideTheirCause(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	requireNoError(t, s.store.Close())
	a := s.get(t, "/setup?token="+s.tenant.SetupToken)
	if a.status < http.StatusInternalServerError {
		t.Fatalf("status %d", a.status)
	}
	a.wantText(t, "Nothing was changed. Try again in a moment.")
	if strings.Contains(a.body, "sql") {
		t.Errorf("the reason went outside: %s", a.text())
	}
	if !strings.Contains(s.log.String(), "sql") {
		t.Error("the reason is not in the log")
	}
}
