// Package store holds all SQL: one file per noun, the migrations of both databases, and the one seam that knows which
// database it is. It has no rules: who may do what is decided above.
//
// Every query is one text for SQLite and PostgreSQL, with $1 parameters. Times are parameters, never now().
package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// Dialect names the database behind a store.
type Dialect string

// The two databases.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// sqliteFile is the name of the embedded database in the data directory.
const sqliteFile = "crier.db"

// Config says where the data is.
type Config struct {
	// DatabaseURL of a PostgreSQL server; empty means SQLite in DataDir.
	DatabaseURL string
	DataDir     string
	// MaxConnections bounds each of the two PostgreSQL pools of the repositories; 0 means 15.
	MaxConnections int
	Logger         *slog.Logger
}

// Store is the open database. Its own methods read; writing happens inside WithTx.
type Store struct {
	reads
	dialect Dialect
	writer  *sql.DB // SQLite: exactly one connection; PostgreSQL: a pool that keeps its plans
	reader  *sql.DB // SQLite: a pool that cannot write; PostgreSQL: a pool that plans for the values of each call
	jobs    *pgxpool.Pool
	log     *slog.Logger
}

// queryer is what reading needs: a pool or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) scanner
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// direct is a pool or a transaction of database/sql as it is.
type direct struct {
	to interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}
}

func (d direct) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return d.to.QueryContext(ctx, query, args...)
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
	// keyed finds single rows by their keys, on every request and every publication. One plan fits all such calls, and to
	// plan takes PostgreSQL longer than to answer.
	keyed queryer
	fragments
}

// fragments are the few pieces of SQL that the databases spell differently.
type fragments struct {
	// forUpdate keeps others from changing rows. New rows may refer to them meanwhile: the database checks references in an order
	// of its own, which would lead to deadlocks.
	forUpdate string
	// listOfTimes is the first argument, a JSON list of times, as rows of position (from 0) and instant.
	listOfTimes string
	// given is the first argument, a JSON list of objects, as the table v with the columns that are named; see given.go.
	given func(columns string) string
}

var (
	sqliteFragments   = fragments{listOfTimes: `(SELECT key AS position, value AS instant FROM json_each($1))`, given: sqliteGiven}
	postgresFragments = fragments{
		forUpdate:   " FOR NO KEY UPDATE",
		listOfTimes: `(SELECT n - 1 AS position, CAST(t AS timestamptz) AS instant FROM jsonb_array_elements_text($1) WITH ORDINALITY AS e (t, n))`,
		given:       postgresGiven,
	}
)

// sqliteTime is how the driver writes times into the embedded database; PostgreSQL reads it as well.
const sqliteTime = "2006-01-02 15:04:05.999999999-07:00"

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
	s.log = cfg.Logger
	if err := s.selfTest(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// selfTest refuses a driver that binds $2 and $1 by order of appearance instead of by number.
func (s *Store) selfTest(ctx context.Context) error {
	var got string
	if err := s.q.QueryRowContext(ctx, `SELECT CAST($2 AS text) || CAST($1 AS text)`, "a", "b").Scan(&got); err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	if got != "ba" {
		return fmt.Errorf("the database driver binds parameters by order, not by number: got %q", got)
	}
	return nil
}

// Exists is false when the embedded database has not been made yet. A PostgreSQL database is always there, or an error of Open.
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

func openSQLite(ctx context.Context, cfg Config) (*Store, error) {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	path := filepath.Join(cfg.DataDir, sqliteFile)
	writer, err := sql.Open("sqlite", sqliteDSN(path, false))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// One writer connection, shared with the job engine: first come, first served. Two would starve each other.
	writer.SetMaxOpenConns(1)
	reader, err := sql.Open("sqlite", sqliteDSN(path, true))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s for reading: %w", path, err), writer.Close())
	}
	readers := max(4, runtime.NumCPU())
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	// The writer makes the file and switches it to WAL; a read-only connection could do neither.
	if err := writer.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), writer.Close(), reader.Close())
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect %s: %w", path, err), writer.Close(), reader.Close())
	}
	rows := cached(reader)
	return &Store{reads: reads{rows, rows, sqliteFragments}, dialect: SQLite, writer: writer, reader: reader}, nil
}

