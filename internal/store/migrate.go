package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Both directories hold the same numbers and names: a migration is a pair of files.
//
//go:embed migrations
var migrations embed.FS

// Migrate applies the pending migrations and returns their names. Nodes that start at the same time wait for each
// other.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	provider, done, err := s.migrationProvider()
	if err != nil {
		return nil, err
	}
	defer done()
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	if err := s.fillSortKeys(ctx, s.writer); err != nil {
		return nil, err
	}
	applied := make([]string, len(results))
	for i, r := range results {
		applied[i] = r.Source.Path
	}
	return applied, nil
}

// Migrated reports whether all migrations are applied.
func (s *Store) Migrated(ctx context.Context) (bool, error) {
	provider, done, err := s.migrationProvider()
	if err != nil {
		return false, err
	}
	defer done()
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("ask for migrations: %w", err)
	}
	return !pending, nil
}

// SchemaAhead reports whether a newer version of this program has migrated the database. Nodes of the previous version
// keep working during an upgrade, but no longer than that.
func (s *Store) SchemaAhead(ctx context.Context) (bool, error) {
	known, err := s.newestMigration()
	if err != nil {
		return false, err
	}
	version, err := s.schemaVersion(ctx)
	return version > known, err
}

// Nodes that start while another one migrates a large database wait up to an hour for it.
const (
	migrationLockPeriod = 1 // seconds between attempts
	migrationLockTries  = 3600
)

// migrationProvider finds the migrations of this database. The caller must call done.
func (s *Store) migrationProvider() (provider *goose.Provider, done func(), err error) {
	folder, err := fs.Sub(migrations, "migrations/"+string(s.dialect))
	if err != nil {
		return nil, nil, fmt.Errorf("open the migrations: %w", err)
	}
	opts := []goose.ProviderOption{goose.WithVerbose(false), goose.WithDisableGlobalRegistry(true)}
	if s.dialect == SQLite {
		provider, err = goose.NewProvider(goose.DialectSQLite3, s.writer, folder, opts...)
		return provider, func() {}, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(migrationLockPeriod, migrationLockTries))
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the migration lock: %w", err)
	}
	// The writer pool disables sequential scans and hash joins, which suit whole tables. The connections are closed
	// after use: when a migration is interrupted, database/sql may take its connection from goose before goose has
	// unlocked it. Back in a pool, it would keep the lock.
	db := stdlib.OpenDB(*s.jobs.Config().ConnConfig)
	provider, err = goose.NewProvider(goose.DialectPostgres, db, folder,
		append(opts, goose.WithSessionLocker(locker))...)
	return provider, func() { _ = db.Close() }, err
}
