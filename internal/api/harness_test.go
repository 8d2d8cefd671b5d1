package api_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"crier/internal/api"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

func TestMain(m *testing.M) {
	// A check of a list creates a tenant and sends dozens of requests. Flags override it, as in make fuzz.
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	code := servertest.Run(m)
	if err := api.RemoveDatabases(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// The names of servertest that most tests of this package use.
type (
	database = servertest.Database
	crew     = servertest.Crew
	object   = servertest.Object
)

var (
	eachDatabase = servertest.EachDatabase
	withRole     = servertest.WithRole
	path         = servertest.Path
)

const unknownID = servertest.UnknownID

// testServer is a server with the helpers of this package.
type testServer struct{ *servertest.Server }

func startServer(tb testing.TB, db database, options ...servertest.Option) *testServer {
	tb.Helper()
	return &testServer{servertest.Start(tb, db, options...)}
}

// eachServer runs a test on the shared server of each database, with its own tenant. Tests that depend on more than
// their tenant start their own server.
func eachServer(t *testing.T, test func(t *testing.T, s *testServer)) {
	t.Helper()
	servertest.EachShared(t, func(t *testing.T, s *servertest.Server) { test(t, &testServer{s}) })
}

// oneServer runs a test of code that runs before the store is used: one database is enough.
func oneServer(t *testing.T, test func(t *testing.T, s *testServer)) {
	t.Helper()
	test(t, sharedServer(t))
}

// sharedServer returns the server of oneServer.
func sharedServer(tb testing.TB) *testServer {
	tb.Helper()
	return &testServer{servertest.Shared(tb, store.SQLite)}
}

// engine is a server that publishes to a sandbox, and a tenant with accounts on it.
type engine struct {
	*testServer
	box *servertest.Box
	crew
}

// startEngine starts a node and a sandbox, and a tenant with one account on each of two networks.
func startEngine(tb testing.TB, db database, options ...servertest.Option) *engine {
	tb.Helper()
	return startEngineOn(tb, db, servertest.StartBox(tb), options...)
}

// startEngineOn is startEngine with an existing sandbox.
func startEngineOn(tb testing.TB, db database, b *servertest.Box, options ...servertest.Option) *engine {
	tb.Helper()
	e := &engine{box: b}
	e.testServer = startServer(tb, db, append([]servertest.Option{servertest.WithBox(e.box),
		servertest.WithTimings(servertest.FastTimings)}, options...)...)
	e.crew = e.NewCrew(tb, 100_000, "x", "linkedin")
	return e
}

// eachEngine runs a test on the shared engine of each database, with its own crew.
func eachEngine(t *testing.T, test func(t *testing.T, e *engine)) {
	t.Helper()
	servertest.EachSharedEngine(t, func(t *testing.T, s *servertest.Server, b *servertest.Box) {
		e := &engine{testServer: &testServer{s}, box: b}
		e.crew = e.NewCrew(t, 100_000, "x", "linkedin")
		test(t, e)
	})
}

// postServer is a server with helpers for the team's content.
type postServer struct{ *testServer }

func startPostServer(tb testing.TB, db database, options ...servertest.Option) postServer {
	tb.Helper()
	return postServer{startServer(tb, db, append([]servertest.Option{withRole("api")}, options...)...)}
}

// eachPostServer is eachServer with helpers for the team's content.
func eachPostServer(t *testing.T, test func(t *testing.T, s postServer)) {
	t.Helper()
	eachServer(t, func(t *testing.T, s *testServer) { test(t, postServer{s}) })
}
