package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"crier/internal/store"
)

// proxy stands between a server and PostgreSQL, and can cut the line.
type proxy struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	cut      bool
	lines    map[net.Conn]bool
}

func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: target, lines: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.forward(conn)
		}
	}()
	return p
}

func (p *proxy) forward(conn net.Conn) {
	defer conn.Close()
	if !p.hold(conn) {
		return
	}
	upstream, err := net.Dial("tcp", p.target)
	if err != nil || !p.hold(upstream) {
		return
	}
	defer upstream.Close()
	go func() {
		_, _ = io.Copy(upstream, conn)
		_ = upstream.Close()
	}()
	_, _ = io.Copy(conn, upstream)
}

// hold remembers a connection so that it can be cut; false means that the line is cut already.
func (p *proxy) hold(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[conn] = true
	return !p.cut
}

func (p *proxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if cut {
		for conn := range p.lines {
			_ = conn.Close()
		}
		clear(p.lines)
	}
}

// wantUnavailable fails unless the server says that it cannot work now, and nothing about why.
func (r response) wantUnavailable(t *testing.T) {
	t.Helper()
	r.wantError(t, http.StatusServiceUnavailable, "InternalError")
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	for _, secret := range []string{"dial", "EOF", "SQL", "pgx", "127.0.0.1", "password", "database is locked"} {
		if strings.Contains(string(r.body), secret) {
			t.Errorf("the answer tells of the inside (%s): %s", secret, r.body)
		}
	}
}

func TestADatabaseThatIsAwayIsA503AndComesBack_postgres(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.Postgres)
	address, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	line := startProxy(t, address.Host)
	address.Host = line.listener.Addr().String()
	s := startServer(t, db, withRole("api"), withDatabaseURL(address.String()))
	calls := []request{
		{method: "GET", path: path("/v1/teams/%s", s.team)}, {method: "GET", path: "/v1/teams"}, {method: "PATCH", path: path("/v1/teams/%s", s.team), body: object{}},
		{method: "POST", path: "/v1/teams", body: object{"organizationId": s.organization, "name": "Team"}, header: map[string]string{"Idempotency-Key": "k"}},
	}
	for range 3 {
		for _, r := range calls {
			r.key = s.key
			line.setCut(false)
			if got := s.send(t, r); got.status >= 400 {
				t.Fatalf("%s %s: %d %s", r.method, r.path, got.status, got.body)
			}
			s.send(t, request{method: "GET", path: "/readyz"}).want(t, http.StatusOK)
			line.setCut(true)
			r.failure = true
			for range 2 { // the connections that were open, then new ones
				s.send(t, r).wantUnavailable(t)
			}
			ready := s.send(t, request{method: "GET", path: "/readyz", failure: true}).want(t, http.StatusServiceUnavailable)
			if ready.header.Get("Retry-After") == "" {
				t.Error("/readyz: no Retry-After")
			}
			s.send(t, request{method: "GET", path: "/healthz"}).want(t, http.StatusOK)
		}
	}
	line.setCut(false)
	s.do(t, "GET", path("/v1/teams/%s", s.team), nil).want(t, http.StatusOK)
}

// A file cannot go away while it is open; what keeps SQLite from working is somebody else's lock.
func TestADatabaseThatIsLockedIsA503AndComesBack_sqlite(t *testing.T) {
	t.Parallel()
	db := databases.Fresh(t, store.SQLite)
	s := startServer(t, db, withRole("api"))
	s.do(t, "PATCH", path("/v1/teams/%s", s.team), object{"name": "Before"}).want(t, http.StatusOK)
	other, err := db.Open(t).Writer().BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.send(t, request{method: "PATCH", path: path("/v1/teams/%s", s.team), body: object{"name": "During"}, key: s.key, failure: true}).wantUnavailable(t)
	if got := s.do(t, "GET", path("/v1/teams/%s", s.team), nil).want(t, http.StatusOK); got.text(t, "name") != "Before" {
		t.Errorf("reading beside the lock: %s", got.body)
	}
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.do(t, "PATCH", path("/v1/teams/%s", s.team), object{"name": "After"}).want(t, http.StatusOK)
}
