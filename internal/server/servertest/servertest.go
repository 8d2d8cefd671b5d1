// Package servertest starts real servers in tests, on either database, and calls them as clients do. Each response is
// checked against the OpenAPI document. The package also starts sandboxes and fills stores.
package servertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"crier"
	"crier/internal/server"
	"crier/internal/service"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// Secret is the secret key of all test servers, so that several can share a database.
const Secret = "0123456789abcdef0123456789abcdef"

// Databases are stores with the full schema and no tenants.
var Databases = &storetest.Suite{Prepare: func(ctx context.Context, cfg store.Config) error {
	n, err := server.Open(ctx, Config(storetest.Database{URL: cfg.DatabaseURL, DataDir: cfg.DataDir}, os.Stderr))
	if err != nil {
		return err
	}
	_, err = n.Prepare(ctx)
	return errors.Join(err, n.Store.Close())
}}

// Run runs the tests of a package and removes their shared resources. It is the body of TestMain.
func Run(m *testing.M) int {
	code := m.Run()
	if err := errors.Join(stopShared(), Databases.Remove()); err != nil {
		fmt.Fprintln(os.Stderr, "servertest:", err)
		code = max(code, 1)
	}
	if err := os.RemoveAll(RunDir()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// RunDir is a directory that the tests of a run share; it is removed at their end.
var RunDir = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "crier-test-")
	if err != nil {
		panic(err)
	}
	return dir
})

// Database is the store of one test.
type Database = storetest.Database

// EachDatabase runs a test on a fresh, empty store of SQLite and of PostgreSQL, as parallel subtests.
func EachDatabase(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	Databases.Each(t, test)
}

// Config returns the configuration of a node as the command line would build it.
func Config(db Database, log io.Writer) server.Config {
	return server.Config{
		Listen: "127.0.0.1:0", DataDir: db.DataDir, MediaDir: MediaDir(db), DatabaseURL: db.URL,
		PublicURL: "http://crier.test", SecretKey: Secret, Role: "all", Version: "dev", Now: time.Now,
		Logger:         slog.New(slog.NewTextHandler(log, nil)),
		PasswordMemory: PasswordMemory,
	}
}

// PasswordMemory is what the hash of a password takes in tests, in KiB: a three-hundredth of the usual amount, because
// the tests sign in hundreds of times. The tests of auth prove the usual one.
const PasswordMemory = 64

// MediaDir returns the media directory that all nodes on a database share.
func MediaDir(db Database) string {
	sum := sha256.Sum256([]byte(db.URL + db.DataDir))
	return filepath.Join(RunDir(), "media-"+hex.EncodeToString(sum[:8]))
}

// Option changes how a test server is started.
type Option func(*server.Config)

// WithRateLimit sets the requests per minute and token; without it there is no limit.
func WithRateLimit(perMinute int) Option { return func(a *server.Config) { a.RateLimit = perMinute } }

// WithClock makes the server use a clock that the test can move.
func WithClock(c *Clock) Option { return func(a *server.Config) { a.Now = c.Now } }

// WithRole starts a node with only one role: api or worker.
func WithRole(role string) Option { return func(a *server.Config) { a.Role = role } }

// WithDatabaseURL connects to the database at another address, for example through a proxy.
func WithDatabaseURL(url string) Option { return func(a *server.Config) { a.DatabaseURL = url } }

// Server is a node of crier, wired as serve does it, listening on a loopback port.
type Server struct {
	// Tenant is the first one; its key may do everything.
	Tenant
	Config server.Config
	Node   *server.Node
	URL    string
	Log    *LogBuffer
	Client *http.Client
	// Stop drains the server and returns its error; it runs by itself at the end of the test.
	Stop func() error
}

// Tenant is an organization with a team and its owner's key.
type Tenant struct {
	Key          string
	Organization crier.ID
	Team         crier.ID
}

// Start starts a node on the database. An empty store gets its first tenant; a further node on the same store has none:
// give it the tenant of the first.
func Start(tb testing.TB, db Database, options ...Option) *Server {
	tb.Helper()
	s, err := launch(db, options...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Errorf("the server ended with: %v", err)
		}
		if tb.Failed() {
			tb.Logf("what the server found worth a warning:\n%s", s.Log.Warnings(20))
		}
	})
	return s
}

// launch starts a node that runs until it is stopped.
func launch(db Database, options ...Option) (*Server, error) {
	s := &Server{Log: &LogBuffer{}}
	s.Config = Config(db, s.Log)
	for _, o := range options {
		o(&s.Config)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n, err := server.Open(ctx, s.Config)
	if err != nil {
		cancel()
		return nil, err
	}
	s.Node = n
	listener, err := s.prepare(ctx)
	if err != nil {
		cancel()
		return nil, errors.Join(err, n.Store.Close())
	}
	s.URL = "http://" + listener.Addr().String()
	s.Client = NewClient()
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(n.Run(ctx, listener), n.Store.Close()) }()
	s.Stop = sync.OnceValue(func() error {
		s.Client.CloseIdleConnections()
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(stopTimeout):
			return fmt.Errorf("the server has not stopped after %v:\n%s", stopTimeout, stacks())
		}
	})
	return s, nil
}

