package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// The folders hold the same numbers and names: one migration is two texts.
//
//go:embed migrations
var migrations embed.FS

// Migrate brings the schema up to date and returns the names of what it applied. Nodes that start at the same time
// wait for each other.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	provider, err := s.migrationProvider()
	if err != nil {
		return nil, err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	applied := make([]string, len(results))
	for i, r := range results {
		applied[i] = r.Source.Path
	}
	return applied, nil
}

// Migrated is true when no migration is missing.
func (s *Store) Migrated(ctx context.Context) (bool, error) {
	provider, err := s.migrationProvider()
	if err != nil {
		return false, err
	}
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("ask for migrations: %w", err)
	}
	return !pending, nil
}

func (s *Store) migrationProvider() (*goose.Provider, error) {
	folder, err := fs.Sub(migrations, "migrations/"+string(s.dialect))
	if err != nil {
		return nil, fmt.Errorf("open the migrations: %w", err)
	}
	dialect := goose.DialectSQLite3
	opts := []goose.ProviderOption{goose.WithVerbose(false), goose.WithDisableGlobalRegistry(true)}
	if s.dialect == Postgres {
		dialect = goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, fmt.Errorf("prepare the migration lock: %w", err)
		}
		opts = append(opts, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(dialect, s.writer, folder, opts...)
}
