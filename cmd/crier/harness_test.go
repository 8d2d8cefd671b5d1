package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/service"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// testSecret is the secret key of all test servers, so that several can share a database.
const testSecret = "0123456789abcdef0123456789abcdef"

// databases are stores with the schema of everything and nobody in them.
var databases = &storetest.Suite{Prepare: func(ctx context.Context, cfg store.Config) error {
	a := testApp(storetest.Database{URL: cfg.DatabaseURL, DataDir: cfg.DataDir}, time.Now, os.Stderr)
	return a.withNode(ctx, func(*node) error { return nil })
}}

func TestMain(m *testing.M) {
	if pace := os.Getenv(nodeVariable); pace != "" {
		os.Exit(serveAsNode(pace))
	}
	code := databases.Run(m)
	if err := os.RemoveAll(runDir()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// runDir is a directory for what the tests of a run share; it is removed at their end.
var runDir = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "crier-test-")
	if err != nil {
		panic(err)
	}
	return dir
})

// database is a store of one test.
type database = storetest.Database

// eachDatabase runs a test on a fresh, empty store of SQLite and of PostgreSQL, as parallel subtests.
func eachDatabase(t *testing.T, test func(t *testing.T, db database)) {
	t.Helper()
	databases.Each(t, test)
}

// testApp is the program as the command line would make it.
func testApp(db database, now func() time.Time, log interface{ Write([]byte) (int, error) }) *app {
	return &app{
		stdout: log, stderr: log, now: now,
		config: config{
			listen: "127.0.0.1:0", dataDir: db.DataDir, mediaDir: mediaDirOf(db), databaseURL: db.URL, publicURL: "http://crier.test",
			secretKey: testSecret, role: "all", grantCredits: 10_000, logFormat: "text",
		},
	}
}

// mediaDirOf is where all nodes on a database keep their files.
func mediaDirOf(db database) string {
	sum := sha256.Sum256([]byte(db.URL + db.DataDir))
	return filepath.Join(runDir(), "media-"+hex.EncodeToString(sum[:8]))
}

// option changes how a test server is started.
type option func(*app)

// withRateLimit sets the requests per minute and token; without it there is no limit.
func withRateLimit(perMinute int) option { return func(a *app) { a.config.rateLimit = perMinute } }

// withClock makes the server tell the time by a clock that the test can move.
func withClock(c *clock) option { return func(a *app) { a.now = c.Now } }

// withRole starts a node that does only a part of the work: api or worker.
func withRole(role string) option { return func(a *app) { a.config.role = role } }

// withDatabaseURL reaches the database in another way, for example through a proxy.
func withDatabaseURL(url string) option { return func(a *app) { a.config.databaseURL = url } }

// server is a node of crier, wired as serve does it, that listens on a loopback port.
type server struct {
	// Tenant is the first one; its key may do everything.
	tenant
	app    *app
	node   *node
	url    string
	log    *logBuffer
	client *http.Client
	// stop drains the server and reports what went wrong; it runs by itself at the end of the test.
	stop func() error
}

// tenant is an organization with a team and the key of its owner.
type tenant struct {
	key          string
	organization crier.ID
	team         crier.ID
}

// startServer starts a node on the database. An empty store gets its first tenant; a further node on the same store has
// none: give it the tenant of the first.
func startServer(tb testing.TB, db database, options ...option) *server {
	tb.Helper()
	s := &server{log: &logBuffer{}}
	a := testApp(db, time.Now, s.log)
	s.app = a
	for _, o := range options {
		o(a)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n, err := a.openNode(ctx, a.logger())
	if err != nil {
		cancel()
		tb.Fatal(err)
	}
	s.node = n
	if empty, err := n.services.Instance.Empty(ctx); err != nil {
		tb.Fatal(err)
	} else if empty {
		s.tenant = s.initialise(tb)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", a.config.listen)
	if err != nil {
		tb.Fatal(err)
	}
	s.url = "http://" + listener.Addr().String()
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(a.runServer(ctx, n, listener, n.log), n.store.Close()) }()
	s.stop = sync.OnceValue(func() error {
		s.client.CloseIdleConnections()
		cancel()
		return <-ended
	})
	tb.Cleanup(func() {
		if err := s.stop(); err != nil {
			tb.Errorf("the server ended with: %v", err)
		}
		if tb.Failed() {
			tb.Logf("what the server found worth a warning:\n%s", s.log.warnings(20))
		}
	})
	return s
}

func (s *server) initialise(tb testing.TB) tenant {
	tb.Helper()
	made, err := s.node.services.Instance.Initialise(context.Background(), service.TenantRequest{Name: "First organization", Credits: 10_000})
	if err != nil {
		tb.Fatal(err)
	}
	return tenant{key: made.APIKey, organization: made.OrganizationID, team: made.TeamID}
}

// newTenant makes a further tenant: a stranger to all others.
func (s *server) newTenant(tb testing.TB, name string) tenant {
	tb.Helper()
	made, err := s.node.services.Instance.CreateTenant(context.Background(), service.TenantRequest{Name: crier.Name(name), Credits: 10_000})
	if err != nil {
		tb.Fatal(err)
	}
	return tenant{key: made.APIKey, organization: made.OrganizationID, team: made.TeamID}
}

// exec changes the store behind the server's back, for what no operation can do (yet).
func (s *server) exec(tb testing.TB, query string, args ...any) {
	tb.Helper()
	if _, err := s.node.store.Writer().ExecContext(context.Background(), query, args...); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}

// number reads one number from the store.
func (s *server) number(tb testing.TB, query string, args ...any) int64 {
	tb.Helper()
	var n int64
	if err := s.node.store.Reader().QueryRowContext(context.Background(), query, args...).Scan(&n); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return n
}

// clock tells the time, moved by what the test has advanced it.
type clock struct {
	mu     sync.Mutex
	offset time.Duration
}

// Now is the moved time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by
}

// logBuffer keeps what the server writes.
type logBuffer struct {
	mu   sync.Mutex
	data bytes.Buffer
}

// Write keeps one line.
func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.String()
}

// warnings are the last lines above the level of information.
func (b *logBuffer) warnings(most int) string {
	lines := slices.DeleteFunc(strings.Split(b.String(), "\n"), func(line string) bool {
		return !strings.Contains(line, "level=WARN") && !strings.Contains(line, "level=ERROR")
	})
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
