// Package store holds all SQL: one file per resource, the migrations of both databases, and the only code that knows
// which database is used. It has no business rules.
//
// Every query has one text for SQLite and PostgreSQL, with $1 parameters. Times are parameters, never now().
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"crier"
)

// Config configures a store.
type Config struct {
	// DatabaseURL is the URL of a PostgreSQL database; empty means SQLite in DataDir.
	DatabaseURL string
	DataDir     string
	// MaxConnections limits each of the reader and writer pools on PostgreSQL; 0 means 15.
	MaxConnections int
	// CreditsLow is the threshold of available credits below which an organization is notified; 0 means never, unless
	// the organization has its own threshold.
	CreditsLow int64
	// Tracer traces every statement and batch that is sent to PostgreSQL, for tests that count them.
	Tracer pgx.QueryTracer
	Logger *slog.Logger
}

// Store is an open database. Its own methods read; writes happen in WithTx.
type Store struct {
	reads
	dialect Dialect
	writer  *sql.DB // SQLite: exactly one connection; PostgreSQL: a pool with cached plans
	reader  *sql.DB // SQLite: a read-only pool; PostgreSQL: a pool that plans for the values of each call
	jobs    *pgxpool.Pool
	log     *slog.Logger
	// commits and checkpoints are for SQLite only.
	commits     chan struct{}
	checkpoints *checkpointer
	// credentialChanges counts the transactions of this process that may have changed credentials.
	credentialChanges atomic.Int64
	// eventsWritten has a buffer of one signal: its reader reads all new events.
	eventsWritten chan struct{}
	sequenced     sequencedEvents
	// crowded sends the teams whose changes may have to be merged.
	crowded    chan crier.ID
	creditsLow int64
}

// queryer is a pool or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (resultRows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) scanner
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	// Ask runs queries that do not depend on each other, in one round trip.
	Ask(ctx context.Context, questions ...question) error
}

// resultRows are the rows of a query.
type resultRows interface {
	scanner
	Next() bool
	Err() error
	Close() error
}

// direct adapts a pool or a transaction of database/sql.
type direct struct {
	to interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}
}

func (d direct) QueryContext(ctx context.Context, query string, args ...any) (resultRows, error) {
	found, err := d.to.QueryContext(ctx, query, args...) //nolint:rowserrcheck // by the reader of the rows
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Ask runs the queries one after the other.
func (d direct) Ask(ctx context.Context, questions ...question) error {
	return askEach(ctx, d, questions)
}

func (d direct) QueryRowContext(ctx context.Context, query string, args ...any) scanner {
	return d.to.QueryRowContext(ctx, query, args...)
}

func (d direct) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return d.to.ExecContext(ctx, query, args...)
}

// reads are the queries that a Store and a Tx share.
type reads struct {
	q queryer
	// keyed is for lookups of single rows by key, which happen on every request and publication. One plan fits all such
	// calls, and planning takes PostgreSQL longer than executing.
	keyed queryer
	fragments
}

// Open opens the database; it does not migrate it.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	open := openSQLite
	if cfg.DatabaseURL != "" {
		open = openPostgres
	}
	s, err := open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s.log, s.eventsWritten, s.creditsLow = cfg.Logger, make(chan struct{}, 1), cfg.CreditsLow
	s.crowded = make(chan crier.ID, 64)
	if s.dialect == SQLite {
		s.checkpoints = startCheckpoints(ctx, s.reader, s.commits, s.log)
	}
	if err := s.selfTest(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// selfTest rejects a driver that binds $2 and $1 by order of appearance instead of by number.
func (s *Store) selfTest(ctx context.Context) error {
	var got string
	if err := s.q.QueryRowContext(ctx, `SELECT CAST($2 AS text) || CAST($1 AS text)`, "a", "b").Scan(&got); err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	if got != "ba" {
		return fmt.Errorf("the database driver binds parameters by order, not by number: got %q", got)
	}
	if s.dialect == SQLite {
		return nil
	}
	var version int
	if err := s.q.QueryRowContext(ctx, `SELECT CAST(current_setting('server_version_num') AS integer)`).Scan(
		&version); err != nil {
		return fmt.Errorf("ask for the version of PostgreSQL: %w", err)
	}
	return checkPostgres(version)
}

// Exists reports whether the SQLite database exists. A PostgreSQL database always exists, or Open returns an error.
func Exists(cfg Config) (bool, error) {
	if cfg.DatabaseURL != "" {
		return true, nil
	}
	_, err := os.Stat(filepath.Join(cfg.DataDir, sqliteFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Close closes all pools.
func (s *Store) Close() error {
	if s.jobs != nil {
		s.jobs.Close()
	}
	if s.checkpoints != nil {
		s.checkpoints.stop()
	}
	err := s.writer.Close()
	if s.reader != s.writer {
		err = errors.Join(err, s.reader.Close())
	}
	return err
}

// Dialect returns the kind of database.
func (s *Store) Dialect() Dialect { return s.dialect }

// Writer returns the writer pool, which the job engine shares on SQLite.
func (s *Store) Writer() *sql.DB { return s.writer }

// Reader returns the reader pool.
func (s *Store) Reader() *sql.DB { return s.reader }

// JobPool returns the job engine's own pool on PostgreSQL; nil on SQLite.
func (s *Store) JobPool() *pgxpool.Pool { return s.jobs }

// Ping checks that the database responds.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.q.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
}
