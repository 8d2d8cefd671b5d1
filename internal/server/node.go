package server

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

// Node is the wired program: store, rules, job engine and, once it runs, its listeners.
type Node struct {
	Store    *store.Store
	Queue    *queue.Queue
	Services *service.Services
	Metrics  *prometheus.Registry
	config   Config
	log      *slog.Logger
	// ownsProcess is true when nothing else runs in the process, so that the node may release the process's memory.
	ownsProcess bool
	// welcome is called once the node's addresses are its own; nil does nothing.
	welcome func(context.Context, *Node) error
}

// Open opens the store and wires the rules. It changes nothing but the key file, which it creates for a new store.
func Open(ctx context.Context, c Config) (*Node, error) {
	st, err := store.Open(ctx, c.storeConfig())
	if err != nil {
		return nil, err
	}
	keys, err := c.openKeys(ctx, st)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	n := &Node{Store: st, Metrics: prometheus.NewRegistry(), config: c, log: c.Logger}
	networks, err := c.Registry()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	n.Queue, err = queue.New(queue.Config{Store: st, Now: c.Now, Logger: c.Logger, Metrics: n.Metrics})
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	blobs, err := c.OpenBlobs(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the media library: %w", err), st.Close())
	}
	analyser, err := c.analyser()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	mailer, err := c.mailer()
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	n.Services = service.New(service.Config{
		Store: st, Keys: keys, Queue: n.Queue, Providers: networks, Observer: n.Queue, Analyser: analyser,
		Timings: c.Timings, Checkpoint: c.Checkpoint, PasswordMemory: c.PasswordMemory,
		Blobs: blobs, Fetcher: c.fetcher(), StorageQuota: c.StorageQuota, QuickPixels: c.QuickPixels,
		Mailer: mailer, PublicURL: c.PublicURL, Sandbox: c.Sandbox,
		OAuthClients: c.OAuthClients, OAuthRegistration: c.OAuthRegistration, OAuthDocuments: c.OAuthDocuments,
		WebhookGuard: c.webhookGuard(), EventDays: c.EventDays, MetricsDays: c.MetricsDays,
		AcceptLostKeys: c.AcceptLostKeys,
		Now:            c.Now, Logger: c.Logger,
	})
	n.Queue.Register(n.Services)
	return n, nil
}

// Prepare migrates the schema and binds the store to the secret key, unless records need a key that this node lacks.
func (n *Node) Prepare(ctx context.Context) ([]string, error) {
	applied, err := n.Store.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	if err := n.Queue.Migrate(ctx); err != nil {
		return applied, err
	}
	if ahead, err := n.Store.SchemaAhead(ctx); err != nil {
		return applied, err
	} else if ahead {
		n.log.Warn("a newer version of crier has migrated the database: this version is meant to run beside it " +
			"during an upgrade only")
	}
	return applied, n.Services.Instance.BindKey(ctx)
}

// keyFile holds the instance's secret key when no setting does.
const keyFile = "secret.key"

// openKeys returns the keyring of the node. A key is generated for a new store only: the records of another one need
// the key that they were sealed with, and a new file in its place would hide that it is missing.
func (c *Config) openKeys(ctx context.Context, st *store.Store) (*auth.Keyring, error) {
	if _, err := c.PresentKey(); errors.Is(err, fs.ErrNotExist) {
		lost := service.CheckNoKey(ctx, st, c.AcceptLostKeys)
		// Another process may have created the file and bound the store to it in the meantime.
		if _, err := c.PresentKey(); lost != nil && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no secret key in %s: %w", filepath.Join(c.DataDir, keyFile), lost)
		}
	}
	secret, err := c.secretKey()
	if err != nil {
		return nil, err
	}
	keys, err := auth.NewKeyring(secret)
	if err != nil {
		source := "CRIER_SECRET_KEY"
		if c.SecretKey == "" {
			source = filepath.Join(c.DataDir, keyFile)
		}
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return keys, nil
}

// secretKey returns the key of the settings or of the file in the data directory, which is created at the first start.
// Two concurrent starts end up with the same file.
func (c *Config) secretKey() (string, error) {
	secret, err := c.PresentKey()
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return "", fmt.Errorf("create the data directory: %w", err)
	}
	return writeKeyFile(filepath.Join(c.DataDir, keyFile), auth.NewSecretKey())
}

// PresentKey returns the key of the settings or of the file; fs.ErrNotExist when there is neither.
func (c *Config) PresentKey() (string, error) {
	if c.SecretKey != "" {
		return c.SecretKey, nil
	}
	return readKeyFile(filepath.Join(c.DataDir, keyFile))
}

func readKeyFile(path string) (string, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the operator names the directory
	if err != nil {
		return "", fmt.Errorf("read the secret key: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// writeKeyFile writes a key file unless there is one already, and returns the key in the file.
func writeKeyFile(path, secret string) (string, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), keyFile+".*") // with mode 0600
	if err != nil {
		return "", fmt.Errorf("generate the secret key: %w", err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(secret + "\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", fmt.Errorf("write the secret key: %w", err)
	}
	// The link fails if the file exists by now: the first writer wins.
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("store the secret key: %w", err)
	}
	return readKeyFile(path)
}
