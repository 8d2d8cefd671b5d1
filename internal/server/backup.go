package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"crier"
	"crier/internal/backup"
	"crier/internal/queue"
	"crier/internal/store"
)

// BackupOptions are the options of a backup or a restore.
type BackupOptions struct {
	// Passphrase encrypts and decrypts the secret key in the backup; empty leaves the key out.
	Passphrase string
	// WithMedia includes the media files in a backup.
	WithMedia bool
	// CheckMedia verifies the checksums of media files when a backup is restored.
	CheckMedia bool
}

// Backup writes a backup of the installation while it runs.
func Backup(ctx context.Context, c Config, path string, o BackupOptions) (report backup.Report, err error) {
	cfg := c.storeConfig()
	if there, err := store.Exists(cfg); err != nil || !there {
		return report, errors.Join(err, fmt.Errorf("there is no database in %s", c.DataDir))
	}
	secret, err := c.PresentKey()
	if err != nil && (o.Passphrase != "" || !errors.Is(err, fs.ErrNotExist)) {
		return report, err
	}
	blobs, err := c.OpenBlobs(ctx)
	if err != nil {
		return report, fmt.Errorf("open the media library: %w", err)
	}
	st, err := store.Open(ctx, cfg)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return backup.Write(ctx, path, backup.Source{Store: st, Blobs: blobs, Secret: secret, Passphrase: o.Passphrase,
		WithMedia: o.WithMedia, Version: c.Version, Now: c.Now})
}

// Restore restores a backup into an empty installation.
func Restore(ctx context.Context, c Config, path string, o BackupOptions) (done backup.Restored, err error) {
	unlock, err := c.lockDataDir()
	if err != nil {
		return done, err
	}
	defer unlock()
	secret, err := c.PresentKey()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	blobs, err := c.OpenBlobs(ctx)
	if err != nil {
		return done, fmt.Errorf("open the media library: %w", err)
	}
	return backup.Restore(ctx, path, backup.Target{
		DatabaseURL: c.DatabaseURL, DataDir: c.DataDir, Blobs: blobs, Secret: secret, Passphrase: o.Passphrase,
		KeepSecret: c.writeKey, PrepareJobs: c.prepareJobs, CheckMedia: o.CheckMedia, Now: c.Now,
	})
}

// MarkRestored records that the database was restored by other means, such as pg_restore, from a copy taken at the
// given time. No node may be running.
func MarkRestored(ctx context.Context, c Config, copied crier.Time) (found store.RestoredPublications, err error) {
	unlock, err := c.lockDataDir()
	if err != nil {
		return found, err
	}
	defer unlock()
	n, err := Open(ctx, c)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, n.Store.Close()) }()
	if _, err := n.Prepare(ctx); err != nil {
		return found, err
	}
	err = n.Store.WithTx(ctx, func(tx *store.Tx) error {
		found, err = tx.MarkRestored(ctx, store.RestoreTimes{BackedUpAt: copied, Now: crier.TimeOf(c.Now())})
		return err
	})
	return found, err
}

// serveRestored records the first start since a restore: until now, the installation that was backed up may have
// published. Commands that only open the store do not count.
func (n *Node) serveRestored(ctx context.Context) error {
	now := crier.TimeOf(n.config.Now())
	var first bool
	err := n.Store.WithTx(ctx, func(tx *store.Tx) (err error) {
		first, err = tx.ServeRestored(ctx, now)
		return err
	})
	if err != nil || !first {
		return err
	}
	n.log.Info("this is the first start since the restore: what was due until now is looked up before it is sent")
	return nil
}

func (c *Config) storeConfig() store.Config {
	return store.Config{DatabaseURL: c.DatabaseURL, DataDir: c.DataDir, CreditsLow: c.CreditsLow, Logger: c.Logger}
}

// writeKey writes the secret key of a backup into the data directory.
func (c *Config) writeKey(secret string) error {
	path := filepath.Join(c.DataDir, keyFile)
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	_, err := writeKeyFile(path, secret)
	return err
}

// prepareJobs creates the tables of the job engine.
func (c *Config) prepareJobs(ctx context.Context, st *store.Store) error {
	jobs, err := queue.New(queue.Config{Store: st, Now: c.Now, Logger: c.Logger, Metrics: prometheus.NewRegistry()})
	if err != nil {
		return err
	}
	return jobs.Migrate(ctx)
}
