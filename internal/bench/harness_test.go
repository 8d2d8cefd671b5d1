// Package bench_test measures whole servers. Its benchmarks print ratios: the cost of crier to that of the layers below
// it, measured in turns within one run on one machine, so that a busy machine slows both sides. make bench runs them.
package bench_test

import (
	"os"
	"testing"

	"crier/internal/server/servertest"
)

func TestMain(m *testing.M) { os.Exit(servertest.Run(m)) }

// crew is embedded by engine.
type crew = servertest.Crew

// testServer is a server with the helpers of this package.
type testServer struct{ *servertest.Server }

func startServer(tb testing.TB, db servertest.Database, options ...servertest.Option) *testServer {
	tb.Helper()
	return &testServer{servertest.Start(tb, db, options...)}
}

// engine is a server that publishes, and a tenant with accounts on it.
type engine struct {
	*testServer
	crew
}

// startEngine starts a node that publishes to a network.
func startEngine(tb testing.TB, db servertest.Database, net *network) *engine {
	tb.Helper()
	box := &servertest.Box{URL: net.URL}
	return &engine{testServer: startServer(tb, db, servertest.WithBox(box), discardLogs)}
}

// postServer is a server with helpers for the team's content.
type postServer struct{ *testServer }

func startPostServer(tb testing.TB, db servertest.Database, options ...servertest.Option) postServer {
	tb.Helper()
	return postServer{startServer(tb, db, append([]servertest.Option{servertest.WithRole("api")}, options...)...)}
}
