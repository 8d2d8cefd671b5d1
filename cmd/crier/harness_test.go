package main

import (
	"os"
	"testing"

	"crier/internal/server/servertest"
)

func TestMain(m *testing.M) {
	if pace := os.Getenv(nodeVariable); pace != "" {
		os.Exit(serveAsNode(pace))
	}
	if file := os.Getenv(bareVariable); file != "" {
		os.Exit(serveBare(file))
	}
	os.Exit(servertest.Run(m))
}

// The names of servertest that most tests of this package use.
type (
	database = servertest.Database
	crew     = servertest.Crew
	object   = servertest.Object
	library  = servertest.Library
)

var (
	eachDatabase = servertest.EachDatabase
	path         = servertest.Path
)

// testServer is a server with the helpers of this package.
type testServer struct{ *servertest.Server }

func startServer(tb testing.TB, db database, options ...servertest.Option) *testServer {
	tb.Helper()
	return &testServer{servertest.Start(tb, db, options...)}
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

// join starts a further node on the same database and sandbox.
func (e *engine) join(tb testing.TB, db database, options ...servertest.Option) *engine {
	tb.Helper()
	other := &engine{box: e.box, crew: e.crew}
	other.testServer = startServer(tb, db, append([]servertest.Option{servertest.WithBox(e.box),
		servertest.WithTimings(servertest.FastTimings)}, options...)...)
	return other
}
