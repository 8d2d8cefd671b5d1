package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"crier"
	"crier/internal/api"
)

// drainTime is how long running requests and jobs may take to finish when the server stops.
const drainTime = 30 * time.Second

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Start everything: the interface and the workers",
		Long: "Starts the interface and the workers. On an empty store it first makes an organization, an owner and an API key, and prints them once.\n" +
			"SIGTERM drains: running requests and jobs finish within 30 seconds, new ones are refused.",
		Example: "  crier serve\n  crier serve --listen :8080 --database-url postgres://crier@db/crier\n  CRIER_ROLE=worker crier serve",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := a.serve(cmd.Context())
			if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) { // it was stopped before it was up
				return nil
			}
			return err
		},
	}
}

// serve runs until ctx ends, then drains.
func (a *app) serve(ctx context.Context) (err error) {
	unlock, err := a.lockDataDir()
	if err != nil {
		return err
	}
	defer unlock()
	log := a.logger()
	n, err := a.openNode(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.store.Close()) }()
	if _, err := n.prepare(ctx); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", a.config.listen)
	if err != nil {
		return fmt.Errorf("listen: %w (is another program using the address? choose one with --listen)", err)
	}
	stopSandbox, err := a.ownSandbox(ctx, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, stopSandbox()) }()
	if err := a.welcome(ctx, n); err != nil {
		return errors.Join(err, listener.Close())
	}
	return a.runServer(ctx, n, listener, log)
}

// lockDataDir keeps a second server off the embedded database. The lock ends with the process, however it ends.
func (a *app) lockDataDir() (func(), error) {
	if a.config.databaseURL != "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(a.config.dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(a.config.dataDir, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another crier serves from %s: stop it first, or use PostgreSQL for more than one node", a.config.dataDir), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// welcome initialises an empty store and tells a person what to do next.
func (a *app) welcome(ctx context.Context, n *node) error {
	empty, err := n.services.Instance.Empty(ctx)
	if err != nil {
		return err
	}
	if empty {
		t, err := n.services.Instance.Initialise(ctx, a.tenant(defaultOrganization))
		var known *crier.Error
		switch {
		case errors.As(err, &known) && known.Kind == crier.KindConflict: // another node was faster
		case err != nil:
			return err
		default:
			if err := a.printTenant(t, false); err != nil {
				return err
			}
		}
	}
	if _, err = fmt.Fprintf(a.stdout, "  crier %s is ready at %s (documentation: %s/docs)\n", version, a.config.publicURL, a.config.publicURL); err != nil {
		return err
	}
	if a.config.sandbox {
		_, err = fmt.Fprintf(a.stdout, "  Posts go to the sandbox, not to real networks. Its timelines: %s\n\n", a.sandboxURL())
	}
	return err
}

// runServer starts the doors that the node's role asks for, waits for the end and drains.
func (a *app) runServer(ctx context.Context, n *node, listener net.Listener, log *slog.Logger) error {
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var draining atomic.Bool
	n.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewDBStatsCollector(n.store.Writer(), "writer"), newJobCollector(n.store))
	if n.store.Reader() != n.store.Writer() {
		n.metrics.MustRegister(collectors.NewDBStatsCollector(n.store.Reader(), "reader"))
	}
	works := a.config.role != "api"
	if works {
		if err := n.queue.Start(ctx); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	metricsHandler := promhttp.HandlerFor(n.metrics, promhttp.HandlerOpts{})
	cfg := api.Config{
		Services: n.services, PublicURL: a.config.publicURL, Now: a.now, Logger: log, Version: version, RateLimit: a.config.rateLimit,
		Ready: n.readiness(works, &draining), Metrics: n.metrics, WorkerOnly: a.config.role == "worker",
	}
	if a.config.metricsListen == "" {
		cfg.MetricsHandler = metricsHandler
	}
	door := api.New(cfg)
	server := newHTTPServer(door, log)
	if !cfg.WorkerOnly {
		a.mountAgents(door, server)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { n.services.Access.NoteUses(background) })
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(listener) }()
	go giveBackStartMemory(log) // building the document and the pages takes more than the server will need
	stopMetrics, err := a.serveMetrics(metricsHandler, log, failed)
	if err != nil {
		failed <- err
	}
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	draining.Store(true)
	log.Info("draining", "for_at_most", drainTime)
	err = errors.Join(ignoreClosed(err), drain(server, n))
	stopMetrics()
	stopBackground()
	waiting.Wait()
	return err
}

func newHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      90 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// serveMetrics answers /metrics on an address of its own, if there is one.
func (a *app) serveMetrics(handler http.Handler, log *slog.Logger, failed chan<- error) (stop func(), err error) {
	if a.config.metricsListen == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", a.config.metricsListen) //nolint:noctx // lives as long as the process
	if err != nil {
		return func() {}, fmt.Errorf("listen for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handler)
	server := newHTTPServer(mux, log)
	go func() { failed <- server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

// drain lets running requests and jobs finish.
func drain(server *http.Server, n *node) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return errors.Join(err, n.queue.Stop(ctx))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// readiness tells whether requests should come here. A schema that was once current stays so.
func (n *node) readiness(works bool, draining *atomic.Bool) func(context.Context) error {
	var migrated atomic.Bool
	return func(ctx context.Context) error {
		if draining.Load() {
			return errors.New("draining")
		}
		if err := n.store.Ping(ctx); err != nil {
			return fmt.Errorf("database: %w", err)
		}
		if works && !n.queue.Running() {
			return errors.New("workers are not running")
		}
		if migrated.Load() {
			return nil
		}
		return n.checkMigrated(ctx, &migrated)
	}
}

func (n *node) checkMigrated(ctx context.Context, migrated *atomic.Bool) error {
	rows, err := n.store.Migrated(ctx)
	if err != nil {
		return err
	}
	jobs, err := n.queue.Migrated(ctx)
	if err != nil {
		return err
	}
	if !rows || !jobs {
		return errors.New("migrations are missing: run crier migrate")
	}
	migrated.Store(true)
	return nil
}
