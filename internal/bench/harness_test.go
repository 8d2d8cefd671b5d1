// Package bench_test measures whole servers. Its benchmarks print ratios: what crier adds to what it stands on,
// measured in turns within one run on one machine, so that a busy machine slows both sides. make bench runs them.
package bench_test

import (
	"os"
	"testing"

	"crier/internal/server/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Run(m)) }

// The harness by the names that the benchmarks use.
type (
	database = servertest.Database
	option   = servertest.Option
	tenant   = servertest.Tenant
	crew     = servertest.Crew
	object   = servertest.Object
)

var (
	databases    = servertest.Databases
	eachDatabase = servertest.EachDatabase
	withRole     = servertest.WithRole
	path         = servertest.Path
	atOnce       = servertest.AtOnce
	numberFrom   = servertest.NumberFrom
)

// testServer is a server with the helpers of this package.
type testServer struct{ *servertest.Server }

func startServer(tb testing.TB, db database, options ...option) *testServer {
	tb.Helper()
	return &testServer{servertest.Start(tb, db, options...)}
}

// engine is a server that publishes, and a tenant with accounts on it.
type engine struct {
	*testServer
	crew
}

// startEngine starts a node that publishes to a network.
func startEngine(tb testing.TB, db database, net *network) *engine {
	tb.Helper()
	box := &servertest.Box{URL: net.URL}
	return &engine{testServer: startServer(tb, db, servertest.WithBox(box), quiet)}
}

// postServer is a server with helpers for the team's content.
type postServer struct{ *testServer }

func startPostServer(tb testing.TB, db database, options ...option) postServer {
	tb.Helper()
	return postServer{startServer(tb, db, append([]option{withRole("api")}, options...)...)}
}
