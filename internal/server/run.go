package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"crier/internal/api"
	"crier/internal/filelock"
	"crier/internal/mcp"
	"crier/web"
)

// DrainTime is how long running requests and jobs may take to finish when the server stops.
const DrainTime = 30 * time.Second

// Serve opens a node, migrates its schema, and runs it until ctx ends. welcome is called once all its addresses are its
// own, before it begins to publish.
func Serve(ctx context.Context, c Config, welcome func(context.Context, *Node) error) (err error) {
	unlock, err := c.lockDataDir()
	if err != nil {
		return err
	}
	defer unlock()
	defer runtime.KeepAlive(heapHeadroom())
	n, err := Open(ctx, c)
	if err != nil {
		return err
	}
	n.ownsProcess = true
	defer func() { err = errors.Join(err, n.Store.Close()) }()
	if _, err := n.Prepare(ctx); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w%s", err, listenHint(err, "--listen"))
	}
	stopSandbox, err := c.ownSandbox(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, stopSandbox()) }()
	n.welcome = welcome
	return n.Run(ctx, listener)
}

// listenHint says what to do about an address that cannot be listened on.
func listenHint(err error, flag string) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return " (another program uses the address: stop it, or choose another one with " + flag + ")"
	case errors.Is(err, fs.ErrPermission):
		return " (ports below 1024 take a privilege: choose another one with " + flag +
			", or grant CAP_NET_BIND_SERVICE)"
	}
	return " (choose another address with " + flag + ")"
}

