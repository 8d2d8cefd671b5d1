package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"crier/internal/auth"
	"crier/internal/queue"
	"crier/internal/service"
	"crier/internal/store"
)

// node is the wired program below its doors: store, rules and job engine.
type node struct {
	store    *store.Store
	queue    *queue.Queue
	services *service.Services
	metrics  *prometheus.Registry
	log      *slog.Logger
}

// openNode opens the store and wires the rules. It changes nothing.
func (a *app) openNode(ctx context.Context, log *slog.Logger) (*node, error) {
	secret, err := a.secretKey()
	if err != nil {
		return nil, err
	}
	keys, err := auth.NewKeyring(secret)
	if err != nil {
		return nil, fmt.Errorf("CRIER_SECRET_KEY: %w", err)
	}
	st, err := store.Open(ctx, store.Config{DatabaseURL: a.config.databaseURL, DataDir: a.config.dataDir, Logger: log})
	if err != nil {
		return nil, err
	}
	n := &node{store: st, metrics: prometheus.NewRegistry(), log: log}
	networks, err := a.networks()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	n.queue, err = queue.New(queue.Config{Store: st, Now: a.now, Logger: log, Metrics: n.metrics})
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	blobs, err := a.openBlobs(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the media library: %w", err), st.Close())
	}
	analyser, err := a.analyser()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	mailer, err := a.mailer()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	n.services = service.New(service.Config{
		Store: st, Keys: keys, Queue: n.queue, Providers: networks, Observer: n.queue, Analyser: analyser, Timings: a.timings, Checkpoint: a.checkpoint,
		Blobs: blobs, Fetcher: a.fetcher(), Mailer: mailer, PublicURL: a.config.publicURL, Sandbox: a.config.sandbox, Now: a.now, Logger: log,
	})
	n.queue.Register(n.services)
	return n, nil
}

// prepare brings the schema up to date and binds the store to the secret key.
func (n *node) prepare(ctx context.Context) ([]string, error) {
	applied, err := n.store.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	if err := n.queue.Migrate(ctx); err != nil {
		return applied, err
	}
	return applied, n.services.Instance.BindKey(ctx)
}

// withNode opens and prepares a node for a short command.
func (a *app) withNode(ctx context.Context, fn func(*node) error) (err error) {
	n, err := a.openNode(ctx, a.logger())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.store.Close()) }()
	if _, err := n.prepare(ctx); err != nil {
		return err
	}
	return fn(n)
}

// keyFile holds the instance's secret when no setting does.
const keyFile = "secret.key"

// secretKey is the setting, or the file in the data directory, which is made at the first start. Two starts at once end
// up with the same file.
func (a *app) secretKey() (string, error) {
	secret, err := a.presentKey()
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := os.MkdirAll(a.config.dataDir, 0o700); err != nil {
		return "", fmt.Errorf("make the data directory: %w", err)
	}
	return makeKeyFile(filepath.Join(a.config.dataDir, keyFile))
}

// presentKey is the setting or the file; fs.ErrNotExist when there is neither.
func (a *app) presentKey() (string, error) {
	if a.config.secretKey != "" {
		return a.config.secretKey, nil
	}
	return readKeyFile(filepath.Join(a.config.dataDir, keyFile))
}

func readKeyFile(path string) (string, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the operator names the directory
	if err != nil {
		return "", fmt.Errorf("read the secret key: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

func makeKeyFile(path string) (string, error) {
	secret := auth.NewSecretKey()
	temp, err := os.CreateTemp(filepath.Dir(path), keyFile+".*") // with mode 0600
	if err != nil {
		return "", fmt.Errorf("make the secret key: %w", err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(secret + "\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", fmt.Errorf("write the secret key: %w", err)
	}
	// A link fails when the file has appeared meanwhile: the first one wins.
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("keep the secret key: %w", err)
	}
	return readKeyFile(path)
}

// logger writes to standard error, in the format and from the level that were asked for.
func (a *app) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: a.config.logLevel}
	if a.config.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}
