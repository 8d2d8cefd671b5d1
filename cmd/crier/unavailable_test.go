package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

// proxy sits between a server and PostgreSQL, and can cut the connections.
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

// hold registers a connection so that it can be cut; false means that connections are cut already.
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

func TestUnavailableDatabaseReturns503AndRecovers_postgres(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.Postgres)
	address, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	line := startProxy(t, address.Host)
	address.Host = line.listener.Addr().String()
	s := startServer(t, db, servertest.WithRole("api"), servertest.WithDatabaseURL(address.String()))
	calls := []servertest.Request{
		{Method: "GET", Path: path("/v1/teams/%s", s.Team)}, {Method: "GET", Path: "/v1/teams"},
		{Method: "PATCH", Path: path("/v1/teams/%s", s.Team), Body: object{}},
		{Method: "POST", Path: "/v1/teams", Body: object{"organizationId": s.Organization, "name": "Team"},
			Header: map[string]string{"Idempotency-Key": "k"}},
	}
	for range 3 {
		for _, r := range calls {
			r.Key = s.Key
			line.setCut(false)
			if got := s.Send(t, r); got.Status >= 400 {
				t.Fatalf("%s %s: %d %s", r.Method, r.Path, got.Status, got.Body)
			}
			s.Send(t, servertest.Request{Method: "GET", Path: "/readyz"}).Want(t, http.StatusOK)
			line.setCut(true)
			r.Failure = true
			for range 2 { // the connections that were open, then new ones
				s.Send(t, r).WantUnavailable(t)
			}
			ready := s.Send(t, servertest.Request{Method: "GET", Path: "/readyz", Failure: true}).Want(t,
				http.StatusServiceUnavailable)
			if ready.Header.Get("Retry-After") == "" {
				t.Error("/readyz: no Retry-After")
			}
			s.Send(t, servertest.Request{Method: "GET", Path: "/healthz"}).Want(t, http.StatusOK)
		}
	}
	line.setCut(false)
	s.Do(t, "GET", path("/v1/teams/%s", s.Team), nil).Want(t, http.StatusOK)
}

// A file cannot disappear while it is open; SQLite is unavailable while another process holds its lock.
func TestLockedDatabaseReturns503AndRecovers_sqlite(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.SQLite)
	s := startServer(t, db, servertest.WithRole("api"))
	s.Do(t, "PATCH", path("/v1/teams/%s", s.Team), object{"name": "Before"}).Want(t, http.StatusOK)
	other, err := db.Open(t).Writer().BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Send(t, servertest.Request{Method: "PATCH", Path: path("/v1/teams/%s", s.Team), Body: object{"name": "During"},
		Key:     s.Key,
		Failure: true}).WantUnavailable(t)
	if got := s.Do(t, "GET", path("/v1/teams/%s", s.Team), nil).Want(t, http.StatusOK); got.Text(t,
		"name") != "Before" {
		t.Errorf("reading beside the lock: %s", got.Body)
	}
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.Do(t, "PATCH", path("/v1/teams/%s", s.Team), object{"name": "After"}).Want(t, http.StatusOK)
}