// lockDataDir prevents a second server from opening the embedded database. The lock ends with the process, however it
// ends.
func (c *Config) lockDataDir() (func(), error) {
	if c.DatabaseURL != "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("create the data directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(c.DataDir, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	locked, err := filelock.Try(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the data directory: %w", err), file.Close())
	}
	if !locked {
		return nil, errors.Join(fmt.Errorf("another crier serves from %s: stop it first, or use PostgreSQL for more "+
			"than one node", c.DataDir), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// Run starts the listeners and workers of the node's role, waits for the end of ctx and drains.
func (n *Node) Run(ctx context.Context, listener net.Listener) (err error) {
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var draining atomic.Bool
	n.registerMetrics()
	works := n.config.Role != "api"
	metrics := promhttp.HandlerFor(n.Metrics, promhttp.HandlerOpts{})
	// Whatever can fail precedes the workers: a node that cannot start must not begin to publish.
	server, err := n.httpServer(n.readiness(works, &draining), metrics)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	failed := make(chan error, 2)
	stopMetrics, err := n.serveMetrics(metrics, failed) // first: a node that is ready serves its metrics
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer stopMetrics()
	if n.welcome != nil {
		if err := n.welcome(ctx, n); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	if err := n.serveRestored(ctx); ctx.Err() != nil { // it was stopped before it had started
		return listener.Close()
	} else if err != nil {
		return errors.Join(err, listener.Close())
	}
	if works {
		if err := n.Queue.Start(ctx); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	var waiting sync.WaitGroup
	n.startBackground(background, &waiting)
	go func() { failed <- serveOn(server, listener) }()
	if n.ownsProcess {
		go n.releaseMemory(background)
	}
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	draining.Store(true)
	n.log.Info("draining", "for_at_most", DrainTime)
	err = errors.Join(ignoreClosed(err), drain(server, n))
	stopBackground()
	waiting.Wait()
	return err
}

func (n *Node) registerMetrics() {
	n.Metrics.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewDBStatsCollector(n.Store.Writer(), "writer"), newVitalsCollector(n.Store, n.config.Now, n.log))
	if n.Store.Reader() != n.Store.Writer() {
		n.Metrics.MustRegister(collectors.NewDBStatsCollector(n.Store.Reader(), "reader"))
	}
}

// httpServer returns the server of the API and, unless the node only runs jobs, of MCP.
func (n *Node) httpServer(ready func(context.Context) error, metrics http.Handler) (*http.Server, error) {
	c := &n.config
	cfg := api.Config{
		Services: n.Services, PublicURL: c.PublicURL, Now: c.Now, Logger: n.log, Version: c.Version,
		RateLimit: c.RateLimit, OrganizationRateLimit: c.OrganizationRateLimit, SecurityContact: c.SecurityContact,
		TrustedProxies: c.Proxies, Ready: ready, Metrics: n.Metrics,
		WorkerOnly: c.Role == "worker", App: web.Dist(), Mail: c.SMTPURL != "",
	}
	if c.Sandbox {
		cfg.SandboxURL = c.SandboxURL()
	}
	if c.MetricsListen == "" && !c.Public {
		cfg.MetricsHandler = metrics
	}
	handler := api.New(cfg)
	server := newHTTPServer(handler, n.log)
	var err error
	if server.TLSConfig, err = c.TLS.serverConfig(c.PublicURL, c.DataDir); err != nil {
		return nil, err
	}
	if !cfg.WorkerOnly { // agents connect at /mcp and use the same API as every other client
		agents := mcp.NewHandler(handler.ForAgents(), c.PublicURL, c.Version, c.Now)
		handler.Mount("/mcp", agents)
		server.RegisterOnShutdown(agents.Close)
	}
	server.RegisterOnShutdown(n.Services.Events.Log().Close)
	return server, nil
}

// startBackground starts the background loops, which run until ctx ends.
func (n *Node) startBackground(ctx context.Context, running *sync.WaitGroup) {
	running.Go(func() { n.Services.Events.Log().Run(ctx) })
	running.Go(func() { n.Services.Access.RecordUses(ctx) })
	running.Go(func() {
		n.Services.Upkeep.MergeChanges(ctx, func(err error) {
			n.log.Warn("could not merge changes of posts; it is tried again later", "error", err)
		})
	})
	running.Go(func() {
		if err := n.Services.Posts.IndexAll(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("could not index the posts of an earlier version; the next start continues", "error", err)
		}
	})
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

// serveMetrics serves /metrics on a separate address, if one is set.
func (n *Node) serveMetrics(handler http.Handler, failed chan<- error) (stop func(), err error) {
	if n.config.MetricsListen == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", n.config.MetricsListen) //nolint:noctx // lives as long as the process
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w%s", err, listenHint(err, "--metrics-listen"))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handler)
	server := newHTTPServer(mux, n.log)
	go func() { failed <- server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

// drain lets running requests and jobs finish, concurrently: a long upload must not use up the time of calls to
// networks.
func drain(server *http.Server, n *Node) error {
	ctx, cancel := context.WithTimeout(context.Background(), DrainTime)
	defer cancel()
	jobs := make(chan error, 1)
	go func() { jobs <- n.Queue.Stop(ctx) }()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return errors.Join(err, <-jobs)
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// readiness returns the readiness check. A schema that was current once stays current.
func (n *Node) readiness(works bool, draining *atomic.Bool) func(context.Context) error {
	var migrated atomic.Bool
	return func(ctx context.Context) error {
		if draining.Load() {
			return errors.New("draining")
		}
		if err := n.Store.Ping(ctx); err != nil {
			return fmt.Errorf("database: %w", err)
		}
		if works && !n.Queue.Running() {
			return errors.New("workers are not running")
		}
		if migrated.Load() {
			return nil
		}
		return n.checkMigrated(ctx, &migrated)
	}
}

func (n *Node) checkMigrated(ctx context.Context, migrated *atomic.Bool) error {
	rows, err := n.Store.Migrated(ctx)
	if err != nil {
		return err
	}
	jobs, err := n.Queue.Migrated(ctx)
	if err != nil {
		return err
	}
	if !rows || !jobs {
		return errors.New("migrations are missing: run crier migrate")
	}
	migrated.Store(true)
	return nil
}
