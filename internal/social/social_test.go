package social

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/job"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

var databases = &storetest.Suite{}

func TestMain(m *testing.M) { os.Exit(databases.Run(m)) }

// jobs records the enqueued jobs.
type jobs struct{ list []job.Job }

func (j *jobs) Enqueue(_ context.Context, _ *store.Tx, list ...job.Job) error {
	j.list = append(j.list, list...)
	return nil
}

// world is the package's rules over a fixture.
type world struct {
	Rules
	*storetest.Fixture
	jobs *jobs
}

func newWorld(tb testing.TB, f *storetest.Fixture, networks ...provider.Provider) *world {
	tb.Helper()
	keys, err := auth.NewKeyring("0123456789abcdef0123456789abcdef")
	if err != nil {
		tb.Fatal(err)
	}
	registry, err := provider.NewRegistry(networks...)
	if err != nil {
		tb.Fatal(err)
	}
	clock := crier.Clock(func() time.Time { return f.Now.Time })
	w, log := &world{Fixture: f, jobs: &jobs{}}, slog.New(slog.DiscardHandler)
	engine := publish.New(publish.Config{Store: f.Store, Keys: keys, Queue: w.jobs, Providers: registry, Clock: clock,
		Logger: log})
	w.Rules = New(Config{Store: f.Store, Writes: access.NewIdempotency(f.Store, keys, clock), Keys: keys,
		Providers: registry, Engine: engine, Queue: w.jobs, PublicURL: "https://crier.example", Clock: clock,
		Logger: log})
	return w
}