// stopTimeout is far longer than a node may take to drain.
const stopTimeout = server.DrainTime + WaitTimeout

// stacks returns the stacks of all goroutines.
func stacks() []byte {
	text := make([]byte, 8<<20)
	return text[:runtime.Stack(text, true)]
}

// NewClient returns a client that gives up eventually: a test must not wait forever for a server that does not answer.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}, Timeout: 5 * WaitTimeout}
}

// prepare creates the first tenant of an empty store and listens.
func (s *Server) prepare(ctx context.Context) (net.Listener, error) {
	empty, err := s.Node.Services.Instance.Empty(ctx)
	if err != nil {
		return nil, err
	}
	if empty {
		tenant, err := s.Node.Services.Instance.Initialise(ctx, firstTenant)
		if err != nil {
			return nil, err
		}
		s.Tenant = Tenant{Key: tenant.APIKey, Organization: tenant.OrganizationID, Team: tenant.TeamID}
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", s.Config.Listen)
}

// firstTenant is the tenant that every server has.
var firstTenant = service.TenantRequest{Name: "First organization", Credits: 10_000}

// NewTenant creates a further tenant, unrelated to all others.
func (s *Server) NewTenant(tb testing.TB, name string) Tenant {
	tb.Helper()
	return s.createTenant(tb, service.TenantRequest{Name: crier.Name(name), Credits: firstTenant.Credits})
}

func (s *Server) createTenant(tb testing.TB, request service.TenantRequest) Tenant {
	tb.Helper()
	tenant, err := s.Node.Services.Instance.CreateTenant(context.Background(), request)
	if err != nil {
		tb.Fatal(err)
	}
	return Tenant{Key: tenant.APIKey, Organization: tenant.OrganizationID, Team: tenant.TeamID}
}

// Exec changes the store directly, for states that no operation can reach (yet).
func (s *Server) Exec(tb testing.TB, query string, args ...any) {
	tb.Helper()
	if _, err := s.Node.Store.Writer().ExecContext(context.Background(), query, args...); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}

// Number reads one number from the store.
func (s *Server) Number(tb testing.TB, query string, args ...any) int64 {
	tb.Helper()
	var n int64
	if err := s.Node.Store.Reader().QueryRowContext(context.Background(), query, args...).Scan(&n); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return n
}

// Clock is a clock that the test can advance.
type Clock struct {
	mu      sync.Mutex
	offset  time.Duration
	stopped time.Time
}

// NewStoppedClock returns a clock that only Advance moves, for tests of timeouts that would expire on a slow machine.
func NewStoppedClock() *Clock { return &Clock{stopped: time.Now()} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped.IsZero() {
		return c.stopped.Add(c.offset)
	}
	return time.Now().Add(c.offset)
}

// Advance advances the clock.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by
}

// LogBuffer stores the server's log.
type LogBuffer struct {
	mu   sync.Mutex
	data bytes.Buffer
}

// Write appends one line.
func (b *LogBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.Write(p)
}

// String returns the whole log.
func (b *LogBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.String()
}

// Warnings returns the last lines above level INFO.
func (b *LogBuffer) Warnings(most int) string {
	lines := slices.DeleteFunc(strings.Split(b.String(), "\n"), func(line string) bool {
		return !strings.Contains(line, "level=WARN") && !strings.Contains(line, "level=ERROR")
	})
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// Eventually polls until ask reports success.
func Eventually[T any](tb testing.TB, check func() (T, bool)) T {
	tb.Helper()
	deadline := time.After(WaitTimeout)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		value, done := check()
		if done {
			return value
		}
		select {
		case <-deadline:
			tb.Fatalf("it has not happened within %v", WaitTimeout)
		case <-tick.C:
		}
	}
}

// Receive waits for a value or for the end of a channel.
func Receive[T any](tb testing.TB, from <-chan T, what string) T {
	tb.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(WaitTimeout):
		tb.Fatalf("%s: it has not happened within %v", what, WaitTimeout)
		panic("unreachable")
	}
}

// AtOnce runs fn n times concurrently and waits.
func AtOnce(n int, fn func(i int)) {
	start := make(chan struct{})
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	running.Wait()
}

// NumberFrom reads a number from the environment, such as the size of a run; usual is the default.
func NumberFrom(tb testing.TB, variable string, usual int64) int64 {
	tb.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		tb.Fatalf("%s: %v", variable, err)
	}
	return n
}
