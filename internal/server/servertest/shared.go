package servertest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"crier/internal/sandbox"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

// Starting a server costs far more than most tests do, so tests of a package share servers, each with its own tenant. A
// test that depends on more than its tenant (counts the rows of all organizations, moves the clock, reads the log,
// guesses passwords, stops the node) starts its own server with EachDatabase and Start.

// EachShared runs a test on the shared server of each database, as the parallel subtests sqlite and postgres. The node
// has the role api: nothing is published.
func EachShared(t *testing.T, test func(t *testing.T, s *Server)) {
	t.Helper()
	eachDialect(t, func(t *testing.T, dialect store.Dialect) { test(t, Shared(t, dialect)) })
}

// Shared returns the shared server of one database.
func Shared(tb testing.TB, dialect store.Dialect) *Server {
	tb.Helper()
	storetest.Need(tb, dialect)
	return sharedServers[dialect].join(tb)
}

// EachSharedEngine is EachShared with a node that publishes to a sandbox with Hurried timings.
func EachSharedEngine(t *testing.T, test func(t *testing.T, s *Server, b *Box)) {
	t.Helper()
	eachDialect(t, func(t *testing.T, dialect store.Dialect) {
		s, b := SharedEngine(t, dialect)
		test(t, s, b)
	})
}

// SharedEngine returns the shared engine of one database.
func SharedEngine(tb testing.TB, dialect store.Dialect) (*Server, *Box) {
	tb.Helper()
	storetest.Need(tb, dialect)
	node := sharedEngines[dialect]
	return node.join(tb), node.box
}

func eachDialect(t *testing.T, test func(t *testing.T, dialect store.Dialect)) {
	t.Helper()
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, dialect)
		})
	}
}

// sharedNode is a server that runs until the tests of the package have ended.
type sharedNode struct {
	dialect   store.Dialect
	publishes bool

	once   sync.Once
	server *Server
	box    *Box
	stops  []func() error // in the order in which they were started
	err    error
}

var (
	sharedServers = map[store.Dialect]*sharedNode{
		store.SQLite: {dialect: store.SQLite}, store.Postgres: {dialect: store.Postgres},
	}
	sharedEngines = map[store.Dialect]*sharedNode{
		store.SQLite:   {dialect: store.SQLite, publishes: true},
		store.Postgres: {dialect: store.Postgres, publishes: true},
	}
)

// join returns the server with a new tenant in place of its first one.
func (n *sharedNode) join(tb testing.TB) *Server {
	tb.Helper()
	n.once.Do(func() { n.err = n.start() })
	if n.err != nil {
		tb.Fatalf("start the shared server: %v", n.err)
	}
	s := *n.server
	s.Stop = func() error { return errors.New("the server is shared: start one that may be stopped") }
	s.Tenant = s.createTenant(tb, firstTenant)
	return &s
}

func (n *sharedNode) start() error {
	options := []Option{WithRole("api")}
	if n.publishes {
		box, stop, err := launchBox(sandbox.Options{})
		if err != nil {
			return err
		}
		n.box, n.stops = box, append(n.stops, stop)
		options = []Option{WithBox(box), WithTimings(FastTimings)}
	}
	db, drop, err := Databases.Make(n.dialect)
	if err != nil {
		return err
	}
	n.stops = append(n.stops, drop)
	if n.server, err = launch(db, options...); err != nil {
		return err
	}
	n.stops = append(n.stops, n.server.Stop)
	return nil
}

func (n *sharedNode) stop() error {
	var all error
	for _, stop := range slices.Backward(n.stops) {
		all = errors.Join(all, stop())
	}
	if all != nil {
		return fmt.Errorf("stop the shared server on %s: %w", n.dialect, all)
	}
	return nil
}

// stopShared stops the shared servers, if there are any, and drops their databases.
func stopShared() error {
	var all error
	for dialect := range sharedServers {
		all = errors.Join(all, sharedServers[dialect].stop(), sharedEngines[dialect].stop())
	}
	return all
}