// sqliteDSN sets what durability needs: WAL with synchronous=FULL, so that an acknowledged write survives a power cut.
func sqliteDSN(path string, readOnly bool) string {
	v := url.Values{}
	v.Add("_pragma", "busy_timeout(5000)")
	v.Add("_pragma", "journal_mode(WAL)")
	v.Add("_pragma", "synchronous(FULL)")
	v.Add("_pragma", "foreign_keys(1)")
	// In KiB. The default of 2 MiB is less than what one filtered list of a large team touches.
	v.Add("_pragma", "cache_size(-16384)")
	v.Set("_time_format", "sqlite")
	v.Set("_timezone", "UTC")
	if readOnly {
		v.Add("_pragma", "query_only(1)")
	} else {
		v.Set("_txlock", "immediate")
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + v.Encode()
}

// transactionPause is how long PostgreSQL waits for the next statement of a transaction before it ends it: the locks of a
// node that was frozen, or cut off, in the middle of one would keep all others from its work.
const transactionPause = 15 * time.Second

func openPostgres(ctx context.Context, cfg Config) (*Store, error) {
	connCfg, err := pgx.ParseConfig(cfg.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", redact(err))
	}
	poolCfg, err := pgxpool.ParseConfig(cfg.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", redact(err))
	}
	poolCfg.ConnConfig.RuntimeParams = withParams(poolCfg.ConnConfig.RuntimeParams, plannedAnew)
	poolCfg.MaxConns = int32(max(8, runtime.NumCPU()*2)) //nolint:gosec // a CPU count fits
	jobs, err := pgxpool.NewWithConfig(ctx, poolCfg)
	if err != nil {
		return nil, fmt.Errorf("open the job pool: %w", redact(err))
	}
	writer, reader := openPool(*connCfg, keptPlans, cfg.MaxConnections), openPool(*connCfg, plannedAnew, cfg.MaxConnections)
	return &Store{reads: reads{direct{reader}, direct{writer}, postgresFragments}, dialect: Postgres, writer: writer, reader: reader, jobs: jobs}, nil
}

var (
	// plannedAnew is for lists, searches and the job engine. PostgreSQL would plan for a team of average size: next to a team of a
	// million posts, a small one is searched by reading all posts. And it would keep the plan that it made for an empty job
	// table, with which a burst of jobs joins quadratically.
	plannedAnew = map[string]string{"plan_cache_mode": "force_custom_plan"}
	// keptPlans is for statements that find their rows by keys: all that write, and reads of single rows. A plan that was made
	// while a table was small must not read all of it when it has grown: each row is looked up in an index.
	keptPlans = map[string]string{"plan_cache_mode": "auto", "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off"}
)

func openPool(cfg pgx.ConnConfig, params map[string]string, size int) *sql.DB {
	if size <= 0 {
		size = 15
	}
	cfg.RuntimeParams = withParams(cfg.RuntimeParams, params)
	db := stdlib.OpenDB(cfg)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db
}

// withParams adds settings of a connection to those of the address.
func withParams(given, more map[string]string) map[string]string {
	all := maps.Clone(given)
	maps.Copy(all, more)
	all["idle_in_transaction_session_timeout"] = strconv.FormatInt(transactionPause.Milliseconds(), 10)
	return all
}

// redact keeps the password of a database address out of errors.
func redact(err error) error {
	if _, ok := errors.AsType[*pgconn.ParseConfigError](err); ok {
		return errors.New("it is not a PostgreSQL address such as postgres://user:password@host:5432/crier")
	}
	return err
}

// Close closes all pools.
func (s *Store) Close() error {
	if s.jobs != nil {
		s.jobs.Close()
	}
	err := s.writer.Close()
	if s.reader != s.writer {
		err = errors.Join(err, s.reader.Close())
	}
	return err
}

// Dialect tells which database this is.
func (s *Store) Dialect() Dialect { return s.dialect }

// Writer is the pool that the job engine shares on SQLite.
func (s *Store) Writer() *sql.DB { return s.writer }

// Reader is the pool of plain reads.
func (s *Store) Reader() *sql.DB { return s.reader }

// JobPool is the job engine's own pool on PostgreSQL, nil on SQLite.
func (s *Store) JobPool() *pgxpool.Pool { return s.jobs }

// Ping asks the database for a sign of life.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.q.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
}

// Unavailable is true when err means that the database is away or overloaded, not that the request was wrong.
func Unavailable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	var lite *sqlite.Error
	switch {
	case err == nil:
		return false
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone):
		return true
	case errors.Is(err, io.ErrUnexpectedEOF): // the line was cut while an answer was awaited
		return true
	case errors.As(err, &lite):
		primary := lite.Code() & 0xff
		return primary == sqlitelib.SQLITE_BUSY || primary == sqlitelib.SQLITE_LOCKED || primary == sqlitelib.SQLITE_FULL || primary == sqlitelib.SQLITE_IOERR
	}
	state := sqlState(err)
	// Classes 08 (connection), 53 (resources) and 57P (the server is going down or comes up), and the end of a transaction
	// whose node was asleep.
	return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") || strings.HasPrefix(state, "57P") || state == "25P03"
}

func isDeadlock(err error) bool {
	state := sqlState(err)
	return state == "40001" || state == "40P01"
}

// isUniqueViolation is true when a unique index had the last word.
func isUniqueViolation(err error) bool {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		code := lite.Code()
		return code == sqlitelib.SQLITE_CONSTRAINT_UNIQUE || code == sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return sqlState(err) == "23505"
}

func sqlState(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	return ""
}
